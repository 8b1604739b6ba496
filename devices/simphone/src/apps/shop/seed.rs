//! The goods in the shop of a new phone.

use super::{Product, Shop};
use crate::apps::prelude::*;

pub(super) fn fresh(seed: &mut Seed) -> Shop {
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

/// What must be chosen, and from what: `Size: 38, 40`.
fn choice(text: &str) -> Option<(String, Vec<String>)> {
    let (name, values) = text.split_once(": ")?;
    Some((name.to_owned(), values.split(", ").map(str::to_owned).collect()))
}
