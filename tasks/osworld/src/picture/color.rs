/// Hue, saturation and value of a colour, each from 0 to 255, in Pillow's arithmetic.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "values are in range by construction"
)]
pub(crate) fn hsv([r, g, b]: [u8; 3]) -> [u8; 3] {
    let (max, min) = (r.max(g).max(b), r.min(g).min(b));
    if max == min {
        return [0, 0, max];
    }
    let range = f32::from(max - min);
    let saturation = range / f32::from(max);
    let part = |value: u8| f64::from(f32::from(max - value) / range);
    let (rc, gc, bc) = (part(r), part(g), part(b));
    let sector = if r == max {
        (bc - gc) as f32
    } else if g == max {
        (2.0 + rc - bc) as f32
    } else {
        (4.0 + gc - rc) as f32
    };
    let hue = ((f64::from(sector) / 6.0 + 1.0) % 1.0) as f32;
    [(f64::from(hue) * 255.0) as u8, (f64::from(saturation) * 255.0) as u8, max]
}

/// Six digits, with or without a hash.
pub(crate) fn parse_rgb(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (digits.len() == 6).then(|| Some([part(0)?, part(2)?, part(4)?])).flatten()
}

/// How far two colours are apart to the eye: CIEDE2000, of sRGB at D65.
pub(crate) fn delta_e(a: [u8; 3], b: [u8; 3]) -> f64 {
    let ([l1, a1, b1], [l2, a2, b2]) = (lab(a), lab(b));
    let mean_chroma = (a1.hypot(b1) + a2.hypot(b2)) / 2.0;
    let seventh = mean_chroma.powi(7);
    let g = 0.5 * (1.0 - (seventh / (seventh + 25.0_f64.powi(7))).sqrt());
    let (a1, a2) = (a1 * (1.0 + g), a2 * (1.0 + g));
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let turn = std::f64::consts::TAU;
    let hue = |a: f64, b: f64| if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a).rem_euclid(turn) };
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let (dl, dc) = (l2 - l1, c2 - c1);
    let mut dh = h2 - h1;
    if c1 * c2 == 0.0 {
        dh = 0.0;
    } else if dh > turn / 2.0 {
        dh -= turn;
    } else if dh < -turn / 2.0 {
        dh += turn;
    }
    let dh_term = 2.0 * (c1 * c2).sqrt() * (dh / 2.0).sin();
    let (l_mean, c_mean) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
    let mut h_sum = h1 + h2;
    if c1 * c2 != 0.0 && (h1 - h2).abs() > turn / 2.0 {
        h_sum += if h_sum < turn { turn } else { -turn };
    }
    let h_mean = if c1 * c2 == 0.0 { h_sum } else { h_sum / 2.0 };
    let degrees = |d: f64| d.to_radians();
    let t = 1.0 - 0.17 * (h_mean - degrees(30.0)).cos()
        + 0.24 * (2.0 * h_mean).cos()
        + 0.32 * (3.0 * h_mean + degrees(6.0)).cos()
        - 0.20 * (4.0 * h_mean - degrees(63.0)).cos();
    let middle = (l_mean - 50.0).powi(2);
    let sl = 1.0 + 0.015 * middle / (20.0 + middle).sqrt();
    let sc = 1.0 + 0.045 * c_mean;
    let sh = 1.0 + 0.015 * c_mean * t;
    let seventh = c_mean.powi(7);
    let rc = 2.0 * (seventh / (seventh + 25.0_f64.powi(7))).sqrt();
    let theta = degrees(30.0) * (-((h_mean.to_degrees() - 275.0) / 25.0).powi(2)).exp();
    let rt = -(2.0 * theta).sin() * rc;
    let (x, y, z) = (dl / sl, dc / sc, dh_term / sh);
    (x * x + y * y + z * z + rt * y * z).max(0.0).sqrt()
}

fn lab(rgb: [u8; 3]) -> [f64; 3] {
    let [r, g, b] = rgb.map(|value| {
        let value = f64::from(value) / 255.0;
        if value > 0.04045 { ((value + 0.055) / 1.055).powf(2.4) } else { value / 12.92 }
    });
    let x = 0.412_453 * r + 0.357_580 * g + 0.180_423 * b;
    let y = 0.212_671 * r + 0.715_160 * g + 0.072_169 * b;
    let z = 0.019_334 * r + 0.119_193 * g + 0.950_227 * b;
    let [x, y, z] = [x / 0.950_47, y, z / 1.088_83]
        .map(|value: f64| if value > 0.008_856 { value.cbrt() } else { 7.787 * value + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}
