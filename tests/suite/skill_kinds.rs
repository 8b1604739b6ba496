//! The planner's skill on widgets of several kinds, each in one step of the planner.

use super::skill::{is_planners, played, text_of, widget};
use super::support::*;

const NEAR: &str =
    "    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))\n";

/// Pages tell their server, and knobs are drawn along.
const HEAD: &str = "<!doctype html><title>Pad</title><body style='margin:0;background:#fff'><style>\
    body > div { position: absolute; background: #dde; } div div { position: absolute; }</style><script>\
    const tell = (path) => navigator.sendBeacon(path);\
    const drags = (it, axis, done) => { it.onpointerdown = (e) => { it.setPointerCapture(e.pointerId);\
      const from = axis === 'left' ? e.clientX - it.offsetLeft : e.clientY - it.offsetTop;\
      it.onpointermove = (m) => { it.style[axis] = (axis === 'left' ? m.clientX : m.clientY) - from + 'px'; };\
      it.onpointerup = () => { it.onpointermove = null; done(); }; }; };</script>";

/// Plays a page with one widget's step; what the page told last, by its first word.
fn answers(body: &str, structure: &str, solve: &str, word: &str) -> Vec<i64> {
    let structure = format!("def structure_abstraction(frames):\n{NEAR}{structure}");
    let solve = format!("def solve(frames):\n{NEAR}{solve}");
    let scripts: (&'static str, &'static str) = (structure.leak(), solve.leak());
    let page = format!("{HEAD}{body}");
    let (got, requests) = played(page, vec![widget()], scripts, &[]);
    assert_eq!(got["result"]["outcome"], "finished", "{got}");
    let plans: Vec<&Request> = requests.iter().filter(|r| is_planners(r)).collect();
    let over = "its script came to its end";
    assert!(plans.len() == 2 && text_of(plans[1]).contains(over), "{}", text_of(plans[plans.len() - 1]));
    let found = requests.iter().filter_map(|r| r.path.strip_prefix(word)).next_back();
    let found = found.unwrap_or_else(|| panic!("the page told nothing: {got}"));
    found.split('/').map(|n| n.parse::<f64>().unwrap() as i64).collect()
}

#[test]
fn a_carousel_is_turned_to_a_choice() {
    let body = "<div id=shown style='left:300px;top:80px;width:200px;height:120px'></div>\
        <div id=back style='left:100px;top:120px;width:36px;height:36px;background:#137'></div>\
        <div id=ahead style='left:900px;top:120px;width:36px;height:36px;background:#137'></div><script>\
        let at = 0; const draw = () => { shown.innerHTML = \
        `<div style='left:${20 + 40 * at}px;top:30px;width:30px;height:50px;background:#b20'></div>`;\
        tell('/shown/' + at); };\
        back.onclick = () => { at = (at + 3) % 4; draw(); }; ahead.onclick = () => { at = (at + 1) % 4; draw(); };\
        draw();</script>";
    let structure = "    frames[0].get_element('left', 'an arrow 36x36').set_element_as('CLICKABLE')\n    \
        frames[0].get_element('right', 'an arrow 36x36').set_element_as('CLICKABLE')";
    let solve = "    choices = get_all_choices(frames[0].get_interactable(0), frames[0].get_interactable(1), \
        near(200, 120))\n    if len(choices) != 4:\n        raise ValueError(f'{len(choices)} choices')\n    \
        choices[2].select()";
    assert_eq!(answers(body, structure, solve, "/shown/"), [2]);
}

#[test]
fn two_handles_of_a_slider_are_set() {
    let body = "<div style='left:100px;top:100px;width:500px;height:90px'>\
        <div style='left:30px;top:40px;width:440px;height:6px;background:#889'></div>\
        <div id=low style='left:30px;top:28px;width:30px;height:30px;background:#b20'></div>\
        <div id=high style='left:430px;top:28px;width:30px;height:30px;background:#052'></div></div><script>\
        const all = () => tell('/range/' + low.offsetLeft + '/' + high.offsetLeft);\
        drags(low, 'left', all); drags(high, 'left', all);</script>";
    let structure = "    panel = near(500, 90)\n    \
        panel.get_element('left', 'a handle 30x30').set_element_as('SLIDEABLE_X')\n    \
        panel.get_element('right', 'a handle 30x30').set_element_as('SLIDEABLE_X')";
    let solve = "    panel = near(500, 90)\n    for n, way, wanted in ((0, 'right', 100), (1, 'left', 150)):\n        \
        stops = slide_x(panel.get_interactable(n), way, panel)\n        \
        close = min(stops, key=lambda s: abs(s.position - wanted)).refine()\n        \
        min(close, key=lambda s: abs(s.position - wanted)).release()";
    let range = answers(body, structure, solve, "/range/");
    assert!((range[0] - 130).abs() <= 2 && (range[1] - 280).abs() <= 2, "{range:?}");
}

#[test]
fn a_colour_is_picked_by_its_hue_and_its_place() {
    let body = "<div id=field style='left:100px;top:60px;width:240px;height:240px;\
        background:linear-gradient(transparent,#000),linear-gradient(90deg,#fff,#00f)'></div>\
        <div style='left:420px;top:60px;width:60px;height:240px'>\
        <div id=hue style='left:10px;top:4px;width:40px;height:20px;background:#b20'></div></div><script>\
        let at = [0, 0]; const all = () => tell('/colour/' + hue.offsetTop + '/' + at[0] + '/' + at[1]);\
        field.onclick = (e) => { at = [e.offsetX, e.offsetY]; all(); }; drags(hue, 'top', all);</script>";
    let structure = "    near(240, 240).set_frame_as('POINTABLE')\n    \
        near(60, 240).get_element('up', 'a handle 40x20').set_element_as('SLIDEABLE_Y')";
    let solve = "    bar = near(60, 240)\n    stops = slide_y(bar.get_interactable(0), 'down', bar)\n    \
        min(stops, key=lambda s: abs(s.position - 100)).release()\n    \
        field = near(240, 240)\n    field.show_keypoints('all')\n    found = []\n    \
        for n in range(1, 200):\n        try:\n            found.append(field.get_keypoint(n))\n        \
        except IndexError:\n            pass\n    \
        point(min(found, key=lambda p: abs(p.x - field.x) + abs(p.y - field.y)))";
    let colour = answers(body, structure, solve, "/colour/");
    assert!((colour[0] - 104).abs() <= 10, "{colour:?}");
    assert!((colour[1] - 120).abs() <= 60 && (colour[2] - 120).abs() <= 60, "{colour:?}");
}
