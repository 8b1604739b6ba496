//! What `waldo queue status` tells.

use jiff::Timestamp;
use serde::Serialize;

use super::error::Result;
use super::offers::all_runs;
use super::server::{QueueServer, RESULTS, WORKERS};
use super::wire::{QueueState, RunOffer, WorkerState, read};

#[derive(Debug, Serialize)]
pub struct QueueStatus {
    pub runs: Vec<RunStatus>,
    pub workers: Vec<WorkerState>,
}

#[derive(Debug, Serialize)]
pub struct RunStatus {
    pub run: String,
    pub suites: Vec<String>,
    pub state: QueueState,
    pub lanes: Vec<LaneStatus>,
    pub episodes: usize,
    pub results: usize,
    pub since: Timestamp,
    /// Seconds that the rest takes, as fast as it went so far.
    pub eta: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct LaneStatus {
    pub id: String,
    pub suite: String,
    pub contestant: String,
    pub waiting: u64,
    pub leased: usize,
    /// Of those, episodes that were handed out before.
    pub redelivered: usize,
    /// Workers that say to take nothing of it, each with its reason.
    pub refused: Vec<String>,
}

impl QueueStatus {
    pub async fn of(server: &QueueServer) -> Result<Self> {
        let mut workers = Vec::new();
        for kept in server.all(WORKERS, "waldo.worker.*").await? {
            match read::<WorkerState>("a sign of life", &kept.payload) {
                Ok(worker) => workers.push(worker),
                Err(e) => tracing::warn!(error = %e, "a worker that is not understood"),
            }
        }
        let mut runs = Vec::new();
        for offer in all_runs(server).await? {
            runs.push(run(server, offer, &workers).await?);
        }
        Ok(Self { runs, workers })
    }
}

async fn run(server: &QueueServer, offer: RunOffer, workers: &[WorkerState]) -> Result<RunStatus> {
    let mut lanes = Vec::new();
    for lane in &offer.lanes {
        let info = server.lane(&offer.run, &lane.id).await?;
        let info = info.cached_info();
        let refused = workers.iter().flat_map(|worker| {
            let why = worker.refuses.iter().filter(|refusal| {
                refusal.run == offer.run
                    && (refusal.part.is_empty()
                        || refusal.part == lane.suite
                        || refusal.part == lane.contestant)
            });
            why.map(|refusal| format!("{}: {}", worker.host, refusal.why))
        });
        lanes.push(LaneStatus {
            id: lane.id.clone(),
            suite: lane.suite.clone(),
            contestant: lane.contestant.clone(),
            waiting: info.num_pending,
            leased: info.num_ack_pending,
            redelivered: info.num_redelivered,
            refused: refused.collect(),
        });
    }
    let results = server.count(RESULTS, &format!("waldo.result.{}.*", offer.run)).await?;
    let episodes = offer.lanes.iter().map(|lane| lane.episodes).sum();
    Ok(RunStatus {
        suites: offer.suites.into_iter().map(|suite| suite.id).collect(),
        run: offer.run,
        state: offer.state,
        lanes,
        episodes,
        results,
        since: offer.since,
        eta: eta(episodes, results, Timestamp::now().duration_since(offer.since).as_secs()),
    })
}

/// Seconds that the rest takes, where anything is known of it.
fn eta(episodes: usize, results: usize, seconds: i64) -> Option<u64> {
    let (left, seconds) = (episodes.saturating_sub(results) as u64, u64::try_from(seconds).ok()?);
    seconds.checked_mul(left)?.checked_div(results as u64)
}

#[cfg(test)]
mod tests {
    use super::eta;

    #[test]
    fn the_rest_takes_as_long_as_so_far() {
        assert_eq!(eta(100, 25, 50), Some(150));
        assert_eq!(eta(100, 100, 50), Some(0));
        assert_eq!(eta(100, 0, 50), None);
        assert_eq!(eta(10, 20, 5), Some(0));
    }
}
