// Map: places with street, hours and zone, and how far one is from another.
import { choice, form, open, query } from "/office/frame.js";
import { el } from "/_base/waldo.js";

const { state, main } = await open("map");
const { places, ways } = state.map;
const place = places[Number(query.get("p"))];
const names = places.map((one) => one.name);

if (query.has("p") && place) {
  main.append(el("article", { class: "card", "aria-label": place.name }, el("h2", {}, place.name),
    el("dl", {}, Object.entries(place.facts).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]))),
  el("p", {}, el("a", { href: "/map/" }, "All places")));
} else {
  main.append(el("ul", { "aria-label": "Places" }, names.map((name, n) => el("li", {}, el("a", { href: `/map/?p=${n}` }, name)))));
  if (ways.length) {
    main.append(form("Way", { From: choice(names), To: choice(names) }, "Measure", async (values) => {
      location.assign(`/map/?${new URLSearchParams({ from: values.From, to: values.To })}`);
    }));
    const [from, to] = [query.get("from"), query.get("to")];
    const way = ways.find((one) => (one.from === from && one.to === to) || (one.from === to && one.to === from));
    if (from) main.append(el("p", { role: "status" }, way ? `From ${from} to ${to}: ${way.minutes} minutes` : "No way is known."));
  }
}
