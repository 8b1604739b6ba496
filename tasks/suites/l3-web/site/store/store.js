// What the pages of the shop share: the goods, the sums, the header.
import { load, el, $, money } from "/_base/waldo.js";

export { el, $, money };

/** The goods; amounts in cents. */
export const GOODS = [
  { sku: "mug", title: "Speckled mug", cents: 1450, hue: 28, text: "Stoneware, 320 ml, with a thumb rest." },
  { sku: "cup", title: "Speckled cup", cents: 1250, hue: 36, text: "Stoneware, 220 ml, no handle." },
  { sku: "bowl", title: "Noodle bowl", cents: 2200, hue: 198, text: "Deep bowl with a rest for chopsticks." },
  { sku: "salad", title: "Salad bowl", cents: 3400, hue: 150, text: "Wide and shallow, for four." },
  { sku: "vase", title: "Tall vase", cents: 3900, hue: 262, text: "36 cm, narrow neck, matte glaze." },
  { sku: "bud", title: "Bud vase", cents: 1600, hue: 330, text: "For a single stem." },
  { sku: "plate", title: "Dinner plate", cents: 1850, hue: 212, text: "27 cm, raised rim." },
  { sku: "side", title: "Side plate", cents: 1350, hue: 90, text: "18 cm, raised rim." },
];

/** Coupon code to the share of the price still to pay, in percent. */
const COUPONS = { KILN10: 90, GLAZE20: 80, CLAY40: 60 };

/** Ways of delivery, with their price in cents. */
export const DELIVERY = [
  { name: "Standard", cents: 600, text: "3 to 5 days" },
  { name: "Express", cents: 1200, text: "next working day" },
  { name: "Pickup point", cents: 300, text: "3 to 5 days, you collect it" },
];

export const bySku = (sku) => GOODS.find((g) => g.sku === sku);
export const knows = (code) => Object.hasOwn(COUPONS, code);

/** The sums of a cart: goods, discount and their difference, in cents. */
export function sums(cart, coupon) {
  const goods = cart.reduce((sum, line) => sum + bySku(line.sku).cents * line.count, 0);
  const due = Math.floor((goods * (COUPONS[coupon] ?? 100)) / 100);
  return { goods, discount: goods - due, due };
}

/** Loads the episode and draws the header with the number of things in the cart. */
export async function open() {
  const w = await load();
  const count = w.state.cart.reduce((sum, line) => sum + line.count, 0);
  document.body.prepend(el("header", { class: "bar" },
    el("a", { class: "brand", href: "/store/" }, "Pottery Row"),
    el("nav", {}, el("a", { href: "/store/" }, "All pieces")),
    el("div", { class: "end" }, el("a", { href: "/store/cart.html", "aria-label": `Cart, ${count} items` }, `Cart (${count})`))));
  return w;
}

/** A coloured stand-in for a photograph. */
export const art = (good, height) => el("div", {
  style: `height:${height}px; border-radius:6px; background: radial-gradient(circle at 50% 62%, hsl(${good.hue} 34% 58%) 0 28%, hsl(${good.hue} 40% 92%) 29%)`,
});
