// Mail: a list, a letter, and a form for new ones, answers and forwarded ones.
import { area, change, choice, form, open, query, text } from "/office/frame.js";
import { el, notice } from "/_base/waldo.js";

const { state, main } = await open("mail");
const { inbox } = state.mail;
const letter = inbox[Number(query.get("m"))];
const back = () => el("p", {}, el("a", { href: "/mail/" }, "Back to the inbox"));

if (query.has("to")) compose();
else if (query.has("m") && letter) read();
else list();

function list() {
  main.append(
    el("p", {}, el("a", { class: "button", href: "/mail/?to=" }, "New letter")),
    el("ul", { "aria-label": "Inbox" }, inbox.map((one, n) =>
      el("li", {}, el("a", { href: `/mail/?m=${n}` }, `${one.subject}`), ` from ${one.from}, ${one.date}`))),
    el("p", { class: "soft" }, `${state.mail.sent.length} sent`));
}

function read() {
  const way = (words, to, subject, more) =>
    el("a", { class: "button", href: `/mail/?${new URLSearchParams({ to, subject, ...more })}` }, words);
  main.append(el("article", { class: "card", "aria-label": "Letter" },
    el("h2", {}, letter.subject),
    el("p", { class: "soft" }, `From ${letter.from} <${letter.address}>, ${letter.date}`),
    letter.text.map((line) => el("p", {}, line)),
    (letter.files ?? []).map((file) => el("p", {}, `Attached: ${file}`)),
    el("div", { class: "row" },
      way("Answer", letter.address, `Re: ${letter.subject}`, {}),
      way("Forward", "", `Fwd: ${letter.subject}`, { m: query.get("m") }))), back());
}

function compose() {
  const files = letter?.files ?? [];
  const fields = {
    To: text({ value: query.get("to") }),
    Subject: text({ value: query.get("subject") ?? "" }),
    Message: area({ "data-free": "" }),
  };
  if (files.length) fields.Attachment = choice(["None", ...files]);
  main.append(form("New letter", fields, "Send", async (values) => {
    await change((now) => now.mail.sent.push({
      to: values.To, subject: values.Subject, text: values.Message,
      file: values.Attachment && values.Attachment !== "None" ? values.Attachment : "",
    }));
    main.querySelector("form").remove();
    notice("Sent.");
  }), back());
}
