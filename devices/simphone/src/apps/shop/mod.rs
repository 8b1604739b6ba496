//! Shop: search, categories, order by price, products with options, a cart, a checkout form, orders.
//!
//! Providers: `content://shop/products` (`_id`, `name`, `category`, `price_cents`, `rating`, `stock`, `options`),
//! `content://shop/cart` (`_id`, `product_id`, `name`, `options`, `quantity`, `price_cents`), `content://shop/orders`
//! (`_id`, `number`, `name`, `address`, `city`, `postcode`, `delivery` standard|express, `payment` card|cash,
//! `total_cents`, `placed`), `content://shop/order_items` (`_id`, `order_id`, `product_id`, `name`, `options`,
//! `quantity`, `price_cents`) and `content://shop/favorites` (`_id` the product's, `name`). Money is in cents; prices
//! within a category differ, so that the cheapest is one.

mod checkout;
mod data;
mod seed;
#[cfg(test)]
mod tests;
mod view;

use crate::apps::prelude::*;

messages! {
    /// What its widgets send.
    enum Msg {
        Clear = "clear",
        /// The products of a category are shown; of all where it is empty.
        Category(name: String) = "category",
        By(word: String) = "by",
        Cart = "cart",
        Orders = "orders",
        Product(id: i64) = "product",
        Order(id: i64) = "order",
        /// A value of an option is chosen.
        Option(name: String, value: String) = "option",
        Like(product: i64) = "like",
        Add(product: i64) = "add",
        Plus(line: i64) = "plus",
        Minus(line: i64) = "minus",
        Remove(line: i64) = "remove",
        Checkout = "checkout",
        Delivery(way: String) = "delivery",
        Payment(way: String) = "payment",
        Pay = "pay",
    }
}

messages! {
    /// What lies over the list of products.
    enum Over {
        Sort = "sort",
        More = "more",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.waldo.shop";

/// The shop and what its customer did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Shop {
    products: Vec<Product>,
    cart: Vec<OrderLine>,
    orders: Vec<Order>,
    favorites: Vec<i64>,
    next: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Product {
    id: i64,
    name: String,
    category: String,
    cents: i64,
    rating: i64,
    stock: i64,
    /// What must be chosen, and from what.
    options: Vec<(String, Vec<String>)>,
    about: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OrderLine {
    id: i64,
    product: i64,
    name: String,
    /// The chosen options, as `Black, Large`.
    options: String,
    quantity: i64,
    cents: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Order {
    id: i64,
    number: String,
    name: String,
    address: String,
    city: String,
    postcode: String,
    delivery: String,
    payment: String,
    total: i64,
    placed: i64,
    lines: Vec<OrderLine>,
}

/// What express delivery costs, in cents.
const EXPRESS: i64 = 990;

const SORTS: [(&str, &str); 4] = [
    ("featured", "Featured"),
    ("cheap", "Price: low to high"),
    ("dear", "Price: high to low"),
    ("rating", "Customer rating"),
];

fn total(lines: &[OrderLine]) -> i64 {
    lines.iter().map(|l| l.cents * l.quantity).sum()
}

impl Shop {
    fn product(&self, id: i64) -> Option<&Product> {
        self.products.iter().find(|p| p.id == id)
    }

    fn new_id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    /// The categories, in the order of their first product.
    fn categories(&self) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for p in &self.products {
            if !out.contains(&p.category.as_str()) {
                out.push(&p.category);
            }
        }
        out
    }

    fn found(&self, category: &str, wanted: &str, sort: &str) -> Vec<&Product> {
        let words: Vec<String> = wanted.split_whitespace().map(str::to_lowercase).collect();
        let mut all: Vec<&Product> = self
            .products
            .iter()
            .filter(|p| category.is_empty() || p.category == category)
            .filter(|p| {
                let text = format!("{} {}", p.name, p.category).to_lowercase();
                words.iter().all(|w| text.contains(w.as_str()))
            })
            .collect();
        match sort {
            "cheap" => all.sort_by_key(|p| p.cents),
            "dear" => all.sort_by_key(|p| -p.cents),
            "rating" => all.sort_by_key(|p| -p.rating),
            // The shop's own order: neither by price nor by category.
            _ => all.sort_by_key(|p| (p.id * 17) % 41),
        }
        all
    }

    /// The options chosen on a product's screen; the first of each until another is tapped.
    fn chosen(p: &Product, at: &Activity) -> Vec<String> {
        p.options
            .iter()
            .map(|(name, values)| {
                let kept = at.local(&format!("option-{name}"));
                if kept.is_empty() { values.first().cloned().unwrap_or_default() } else { kept.to_owned() }
            })
            .collect()
    }

    fn add(&mut self, id: i64, options: &str, quantity: i64) -> Option<i64> {
        let p = self.product(id)?;
        let (name, cents) = (p.name.clone(), p.cents);
        if let Some(l) = self.cart.iter_mut().find(|l| l.product == id && l.options == options) {
            l.quantity += quantity;
            return Some(l.id);
        }
        let line =
            OrderLine { id: self.new_id(), product: id, name, options: options.to_owned(), quantity, cents };
        let id = line.id;
        self.cart.push(line);
        Some(id)
    }

    fn in_cart(&self) -> i64 {
        self.cart.iter().map(|l| l.quantity).sum()
    }
}

impl App for Shop {
    fn manifest() -> Manifest {
        Manifest {
            activities: &[
                ".MainActivity",
                ".ProductActivity",
                ".CartActivity",
                ".CheckoutActivity",
                ".OrdersActivity",
                ".OrderActivity",
            ],
            authorities: &["shop"],
            tables: &["shop/products", "shop/cart", "shop/orders", "shop/order_items", "shop/favorites"],
            ..Manifest::user(PACKAGE, "Shop", Icon::Bag, Tone::Rgb(0xb0, 0x2a, 0x5b))
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        seed::fresh(seed)
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        match at.name() {
            "ProductActivity" => self.product_page(at),
            "CartActivity" => self.cart_page(),
            "CheckoutActivity" => self.checkout_page(at),
            "OrdersActivity" => self.orders_page(),
            "OrderActivity" => self.order_page(at),
            _ => self.main(at, cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let Some(message) = ev.message() else {
            let left = at.name() == "CartActivity" && self.cart.is_empty() && at.is_on("out");
            match ev.kind {
                // Once paid, the emptied cart is left as the shop does it.
                UiEventKind::Shown if left => sys.finish(),
                UiEventKind::Back if at.name() == "MainActivity" && end_search(at) => sys.consume(),
                _ => {}
            }
            return;
        };
        match message {
            Msg::Clear => {
                end_search(at);
            }
            Msg::Category(name) => {
                at.set_local("category", name);
                at.scroll.remove("product_grid");
            }
            Msg::By(word) => {
                at.set_local("sort", word);
                at.scroll.remove("product_grid");
                at.overlay = None;
            }
            Msg::Cart => sys.open(".CartActivity", &[]),
            Msg::Orders => {
                at.overlay = None;
                sys.open(".OrdersActivity", &[]);
            }
            Msg::Product(id) => sys.open(".ProductActivity", &[("id", &id)]),
            Msg::Order(id) => sys.open(".OrderActivity", &[("id", &id)]),
            Msg::Option(name, value) => at.set_local(&format!("option-{name}"), value),
            Msg::Like(id) => {
                if parts::remove(&mut self.favorites, |f| *f == id) {
                    sys.toast("Removed from favourites");
                } else {
                    self.favorites.push(id);
                    sys.toast("Added to favourites");
                }
            }
            Msg::Add(id) => {
                let options = self.product(id).map(|p| Self::chosen(p, at).join(", "));
                if self.add(id, &options.unwrap_or_default(), 1).is_some() {
                    sys.toast("Added to cart");
                }
            }
            Msg::Plus(id) => {
                let most = self.cart.iter().find(|l| l.id == id).and_then(|l| self.product(l.product));
                let most = most.map_or(1, |p| p.stock);
                if let Some(l) = self.cart.iter_mut().find(|l| l.id == id) {
                    if l.quantity < most {
                        l.quantity += 1;
                    } else {
                        sys.toast(format!("Only {most} in stock"));
                    }
                }
            }
            Msg::Minus(id) => {
                if let Some(l) = self.cart.iter_mut().find(|l| l.id == id) {
                    l.quantity -= 1;
                }
                self.cart.retain(|l| l.quantity > 0);
            }
            Msg::Remove(id) => self.cart.retain(|l| l.id != id),
            Msg::Checkout => {
                at.set_local("out", "1");
                sys.open(".CheckoutActivity", &[]);
            }
            Msg::Delivery(way) => at.set_local("delivery", way),
            Msg::Payment(way) => at.set_local("payment", way),
            Msg::Pay => self.pay(at, sys),
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        self.table(table)
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        self.put(table, row)
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        self.take(table, id)
    }
}

/// Whether there was something searched for.
fn end_search(at: &mut Activity) -> bool {
    at.editing = None;
    at.fields.remove("search_src_text").is_some_and(|t| !t.is_empty())
}
