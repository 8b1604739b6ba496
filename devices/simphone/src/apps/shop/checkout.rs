//! From the cart to the order: the cart, the form, paying, and the orders placed.

use super::{EXPRESS, Msg, Order, OrderLine, Shop, total, view::picture};
use crate::apps::prelude::*;

/// What must be filled in: id, label.
const FIELDS: [(&str, &str); 4] =
    [("full_name", "Full name"), ("address", "Address"), ("city", "City"), ("postcode", "Postcode")];

fn sum(label: &str, id: &str, cents: i64) -> Node {
    Node::row(vec![Node::text(label).sp(16.0).fill(), Node::label(id, parts::money(cents), 18.0).bold()])
}

fn delivery(at: &Activity) -> (&'static str, i64) {
    if at.local("delivery") == "express" { ("express", EXPRESS) } else { ("standard", 0) }
}

fn payment(at: &Activity) -> &'static str {
    if at.local("payment") == "cash" { "cash" } else { "card" }
}

fn described(l: &OrderLine) -> String {
    if l.options.is_empty() { l.name.clone() } else { format!("{} ({})", l.name, l.options) }
}

impl Shop {
    fn line(&self, l: &OrderLine) -> Node {
        let step = |id: &str, icon, on: Msg| {
            kit::icon_button(id, icon, "", on).dp(40.0, 40.0).bg(Tone::Surface).radius(20.0)
        };
        let mut row = vec![];
        row.extend(self.product(l.product).map(|p| picture(p, 64.0).wide(64.0)));
        row.push(
            Node::column(vec![
                Node::label("line_title", &*l.name, 16.0).lines(2),
                Node::label("line_options", if l.options.is_empty() { "One size" } else { &l.options }, 13.5)
                    .lines(1)
                    .muted(),
                Node::row(vec![
                    Node::label("line_price", parts::money(l.cents * l.quantity), 16.0).bold().fill(),
                    step("quantity_minus", Icon::Minus, Msg::Minus(l.id)),
                    Node::label("quantity", l.quantity.to_string(), 17.0)
                        .bold()
                        .centred()
                        .lines(1)
                        .dp(36.0, 40.0),
                    step("quantity_plus", Icon::Plus, Msg::Plus(l.id)),
                ]),
            ])
            .gap(2.0),
        );
        row.push(kit::icon_button("line_remove", Icon::Trash, "Remove", Msg::Remove(l.id)));
        kit::card(vec![Node::row(row).gap(14.0)]).id("cart_line")
    }

    pub(super) fn cart_page(&self) -> AppScreen {
        let bar = kit::up_bar("Cart", vec![]);
        if self.cart.is_empty() {
            return parts::screen(bar, kit::nothing(Icon::Cart, "Your cart is empty"));
        }
        let lines = self.cart.iter().map(|l| self.line(l)).collect();
        let foot = Node::column(vec![
            sum("Subtotal", "cart_total", total(&self.cart)),
            kit::wide_button("checkout_button", "Checkout", Msg::Checkout),
        ])
        .gap(12.0)
        .pad(20.0, 14.0)
        .bg(Tone::Card);
        let body = Node::column(vec![Node::list("cart_list", lines), foot]).tall();
        parts::screen(bar, body)
    }

    pub(super) fn checkout_page(&self, at: &Activity) -> AppScreen {
        let (way, extra) = delivery(at);
        let payment = payment(at);
        let all = total(&self.cart) + extra;
        let express = format!("Express, {}", parts::money(EXPRESS));
        let delivery =
            |id, word: &str, label: &str| kit::radio(id, way == word, label, Msg::Delivery(word.to_owned()));
        let paying = |id, word: &str, label: &str| {
            kit::radio(id, payment == word, label, Msg::Payment(word.to_owned()))
        };
        let mut rows = vec![kit::heading("Deliver to")];
        rows.extend(FIELDS.iter().map(|(id, label)| Node::field(id, label).margin(20.0, 5.0)));
        rows.extend([
            kit::heading("Delivery"),
            delivery("delivery_standard", "standard", "Standard, free"),
            delivery("delivery_express", "express", &express),
            kit::heading("Payment"),
            paying("payment_card", "card", "Card ending in 4242"),
            paying("payment_cash", "cash", "Cash on delivery"),
        ]);
        let foot = Node::column(vec![
            sum("Total", "checkout_total", all),
            kit::wide_button("pay_button", &format!("Pay {}", parts::money(all)), Msg::Pay)
                .disabled_if(|| self.cart.is_empty()),
        ])
        .gap(10.0)
        .pad(20.0, 12.0)
        .bg(Tone::Card);
        let body = Node::column(vec![Node::scroll("checkout_scroll", rows), foot]).tall();
        parts::screen(kit::up_bar("Checkout", vec![]), body)
    }

    pub(super) fn pay(&mut self, at: &mut Activity, sys: &mut Sys<'_>) {
        let text = |id: &str| at.typed(id);
        if let Some((_, label)) = FIELDS.iter().find(|(id, _)| text(id).is_empty()) {
            return sys.toast(format!("Please fill in: {label}"));
        }
        if self.cart.is_empty() {
            return sys.toast("Your cart is empty");
        }
        let (way, extra) = delivery(at);
        let id = self.new_id();
        let lines = std::mem::take(&mut self.cart);
        for l in &lines {
            if let Some(p) = self.products.iter_mut().find(|p| p.id == l.product) {
                p.stock = (p.stock - l.quantity).max(0);
            }
        }
        self.orders.push(Order {
            id,
            number: format!("W-{}", 48_000 + id * 7),
            name: text("full_name"),
            address: text("address"),
            city: text("city"),
            postcode: text("postcode"),
            delivery: way.to_owned(),
            payment: payment(at).to_owned(),
            total: total(&lines) + extra,
            placed: sys.now(),
            lines,
        });
        sys.open(".OrderActivity", &[("id", &id), ("new", &"1")]);
        sys.finish();
    }

    pub(super) fn orders_page(&self) -> AppScreen {
        let bar = kit::up_bar("Your orders", vec![]);
        let rows: Vec<Node> = self
            .orders
            .iter()
            .rev()
            .map(|o| {
                let below = format!("{} · {}", parts::moment(o.placed), parts::money(o.total));
                let front = kit::badge(Icon::Bag, Tone::Rgb(0xb0, 0x2a, 0x5b), 42.0);
                let title = format!("Order {}", o.number);
                kit::row(Some(front), &title, &below, None).id("order_item").tap(Msg::Order(o.id))
            })
            .collect();
        let body = kit::list("order_list", rows, (Icon::Bag, "No orders yet"));
        parts::screen(bar, body)
    }

    pub(super) fn order_page(&self, at: &Activity) -> AppScreen {
        let new = at.extra("new") == "1";
        let bar = kit::up_bar(if new { "Thank you" } else { "Order" }, vec![]);
        let wanted = at.extra_int("id");
        let Some(o) = self.orders.iter().find(|o| Some(o.id) == wanted) else {
            return parts::screen(bar, kit::nothing(Icon::Bag, "This order is gone"));
        };
        let mut rows = vec![];
        if new {
            rows.push(
                Node::column(vec![
                    kit::badge(Icon::Check, Tone::Rgb(0x2e, 0x7d, 0x4f), 72.0),
                    Node::label("confirmation_title", "Order confirmed", 24.0),
                ])
                .gap(12.0)
                .pad(0.0, 14.0)
                .cross(crate::ui::node::Align::Centre),
            );
        }
        rows.push(Node::label("order_number", format!("Order number {}", o.number), 18.0).bold());
        rows.extend(o.lines.iter().map(|l| {
            Node::row(vec![
                Node::label("order_line", format!("{} x {}", l.quantity, described(l)), 16.0).fill(),
                Node::text(parts::money(l.cents * l.quantity)).sp(16.0),
            ])
            .gap(12.0)
        }));
        rows.push(Node::line());
        rows.push(sum("Total", "order_total", o.total));
        let lines = [
            format!("{}\n{}\n{} {}", o.name, o.address, o.postcode, o.city),
            format!("Delivery: {} · Payment: {}", o.delivery, o.payment),
        ];
        rows.extend(lines.iter().map(|l| Node::label("order_details", l, 15.0).muted()));
        let mut body = vec![Node::scroll("order_scroll", rows).pad(20.0, 8.0).gap(12.0)];
        if new {
            let done = kit::wide_button("continue_shopping", "Continue shopping", Common::Up);
            body.push(Node::row(vec![done]).pad(20.0, 12.0));
        }
        parts::screen(bar, Node::column(body).tall())
    }
}
