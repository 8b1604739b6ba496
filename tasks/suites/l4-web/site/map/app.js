// A map of places. state.map: [{ name, kind, facts: { .. } }]; made.map: names of the places that were marked.
import { open, update, made, rows, el } from "/common/app.js";
import { MAP } from "/common/filler.js";

const w = await open("map", "Town map");
const places = w.shuffle([...(w.state.map ?? []), ...MAP]);
const place = places.find((p) => p.name === w.query.get("place"));
const marked = made(w, "map");

function plan() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 600 90");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = `<rect width="600" height="90" fill="#e4f0e8"/><path d="M0 62 C150 20 300 95 600 40" stroke="#9cc3e6" stroke-width="14" fill="none"/>${
    places.map((_, i) => `<circle cx="${40 + i * (520 / places.length)}" cy="${22 + (i * 37) % 50}" r="6" fill="#2457c5"/>`).join("")}`;
  return svg;
}

if (place) {
  w.main.append(el("h1", {}, place.name), el("dl", {}, Object.entries({ Kind: place.kind, ...place.facts }).flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])),
    el("p", { class: "row" }, el("button", { "aria-pressed": String(marked.includes(place.name)), onclick: async () => {
      await update(w, (s) => {
        const list = (s.made.map ??= []);
        s.made.map = list.includes(place.name) ? list.filter((n) => n !== place.name) : [...list, place.name];
      });
      location.reload();
    } }, marked.includes(place.name) ? "Remove mark" : "Mark this place"), el("a", { class: "button", href: "/map/" }, "All places")));
} else {
  w.main.append(el("h1", {}, "Places"), plan(), rows("Places", places.map((p) => ({ href: `/map/?place=${encodeURIComponent(p.name)}`, text: p.name, note: p.kind })), true));
}
