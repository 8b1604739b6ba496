//! Pictures of a screen between two observations, for whoever watches.
//!
//! Invariants: only the newest frame is kept, and putting one never waits, so nobody who watches slows a device; a device
//! makes frames only while somebody watches. Frames are not masked: a device with secrets gives none.

use std::sync::Arc;

use tokio::sync::watch;

use crate::picture::Picture;

/// One picture of the screen, whole, without tags.
#[derive(Clone, Debug)]
pub enum Frame {
    /// As PNG, JPEG or WebP.
    Packed(Arc<[u8]>),
    /// Pixels, which whoever shows them packs.
    Pixels(Picture),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filming {
    Possible,
    /// It gives none, or nobody wants any.
    #[default]
    Impossible,
}

/// Where the frames of a screen go. Clones are the same place.
#[derive(Clone, Debug)]
pub struct Frames(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    newest: watch::Sender<Newest>,
    watchers: watch::Sender<usize>,
    filming: watch::Sender<Filming>,
}

#[derive(Clone, Debug, Default)]
enum Newest {
    #[default]
    Nothing,
    Frame(Frame),
    Over,
}

impl Default for Frames {
    fn default() -> Self {
        let (newest, watchers) = (watch::Sender::new(Newest::Nothing), watch::Sender::new(0));
        let filming = watch::Sender::new(Filming::Impossible);
        Self(Arc::new(Inner { newest, watchers, filming }))
    }
}

impl Frames {
    pub fn put(&self, frame: Frame) {
        self.0.newest.send_replace(Newest::Frame(frame));
    }

    /// Tells whoever watches that nothing more comes.
    pub fn end(&self) {
        self.0.newest.send_replace(Newest::Over);
    }

    /// Watches from now on; ends when what is given back is dropped.
    pub fn watch(&self) -> FrameWatcher {
        let mut newest = self.0.newest.subscribe();
        // What an earlier watcher saw may be long past.
        newest.mark_unchanged();
        self.0.watchers.send_modify(|watchers| *watchers += 1);
        FrameWatcher { frames: self.clone(), newest }
    }

    pub fn watchers(&self) -> usize {
        *self.0.watchers.borrow()
    }

    pub fn is_watched(&self) -> bool {
        self.watchers() > 0
    }

    pub async fn watched(&self) {
        self.until(|watchers| watchers > 0).await;
    }

    pub async fn unwatched(&self) {
        self.until(|watchers| watchers == 0).await;
    }

    async fn until(&self, wanted: impl Fn(usize) -> bool) {
        // The sender lives as long as this does.
        let _ = self.0.watchers.subscribe().wait_for(|watchers| wanted(*watchers)).await;
    }

    pub fn set_filming(&self, filming: Filming) {
        self.0.filming.send_replace(filming);
    }

    pub fn filming(&self) -> Filming {
        *self.0.filming.borrow()
    }
}

#[derive(Debug)]
pub struct FrameWatcher {
    frames: Frames,
    newest: watch::Receiver<Newest>,
}

impl FrameWatcher {
    /// The newest frame that was not given before, once there is one; `None` when nothing more comes.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            self.newest.changed().await.ok()?;
            match self.newest.borrow_and_update().clone() {
                Newest::Nothing => {}
                Newest::Frame(frame) => return Some(frame),
                Newest::Over => return None,
            }
        }
    }
}

impl Drop for FrameWatcher {
    fn drop(&mut self) {
        self.frames.0.watchers.send_modify(|watchers| *watchers = watchers.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(byte: u8) -> Frame {
        Frame::Packed(Arc::from([byte]))
    }

    fn byte(frame: Option<Frame>) -> Option<u8> {
        match frame? {
            Frame::Packed(bytes) => bytes.first().copied(),
            Frame::Pixels(_) => panic!("it was packed"),
        }
    }

    #[tokio::test]
    async fn who_reads_slowly_gets_the_newest_and_who_never_reads_holds_up_nobody() {
        let frames = Frames::default();
        let _never = frames.watch();
        let mut slow = frames.watch();
        for n in 0..100 {
            frames.put(packed(n));
        }
        assert_eq!(byte(slow.next().await), Some(99));
        {
            let waits = slow.next();
            tokio::pin!(waits);
            assert!(futures::poll!(&mut waits).is_pending(), "each once");
            frames.put(packed(7));
            assert_eq!(byte(waits.await), Some(7));
        }
        frames.end();
        assert_eq!(byte(slow.next().await), None);
    }

    #[tokio::test]
    async fn a_device_knows_whether_somebody_watches() {
        let frames = Frames::default();
        frames.put(packed(1));
        let watched = frames.watched();
        tokio::pin!(watched);
        assert!(futures::poll!(&mut watched).is_pending() && !frames.is_watched());
        let mut one = frames.watch();
        watched.await;
        assert!(futures::poll!(Box::pin(one.next())).is_pending(), "what was before is past");
        let two = frames.watch();
        drop(one);
        assert!(frames.is_watched());
        drop(two);
        frames.unwatched().await;
    }
}
