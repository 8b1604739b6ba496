// A wiki to read. state.wiki: [{ title, edited, text: [..], table: [[..], ..], archived, hidden }].
import { open, rows, el } from "/common/app.js";
import { WIKI } from "/common/filler.js";

const w = await open("wiki", "House wiki");
const pages = w.shuffle([...(w.state.wiki ?? []), ...WIKI]).filter((p) => !p.hidden);
const page = pages.find((p) => p.title === w.query.get("page"));
if (page) {
  w.main.append(el("h1", {}, page.title), el("p", { class: "soft" }, `Last edited ${page.edited}`),
    page.archived ? el("p", { class: "banner warn" }, "This page is archived. It no longer holds.") : "",
    ...(page.text ?? []).map((t) => el("p", {}, t)));
  if (page.table) {
    const [head, ...body] = page.table;
    w.main.append(el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head.map((c) => el("th", { scope: "col" }, c)))),
      el("tbody", {}, body.map((r) => el("tr", {}, r.map((c) => el("td", {}, c))))))));
  }
  w.main.append(el("p", {}, el("a", { href: "/wiki/" }, "All pages")));
} else {
  w.main.append(el("h1", {}, "All pages"), rows("Pages", pages.map((p) => ({ href: `/wiki/?page=${encodeURIComponent(p.title)}`, text: p.title, note: p.edited })), true));
}
