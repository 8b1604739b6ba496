// Shop: goods with prices and stock, a basket, and an order that names who it is for.
import { change, form, open, query, text } from "/office/frame.js";
import { el, money, notice } from "/_base/waldo.js";

const { state, main } = await open("shop");
const { goods, basket, orders } = state.shop;
const one = goods[Number(query.get("g"))];
const basketLink = () => el("p", {}, el("a", { href: "/shop/?basket" }, `Basket (${basket.reduce((sum, line) => sum + line.n, 0)})`));

if (query.has("basket")) showBasket();
else if (query.has("g") && one) show();
else list();

function list() {
  const wanted = (query.get("q") ?? "").toLowerCase();
  const found = goods.map((good, n) => ({ ...good, n })).filter((good) => good.name.toLowerCase().includes(wanted));
  main.append(basketLink(),
    form("Search", { "Search the shop": text({ value: query.get("q") ?? "", "data-free": "" }) }, "Search", async (values) => {
      location.assign(`/shop/?${new URLSearchParams({ q: values["Search the shop"] })}`);
    }),
    el("ul", { "aria-label": "Goods" }, found.map((good) =>
      el("li", {}, el("a", { href: `/shop/?g=${good.n}` }, good.name), ` ${money(good.price)}`))));
}

function show() {
  const count = text({ value: "1", inputmode: "numeric" });
  main.append(el("article", { class: "card", "aria-label": one.name },
    el("h2", {}, one.name), el("p", {}, `Price ${money(one.price)}`),
    el("p", {}, one.stock ? `${one.stock} in stock` : "Sold out"),
    (one.text ?? []).map((line) => el("p", {}, line))),
  form("Order", { Number: count }, "Add to basket", async (values) => {
    const n = Number(values.Number);
    if (!Number.isInteger(n) || n < 1) { notice("Give a whole number.", "bad"); return; }
    if (n > one.stock) { notice(one.stock ? `Only ${one.stock} are left.` : "It is sold out.", "bad"); return; }
    await change((now) => now.shop.basket.push({ name: one.name, n }));
    location.assign("/shop/?basket");
  }), el("p", {}, el("a", { href: "/shop/" }, "All goods")));
}

function showBasket() {
  main.append(el("h2", {}, "Basket"), el("ul", { "aria-label": "Basket" }, basket.map((line, n) => el("li", { class: "row" },
    `${line.n} x ${line.name}`,
    el("button", { class: "small", "aria-label": `Remove ${line.name}`, onclick: () => remove(n) }, "Remove")))),
  el("p", { class: "soft" }, `${orders.length} orders so far`),
  form("Order", { "Order for": text(), Reference: text({ "data-free": "" }) }, "Place order", async (values) => {
    if (!basket.length) { notice("The basket is empty.", "bad"); return; }
    await change((now) => {
      now.shop.orders.push({ goods: now.shop.basket, for: values["Order for"], reference: values.Reference });
      now.shop.basket = [];
    });
    location.assign("/shop/?basket");
  }), el("p", {}, el("a", { href: "/shop/" }, "All goods")));
}

async function remove(n) {
  await change((now) => now.shop.basket.splice(n, 1));
  location.reload();
}
