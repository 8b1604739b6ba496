// Chat. state.chat: { channel: [{ who, text, hidden }] }; made.chat: [{ channel, text }].
import { open, update, made, field, form, rows, el } from "/common/app.js";
import { CHAT } from "/common/filler.js";

const w = await open("chat", "Chat");
const channels = { ...(w.state.chat ?? {}), ...CHAT };
const channel = w.query.get("channel");
if (channel && channels[channel]) {
  w.main.append(el("h1", {}, channel), el("p", {}, el("a", { href: "/chat/" }, "All channels")),
    el("div", { role: "log", "aria-label": "Messages" }, channels[channel].filter((m) => !m.hidden).map((m) => el("p", {}, el("strong", {}, `${m.who}: `), m.text)),
      made(w, "chat").map((m, i) => (m.channel !== channel ? "" : el("p", {}, el("strong", {}, "You: "), `${m.text} `,
        el("button", { class: "small", onclick: async () => { await update(w, (s) => s.made.chat.splice(i, 1)); location.reload(); } }, "Delete"))))),
    form("Message", [field("Message")], "Send", async (v) => {
      await update(w, (s) => { (s.made.chat ??= []).push({ channel, text: v.Message }); });
      location.reload();
    }));
} else {
  w.main.append(el("h1", {}, "Channels"), rows("Channels", Object.keys(channels).map((c) => ({ href: `/chat/?channel=${encodeURIComponent(c)}`, text: c,
    note: `${channels[c].filter((m) => !m.hidden).length} messages` }))));
}
