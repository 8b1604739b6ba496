//! The shop's shelves: the list of products and a product's page.

use super::{Product, SORTS, Shop};
use crate::{
    apps::{Cx, Overlay, Screen, kit, parts},
    ui::{
        icon::Icon,
        node::{Len, Node},
        theme::{Tone, colour_of},
    },
    world::stack::Activity,
};

pub(super) fn picture(p: &Product, high: f32) -> Node {
    let icon = match p.category.as_str() {
        "Lamps" => Icon::Sun,
        "Headphones" => Icon::Music,
        "Kitchen" => Icon::Home,
        "Shoes" => Icon::Target,
        "Books" => Icon::Note,
        _ => Icon::Bag,
    };
    Node::stack(vec![Node::icon(icon, high * 0.46).class("android.view.View").tone(Tone::Rgb(255, 255, 255))])
        .class("android.widget.ImageView")
        .id("product_image")
        .bg(colour_of(&p.name))
        .radius(12.0)
        .centred()
        .h(Len::Dp(high))
}

fn stars(p: &Product) -> Node {
    Node::row(vec![
        Node::icon(Icon::Star, 15.0).class("android.view.View").tone(Tone::Rgb(0xc7, 0x86, 0x0a)),
        Node::text(format!("{}.{}", p.rating / 10, p.rating % 10))
            .id("product_rating")
            .sp(13.5)
            .tone(Tone::Muted),
    ])
    .gap(5.0)
}

impl Shop {
    /// The cart's button, with how much is in it.
    pub(super) fn cart_button(&self) -> Node {
        let mut parts = vec![
            Node::stack(vec![Node::icon(Icon::Cart, 24.0).class("android.view.View").tone(Tone::OnSurface)])
                .class("android.view.View")
                .centred(),
        ];
        if self.in_cart() > 0 {
            let count = Node::text(self.in_cart().to_string())
                .id("cart_badge")
                .sp(11.5)
                .bold()
                .tone(Tone::Rgb(255, 255, 255))
                .bg(Tone::Rgb(0xb0, 0x2a, 0x5b))
                .radius(9.0)
                .centred()
                .lines(1)
                .size(Len::Dp(18.0), Len::Dp(18.0));
            parts.push(count.margins(27.0, 3.0, 0.0, 0.0));
        }
        Node::stack(parts).id("action_cart").tap("cart").size(Len::Dp(48.0), Len::Dp(48.0))
    }

    fn tile(p: &Product) -> Node {
        let price = if p.stock == 0 { "Sold out".to_owned() } else { parts::money(p.cents) };
        Node::column(vec![
            picture(p, 108.0),
            Node::text(&*p.name).id("product_title").sp(15.0).lines(2).h(Len::Dp(42.0)),
            Node::row(vec![
                Node::text(price).id("product_price").sp(16.0).bold().lines(1).fill(),
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
        .tap(format!("product/{}", p.id))
    }

    pub(super) fn main(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let bar = kit::app_bar(
            "Shop",
            None,
            vec![self.cart_button(), kit::icon_button("action_more", Icon::More, "More options", "more")],
        );
        let category = at.local("category");
        let wanted = at.field("search_src_text").unwrap_or("");
        let sort = at.local("sort");
        let found = self.found(category, wanted, sort);
        let mut search =
            vec![Node::field("search_src_text", "Search products").radius(26.0).change("search")];
        if !wanted.is_empty() {
            search.push(kit::icon_button("search_clear", Icon::Close, "", "clear"));
        }
        let mut chips = vec![kit::chip("category_chip", "All", category.is_empty(), "category/")];
        chips.extend(
            self.categories()
                .into_iter()
                .map(|c| kit::chip("category_chip", c, c == category, &format!("category/{c}"))),
        );
        let label = SORTS.iter().find(|(s, _)| *s == sort).map_or("Featured", |(_, l)| l);
        let many =
            if found.len() == 1 { "1 product".to_owned() } else { format!("{} products", found.len()) };
        let head = Node::row(vec![
            Node::text(many).id("result_count").sp(14.0).tone(Tone::Muted).fill(),
            Node::row(vec![
                Node::icon(Icon::Sort, 18.0).class("android.view.View").tone(Tone::Primary),
                Node::text(label).id("sort_label").sp(14.0).bold().lines(1).tone(Tone::Primary),
            ])
            .id("sort_button")
            .snug()
            .gap(8.0)
            .h(Len::Dp(44.0))
            .tap("sort"),
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
        Screen::new(Node::column(page).h(Len::Fill(1.0))).over(match at.overlay.as_deref() {
            Some("sort") => {
                let rows = SORTS.iter().map(|(word, label)| {
                    let mine = *word == sort || (sort.is_empty() && *word == "featured");
                    kit::radio("android:id/text1", mine, label, format!("by/{word}")).pad(0.0, 0.0)
                });
                Some(Overlay::Dialog(kit::dialog(
                    "Sort by",
                    rows.collect(),
                    &[("android:id/button2", "Cancel", "cancel")],
                )))
            }
            Some("more") => Some(Overlay::Menu(kit::menu(&[("Your orders", "orders")]))),
            _ => None,
        })
    }

    pub(super) fn product_page(&self, at: &Activity) -> Screen {
        let p = at.extra("id").parse().ok().and_then(|id| self.product(id));
        let Some(p) = p else {
            let bar = kit::app_bar("", Some("up"), vec![]);
            return Screen::new(kit::page(bar, kit::nothing(Icon::Bag, "This product is gone"), None));
        };
        let liked = self.favorites.contains(&p.id);
        let mut heart = kit::icon_button("action_favorite", Icon::Heart, "", format!("like/{}", p.id))
            .selected_if(|| liked);
        if liked {
            heart = heart.bg(Tone::Tint).radius(24.0);
        }
        let bar = kit::app_bar("", Some("up"), vec![heart, self.cart_button()]);
        let mut rows = vec![
            picture(p, 200.0),
            Node::text(&*p.name).id("product_title").sp(24.0),
            Node::row(vec![
                Node::text(parts::money(p.cents)).id("product_price").sp(22.0).bold().fill(),
                stars(p).snug(),
            ]),
            Node::text(&*p.about).id("product_about").sp(15.5).tone(Tone::Muted),
        ];
        let chosen = Self::chosen(p, at);
        for ((name, values), mine) in p.options.iter().zip(&chosen) {
            rows.push(Node::text(&**name).id("option_name").sp(15.0).bold());
            let chips =
                values.iter().map(|v| kit::chip("option_value", v, v == mine, &format!("option/{name}/{v}")));
            rows.push(Node::row(chips.collect()).gap(8.0));
        }
        let stock = if p.stock == 0 { "Out of stock".to_owned() } else { format!("{} in stock", p.stock) };
        rows.push(Node::text(stock).id("product_stock").sp(14.0).tone(if p.stock == 0 {
            Tone::Danger
        } else {
            Tone::Muted
        }));
        let mut buy = kit::button("add_to_cart", "Add to cart", format!("add/{}", p.id))
            .fill()
            .h(Len::Dp(50.0))
            .disabled_if(|| p.stock == 0);
        if p.stock == 0 {
            buy = buy.bg(Tone::Line).tone(Tone::Muted);
        }
        let body = Node::column(vec![
            Node::scroll("product_scroll", rows).pad(20.0, 4.0).gap(10.0),
            Node::row(vec![buy]).pad(20.0, 12.0),
        ])
        .h(Len::Fill(1.0));
        Screen::new(kit::page(bar, body, None))
    }
}
