// Calendar: the days that have something, a form for new events, and a way to move or remove one.
import { change, form, open, query, text } from "/office/frame.js";
import { el, notice } from "/_base/waldo.js";

const { state, main } = await open("calendar");
const order = (a, b) => `${a.date} ${a.time}`.localeCompare(`${b.date} ${b.time}`);
const words = (event) => `${event.time} ${event.title}${event.place ? `, ${event.place}` : ""}`;
const events = state.calendar.events.map((event, n) => ({ ...event, n }));
const one = events[Number(query.get("e"))];

if (query.has("e") && one) edit();
else list();

function fields(event) {
  return {
    Title: text({ value: event.title ?? "" }),
    Date: text({ value: event.date ?? "", placeholder: "YYYY-MM-DD" }),
    Time: text({ value: event.time ?? "", placeholder: "HH:MM" }),
    Place: text({ value: event.place ?? "", "data-free": "" }),
  };
}

function wrong(values) {
  if (!/^\d{4}-\d\d-\d\d$/.test(values.Date)) { notice("Write the date as YYYY-MM-DD.", "bad"); return true; }
  if (!/^\d\d:\d\d$/.test(values.Time)) { notice("Write the time as HH:MM.", "bad"); return true; }
  return false;
}

function list() {
  const days = [...new Set(events.map((event) => event.date))].sort();
  main.append(el("div", { class: "two" },
    el("section", { "aria-label": "Events" }, days.map((day) => el("section", { "aria-label": day },
      el("h2", {}, day),
      el("ul", {}, events.filter((event) => event.date === day).sort(order).map((event) =>
        el("li", {}, el("a", { href: `/calendar/?e=${event.n}` }, words(event)))))))),
    form("New event", fields({}), "Add event", async (values) => {
      if (wrong(values)) return;
      const event = { title: values.Title, date: values.Date, time: values.Time, place: values.Place };
      await change((now) => now.calendar.events.push(event));
      location.assign("/calendar/");
    })));
}

function edit() {
  main.append(form("Event", fields(one), "Save event", async (values) => {
    if (wrong(values)) return;
    await change((now) => Object.assign(now.calendar.events[one.n],
      { title: values.Title, date: values.Date, time: values.Time, place: values.Place }));
    location.assign("/calendar/");
  }), el("button", { class: "danger", onclick: remove }, "Remove event"));
}

async function remove() {
  await change((now) => now.calendar.events.splice(one.n, 1));
  location.assign("/calendar/");
}
