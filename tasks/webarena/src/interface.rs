//! What the shop tells programs: its newest order, and the newest review of a product.

use async_trait::async_trait;
use serde_json::{Value, json};
use waldo_devices::Deadline;

use crate::fault::{Result, WebarenaFault};
use crate::site::Site;

/// Sends requests and reads JSON. The importer has no network of its own.
#[async_trait]
pub trait Http: Send + Sync {
    /// Posts `body` where there is one, else gets, with a bearer's token where there is one.
    ///
    /// # Errors
    /// [`WebarenaFault::World`] when there is no answer, or one that is no success.
    async fn json(
        &self,
        url: &str,
        token: Option<&str>,
        body: Option<Value>,
        deadline: Deadline,
    ) -> Result<Value>;
}

/// The shop's interface, as judging asks it.
pub struct Shop<'h> {
    address: String,
    http: Box<dyn Http + 'h>,
}

impl<'h> Shop<'h> {
    pub fn new(address: &str, http: impl Http + 'h) -> Self {
        Self { address: address.to_owned(), http: Box::new(http) }
    }

    /// Asks as the administrator, whose account is the same in every copy.
    async fn get(&self, path: &str, deadline: Deadline) -> Result<Value> {
        let account = Site::ShoppingAdmin.account().ok_or_else(|| WebarenaFault::raised("no account"))?;
        let body = json!({ "username": account.user, "password": account.password });
        let sign_in = format!("{}/rest/default/V1/integration/admin/token", self.address);
        let token = self.http.json(&sign_in, None, Some(body), deadline).await?;
        let token = token.as_str().ok_or_else(|| WebarenaFault::raised("the shop gave no token"))?.to_owned();
        self.http.json(&format!("{}{path}", self.address), Some(&token), None, deadline).await
    }

    async fn reviews(&self, sku: &str, deadline: Deadline) -> Result<Vec<Value>> {
        if !sku.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
            return Err(WebarenaFault::refused(format!("'{sku}' is not the number of a product")));
        }
        match self.get(&format!("/rest/V1/products/{sku}/reviews"), deadline).await? {
            Value::Array(all) => Ok(all),
            _ => Err(WebarenaFault::raised("the shop gave no list of reviews")),
        }
    }

    /// The address of the newest order's page.
    ///
    /// # Errors
    /// [`WebarenaFault::World`], and [`WebarenaFault::Raised`] for an answer of another form.
    pub async fn latest_order(&self, deadline: Deadline) -> Result<String> {
        let newest = "/rest/V1/orders?searchCriteria%5BsortOrders%5D%5B0%5D%5Bfield%5D=created_at\
                      &searchCriteria%5BsortOrders%5D%5B0%5D%5Bdirection%5D=DESC&searchCriteria%5BpageSize%5D=1";
        let found = self.get(newest, deadline).await?;
        let number = found["items"][0]["increment_id"].as_str().and_then(|number| number.parse::<u64>().ok());
        let number = number.ok_or_else(|| WebarenaFault::raised("the shop has no order"))?;
        Ok(format!("{}/sales/order/view/order_id/{number}/", self.address))
    }

    /// Who wrote the newest review of a product; empty without one.
    pub async fn review_author(&self, sku: &str, deadline: Deadline) -> Result<String> {
        let all = self.reviews(sku, deadline).await?;
        let Some(newest) = all.last() else { return Ok(String::new()) };
        let author = newest["nickname"].as_str();
        Ok(author.ok_or_else(|| WebarenaFault::raised("a review without an author"))?.to_owned())
    }

    /// The rating of the newest review in percent; empty without one.
    pub async fn review_rating(&self, sku: &str, deadline: Deadline) -> Result<String> {
        let all = self.reviews(sku, deadline).await?;
        let (Some(first), Some(newest)) = (all.first(), all.last()) else { return Ok(String::new()) };
        if first["ratings"][0]["rating_name"] != "Rating" {
            return Err(WebarenaFault::raised("a review without a rating"));
        }
        Ok(crate::text::python::str_of(&newest["ratings"][0]["percent"]))
    }
}
