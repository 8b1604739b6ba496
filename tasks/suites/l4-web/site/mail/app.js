// Mail: an inbox, messages with files, sending and forwarding. state.mail is a list of messages
// { from, at, subject, text, files: [{ name, text }], link: { app, to, text }, hidden }; sent ones go to made.mail.
import { open, update, made, field, form, rows, el, notice } from "/common/app.js";
import { MAIL } from "/common/filler.js";

const w = await open("mail", "Mail");
const all = [...(w.state.mail ?? []), ...MAIL];
const id = w.query.get("id");
const message = id === null ? null : all[Number(id)];
const when = (at) => { const [, m, d, t] = /(\d+)-(\d+) (.*)/.exec(at); return `${Number(d)} ${m === "05" ? "May" : "April"}, ${t}`; };

function inbox() {
  const items = all.map((m, i) => ({ ...m, i })).filter((m) => !m.hidden).sort((a, b) => (a.at < b.at ? 1 : -1));
  w.main.append(el("h1", {}, "Inbox"),
    el("p", { class: "row" }, el("a", { class: "button", href: "/mail/?write=new" }, "Write"), el("a", { class: "button", href: "/mail/?sent=1" }, "Sent")),
    rows("Messages", items.map((m) => ({ href: `/mail/?id=${m.i}`, text: m.subject, note: `${m.from}, ${when(m.at)}` }))));
}

function read() {
  w.main.append(el("h1", {}, message.subject),
    el("dl", {}, el("dt", {}, "From"), el("dd", {}, message.from), el("dt", {}, "Received"), el("dd", {}, when(message.at))),
    message.text.map((t) => el("p", {}, t)));
  if (message.link) w.main.append(el("p", {}, el("a", { href: w.href(message.link.app, message.link.to), target: "_blank" }, message.link.text)));
  if (message.files?.length) {
    w.main.append(el("h2", {}, "Files"), rows("Files", message.files.map((f, i) => ({ href: `/mail/?id=${id}&file=${i}`, text: f.name }))));
  }
  w.main.append(el("p", { class: "row" }, el("a", { class: "button", href: `/mail/?write=reply&id=${id}` }, "Reply"),
    el("a", { class: "button", href: `/mail/?write=forward&id=${id}` }, "Forward"), el("a", { class: "button", href: "/mail/" }, "Inbox")));
}

function write(kind) {
  const to = field("To", { value: kind === "reply" ? message.from : "" });
  const about = field("Subject", { value: kind === "new" ? "" : `${kind === "reply" ? "Re" : "Fwd"}: ${message.subject}` });
  const text = field("Message", { long: true });
  const boxes = kind === "forward" ? (message.files ?? []).map((f) => ({ name: f.name, box: el("input", { type: "checkbox" }) })) : [];
  w.main.append(el("h1", {}, kind === "forward" ? "Forward" : "Write"),
    form("Message", [to, about, text], "Send", async (v) => {
      const files = boxes.filter((b) => b.box.checked).map((b) => b.name);
      await update(w, (s) => { (s.made.mail ??= []).push({ to: v.To, subject: v.Subject, text: v.Message, files }); });
      location.href = "/mail/?sent=1";
    }, kind === "forward" ? ["To", "Subject"] : undefined,
    boxes.length ? el("fieldset", {}, el("legend", {}, "Files"), boxes.map((b) => el("label", { class: "check" }, b.box, `Attach ${b.name}`))) : null));
}

function sent() {
  w.main.append(el("h1", {}, "Sent"), el("p", {}, el("a", { href: "/mail/" }, "Inbox")), ...made(w, "mail").map((m, i) =>
    el("section", { class: "card" }, el("h2", {}, m.subject), el("p", { class: "soft" }, `To ${m.to}${m.files.length ? `, with ${m.files.join(", ")}` : ""}`), el("p", {}, m.text),
      el("button", { onclick: async () => { await update(w, (s) => s.made.mail.splice(i, 1)); location.reload(); } }, "Recall"))));
  if (made(w, "mail").length) notice("Sent.");
}

if (w.query.get("sent")) sent();
else if (w.query.get("write")) write(w.query.get("write"));
else if (message && w.query.get("file") !== null) {
  const file = message.files[Number(w.query.get("file"))];
  w.main.append(el("h1", {}, file.name), el("pre", {}, file.text), el("p", {}, el("a", { href: `/mail/?id=${id}` }, "Back to the message")));
} else if (message) read();
else inbox();
