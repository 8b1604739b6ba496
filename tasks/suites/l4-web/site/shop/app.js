// A shop: products, a basket, orders. state.shop: [{ name, sku, price, stock, text }]; made.shop: orders
// { lines: [{ sku, quantity }], centre, to }. The basket stands beside them, for it is not an order yet.
import { open, update, made, field, form, rows, el, notice } from "/common/app.js";
import { SHOP } from "/common/filler.js";

const w = await open("shop", "Tarrow Supplies");
const products = w.shuffle([...(w.state.shop ?? []), ...SHOP]);
const basket = w.state.basket ?? [];
const menu = el("p", { class: "row" }, el("a", { class: "button", href: "/shop/" }, "All articles"), el("a", { class: "button", href: "/shop/?basket=1" }, `Basket (${basket.length})`),
  el("a", { class: "button", href: "/shop/?orders=1" }, "Orders"));
const gone = (p) => p.stock === "0";

function list() {
  w.main.append(el("h1", {}, "Articles"), menu,
    rows("Articles", products.map((p) => ({ href: `/shop/?sku=${p.sku}`, text: p.name, note: `${p.sku}, ${p.price}` })), true));
}

function product(p) {
  const quantity = field("Quantity");
  w.main.append(el("h1", {}, p.name), menu,
    el("dl", {}, [["Number", p.sku], ["Price", p.price], ["In stock", gone(p) ? "sold out" : p.stock], ["Delivery", p.delivery ?? "3 working days"]]
      .flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])),
    el("p", {}, p.text),
    gone(p) ? el("p", { class: "banner bad" }, p.why ?? "Sold out. It cannot be ordered.")
      : form("Order", [quantity], "Add to basket", async (v) => {
        if (!/^[1-9]\d*$/.test(v.Quantity) || Number(v.Quantity) > Number(p.stock)) { notice(`Only ${p.stock} in stock.`, "bad"); return; }
        await update(w, (s) => { (s.basket ??= []).push({ sku: p.sku, quantity: v.Quantity }); });
        location.href = "/shop/?basket=1";
      }));
}

function checkout() {
  w.main.append(el("h1", {}, "Basket"), menu);
  if (!basket.length) { w.main.append(el("p", {}, "Nothing in it.")); return; }
  w.main.append(el("ul", {}, basket.map((b, i) => el("li", {}, `${b.quantity} of ${products.find((p) => p.sku === b.sku).name} (${b.sku}) `,
    el("button", { class: "small", onclick: async () => { await update(w, (s) => s.basket.splice(i, 1)); location.reload(); } }, `Remove ${b.sku}`)))),
  form("Order", [field("Cost centre"), field("Deliver to")], "Place order", async (v) => {
    await update(w, (s) => { (s.made.shop ??= []).push({ lines: s.basket, centre: v["Cost centre"], to: v["Deliver to"] }); s.basket = []; });
    location.href = "/shop/?orders=1";
  }));
}

function orders() {
  w.main.append(el("h1", {}, "Orders"), menu, ...made(w, "shop").map((o, i) => el("section", { class: "card" },
    el("p", {}, `${o.lines.map((l) => `${l.quantity} of ${l.sku}`).join(", ")}; cost centre ${o.centre}; to ${o.to}`),
    el("button", { onclick: async () => { await update(w, (s) => s.made.shop.splice(i, 1)); location.reload(); } }, "Cancel order"))));
}

const p = products.find((x) => x.sku === w.query.get("sku"));
if (p) product(p);
else if (w.query.get("basket")) checkout();
else if (w.query.get("orders")) orders();
else list();
