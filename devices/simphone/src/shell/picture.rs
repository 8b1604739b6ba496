//! The screen as pixels, with the faults that concern it.

use crate::fault::PhoneFault;
use crate::phone::Phone;
use image::{Rgba, RgbaImage};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
pub(crate) struct Shot {
    /// The pixels, in the present rotation.
    pub image: Arc<RgbaImage>,
    half: bool,
}

impl Shot {
    pub fn whole(image: RgbaImage) -> Self {
        Self { image: Arc::new(image), half: false }
    }

    /// How many of so many bytes leave the phone: all, unless a fault cuts them.
    pub fn keep(&self, len: usize) -> usize {
        if self.half { len / 2 } else { len }
    }
}

/// Bytes that end in an image's pixels, with red and blue in each other's place.
pub fn swapped(mut bytes: Vec<u8>, image: &RgbaImage) -> Vec<u8> {
    let head = bytes.len().saturating_sub(image.as_raw().len());
    for pixel in bytes.get_mut(head..).unwrap_or_default().chunks_exact_mut(4) {
        pixel.swap(0, 2);
    }
    bytes
}

/// Takes a picture; nothing where the phone is coming to its end.
pub async fn take(phone: &Arc<Phone>) -> Option<Shot> {
    let slow = phone.with(|w| w.take_fault(|f| matches!(f, PhoneFault::SlowScreen(_))));
    if let Some(PhoneFault::SlowScreen(ms)) = slow {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
    let phone = phone.clone();
    tokio::task::spawn_blocking(move || {
        phone.with(|w| {
            let secure = w.take_fault(|f| *f == PhoneFault::SecureScreen).is_some();
            let half = w.take_fault(|f| *f == PhoneFault::HalfPicture).is_some();
            let mut image = w.frame();
            if secure {
                let (width, height) = image.dimensions();
                image = Arc::new(RgbaImage::from_pixel(width, height, Rgba([0, 0, 0, 255])));
            }
            Shot { image, half }
        })
    })
    .await
    .ok()
}
