// Chat: channels, what was said in one, and a line of one's own.
import { change, form, open, query, text } from "/office/frame.js";
import { el } from "/_base/waldo.js";

const { state, main } = await open("chat");
const { channels } = state.chat;
const channel = channels[Number(query.get("c"))];

main.append(el("ul", { "aria-label": "Channels" }, channels.map((one, n) =>
  el("li", {}, el("a", { href: `/chat/?c=${n}` }, one.name)))));
if (query.has("c") && channel) {
  main.append(el("section", { class: "card", "aria-label": channel.name },
    el("h2", {}, channel.name),
    channel.lines.map((line) => el("p", {}, el("b", {}, `${line.who}: `), line.text))),
  form("New message", { Message: text() }, "Send", async (values) => {
    await change((now) => now.chat.channels[Number(query.get("c"))].lines.push({ who: "You", text: values.Message }));
    location.reload();
  }));
}
