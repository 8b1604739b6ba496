//! The shop's tables, as its providers show them.

use super::{Line, Shop};
use crate::{apps::parts, world::providers::Row};

fn line_row(l: &Line) -> Row {
    Row::default()
        .with("_id", l.id)
        .with("product_id", l.product)
        .with("name", l.name.as_str())
        .with("options", l.options.as_str())
        .with("quantity", l.quantity)
        .with("price_cents", l.cents)
}

impl Shop {
    pub(super) fn table(&self, table: &str) -> Option<Vec<Row>> {
        match table {
            "shop/products" => Some(
                self.products
                    .iter()
                    .map(|p| {
                        let options: Vec<String> =
                            p.options.iter().map(|(n, v)| format!("{n}: {}", v.join("|"))).collect();
                        Row::default()
                            .with("_id", p.id)
                            .with("name", p.name.as_str())
                            .with("category", p.category.as_str())
                            .with("price_cents", p.cents)
                            .with("rating", p.rating)
                            .with("stock", p.stock)
                            .with("options", options.join("; "))
                    })
                    .collect(),
            ),
            "shop/cart" => Some(self.cart.iter().map(line_row).collect()),
            "shop/orders" => Some(
                self.orders
                    .iter()
                    .map(|o| {
                        Row::default()
                            .with("_id", o.id)
                            .with("number", o.number.as_str())
                            .with("name", o.name.as_str())
                            .with("address", o.address.as_str())
                            .with("city", o.city.as_str())
                            .with("postcode", o.postcode.as_str())
                            .with("delivery", o.delivery.as_str())
                            .with("payment", o.payment.as_str())
                            .with("total_cents", o.total)
                            .with("placed", o.placed)
                    })
                    .collect(),
            ),
            "shop/order_items" => Some(
                self.orders
                    .iter()
                    .flat_map(|o| o.lines.iter().map(|l| line_row(l).with("order_id", o.id)))
                    .collect(),
            ),
            "shop/favorites" => Some(
                self.favorites
                    .iter()
                    .filter_map(|id| self.product(*id))
                    .map(|p| Row::default().with("_id", p.id).with("name", p.name.as_str()))
                    .collect(),
            ),
            _ => None,
        }
    }

    pub(super) fn put(&mut self, table: &str, row: &Row) -> Result<i64, String> {
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
