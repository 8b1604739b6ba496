// Tickets: a table, a ticket with its notes and its form, and a form for new ones.
import { area, change, choice, form, open, query, text } from "/office/frame.js";
import { el, notice } from "/_base/waldo.js";

const { state, main } = await open("tickets");
const { list, people } = state.tickets;
const place = list.findIndex((ticket) => String(ticket.id) === query.get("t"));
const ticket = list[place];
const STATES = ["open", "waiting", "closed"];
const PRIORITIES = ["low", "normal", "high"];

function chosen(options, value) {
  const select = choice(options);
  select.value = value;
  return select;
}

if (query.has("new")) create();
else if (ticket) show();
else all();

function all() {
  main.append(el("p", {}, el("a", { class: "button", href: "/tickets/?new" }, "New ticket")),
    el("table", { "aria-label": "Tickets" },
      el("thead", {}, el("tr", {}, ["Ticket", "Subject", "State", "Priority", "With"].map((name) => el("th", {}, name)))),
      el("tbody", {}, list.map((one) => el("tr", {},
        el("td", {}, el("a", { href: `/tickets/?t=${one.id}` }, `#${one.id}`)),
        [one.subject, one.state, one.priority, one.with].map((value) => el("td", {}, value)))))));
}

function show() {
  main.append(el("article", { class: "card", "aria-label": `Ticket ${ticket.id}` }, el("h2", {}, `#${ticket.id} ${ticket.subject}`),
    ticket.text.map((line) => el("p", {}, line)),
    ticket.notes.map((note) => el("p", {}, `Note: ${note}`))),
  form("Ticket", {
    State: chosen(STATES, ticket.state), Priority: chosen(PRIORITIES, ticket.priority), With: chosen(people, ticket.with),
    Note: area({ "data-free": "" }),
  }, "Save ticket", async (values) => {
    await change((now) => {
      const one = now.tickets.list[place];
      Object.assign(one, { state: values.State, priority: values.Priority, with: values.With });
      if (values.Note) one.notes.push(values.Note);
    });
    location.assign("/tickets/");
  }));
}

function create() {
  main.append(form("New ticket", {
    Subject: text(), Priority: chosen(PRIORITIES, "normal"), With: choice(people), Description: area(),
  }, "Open ticket", async (values) => {
    await change((now) => now.tickets.list.push({
      id: Math.max(100, ...now.tickets.list.map((one) => one.id)) + 1, subject: values.Subject, state: "open",
      priority: values.Priority, with: values.With, text: [values.Description], notes: [],
    }));
    notice("Opened.");
    location.assign("/tickets/");
  }));
}
