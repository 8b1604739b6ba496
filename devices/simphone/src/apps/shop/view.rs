//! The shop's shelves: the list of products and a product's page.

use super::{Msg, Over, Product, SORTS, Shop};
use crate::apps::prelude::*;

pub(super) fn picture(p: &Product, high: f32) -> Node {
    let icon = match p.category.as_str() {
        "Lamps" => Icon::Sun,
        "Headphones" => Icon::Music,
        "Kitchen" => Icon::Home,
        "Shoes" => Icon::Target,
        "Books" => Icon::Note,
        _ => Icon::Bag,
    };
    kit::plate(icon, high * 0.46).id("product_image").bg(colour_of(&p.name)).radius(12.0).high(high)
}

fn stars(p: &Product) -> Node {
    Node::row(vec![
        Node::mark(Icon::Star, 15.0, Tone::Rgb(0xc7, 0x86, 0x0a)),
        Node::label("product_rating", format!("{}.{}", p.rating / 10, p.rating % 10), 13.5).muted(),
    ])
    .gap(5.0)
}

impl Shop {
    /// The cart's button, with how much is in it.
    pub(super) fn cart_button(&self) -> Node {
        let mut parts = vec![
            Node::stack(vec![Node::mark(Icon::Cart, 24.0, Tone::OnSurface)])
                .class("android.view.View")
                .centred(),
        ];
        if self.in_cart() > 0 {
            let count = Node::label("cart_badge", self.in_cart().to_string(), 11.5)
                .bold()
                .tone(Tone::WHITE)
                .bg(Tone::Rgb(0xb0, 0x2a, 0x5b))
                .radius(9.0)
                .centred()
                .lines(1)
                .dp(18.0, 18.0);
            parts.push(count.margins(27.0, 3.0, 0.0, 0.0));
        }
        Node::stack(parts).id("action_cart").tap(Msg::Cart).dp(48.0, 48.0)
    }

    fn tile(p: &Product) -> Node {
        let price = if p.stock == 0 { "Sold out".to_owned() } else { parts::money(p.cents) };
        Node::column(vec![
            picture(p, 108.0),
            Node::label("product_title", &*p.name, 15.0).lines(2).high(42.0),
            Node::row(vec![
                Node::label("product_price", price, 16.0).bold().lines(1).fill(),
                stars(p).snug(),
            ]),
        ])
        .class("androidx.cardview.widget.CardView")
        .id("product_card")
        .bg(Tone::Card)
        .radius(14.0)
        .pad(10.0, 10.0)
        .margin(5.0, 5.0)
        .gap(6.0)
        .tap(Msg::Product(p.id))
    }

    pub(super) fn main(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let more = kit::icon_button("action_more", Icon::More, "More options", show(Over::More));
        let bar = kit::app_bar("Shop", vec![self.cart_button(), more]);
        let category = at.local("category");
        let wanted = at.field("search_src_text").unwrap_or("");
        let sort = at.local("sort");
        let found = self.found(category, wanted, sort);
        let mut search = vec![Node::field("search_src_text", "Search products").radius(26.0)];
        if !wanted.is_empty() {
            search.push(kit::icon_button("search_clear", Icon::Close, "", Msg::Clear));
        }
        let chip =
            |label, c: &str| kit::chip("category_chip", label, c == category, Msg::Category(c.to_owned()));
        let mut chips = vec![chip("All", "")];
        chips.extend(self.categories().into_iter().map(|c| chip(c, c)));
        let label = SORTS.iter().find(|(s, _)| *s == sort).map_or("Featured", |(_, l)| l);
        let many = parts::count(found.len(), "product");
        let head = Node::row(vec![
            Node::label("result_count", many, 14.0).muted().fill(),
            Node::row(vec![
                Node::mark(Icon::Sort, 18.0, Tone::Primary),
                Node::label("sort_label", label, 14.0).bold().lines(1).tone(Tone::Primary),
            ])
            .id("sort_button")
            .snug()
            .gap(8.0)
            .high(44.0)
            .tap(show(Over::Sort)),
        ])
        .pad(18.0, 0.0);
        let list = if found.is_empty() {
            kit::nothing(Icon::Search, "Nothing found")
        } else {
            let columns = if cx.landscape() { 4 } else { 2 };
            Node::grid("product_grid", columns, found.into_iter().map(Self::tile).collect()).pad(11.0, 2.0)
        };
        let mut page = vec![bar, Node::row(search).pad(16.0, 2.0).gap(4.0)];
        page.extend([parts::chip_strip("category_strip", chips), head, list]);
        let over = at.over().map(|over| match over {
            Over::Sort => dialogs::choice(
                "Sort by",
                SORTS.iter().map(|(word, label)| {
                    let mine = *word == sort || (sort.is_empty() && *word == "featured");
                    dialogs::option(label, mine, Msg::By((*word).to_owned()))
                }),
            ),
            Over::More => dialogs::menu([("Your orders", Msg::Orders.into())]),
        });
        AppScreen::new(Node::column(page).tall()).over(over)
    }

    pub(super) fn product_page(&self, at: &Activity) -> AppScreen {
        let Some(p) = at.extra_int("id").and_then(|id| self.product(id)) else {
            return parts::gone(Icon::Bag, "This product is gone");
        };
        let liked = self.favorites.contains(&p.id);
        let heart = kit::icon_button("action_favorite", Icon::Heart, "", Msg::Like(p.id));
        let bar = kit::up_bar("", vec![kit::lit(heart, liked), self.cart_button()]);
        let mut rows = vec![
            picture(p, 200.0),
            Node::label("product_title", &*p.name, 24.0),
            Node::row(vec![
                Node::label("product_price", parts::money(p.cents), 22.0).bold().fill(),
                stars(p).snug(),
            ]),
            Node::label("product_about", &*p.about, 15.5).muted(),
        ];
        let chosen = Self::chosen(p, at);
        for ((name, values), mine) in p.options.iter().zip(&chosen) {
            rows.push(Node::label("option_name", &**name, 15.0).bold());
            let chips = values
                .iter()
                .map(|v| kit::chip("option_value", v, v == mine, Msg::Option(name.clone(), v.clone())));
            rows.push(Node::row(chips.collect()).gap(8.0));
        }
        let out = p.stock == 0;
        let (stock, tone) = if out {
            ("Out of stock".to_owned(), Tone::Danger)
        } else {
            (format!("{} in stock", p.stock), Tone::Muted)
        };
        rows.push(Node::label("product_stock", stock, 14.0).tone(tone));
        let buy = kit::wide_button("add_to_cart", "Add to cart", Msg::Add(p.id)).disabled_if(|| out);
        let buy = if out { buy.bg(Tone::Line).muted() } else { buy };
        let body = Node::column(vec![
            Node::scroll("product_scroll", rows).pad(20.0, 4.0).gap(10.0),
            Node::row(vec![buy]).pad(20.0, 12.0),
        ])
        .tall();
        parts::screen(bar, body)
    }
}
