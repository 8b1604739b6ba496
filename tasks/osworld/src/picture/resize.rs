//! Resampling, in the fixed-point arithmetic of Pillow.

use std::f64::consts::PI;

use super::ByteImage;
use waldo_office::budget::{self, Cost};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResizeFilter {
    /// Pillow's default for `resize`.
    Bicubic,
    Lanczos,
}

impl ResizeFilter {
    fn support(self) -> f64 {
        match self {
            Self::Bicubic => 2.0,
            Self::Lanczos => 3.0,
        }
    }

    fn weight(self, x: f64) -> f64 {
        match self {
            Self::Bicubic => {
                let (x, a) = (x.abs(), -0.5);
                if x < 1.0 {
                    ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
                } else if x < 2.0 {
                    (((x - 5.0) * x + 8.0) * x - 4.0) * a
                } else {
                    0.0
                }
            }
            Self::Lanczos => {
                let sinc = |x: f64| if x == 0.0 { 1.0 } else { (x * PI).sin() / (x * PI) };
                if (-3.0..3.0).contains(&x) { sinc(x) * sinc(x / 3.0) } else { 0.0 }
            }
        }
    }
}

const BITS: u32 = 22;

/// For each place of the result: where its window starts, and the weights.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are far below 2^31, and what is cut is meant to be cut"
)]
fn windows(from: usize, to: usize, filter: ResizeFilter) -> Vec<(usize, Vec<i64>)> {
    let scale = from as f64 / to as f64;
    let stretch = scale.max(1.0);
    let support = filter.support() * stretch;
    (0..to)
        .map(|at| {
            let center = (at as f64 + 0.5) * scale;
            let start = ((center - support + 0.5) as i64).max(0) as usize;
            let end = (((center + support + 0.5) as i64).max(0) as usize).min(from);
            let weights: Vec<f64> =
                (start..end).map(|x| filter.weight((x as f64 - center + 0.5) / stretch)).collect();
            let sum: f64 = weights.iter().sum();
            let fixed = |weight: f64| {
                let weight = if sum == 0.0 { weight } else { weight / sum };
                let scaled = weight * f64::from(1_u32 << BITS);
                (if weight < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i64
            };
            (start, weights.into_iter().map(fixed).collect())
        })
        .collect()
}

fn clip(sum: i64) -> u8 {
    u8::try_from((sum >> BITS).clamp(0, 255)).unwrap_or_default()
}

impl ByteImage {
    pub(crate) fn resized(&self, (width, height): (usize, usize), filter: ResizeFilter) -> Self {
        let channels = self.channels;
        let half = 1_i64 << (BITS - 1);
        let mut wide = self.clone();
        // A wide picture in the size of a high one is larger than both on the way.
        let pixels = [self.height, height].map(|height| (width as u64).saturating_mul(height as u64));
        if pixels.into_iter().any(|pixels| budget::spend(Cost::Pixels, pixels).is_err()) {
            return wide;
        }
        if width != self.width {
            let windows = windows(self.width, width, filter);
            let mut data = Vec::with_capacity(width * self.height * channels);
            for row in self.data.chunks_exact(self.width * channels) {
                if !budget::goes_on() {
                    return self.clone();
                }
                for (start, weights) in &windows {
                    for channel in 0..channels {
                        let values = row.iter().skip(start * channels + channel).step_by(channels);
                        let sum: i64 = weights.iter().zip(values).map(|(w, v)| w * i64::from(*v)).sum();
                        data.push(clip(half + sum));
                    }
                }
            }
            wide = Self { width, data, palette: false, ..wide };
        }
        if height == wide.height {
            return wide;
        }
        let windows = windows(wide.height, height, filter);
        let line = width * channels;
        let mut data = Vec::with_capacity(line * height);
        for (start, weights) in &windows {
            if !budget::goes_on() {
                return self.clone();
            }
            for at in 0..line {
                let values = wide.data.iter().skip(start * line + at).step_by(line);
                let sum: i64 = weights.iter().zip(values).map(|(w, v)| w * i64::from(*v)).sum();
                data.push(clip(half + sum));
            }
        }
        Self { height, data, palette: false, ..wide }
    }

    /// The same in another size, where it is the same whether rows or columns come first, which hangs on
    /// Pillow's version.
    pub(crate) fn resized_in_any_order(
        &self,
        (width, height): (usize, usize),
        filter: ResizeFilter,
    ) -> Option<Self> {
        let columns_first = self.resized((width, height), filter);
        let rows_first = self.resized((self.width, height), filter).resized((width, height), filter);
        (columns_first.data == rows_first.data).then_some(columns_first)
    }
}
