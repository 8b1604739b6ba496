// Wiki: articles by title, a search in their words, and the date of each one's last change. Articles open in tabs.
import { form, open, query, text } from "/office/frame.js";
import { el } from "/_base/waldo.js";

const { state, main } = await open("wiki");
const { articles } = state.wiki;
const article = articles[Number(query.get("a"))];

if (query.has("a") && article) {
  document.title = article.title;
  main.append(el("article", { class: "card", "aria-label": article.title }, el("h2", {}, article.title),
    article.text.map((line) => el("p", {}, line)), el("p", { class: "soft" }, `Last changed ${article.changed}`)),
  el("p", {}, el("a", { href: "/wiki/" }, "All articles")));
} else {
  const wanted = (query.get("q") ?? "").toLowerCase();
  const fits = (one) => `${one.title} ${one.text.join(" ")}`.toLowerCase().includes(wanted);
  main.append(
    form("Search", { "Search the wiki": text({ value: query.get("q") ?? "", "data-free": "" }) }, "Search", async (values) => {
      location.assign(`/wiki/?${new URLSearchParams({ q: values["Search the wiki"] })}`);
    }),
    el("ul", { "aria-label": "Articles" }, articles.map((one, n) => ({ one, n })).filter(({ one }) => fits(one)).map(({ one, n }) =>
      el("li", {}, el("a", { href: `/wiki/?a=${n}`, target: "_blank" }, one.title)))));
}
