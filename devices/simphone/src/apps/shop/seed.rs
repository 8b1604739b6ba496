//! The goods in the shop of a new phone.

use super::{Product, Shop};
use crate::apps::Seed;

struct ProductKind {
    category: &'static str,
    /// Lowest and highest price in dollars.
    price: (i64, i64),
    things: [&'static str; 6],
    options: &'static [(&'static str, &'static [&'static str])],
    about: &'static str,
}

const COLOURS: (&str, &[&str]) = ("Colour", &["Black", "White", "Red", "Green"]);

const KINDS: [ProductKind; 6] = [
    ProductKind {
        category: "Lamps",
        price: (18, 120),
        things: ["Desk Lamp", "Floor Lamp", "Reading Lamp", "Table Lamp", "Night Lamp", "Clip Lamp"],
        options: &[COLOURS],
        about: "Warm light, with a cable of 1.8 m and a switch within reach.",
    },
    ProductKind {
        category: "Headphones",
        price: (25, 320),
        things: ["Headphones", "Earbuds", "Studio Headphones", "Sport Earbuds", "Headset", "Kids Headphones"],
        options: &[COLOURS],
        about: "Clear sound and a battery that lasts for a day.",
    },
    ProductKind {
        category: "Kitchen",
        price: (6, 90),
        things: ["Kettle", "Frying Pan", "Knife", "Coffee Mill", "Toaster", "Mixing Bowl"],
        options: &[],
        about: "Made to be used every day and to be easy to clean.",
    },
    ProductKind {
        category: "Shoes",
        price: (35, 180),
        things: ["Running Shoes", "Sandals", "Rain Boots", "Slippers", "Hiking Boots", "Sneakers"],
        options: &[("Size", &["38", "40", "42", "44"]), ("Colour", &["Black", "Blue"])],
        about: "Light and firm, with a sole that grips on wet ground.",
    },
    ProductKind {
        category: "Books",
        price: (7, 45),
        things: ["Cookbook", "Atlas", "Crime Novel", "Field Guide", "Short Stories", "Chess Manual"],
        options: &[("Format", &["Paperback", "Hardcover"])],
        about: "Printed on good paper, with an index.",
    },
    ProductKind {
        category: "Bags",
        price: (15, 150),
        things: ["Backpack", "Tote Bag", "Suitcase", "Messenger Bag", "Lunch Bag", "Camera Bag"],
        options: &[("Colour", &["Grey", "Navy", "Olive"])],
        about: "Sturdy cloth, strong seams, and pockets where one looks for them.",
    },
];

const BRANDS: [&str; 12] = [
    "Aurora", "Linden", "Kestrel", "Harbour", "Maple", "Nordlys", "Pebble", "Juniper", "Tern", "Copper",
    "Solstice", "Willow",
];

pub(super) fn fresh(seed: &mut Seed) -> Shop {
    let mut products = Vec::new();
    for kind in &KINDS {
        let count = usize::try_from(seed.int(5, 6)).unwrap_or(5);
        let brands = seed.sample(&BRANDS, count);
        let mut prices: Vec<i64> = Vec::new();
        for (thing, brand) in seed.sample(&kind.things, count).into_iter().zip(brands) {
            let mut cents = seed.int(kind.price.0, kind.price.1) * 100 + 90;
            while prices.contains(&cents) {
                cents += 100;
            }
            prices.push(cents);
            products.push(Product {
                id: i64::try_from(products.len()).unwrap_or(0) + 1,
                name: format!("{brand} {thing}"),
                category: kind.category.to_owned(),
                cents,
                rating: seed.int(31, 50),
                stock: seed.int(3, 9),
                options: kind
                    .options
                    .iter()
                    .map(|(n, v)| ((*n).to_owned(), v.iter().map(|v| (*v).to_owned()).collect()))
                    .collect(),
                about: kind.about.to_owned(),
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
