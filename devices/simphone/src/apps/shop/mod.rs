//! Shop: search, categories, order by price, products with options, a cart, a checkout form, orders.
//!
//! Providers: `content://shop/products` (`_id`, `name`, `category`, `price_cents`, `rating`, `stock`, `options`),
//! `content://shop/cart` (`_id`, `product_id`, `name`, `options`, `quantity`, `price_cents`), `content://shop/orders`
//! (`_id`, `number`, `name`, `address`, `city`, `postcode`, `delivery` standard|express, `payment` card|cash,
//! `total_cents`, `placed`), `content://shop/order_items` (`_id`, `order_id`, `product_id`, `name`, `options`,
//! `quantity`, `price_cents`) and `content://shop/favorites` (`_id` the product's, `name`). Products take
//! updates, the cart inserts. Money is in cents; prices within a category differ, so that the cheapest is one.

#[cfg(test)]
mod tests;

use crate::apps::prelude::*;

pub const PACKAGE: &str = "com.waldo.shop";

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

fn product_row(p: &Product) -> ProviderRow {
    let options: Vec<String> = p.options.iter().map(|(n, v)| format!("{n}: {}", v.join("|"))).collect();
    row! {
        _id: p.id, name: &p.name, category: &p.category, price_cents: p.cents, rating: p.rating,
        stock: p.stock, options: options.join("; "),
    }
}

fn line_row(l: &OrderLine) -> ProviderRow {
    row! {
        _id: l.id, product_id: l.product, name: &l.name, options: &l.options, quantity: l.quantity,
        price_cents: l.cents,
    }
}

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
}

impl App for Shop {
    fn fresh(seed: &mut Seed) -> Self {
        let mut products = Vec::new();
        for [category, low, high, things, options, about] in contents::records("products") {
            let count = usize::try_from(seed.int(5, 6)).unwrap_or(5);
            let brands = seed.sample(contents::list("brands"), count);
            let things: Vec<&str> = things.split(", ").collect();
            let price = [low, high].map(|dollars| dollars.parse().unwrap_or(0));
            let mut prices: Vec<i64> = Vec::new();
            for (thing, brand) in seed.sample(&things, count).into_iter().zip(brands) {
                let mut cents = seed.int(price[0], price[1]) * 100 + 90;
                while prices.contains(&cents) {
                    cents += 100;
                }
                prices.push(cents);
                products.push(Product {
                    id: i64::try_from(products.len()).unwrap_or(0) + 1,
                    name: format!("{brand} {thing}"),
                    category: category.to_owned(),
                    cents,
                    rating: seed.int(31, 50),
                    stock: seed.int(3, 9),
                    options: options.split("; ").filter_map(choice).collect(),
                    about: about.to_owned(),
                });
            }
        }
        // Two things are sold out; never the cheapest of their kind.
        for category in ["Kitchen", "Bags"] {
            let dearest = products.iter_mut().filter(|p| p.category == category).max_by_key(|p| p.cents);
            if let Some(p) = dearest {
                p.stock = 0;
            }
        }
        Shop { products, cart: Vec::new(), orders: Vec::new(), favorites: Vec::new(), next: 100 }
    }

    fn facts(&self, at: &Activity, _: &Cx<'_>) -> serde_json::Value {
        let product = at.extra_int("id").and_then(|id| self.product(id));
        let wanted = at.field("search_src_text").unwrap_or("");
        serde_json::json!({
            "categories": self.categories(), "found": self.found(at.local("category"), wanted, at.local("sort")),
            "chosen": product.map(|p| Self::chosen(p, at)), "total": total(&self.cart),
            "in_cart": self.cart.iter().map(|l| l.quantity).sum::<i64>(),
        })
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let left = at.name() == "CartActivity" && self.cart.is_empty() && at.is_on("out");
        // Once paid, the emptied cart is left as the shop does it.
        if ev.kind == UiEventKind::Shown && left {
            sys.finish();
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        Some(match table {
            "shop/products" => self.products.iter().map(product_row).collect(),
            "shop/order_items" => {
                let rows =
                    |o: &Order| o.lines.iter().map(line_row).map(|r| r.with("order_id", o.id)).collect();
                self.orders.iter().flat_map::<Vec<ProviderRow>, _>(rows).collect()
            }
            _ => return tables::rows(&self.save(), table),
        })
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        let known = |id: Option<i64>| {
            id.filter(|id| self.product(*id).is_some()).ok_or("product_id names no product".to_owned())
        };
        match table {
            "shop/products" => {
                let id = known(row.int("_id"))?;
                if let Some(p) = self.products.iter_mut().find(|p| p.id == id) {
                    p.name = row.text("name");
                    p.cents = row.int("price_cents").unwrap_or(p.cents);
                    p.stock = row.int("stock").unwrap_or(p.stock);
                }
                Ok(id)
            }
            "shop/cart" => {
                let product = known(row.int("product_id"))?;
                let quantity = row.int("quantity").unwrap_or(1).max(1);
                self.add(product, &row.text("options"), quantity).ok_or("product_id names no product".into())
            }
            _ => Err(format!("{table} is read-only")),
        }
    }
}

/// What must be chosen, and from what: `Size: 38, 40`.
fn choice(text: &str) -> Option<(String, Vec<String>)> {
    let (name, values) = text.split_once(": ")?;
    Some((name.to_owned(), values.split(", ").map(str::to_owned).collect()))
}
