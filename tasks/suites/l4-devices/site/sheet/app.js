// Sheets: tables whose cells are fields; a row below takes new ones. Nothing is kept until it is saved.
import { change, open, query } from "/office/frame.js";
import { el, notice } from "/_base/waldo.js";

const { state, main } = await open("sheet");
const { sheets } = state.sheet;
const place = Number(query.get("s"));
const sheet = sheets[place];

main.append(el("ul", { "aria-label": "Sheets" }, sheets.map((one, n) =>
  el("li", {}, el("a", { href: `/sheet/?s=${n}` }, one.name)))));
if (query.has("s") && sheet) {
  const body = el("tbody");
  const add = (values) => {
    const n = body.children.length + 1;
    body.append(el("tr", {}, sheet.columns.map((column, k) => el("td", {},
      el("input", { type: "text", autocomplete: "off", "aria-label": `${column} ${n}`, value: values[k] ?? "" })))));
  };
  sheet.rows.forEach(add);
  add([]);
  main.append(el("h2", {}, sheet.name),
    el("table", { "aria-label": sheet.name }, el("thead", {}, el("tr", {}, sheet.columns.map((column) => el("th", {}, column)))), body),
    el("div", { class: "actions" },
      el("button", { onclick: () => add([]) }, "Add row"),
      el("button", { class: "primary", onclick: save }, "Save sheet")));

  async function save() {
    const rows = [...body.children].map((row) => [...row.querySelectorAll("input")].map((input) => input.value.trim()));
    await change((now) => { now.sheet.sheets[place].rows = rows.filter((row) => row.some(Boolean)); });
    notice("Saved.");
  }
}
