//! The picture that updates paint, and who waits for them.
//!
//! Invariant: a picture that is handed out has whole updates only, and was painted all over since it got its size.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use image::RgbImage;
use tokio::sync::watch;

use super::error::{RfbError, broken};
use super::traffic::{TrafficCounts, one};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelArea {
    pub(crate) x: u16,
    pub(crate) y: u16,
    pub(crate) w: u16,
    pub(crate) h: u16,
}

impl PixelArea {
    pub(crate) fn area(self) -> u64 {
        u64::from(self.w) * u64::from(self.h)
    }
}

pub(crate) struct Pixels {
    pub(crate) picture: RgbImage,
    painting: bool,
    /// Pixels that were not painted since the picture got its size.
    bare: u64,
    revision: u64,
}

/// How far it is, for whoever waits.
#[derive(Clone, Debug, Default)]
pub(crate) struct PaintProgress {
    pub(crate) revision: u64,
    pub(crate) lost: Option<Arc<str>>,
}

pub(crate) struct SharedPicture {
    pixels: Mutex<Pixels>,
    progress: watch::Sender<PaintProgress>,
    pub(super) counts: Arc<TrafficCounts>,
}

fn blank((width, height): (u16, u16)) -> RgbImage {
    RgbImage::new(width.into(), height.into())
}

impl SharedPicture {
    pub(crate) fn new(size: (u16, u16)) -> Self {
        let bare = u64::from(size.0) * u64::from(size.1);
        let pixels = Pixels { picture: blank(size), painting: false, bare, revision: 0 };
        Self {
            pixels: Mutex::new(pixels),
            progress: watch::Sender::new(PaintProgress::default()),
            counts: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pixels> {
        self.pixels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn size(&self) -> (u32, u32) {
        self.lock().picture.dimensions()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<PaintProgress> {
        self.progress.subscribe()
    }

    pub(crate) fn lost(&self) -> Option<Arc<str>> {
        self.progress.borrow().lost.clone()
    }

    /// Says that the connection is lost; the first reason counts.
    pub(crate) fn lose(&self, why: &str) {
        self.progress.send_modify(|progress| {
            progress.lost.get_or_insert_with(|| why.into());
        });
    }

    /// The picture with its revision, where it is whole.
    pub(crate) fn shot(&self) -> Option<(RgbImage, u64)> {
        let pixels = self.lock();
        (!pixels.painting && pixels.bare == 0).then(|| (pixels.picture.clone(), pixels.revision))
    }

    pub(crate) fn begin(&self) {
        self.lock().painting = true;
    }

    pub(crate) fn end(&self) {
        let revision = {
            let mut pixels = self.lock();
            pixels.painting = false;
            pixels.revision += 1;
            pixels.revision
        };
        one(&self.counts.updates);
        self.progress.send_modify(|progress| progress.revision = revision);
    }

    /// The picture gets another size, and is to be painted anew.
    pub(crate) fn resize(&self, size: (u16, u16)) {
        let mut pixels = self.lock();
        // The old one goes first: two of the largest are more than needs be.
        pixels.picture = RgbImage::new(0, 0);
        pixels.picture = blank(size);
        pixels.bare = u64::from(size.0) * u64::from(size.1);
    }

    pub(crate) fn check(&self, part: PixelArea) -> Result<(), RfbError> {
        let (width, height) = self.size();
        let fits = |from: u16, length: u16, all: u32| u32::from(from) + u32::from(length) <= all;
        if fits(part.x, part.w, width) && fits(part.y, part.h, height) {
            return Ok(());
        }
        broken(format!("it paints {part:?} on a screen of {width}x{height}"))
    }

    pub(crate) fn painted(&self, part: PixelArea) {
        let mut pixels = self.lock();
        pixels.bare = pixels.bare.saturating_sub(part.area());
    }

    /// Paints a part, which is in the picture, with `rgb`: its lines, three bytes a pixel.
    pub(crate) fn paint(&self, part: PixelArea, rgb: &[u8]) {
        if part.w == 0 || part.h == 0 {
            return;
        }
        let mut pixels = self.lock();
        let stride = pixels.picture.width() as usize * 3;
        let (left, width) = (usize::from(part.x) * 3, usize::from(part.w) * 3);
        let lines = pixels.picture.chunks_exact_mut(stride).skip(usize::from(part.y));
        for (line, from) in lines.zip(rgb.chunks_exact(width).take(usize::from(part.h))) {
            line[left..left + width].copy_from_slice(from);
        }
    }

    pub(crate) fn fill(&self, part: PixelArea, pixel: [u8; 3]) {
        let mut pixels = self.lock();
        let stride = pixels.picture.width() as usize * 3;
        let (left, width) = (usize::from(part.x) * 3, usize::from(part.w) * 3);
        let lines = pixels.picture.chunks_exact_mut(stride).skip(usize::from(part.y));
        for line in lines.take(usize::from(part.h)) {
            line[left..left + width].as_chunks_mut::<3>().0.fill(pixel);
        }
    }

    /// Copies what lies at `from` to `to`; both are in the picture.
    pub(crate) fn copy(&self, from: (u16, u16), to: PixelArea) {
        let mut pixels = self.lock();
        let stride = pixels.picture.width() as usize * 3;
        let at = |x: u16, y: u16| usize::from(y) * stride + usize::from(x) * 3;
        let width = usize::from(to.w) * 3;
        let mut line = |n: u16| {
            let start = at(from.0, from.1 + n);
            pixels.picture.copy_within(start..start + width, at(to.x, to.y + n));
        };
        // Where they overlap, a line is read before it is written.
        if to.y > from.1 { (0..to.h).rev().for_each(&mut line) } else { (0..to.h).for_each(&mut line) }
    }
}
