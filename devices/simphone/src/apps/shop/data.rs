//! The shop's tables, as its providers show them.

use super::{Order, OrderLine, Product, Shop};
use crate::apps::prelude::*;

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

impl Shop {
    pub(super) fn table(&self, table: &str) -> Option<Vec<ProviderRow>> {
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

    pub(super) fn put(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
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
                if let Some(l) = self.cart.iter_mut().find(|l| Some(l.id) == row.int("_id")) {
                    l.quantity = quantity;
                    l.options = row.text("options");
                    return Ok(l.id);
                }
                self.add(product, &row.text("options"), quantity).ok_or("product_id names no product".into())
            }
            "shop/favorites" => {
                let id = known(row.int("_id").or_else(|| row.int("product_id")))?;
                if !self.favorites.contains(&id) {
                    self.favorites.push(id);
                }
                Ok(id)
            }
            _ => Err(format!("{table} is read-only")),
        }
    }

    pub(super) fn take(&mut self, table: &str, id: i64) -> bool {
        match table {
            "shop/cart" => parts::remove(&mut self.cart, |l| l.id == id),
            "shop/orders" => parts::remove(&mut self.orders, |o| o.id == id),
            "shop/favorites" => parts::remove(&mut self.favorites, |f| *f == id),
            _ => false,
        }
    }
}
