//! A screen that is made for the purpose: a long list of settings, as plain as screens get.

use image::{Rgb, RgbImage};
use imageproc::drawing::draw_filled_rect_mut;
use imageproc::rect::Rect as Area;

use super::{SIZE, Screen};

/// Rows of a list as a settings app has them: an icon, two lines of text, a switch; 160 nodes.
fn rows() -> impl Iterator<Item = (u32, i32)> {
    (0..26).map(|n| (n, 180 + n as i32 * 84))
}

fn picture() -> RgbImage {
    let mut image = RgbImage::from_pixel(SIZE.0, SIZE.1, Rgb([250, 249, 253]));
    let mut fill = |x: i32, y: i32, w: u32, h: u32, colour: [u8; 3]| {
        draw_filled_rect_mut(&mut image, Area::at(x, y).of_size(w, h), Rgb(colour));
    };
    fill(0, 0, SIZE.0, 80, [230, 224, 240]);
    for (n, y) in rows() {
        fill(40, y + 14, 52, 52, [(n * 9) as u8, 90, 160]);
        for letter in 0..18 {
            fill(140 + letter * 22, y + 10, 13, 24, [28, 27, 31]);
            fill(140 + letter * 16, y + 48, 9, 15, [73, 69, 79]);
        }
        fill(930, y + 20, 100, 44, [103, 80, 164]);
    }
    image
}

fn raw(picture: &RgbImage) -> Vec<u8> {
    let mut bytes: Vec<u8> = [SIZE.0, SIZE.1, 1, 0].into_iter().flat_map(u32::to_le_bytes).collect();
    for pixel in picture.pixels() {
        bytes.extend(pixel.0);
        bytes.push(255);
    }
    bytes
}

fn dump() -> String {
    let node = |index: u32, class: &str, id: &str, text: &str, more: &str, bounds: [i32; 4], inner: &str| {
        let [x1, y1, x2, y2] = bounds;
        let flag = |name: &str| more.contains(name);
        format!(
            "<node index=\"{index}\" text=\"{text}\" resource-id=\"{id}\" class=\"{class}\" package=\"com.android.settings\" content-desc=\"\" checkable=\"{}\" checked=\"false\" clickable=\"{}\" enabled=\"true\" focusable=\"{}\" focused=\"false\" scrollable=\"{}\" long-clickable=\"false\" password=\"false\" selected=\"false\" bounds=\"[{x1},{y1}][{x2},{y2}]\">{inner}</node>",
            flag("checkable"),
            flag("clickable"),
            flag("clickable"),
            flag("scrollable"),
        )
    };
    let list: String = rows()
        .map(|(n, y)| {
            let text = |at, id, words: &str, top, bottom| {
                node(at, "android.widget.TextView", id, words, "", [140, y + top, 800, y + bottom], "")
            };
            let title = text(0, "android:id/title", &format!("Setting number {n}"), 6, 40);
            let line = text(1, "android:id/summary", "What it does &amp; why", 44, 70);
            let texts =
                node(1, "android.widget.RelativeLayout", "", "", "", [140, y, 900, y + 80], &(title + &line));
            let icon =
                node(0, "android.widget.ImageView", "android:id/icon", "", "", [40, y + 14, 92, y + 66], "");
            let switch = node(
                2,
                "android.widget.Switch",
                "android:id/switch_widget",
                "",
                "checkable clickable",
                [930, y + 20, 1030, y + 64],
                "",
            );
            node(
                n,
                "android.widget.LinearLayout",
                "",
                "",
                "clickable",
                [0, y, 1080, y + 80],
                &(icon + &texts + &switch),
            )
        })
        .collect();
    let list = node(
        0,
        "androidx.recyclerview.widget.RecyclerView",
        "com.android.settings:id/list",
        "",
        "scrollable",
        [0, 80, 1080, 2400],
        &list,
    );
    let root = node(0, "android.widget.FrameLayout", "", "", "", [0, 0, 1080, 2400], &list);
    format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{root}</hierarchy>"
    )
}

pub(super) fn screen() -> Screen {
    let picture = picture();
    Screen { name: "a list", raw: raw(&picture), xml: dump() }
}
