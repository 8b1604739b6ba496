// A sheet. state.sheet: { title, columns, rows, edit: [columns that may be written], blank: n empty rows at the end }.
// made.sheet maps "row, column" to what was written there, where it differs from what was given.
import { open, update, el, notice } from "/common/app.js";

const w = await open("sheet", "Sheet");
const sheet = w.state.sheet ?? { title: "Empty sheet", columns: ["Item"], rows: [], edit: [], blank: 4 };
const written = w.state.made?.sheet ?? {};
const inputs = [];

function cell(key, value) {
  const input = el("input", { "aria-label": key, autocomplete: "off" });
  input.value = written[key] ?? value;
  inputs.push({ key, value, input });
  return el("td", {}, input);
}

const body = [
  ...sheet.rows.map((r) => el("tr", {}, r.map((c, i) => ((sheet.edit ?? []).includes(sheet.columns[i]) ? cell(`${r[0]}, ${sheet.columns[i]}`, c) : el("td", {}, c))))),
  ...Array.from({ length: sheet.blank ?? 0 }, (_, n) => el("tr", {}, sheet.columns.map((c) => cell(`Row ${sheet.rows.length + n + 1}, ${c}`, "")))),
];
w.main.append(el("h1", {}, sheet.title), ...(sheet.notes ?? []).map((t) => el("p", {}, t)),
  el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, sheet.columns.map((c) => el("th", { scope: "col" }, c)))), el("tbody", {}, body))),
  el("p", { class: "row" }, el("button", { class: "primary", onclick: save }, "Save sheet")));

async function save() {
  await update(w, (s) => {
    s.made.sheet = Object.fromEntries(inputs.filter((i) => i.input.value.trim() !== i.value).map((i) => [i.key, i.input.value.trim()]));
  });
  notice("Saved.");
}
