// Tickets. state.tickets: [{ id, title, status, priority, assignee, place, text, comments }]; made.tickets holds new
// ones, and for given ones { id, and the fields that differ }. state.people are those who can be given a ticket.
import { open, update, made, field, form, el } from "/common/app.js";
import { TICKETS } from "/common/filler.js";

const w = await open("tickets", "Tickets");
const PRIORITIES = ["Low", "Normal", "High"];
const STATES = ["Open", "Waiting", "Closed"];
const PEOPLE = ["Nobody", ...(w.state.people ?? []), "Bram Oldacre"];
const given = [...(w.state.tickets ?? []), ...TICKETS];
const mine = made(w, "tickets");
const all = [...given.map((t) => ({ ...t, ...mine.find((m) => m.id === t.id) })), ...mine.map((t, n) => ({ ...t, n })).filter((t) => !t.id)];

function list() {
  w.main.append(el("h1", {}, "Tickets"), el("p", {}, el("a", { class: "button", href: "/tickets/?new=1" }, "New ticket")),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["Ticket", "Place", "Status", "Priority", "Assignee"].map((c) => el("th", { scope: "col" }, c)))),
      el("tbody", {}, all.map((t) => el("tr", {}, el("td", {}, t.id ? el("a", { href: `/tickets/?id=${t.id}` }, `${t.id} ${t.title}`) : t.title,
        t.id ? "" : el("button", { class: "small", onclick: async () => { await update(w, (s) => s.made.tickets.splice(t.n, 1)); location.reload(); } }, `Withdraw ${t.title}`)),
      el("td", {}, t.place), el("td", {}, t.status ?? "Open"), el("td", {}, t.priority), el("td", {}, t.assignee)))))));
}

function create() {
  w.main.append(el("h1", {}, "New ticket"), form("Ticket", [field("Title"), field("Place"), field("Priority", { options: PRIORITIES, value: "Normal" }),
    field("Assignee", { options: PEOPLE }), field("Details", { long: true })], "Create ticket", async (v) => {
    await update(w, (s) => { (s.made.tickets ??= []).push({ title: v.Title, place: v.Place, priority: v.Priority, assignee: v.Assignee, details: v.Details }); });
    location.href = "/tickets/";
  }, ["Title"]));
}

function show(t) {
  const old = given.find((x) => x.id === t.id);
  w.main.append(el("h1", {}, `${t.id} ${t.title}`), el("p", { class: "soft" }, `Place: ${t.place}`), ...t.text.map((x) => el("p", {}, x)),
    ...[...(t.comments ?? []), ...(t.comment ? [`You: ${t.comment}`] : [])].map((c) => el("p", { class: "card" }, c)),
    form("Ticket", [field("Status", { options: STATES, value: t.status }), field("Priority", { options: PRIORITIES, value: t.priority }),
      field("Assignee", { options: PEOPLE, value: t.assignee }), field("Comment", { long: true, value: t.comment ?? "" })], "Save ticket", async (v) => {
      const next = { status: v.Status, priority: v.Priority, assignee: v.Assignee, comment: v.Comment };
      const differs = Object.fromEntries(Object.entries(next).filter(([k, x]) => x !== (old[k] ?? "")));
      await update(w, (s) => {
        s.made.tickets = (s.made.tickets ?? []).filter((m) => m.id !== t.id);
        if (Object.keys(differs).length) s.made.tickets.push({ id: t.id, ...differs });
      });
      location.href = "/tickets/";
    }, []));
}

const t = all.find((x) => x.id && x.id === w.query.get("id"));
if (t) show(t);
else if (w.query.get("new")) create();
else list();
