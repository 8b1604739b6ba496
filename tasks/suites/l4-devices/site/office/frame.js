// What the apps share: a bar with the ways to the others, and changes of the state.
//
// Mail, calendar, chat and sheets live on one origin; shop, wiki, tickets and map on the other. Invariant: an app reads
// the state anew before it changes it, so what happened elsewhere meanwhile, in another tab or without anybody's doing,
// is kept.
import { $, el, load, notice } from "/_base/waldo.js";

const HOUSE = ["mail", "calendar", "chat", "sheet"];
const TOWN = ["shop", "wiki", "tickets", "map"];
const NAMES = { mail: "Mail", calendar: "Calendar", chat: "Chat", sheet: "Sheets", shop: "Shop", wiki: "Wiki", tickets: "Tickets", map: "Map" };

// What an app has where a task does not speak of it.
const EMPTY = {
  mail: { inbox: [], sent: [] }, calendar: { events: [] }, chat: { channels: [] }, sheet: { sheets: [] },
  shop: { goods: [], basket: [], orders: [] }, wiki: { articles: [] }, tickets: { list: [], people: [] }, map: { places: [], ways: [] },
};

const whole = (state) => Object.keys(EMPTY).forEach((app) => { state[app] = { ...EMPTY[app], ...state[app] }; });

export const query = new URLSearchParams(location.search);

/** Opens an app: its bar, its heading; gives the episode and the main part of the page. */
export async function open(app) {
  const w = await load();
  whole(w.state);
  const here = (HOUSE.includes(app) ? HOUSE : TOWN).includes.bind(HOUSE.includes(app) ? HOUSE : TOWN);
  const links = [...HOUSE, ...TOWN].map((other) =>
    el("a", { href: `${here(other) ? "" : w.other_origin}/${other}/`, "aria-current": other === app ? "page" : null }, NAMES[other]));
  document.body.prepend(el("header", { class: "bar" }, el("nav", { "aria-label": "Apps" }, links)));
  document.title = NAMES[app];
  const main = $("main");
  main.append(el("h1", {}, NAMES[app]));
  return { state: w.state, main };
}

/** Changes the state as it is now, and stores it. */
export async function change(edit) {
  const w = await load();
  const before = structuredClone(w.state);
  whole(w.state);
  edit(w.state);
  // What the task does not speak of and nobody has filled is not stored: it would look like a change.
  for (const [app, parts] of Object.entries(EMPTY)) {
    for (const part of Object.keys(parts)) {
      if (!w.state[app][part].length && before[app]?.[part] === undefined) delete w.state[app][part];
    }
    if (!before[app] && !Object.keys(w.state[app]).length) delete w.state[app];
  }
  await w.save();
}

/** A labelled field of a form. */
export function field(name, input) {
  input.id = `f-${name.toLowerCase().replace(/\W+/g, "-")}`;
  return el("div", { class: "field" }, el("label", { for: input.id }, name), input);
}

/** A form: fields by name, and what is done with their values. */
export function form(label, fields, button, send) {
  const inputs = Object.entries(fields);
  const made = el("form", { "aria-label": label, class: "card" }, inputs.map(([name, input]) => field(name, input)),
    el("button", { class: "primary", type: "submit" }, button));
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = Object.fromEntries(inputs.map(([name, input]) => [name, input.value.trim()]));
    const empty = inputs.find(([name, input]) => input.dataset.free === undefined && !values[name]);
    if (empty) { notice(`${empty[0]} is empty.`, "bad"); return; }
    await send(values);
  });
  return made;
}

export const text = (attributes = {}) => el("input", { type: "text", autocomplete: "off", ...attributes });
export const area = (attributes = {}) => el("textarea", attributes);
export const choice = (options, attributes = {}) => el("select", attributes, options.map((option) => el("option", {}, option)));
