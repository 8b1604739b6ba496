//! Structural similarity, as `skimage.metrics.structural_similarity` computes it by default: windows of seven
//! by seven, unbiased variances, the mean over what a whole window fits around.

use super::ByteImage;
use crate::fault::OsworldFault;
use waldo_office::budget;

const WINDOW: usize = 7;

/// How alike two pictures of one size and one number of channels are; the mean over their channels.
pub(crate) fn ssim(a: &ByteImage, b: &ByteImage) -> Result<f64, OsworldFault> {
    if a.size() != b.size() || a.channels != b.channels {
        return Err(OsworldFault::raised("the pictures differ in size or channels"));
    }
    if a.width < WINDOW || a.height < WINDOW {
        return Err(OsworldFault::raised("the pictures are smaller than a window of 7 by 7"));
    }
    let all = (0..a.channels)
        .map(|channel| plane(&a.channel(channel).data, &b.channel(channel).data, a.width, a.height));
    #[expect(clippy::cast_precision_loss, reason = "there are at most four")]
    Ok(all.sum::<f64>() / a.channels as f64)
}

#[expect(clippy::cast_precision_loss, reason = "sums of a window are small")]
fn plane(a: &[u8], b: &[u8], width: usize, height: usize) -> f64 {
    let (c1, c2) = ((0.01 * 255.0_f64).powi(2), (0.03 * 255.0_f64).powi(2));
    let count = (WINDOW * WINDOW) as f64;
    let unbiased = count / (count - 1.0);
    let (columns, rows) = (width - WINDOW + 1, height - WINDOW + 1);
    let mut total = 0.0;
    // Sums over the seven rows of the window, column by column, moved down a row at a time.
    let mut sums = vec![[0_u64; 5]; width];
    let values = |x: usize, y: usize| -> [u64; 5] {
        let at = y * width + x;
        let (p, q) = (a.get(at).copied().unwrap_or_default(), b.get(at).copied().unwrap_or_default());
        let (p, q) = (u64::from(p), u64::from(q));
        [p, q, p * p, q * q, p * q]
    };
    for y in (0..height).take_while(|_| budget::goes_on()) {
        for (x, sum) in sums.iter_mut().enumerate() {
            for (sum, value) in sum.iter_mut().zip(values(x, y)) {
                *sum += value;
            }
            if y >= WINDOW {
                for (sum, value) in sum.iter_mut().zip(values(x, y - WINDOW)) {
                    *sum -= value;
                }
            }
        }
        if y + 1 < WINDOW {
            continue;
        }
        for window in sums.windows(WINDOW) {
            let mut all = [0_u64; 5];
            for sum in window {
                for (all, value) in all.iter_mut().zip(sum) {
                    *all += value;
                }
            }
            let [ux, uy, uxx, uyy, uxy] = all.map(|sum| sum as f64 / count);
            let (vx, vy) = (unbiased * (uxx - ux * ux), unbiased * (uyy - uy * uy));
            let vxy = unbiased * (uxy - ux * uy);
            let upper = (2.0 * ux * uy + c1) * (2.0 * vxy + c2);
            let lower = (ux * ux + uy * uy + c1) * (vx + vy + c2);
            total += upper / lower;
        }
    }
    total / (columns * rows) as f64
}
