// Shows the widget that the server describes, lets it be played, and hands in the raw state once. What
// would be right is not known here.
import { hands } from "/hands.js";

const $ = (selector) => document.querySelector(selector);
const told = await (await fetch("/_waldo/state")).json();
const w = told.params;

for (const [name, value] of Object.entries(w.style.vars)) document.documentElement.style.setProperty(`--${name}`, value);
document.title = w.title;
$("#title").textContent = w.title;
$("#ask").textContent = w.ask;
$("#done").textContent = w.button;
$("#head").hidden = !w.style.head;
const panel = $("#panel");
panel.classList.toggle("raised", w.style.shadow);

const [width, height] = w.stage;
const size = w.style.size;
const stage = $("#stage");
const NS = "http://www.w3.org/2000/svg";
if (w.svg) {
  stage.style.width = `${width * size}px`;
  stage.style.height = `${height * size}px`;
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width * size);
  svg.setAttribute("height", height * size);
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = w.svg;
  stage.append(svg);
} else {
  stage.hidden = true;
}
panel.style.width = `${width * size + 40 * size + 4}px`;

// A place of the pointer in units of the drawing.
const at = (event) => {
  const box = stage.getBoundingClientRect();
  // The border is not a part of the drawing.
  return [(event.clientX - box.left - stage.clientLeft) / size, (event.clientY - box.top - stage.clientTop) / size];
};

let sent = false;
const play = hands[w.kind]({
  data: w.data, size: [width, height], more: $("#more"),
  part: (id) => stage.querySelector(`#${CSS.escape(id)}`),
});
let held = null;
const on = (kind, handle) => stage.addEventListener(kind, (event) => {
  if (!sent) handle(event);
});
on("pointerdown", (event) => {
  if (event.button !== 0 || held !== null || !play.down) return;
  held = event.pointerId;
  stage.setPointerCapture(held);
  play.down(at(event));
});
on("pointermove", (event) => {
  if (event.pointerId !== held) return;
  const all = event.getCoalescedEvents?.() ?? [];
  for (const one of all.length ? all : [event]) play.move?.(at(one));
});
for (const kind of ["pointerup", "pointercancel"]) {
  on(kind, (event) => {
    if (event.pointerId !== held) return;
    held = null;
    play.up?.(at(event));
  });
}
stage.addEventListener("dragstart", (event) => event.preventDefault());

$("#done").addEventListener("click", async () => {
  if (sent) return;
  sent = true;
  $("#done").disabled = true;
  for (const field of document.querySelectorAll("#more input, #more button")) field.disabled = true;
  await fetch("/_waldo/log/submit", { method: "POST", body: JSON.stringify(play.state()) });
  $("#sent").textContent = "Handed in.";
});

panel.hidden = false;
// The place is a share of the room that is left, so that the panel is whole in any window it fits.
const top = w.style.head ? 48 : 8;
const room = [innerWidth - panel.offsetWidth - 16, innerHeight - panel.offsetHeight - top - 8];
panel.style.left = `${8 + Math.max(0, room[0]) * w.style.place[0]}px`;
panel.style.top = `${top + Math.max(0, room[1]) * w.style.place[1]}px`;
