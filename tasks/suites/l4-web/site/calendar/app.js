// Calendar of two working weeks. state.calendar: [{ title, day, from, to, place, who }]; made.calendar holds new
// entries, and changed ones with `of`, the number of the given entry ({ of, gone: true } when it was deleted).
import { open, update, made, field, form, el } from "/common/app.js";

const w = await open("calendar", "Calendar");
const DAYS = ["Mon 4 May", "Tue 5 May", "Wed 6 May", "Thu 7 May", "Fri 8 May", "Mon 11 May", "Tue 12 May", "Wed 13 May", "Thu 14 May", "Fri 15 May"];
const TIMES = Array.from({ length: 21 }, (_, i) => `${String(8 + Math.floor(i / 2)).padStart(2, "0")}:${i % 2 ? "30" : "00"}`);
const given = (w.state.calendar ?? []).map((e, n) => ({ ...e, key: `g${n}`, of: n }));
const changed = made(w, "calendar");
const entries = [
  ...given.map((e) => { const c = changed.find((x) => x.of === String(e.of)); return c ? { ...e, ...c, key: e.key } : e; }).filter((e) => !e.gone && !e.hidden),
  ...changed.map((e, n) => ({ ...e, key: `m${n}` })).filter((e) => e.of === undefined),
];

function week(n) {
  w.main.append(el("h1", {}, n ? "11 to 15 May" : "4 to 8 May"),
    el("p", { class: "row" }, el("a", { class: "button", href: `/calendar/?week=${n ? 0 : 1}` }, n ? "Earlier week" : "Later week"),
      el("a", { class: "button", href: "/calendar/?new=1" }, "New entry")),
    el("table", {}, el("tbody", {}, DAYS.slice(n * 5, n * 5 + 5).map((day) => el("tr", {}, el("th", { scope: "row" }, day),
      el("td", {}, entries.filter((e) => e.day === day).sort((a, b) => (a.from < b.from ? -1 : 1)).map((e) =>
        el("div", {}, `${e.from} to ${e.to} `, el("a", { href: `/calendar/?id=${e.key}` }, e.title), e.place ? `, ${e.place}` : ""))))))));
}

function edit(e) {
  const fields = [field("Title", { value: e?.title }), field("Day", { options: DAYS, value: e?.day }), field("From", { options: TIMES, value: e?.from }),
    field("To", { options: TIMES, value: e?.to ?? "09:00" }), field("Place", { value: e?.place })];
  w.main.append(el("h1", {}, e ? e.title : "New entry"), ...(e?.text ?? []).map((t) => el("p", {}, t)),
    form("Entry", fields, "Save entry", async (v) => {
      const next = { title: v.Title, day: v.Day, from: v.From, to: v.To, place: v.Place };
      await keep(e, next);
      location.href = `/calendar/?week=${DAYS.indexOf(v.Day) > 4 ? 1 : 0}`;
    }, ["Title"]),
    e ? el("button", { class: "danger", onclick: async () => { await keep(e, null); location.href = "/calendar/"; } }, "Delete entry") : "");
}

/** Stores an entry; one that is as it was given again leaves no trace. */
async function keep(e, next) {
  await update(w, (s) => {
    const list = (s.made.calendar ??= []);
    if (!e) { list.push(next); return; }
    if (e.key[0] === "m") { list.splice(Number(e.key.slice(1)), 1, ...(next ? [next] : [])); return; }
    const at = list.findIndex((x) => x.of === String(e.of));
    if (at >= 0) list.splice(at, 1);
    const old = s.calendar[e.of];
    if (!next) list.push({ of: String(e.of), gone: true });
    else if (Object.keys(next).some((k) => next[k] !== (old[k] ?? ""))) list.push({ of: String(e.of), ...next });
  });
}

const id = w.query.get("id");
if (id) edit(entries.find((e) => e.key === id));
else if (w.query.get("new")) edit(null);
else week(Number(w.query.get("week") ?? 0));
