// Workbench: each section draws itself from what the server has, and writes back what is changed at once.
const SECTIONS = { overview: "Overview", orders: "Orders", board: "Board", calendar: "Calendar", notes: "Notes", leave: "Time off", documents: "Documents", handbook: "Handbook", settings: "Settings" };
const LANES = ["Waiting", "In work", "Finished"];
const ROOMS = ["Workshop", "Office", "Showroom", "On site"];
const STATUSES = ["New", "In work", "Waiting", "Delivered"];
const FIRST_DAY = "2026-03-02";
const here = location.pathname.slice(1) || "overview";
const main = document.getElementById("main");

function el(tag, fields = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...inside.flat());
  return made;
}
const script = (name) => new Promise((done, failed) => document.head.append(el("script", { src: `/lib/${name}`, onload: done, onerror: failed })));

let until;
function say(text, bad) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.className = bad ? "on bad" : "on";
  clearTimeout(until);
  until = setTimeout(() => { said.className = ""; }, 4000);
}
async function send(method, path, body) {
  const answer = await fetch(`/api/${path}`, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) });
  const got = await answer.json();
  if (!answer.ok) { say(got.error, true); throw new Error(got.error); }
  say(method === "DELETE" ? "Removed." : "Saved.");
  return got;
}
const read = async () => (await fetch("/api/all")).json();
const day = (iso) => new Date(`${iso}T00:00`).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
const iso = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
const times = () => Array.from({ length: 25 }, (_, i) => `${String(7 + Math.floor(i / 2)).padStart(2, "0")}:${i % 2 ? "30" : "00"}`);
const options = (values, chosen) => values.map((value) => el("option", { value, selected: value === chosen }, value));
// A label and its control, for a form of two columns.
const field = (label, control) => [el("label", { for: control.id }, label), control];

const all = await read();
document.getElementById("company").textContent = all.settings.find((s) => s.name === "company").value;
document.querySelector("nav").append(...Object.entries(SECTIONS).map(([path, title]) => el("a", { href: `/${path}`, "aria-current": here === path ? "page" : undefined }, title)));
document.title = `${SECTIONS[here]} - Workbench`;
main.append(el("h1", {}, SECTIONS[here]));
const people = all.people.map((p) => p.name);

const sections = {
  overview() {
    const open = all.orders.filter((o) => o.status !== "Delivered" && o.status !== "Invoiced").length;
    main.append(
      el("p", {}, `Good morning, Robin. ${open} orders are open, and ${all.cards.filter((c) => c.lane !== "Finished").length} jobs are on the board.`),
      el("h2", {}, "People"),
      el("table", { class: "list" }, el("tbody", {}, all.people.map((p) => el("tr", {}, el("td", {}, p.name), el("td", {}, p.role))))),
    );
  },

  async orders() {
    await script("ag-grid.js");
    const search = el("input", { id: "search", type: "search", placeholder: "Search orders", "aria-label": "Search orders" });
    main.append(el("div", { class: "bar" }, search, el("span", {}, "A double click changes a cell.")), el("div", { id: "grid" }));
    const text = { filter: "agTextColumnFilter", floatingFilter: true };
    const editable = (p) => p.data.status !== "Invoiced";
    const number = { cellEditor: "agNumberCellEditor", cellEditorParams: { min: 0, precision: 0 }, editable, filter: "agNumberColumnFilter", floatingFilter: true };
    const grid = agGrid.createGrid(document.getElementById("grid"), {
      rowData: all.orders,
      getRowId: (p) => p.data.number,
      animateRows: false,
      singleClickEdit: false,
      defaultColDef: { flex: 1, minWidth: 90, suppressHeaderMenuButton: true },
      columnDefs: [
        { field: "number", headerName: "Number", ...text, flex: 0.8 },
        { field: "customer", headerName: "Customer", ...text, flex: 1.4 },
        { field: "item", headerName: "Item", ...text, flex: 1.4 },
        { field: "quantity", headerName: "Quantity", ...number, flex: 0.8 },
        { field: "price", headerName: "Price", ...number, valueFormatter: (p) => `${p.value} €`, flex: 0.8 },
        { colId: "total", headerName: "Total", valueGetter: (p) => p.data.quantity * p.data.price, valueFormatter: (p) => `${p.value} €`, filter: "agNumberColumnFilter", floatingFilter: true, flex: 0.9 },
        { field: "status", headerName: "Status", ...text, editable, cellEditor: "agSelectCellEditor", cellEditorParams: { values: STATUSES }, valueFormatter: (p) => (p.value === "Invoiced" ? "Invoiced (locked)" : p.value) },
        { field: "due", headerName: "Due", ...text },
      ],
      onCellValueChanged: async (p) => {
        if (p.source === "undone" || p.newValue === p.oldValue) return;
        try {
          if (p.newValue === null || p.newValue === undefined) throw say("A number is needed here.", true) ?? new Error("empty");
          await send("PATCH", `orders/${p.data.number}`, { [p.column.getColId()]: p.newValue });
        } catch { p.node.setDataValue(p.column.getColId(), p.oldValue, "undone"); }
      },
      onCellDoubleClicked: (p) => { if (p.data.status === "Invoiced") say(`${p.data.number} is invoiced and locked.`, true); },
    });
    search.addEventListener("input", () => grid.setGridOption("quickFilterText", search.value));
  },

  async board() {
    await script("sortable.js");
    const holder = el("div", { class: "board" });
    const draw = (cards) => {
      holder.replaceChildren(...LANES.map((lane) => {
        const own = cards.filter((c) => c.lane === lane).sort((a, b) => a.due.localeCompare(b.due) || a.id - b.id);
        const list = el("ul", { "data-lane": lane, "aria-label": lane }, own.map((c) => el("li", { class: "card", "data-id": c.id }, c.title, el("small", {}, `${c.owner}, ${day(c.due)}`))));
        new Sortable(list, {
          group: "cards", sort: false, animation: 0, forceFallback: false,
          onAdd: async (e) => {
            try { await send("PATCH", `cards/${e.item.dataset.id}`, { lane: e.to.dataset.lane }); } finally { draw((await read()).cards); }
          },
        });
        return el("section", { class: "lane", "aria-label": lane }, el("h2", {}, lane), list);
      }));
    };
    const title = el("input", { id: "title", required: true });
    const owner = el("select", { id: "owner" }, options(people));
    main.append(
      el("form", { class: "bar", onsubmit: async (e) => {
        e.preventDefault();
        await send("POST", "cards", { title: title.value.trim(), lane: "Waiting", owner: owner.value, due: "2026-03-31" });
        title.value = "";
        draw((await read()).cards);
      } }, el("label", { for: "title" }, "New job"), title, el("label", { for: "owner" }, "for"), owner, el("button", {}, "Add job")),
      holder,
    );
    draw(all.cards);
  },

  async calendar() {
    await script("fullcalendar.js");
    const holder = el("div", { id: "cal" });
    const shown = (a) => ({ id: a.id, title: `${a.title} (${a.room})`, start: `${a.day}T${a.starts}`, end: `${a.day}T${a.ends}`, extendedProps: { row: a } });
    const clock = (date) => `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
    const dialog = el("dialog", { "aria-labelledby": "head" });
    main.append(holder, dialog);
    const open = (a) => {
      const what = el("input", { id: "what", required: true, value: a.title });
      const on = el("input", { id: "on", value: a.day });
      const [from, to] = [el("select", { id: "from" }, options(times(), a.starts)), el("select", { id: "to" }, options(times(), a.ends))];
      const room = el("select", { id: "room" }, options(ROOMS, a.room));
      dialog.replaceChildren(
        el("h2", { id: "head" }, a.id ? "Change the appointment" : "New appointment"),
        el("form", { class: "fields", onsubmit: async (e) => {
          e.preventDefault();
          const row = { title: what.value.trim(), day: on.value, starts: from.value, ends: to.value, room: room.value };
          if (row.ends <= row.starts) return say("It has to end after it begins.", true);
          await (a.id ? send("PATCH", `appointments/${a.id}`, row) : send("POST", "appointments", row));
          dialog.close();
          calendar.refetchEvents();
        } },
        field("Title", what), field("Day", on), field("From", from), field("To", to), field("Room", room),
        el("div", { class: "last" }, el("button", { class: "main" }, "Save"), el("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
          a.id ? el("button", { type: "button", onclick: async () => { await send("DELETE", `appointments/${a.id}`); dialog.close(); calendar.refetchEvents(); } }, "Remove") : "")),
      );
      dialog.showModal();
      flatpickr(on, { static: true, disableMobile: true });
    };
    await script("flatpickr.js");
    const moved = async (e) => {
      try { await send("PATCH", `appointments/${e.event.id}`, { day: iso(e.event.start), starts: clock(e.event.start), ends: clock(e.event.end) }); } catch { e.revert(); }
    };
    const calendar = new FullCalendar.Calendar(holder, {
      initialDate: FIRST_DAY, now: FIRST_DAY, initialView: "dayGridMonth", firstDay: 1, height: "100%", editable: true, fixedWeekCount: false,
      headerToolbar: { left: "prev,next today", center: "title", right: "dayGridMonth,timeGridWeek,listMonth add" },
      buttonText: { today: "Today", month: "Month", week: "Week", list: "List" },
      eventTimeFormat: { hour: "2-digit", minute: "2-digit", hour12: false },
      customButtons: { add: { text: "New appointment", click: () => open({ title: "", day: FIRST_DAY, starts: "09:00", ends: "10:00", room: ROOMS[0] }) } },
      events: async () => (await read()).appointments.map(shown),
      // A day can be reached by the keyboard, too.
      dayCellDidMount: (cell) => {
        cell.el.tabIndex = 0;
        cell.el.addEventListener("keydown", (e) => { if (e.key === "Enter" && e.target === cell.el) open({ title: "", day: iso(cell.date), starts: "09:00", ends: "10:00", room: ROOMS[0] }); });
      },
      dateClick: (e) => open({ title: "", day: e.dateStr.slice(0, 10), starts: e.dateStr.slice(11, 16) || "09:00", ends: "10:00", room: ROOMS[0] }),
      eventClick: (e) => open(e.event.extendedProps.row),
      eventDrop: moved, eventResize: moved,
    });
    calendar.render();
  },

  async notes() {
    await script("quill.js");
    const list = el("ul", { "aria-label": "Notes" });
    const title = el("input", { id: "title", "aria-label": "Title" });
    const right = el("div", {}, el("div", { class: "bar" }, el("label", { for: "title" }, "Title"), title, el("button", { class: "main", onclick: () => save() }, "Save note")), el("div", { id: "editor" }));
    main.append(el("div", { class: "notes" }, el("div", {}, list, el("button", { onclick: () => show({ title: "", body: "[]" }) }, "New note")), right));
    const quill = new Quill("#editor", { theme: "snow", modules: { toolbar: [[{ header: [1, 2, false] }], ["bold", "italic", "underline", "strike"], [{ list: "ordered" }, { list: "bullet" }], ["blockquote"], ["clean"]] } });
    let current;
    const show = (note) => {
      current = note;
      title.value = note.title;
      quill.setContents(JSON.parse(note.body), "silent");
      quill.history.clear();
      draw();
    };
    let notes = all.notes;
    const draw = () => list.replaceChildren(...notes.map((n) => el("li", {}, el("button", { "aria-current": n.id === current?.id ? "true" : undefined, onclick: () => show(n) }, n.title))));
    const save = async () => {
      const row = { title: title.value.trim(), body: JSON.stringify(quill.getContents().ops, (_, v) => (v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v)) };
      if (!row.title) return say("A note needs a title.", true);
      const saved = await (current.id ? send("PATCH", `notes/${current.id}`, row) : send("POST", "notes", row));
      notes = (await read()).notes;
      show(notes.find((n) => n.id === saved.id));
    };
    show(notes[0]);
  },

  async leave() {
    await script("flatpickr.js");
    const person = el("select", { id: "person" }, options(["", ...people]));
    const kind = el("select", { id: "kind" }, options(["Holiday", "Course", "Unpaid", "Parental"]));
    const span = el("input", { id: "span", placeholder: "Choose the first and the last day" });
    const remark = el("input", { id: "remark" });
    const body = el("tbody");
    const draw = (rows) => body.replaceChildren(...[...rows].sort((a, b) => a.first.localeCompare(b.first) || a.id - b.id).map((l) => el("tr", {}, ...[l.person, l.kind, day(l.first), day(l.last), l.remark].map((t) => el("td", {}, t)),
      el("td", {}, el("button", { "aria-label": `Remove ${l.person}, ${day(l.first)}`, onclick: async () => { await send("DELETE", `leave/${l.id}`); draw((await read()).leave); } }, "Remove")))));
    main.append(
      el("form", { class: "fields", onsubmit: async (e) => {
        e.preventDefault();
        const [first, last] = picker.selectedDates;
        if (!person.value || !first || !last) return say("A person, a first and a last day are needed.", true);
        await send("POST", "leave", { person: person.value, kind: kind.value, first: iso(first), last: iso(last), remark: remark.value.trim() });
        picker.clear(); person.value = ""; remark.value = "";
        draw((await read()).leave);
      } }, field("Person", person), field("Kind", kind), field("Days", span), field("Remark", remark), el("div", { class: "last" }, el("button", { class: "main" }, "Enter time off"))),
      el("table", { class: "list" }, el("thead", {}, el("tr", {}, ["Person", "Kind", "First day", "Last day", "Remark", ""].map((t) => el("th", {}, t)))), body),
    );
    const picker = flatpickr(span, { mode: "range", disableMobile: true, locale: { firstDayOfWeek: 1 }, dateFormat: "j M Y", onReady: (_, __, fp) => { fp.now = new Date(`${FIRST_DAY}T00:00`); fp.jumpToDate(fp.now); } });
    draw(all.leave);
  },

  documents() {
    const order = el("select", { id: "order" }, el("option", { value: "" }, ""), all.orders.map((o) => el("option", { value: o.number }, `${o.number}: ${o.item}, ${o.customer}`)));
    const kind = el("select", { id: "kind" }, options(["Offer", "Drawing", "Delivery note", "Contract"]));
    const file = el("input", { id: "file", type: "file" });
    const body = el("tbody");
    const draw = (rows) => body.replaceChildren(...rows.map((d) => el("tr", {}, ...[d.order_number, d.kind, d.file, `${d.content.length} characters`].map((t) => el("td", {}, t)),
      el("td", {}, el("button", { "aria-label": `Remove ${d.file}`, onclick: async () => { await send("DELETE", `documents/${d.id}`); draw((await read()).documents); } }, "Remove")))));
    main.append(
      el("form", { class: "fields", onsubmit: async (e) => {
        e.preventDefault();
        if (!order.value || !file.files[0]) return say("An order and a file are needed.", true);
        await send("POST", "documents", { order_number: order.value, kind: kind.value, file: file.files[0].name, content: await file.files[0].text() });
        e.target.reset();
        draw((await read()).documents);
      } }, field("Order", order), field("Kind", kind), field("File", file), el("div", { class: "last" }, el("button", { class: "main" }, "Add document"))),
      el("table", { class: "list" }, el("thead", {}, el("tr", {}, ["Order", "Kind", "File", "Size", ""].map((t) => el("th", {}, t)))), body),
    );
    draw(all.documents);
  },

  handbook() {
    main.append(...all.handbook.map((p) => el("article", {}, el("h2", {}, p.title), el("p", {}, p.text))));
  },

  settings() {
    const value = (name) => all.settings.find((s) => s.name === name).value;
    const fields = {
      company: ["Company", el("input", { id: "company-name", value: value("company") })],
      footer: ["Footer of letters", el("input", { id: "footer", value: value("footer") })],
      vat: ["VAT in percent", el("input", { id: "vat", inputmode: "numeric", value: value("vat") })],
      payment_days: ["Days to pay", el("input", { id: "days", inputmode: "numeric", value: value("payment_days") })],
      reminder: ["Reminder", el("select", { id: "reminder" }, options(["Never", "After 7 days", "After 14 days", "After 30 days"], value("reminder")))],
      newsletter: ["Send the newsletter", el("input", { id: "newsletter", type: "checkbox", checked: value("newsletter") === "on" })],
      low_stock: ["Warn of low stock", el("input", { id: "low", type: "checkbox", checked: value("low_stock") === "on" })],
    };
    main.append(el("form", { class: "fields", onsubmit: async (e) => {
      e.preventDefault();
      for (const [name, [, control]] of Object.entries(fields)) {
        const now = control.type === "checkbox" ? (control.checked ? "on" : "off") : control.value.trim();
        if (now !== value(name)) { await send("PATCH", `settings/${name}`, { value: now }); all.settings.find((s) => s.name === name).value = now; }
      }
      say("Saved.");
    } }, Object.values(fields).map(([label, control]) => field(label, control)), el("div", { class: "last" }, el("button", { class: "main" }, "Save settings"))));
  },
};
await sections[here]();
