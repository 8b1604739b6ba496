// What the apps share: the frame with links to all of them, and a way to change
// the state that never loses what another tab or an event changed meanwhile.
//
// Given things stand in state[app]; all that the user does goes to state.made[app].
import { load, el, $, notice } from "/_base/waldo.js";

/** Apps of the house, and those that other firms run on the other origin. */
const APPS = [["mail", "Mail"], ["calendar", "Calendar"], ["tickets", "Tickets"], ["sheet", "Sheet"], ["chat", "Chat"],
  ["wiki", "Wiki"], ["shop", "Shop"], ["map", "Map"]];
const AWAY = ["shop", "map"];

/** Opens an app: loads the episode and draws the frame. `query` is the address's. */
export async function open(app, name) {
  const w = await load();
  w.query = new URLSearchParams(location.search);
  w.main = el("main", { class: "page" });
  const home = w.state.home ?? "";
  const away = w.state.away ?? "";
  const base = (id) => (AWAY.includes(id) ? away : home);
  w.href = (id, rest = "") => `${base(id)}/${id}/${rest}`;
  const news = el("span", { class: "end tag warn", role: "status", hidden: true });
  document.title = name;
  document.body.append(
    el("header", { class: "bar" }, el("a", { class: "brand", href: `/${app}/` }, name),
      el("nav", { "aria-label": "Apps" }, APPS.filter(([id]) => id !== app).map(([id, label]) => el("a", { href: w.href(id) }, label))), news),
    w.main);
  if (w.state.watch) watch(w, news);
  return w;
}

/** Tells in the head of the page that something new has come in; state.watch is how many were still to come at first. */
function watch(w, news) {
  const come = (state) => [state.mail ?? [], ...Object.values(state.chat ?? {})].flat().filter((m) => m.hidden).length < state.watch;
  const tell = () => { news.textContent = "New message"; news.hidden = false; };
  if (come(w.state)) { tell(); return; }
  const timer = setInterval(async () => {
    const reply = await fetch("/_waldo/state", { cache: "no-store" });
    if (!reply.ok || !come((await reply.json()).state)) return;
    clearInterval(timer);
    tell();
  }, 1500);
}

/** Changes the state as it is on the server now, not as this page loaded it. */
export async function update(w, change) {
  const reply = await fetch("/_waldo/state", { cache: "no-store" });
  w.state = (await reply.json()).state;
  w.state.made ??= {};
  change(w.state);
  for (const [app, things] of Object.entries(w.state.made)) if (!Object.keys(things).length) delete w.state.made[app];
  await w.save();
}

/** What the user made in an app. */
export const made = (w, app) => w.state.made?.[app] ?? [];

/** A labelled field; `options` makes a choice of it, `long` a text area. */
export function field(label, { options, long, value = "" } = {}) {
  const id = `f-${label.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
  const input = options
    ? el("select", { id }, options.map((o) => el("option", { value: o, selected: o === value }, o)))
    : el(long ? "textarea" : "input", { id, autocomplete: "off" });
  if (!options) input.value = value;
  return { input, label, row: el("div", { class: "field" }, el("label", { for: id }, label), input) };
}

/** A form: calls `done(values, event)` once the fields in `need` are filled in. */
export function form(name, fields, button, done, need = fields.map((f) => f.label), extra = null) {
  const node = el("form", { class: "card", "aria-label": name }, fields.map((f) => f.row), extra,
    el("button", { class: "primary", type: "submit" }, button));
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = Object.fromEntries(fields.map((f) => [f.label, f.input.value.trim()]));
    const empty = need.find((label) => !values[label]);
    if (empty) { notice(`${empty} is missing.`, "bad"); return; }
    await done(values);
  });
  return node;
}

/** A list of links with a note at the right, and a field that filters them. */
export function rows(name, items, filter = false) {
  const list = el("ul", { class: "rows", "aria-label": name }, items.map((i) =>
    el("li", {}, el("span", {}, el("a", { href: i.href }, i.text)), el("span", { class: "soft" }, i.note ?? ""))));
  if (!filter) return list;
  const box = field("Search");
  box.input.addEventListener("input", () => {
    const wanted = box.input.value.trim().toLowerCase();
    items.forEach((i, n) => { list.children[n].hidden = !`${i.text} ${i.note ?? ""}`.toLowerCase().includes(wanted); });
  });
  return el("div", {}, box.row, list);
}

export { el, $, notice };
