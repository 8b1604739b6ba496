//! What came from a server, counted.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use crate::screen::VncTraffic;

#[derive(Default)]
pub(super) struct TrafficCounts {
    pub(super) updates: AtomicU64,
    bytes: AtomicU64,
    pub(super) raw: AtomicU64,
    pub(super) copied: AtomicU64,
    pub(super) hextile: AtomicU64,
    pub(super) tight: AtomicU64,
    pub(super) zrle: AtomicU64,
}

impl TrafficCounts {
    pub(super) fn all(&self) -> VncTraffic {
        VncTraffic {
            updates: self.updates.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            raw: self.raw.load(Relaxed),
            copied: self.copied.load(Relaxed),
            hextile: self.hextile.load(Relaxed),
            tight: self.tight.load(Relaxed),
            zrle: self.zrle.load(Relaxed),
        }
    }
}

pub(super) fn one(of: &AtomicU64) {
    of.fetch_add(1, Relaxed);
}

pub(super) struct Counted<R> {
    pub(super) from: R,
    pub(super) counts: Arc<TrafficCounts>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Counted<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = to.filled().len();
        let done = Pin::new(&mut self.from).poll_read(context, to);
        self.counts.bytes.fetch_add((to.filled().len() - before) as u64, Relaxed);
        done
    }
}
