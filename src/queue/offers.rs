use futures::{FutureExt as _, StreamExt as _};

use super::error::Result;
use super::server::{QueueServer, RUNS};
use super::wire::{QueueState, RunOffer, check_token, read};

pub struct Offers {
    server: QueueServer,
    news: async_nats::Subscriber,
}

impl Offers {
    pub async fn hear(server: &QueueServer) -> Result<Self> {
        Ok(Self { server: server.clone(), news: server.hear("waldo.run.*".to_owned()).await? })
    }

    /// The runs whose episodes are handed out now. One that cannot be read is told, and left out.
    pub async fn open(&mut self) -> Result<Vec<RunOffer>> {
        while self.news.next().now_or_never().flatten().is_some() {}
        open_runs(&self.server).await
    }

    /// Waits until something is new, or for so long.
    pub async fn news(&mut self, at_most: std::time::Duration) {
        let _ = tokio::time::timeout(at_most, self.news.next()).await;
    }
}

pub async fn open_runs(server: &QueueServer) -> Result<Vec<RunOffer>> {
    let all = all_runs(server).await?;
    Ok(all.into_iter().filter(|offer| offer.state == QueueState::Open).collect())
}

pub(super) async fn all_runs(server: &QueueServer) -> Result<Vec<RunOffer>> {
    let mut offers = Vec::new();
    for kept in server.patiently(|| server.all(RUNS, "waldo.run.*")).await? {
        match read::<RunOffer>("an offered run", &kept.payload) {
            Ok(offer) if kept.subject == format!("waldo.run.{}", offer.run) => offers.push(offer),
            Ok(_) => tracing::warn!(subject = kept.subject, "an offered run that says to be another"),
            Err(e) => tracing::warn!(subject = kept.subject, error = %e, "an offered run that is not read"),
        }
    }
    Ok(offers)
}

pub(super) async fn find(server: &QueueServer, run: &str) -> Result<Option<RunOffer>> {
    let Some(kept) = server.last(RUNS, &format!("waldo.run.{}", check_token(run)?)).await? else {
        return Ok(None);
    };
    read("an offered run", &kept.payload).map(Some)
}
