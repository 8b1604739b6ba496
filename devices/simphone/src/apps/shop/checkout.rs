//! From the cart to the order: the cart, the form, paying, and the orders placed.

use super::{EXPRESS, Line, Order, Shop, total, view::picture};
use crate::{
    apps::{Screen, Sys, kit, parts},
    ui::{
        icon::Icon,
        node::{Len, Node},
        theme::Tone,
    },
    world::stack::Activity,
};

/// What must be filled in: id, label.
const FIELDS: [(&str, &str); 4] =
    [("full_name", "Full name"), ("address", "Address"), ("city", "City"), ("postcode", "Postcode")];

fn sum(label: &str, id: &str, cents: i64) -> Node {
    Node::row(vec![Node::text(label).sp(16.0).fill(), Node::text(parts::money(cents)).id(id).sp(18.0).bold()])
}

fn delivery(at: &Activity) -> (&'static str, i64) {
    if at.local("delivery") == "express" { ("express", EXPRESS) } else { ("standard", 0) }
}

fn described(l: &Line) -> String {
    if l.options.is_empty() { l.name.clone() } else { format!("{} ({})", l.name, l.options) }
}

impl Shop {
    fn line(&self, l: &Line) -> Node {
        let step = |id: &str, icon, on: String| {
            kit::icon_button(id, icon, "", &on)
                .size(Len::Dp(40.0), Len::Dp(40.0))
                .bg(Tone::Surface)
                .radius(20.0)
        };
        let mut row = vec![];
        row.extend(self.product(l.product).map(|p| picture(p, 64.0).w(Len::Dp(64.0))));
        row.push(
            Node::column(vec![
                Node::text(&*l.name).id("line_title").sp(16.0).lines(2),
                Node::text(if l.options.is_empty() { "One size" } else { &l.options })
                    .id("line_options")
                    .sp(13.5)
                    .lines(1)
                    .tone(Tone::Muted),
                Node::row(vec![
                    Node::text(parts::money(l.cents * l.quantity)).id("line_price").sp(16.0).bold().fill(),
                    step("quantity_minus", Icon::Minus, format!("minus/{}", l.id)),
                    Node::text(l.quantity.to_string())
                        .id("quantity")
                        .sp(17.0)
                        .bold()
                        .centred()
                        .lines(1)
                        .size(Len::Dp(36.0), Len::Dp(40.0)),
                    step("quantity_plus", Icon::Plus, format!("plus/{}", l.id)),
                ]),
            ])
            .gap(2.0),
        );
        row.push(kit::icon_button("line_remove", Icon::Trash, "Remove", format!("remove/{}", l.id)));
        kit::card(vec![Node::row(row).gap(14.0)]).id("cart_line")
    }

    pub(super) fn cart_page(&self) -> Screen {
        let bar = kit::app_bar("Cart", Some("up"), vec![]);
        if self.cart.is_empty() {
            return Screen::new(kit::page(bar, kit::nothing(Icon::Cart, "Your cart is empty"), None));
        }
        let lines = self.cart.iter().map(|l| self.line(l)).collect();
        let foot = Node::column(vec![
            sum("Subtotal", "cart_total", total(&self.cart)),
            kit::button("checkout_button", "Checkout", "checkout").fill().h(Len::Dp(50.0)),
        ])
        .gap(12.0)
        .pad(20.0, 14.0)
        .bg(Tone::Card);
        let body = Node::column(vec![Node::list("cart_list", lines), foot]).h(Len::Fill(1.0));
        Screen::new(kit::page(bar, body, None))
    }

    pub(super) fn checkout_page(&self, at: &Activity) -> Screen {
        let (way, extra) = delivery(at);
        let cash = at.local("payment") == "cash";
        let all = total(&self.cart) + extra;
        let mut rows = vec![kit::heading("Deliver to")];
        rows.extend(FIELDS.iter().map(|(id, label)| Node::field(id, label).margin(20.0, 5.0)));
        rows.push(kit::heading("Delivery"));
        rows.push(kit::radio("delivery_standard", way == "standard", "Standard, free", "delivery/standard"));
        let express = format!("Express, {}", parts::money(EXPRESS));
        rows.push(kit::radio("delivery_express", way == "express", &express, "delivery/express"));
        rows.push(kit::heading("Payment"));
        rows.push(kit::radio("payment_card", !cash, "Card ending in 4242", "payment/card"));
        rows.push(kit::radio("payment_cash", cash, "Cash on delivery", "payment/cash"));
        let foot = Node::column(vec![
            sum("Total", "checkout_total", all),
            kit::button("pay_button", &format!("Pay {}", parts::money(all)), "pay")
                .fill()
                .h(Len::Dp(50.0))
                .disabled_if(|| self.cart.is_empty()),
        ])
        .gap(10.0)
        .pad(20.0, 12.0)
        .bg(Tone::Card);
        let body = Node::column(vec![Node::scroll("checkout_scroll", rows), foot]).h(Len::Fill(1.0));
        Screen::new(kit::page(kit::app_bar("Checkout", Some("up"), vec![]), body, None))
    }

    pub(super) fn pay(&mut self, at: &mut Activity, sys: &mut Sys<'_>) {
        let text = |id: &str| at.field(id).unwrap_or("").trim().to_owned();
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
        let cash = at.local("payment") == "cash";
        self.orders.push(Order {
            id,
            number: format!("W-{}", 48_000 + id * 7),
            name: text("full_name"),
            address: text("address"),
            city: text("city"),
            postcode: text("postcode"),
            delivery: way.to_owned(),
            payment: if cash { "cash" } else { "card" }.to_owned(),
            total: total(&lines) + extra,
            placed: sys.now(),
            lines,
        });
        sys.open(".OrderActivity", &[("id", &id.to_string()), ("new", "1")]);
        sys.finish();
    }

    pub(super) fn orders_page(&self) -> Screen {
        let bar = kit::app_bar("Your orders", Some("up"), vec![]);
        let rows: Vec<Node> = self
            .orders
            .iter()
            .rev()
            .map(|o| {
                let below = format!("{} · {}", parts::moment(o.placed), parts::money(o.total));
                let front = kit::badge(Icon::Bag, Tone::Rgb(0xb0, 0x2a, 0x5b), 42.0);
                let title = format!("Order {}", o.number);
                kit::row(Some(front), &title, &below, None).id("order_item").tap(format!("order/{}", o.id))
            })
            .collect();
        let body = if rows.is_empty() {
            kit::nothing(Icon::Bag, "No orders yet")
        } else {
            Node::list("order_list", rows)
        };
        Screen::new(kit::page(bar, body, None))
    }

    pub(super) fn order_page(&self, at: &Activity) -> Screen {
        let new = at.extra("new") == "1";
        let bar = kit::app_bar(if new { "Thank you" } else { "Order" }, Some("up"), vec![]);
        let wanted = at.extra("id").parse::<i64>().ok();
        let Some(o) = self.orders.iter().find(|o| Some(o.id) == wanted) else {
            return Screen::new(kit::page(bar, kit::nothing(Icon::Bag, "This order is gone"), None));
        };
        let mut rows = vec![];
        if new {
            rows.push(
                Node::column(vec![
                    kit::badge(Icon::Check, Tone::Rgb(0x2e, 0x7d, 0x4f), 72.0),
                    Node::text("Order confirmed").id("confirmation_title").sp(24.0),
                ])
                .gap(12.0)
                .pad(0.0, 14.0)
                .cross(crate::ui::node::Align::Centre),
            );
        }
        rows.push(Node::text(format!("Order number {}", o.number)).id("order_number").sp(18.0).bold());
        rows.extend(o.lines.iter().map(|l| {
            Node::row(vec![
                Node::text(format!("{} x {}", l.quantity, described(l))).id("order_line").sp(16.0).fill(),
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
        rows.extend(lines.iter().map(|l| Node::text(l).id("order_details").sp(15.0).tone(Tone::Muted)));
        let mut body = vec![Node::scroll("order_scroll", rows).pad(20.0, 8.0).gap(12.0)];
        if new {
            let done = kit::button("continue_shopping", "Continue shopping", "up").fill().h(Len::Dp(50.0));
            body.push(Node::row(vec![done]).pad(20.0, 12.0));
        }
        Screen::new(kit::page(bar, Node::column(body).h(Len::Fill(1.0)), None))
    }
}
