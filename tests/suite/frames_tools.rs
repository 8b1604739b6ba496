//! The tools of the frames agent, called by scripts through the cage on real pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::frames::{pad, run_args, scripted};
use super::skill::{sized, squarest, text_of};
use super::support::*;

/// A model that answers questions on pictures in a fixed way, and stages with these scripts.
fn model(request: &Request, structure: &str, solve: &str) -> Answer {
    let text = text_of(request);
    let said = |value: Value| Answer::chat(&value.to_string());
    let count = || text.split_whitespace().find_map(|word| word.parse::<usize>().ok()).unwrap();
    if text.contains("Boxes with numbers mark") {
        return said(json!({ "number": sized(&text).unwrap_or_else(|| squarest(&text)) }));
    }
    if text.contains("Find in the image") {
        return said(json!({ "boxes": [[250, 250, 500, 750]] }));
    }
    if text.contains("each by itself") {
        return said(json!({ "answers": vec![1; count()] }));
    }
    if text.contains("numbered from 0, in order") {
        return said(json!({ "order": (0..count()).collect::<Vec<_>>() }));
    }
    scripted(&request.body, structure, solve)
}

/// Plays a page with scripts; what `run` said, and the requests that its server got.
fn played(page: &str, structure: &str, solve: &str, steps: u32) -> (Value, Vec<Request>) {
    let dir = tempdir();
    let (structure, solve) = (structure.to_owned(), solve.to_owned());
    let site = pad(page, move |request| model(request, &structure, &solve));
    let args = run_args("as the page says", &site, steps, "--json --script-repairs 0");
    let got = waldo(&dir, &args).run().json();
    (got, site.requests())
}

fn paths<'a>(requests: &'a [Request], prefix: &str) -> Vec<&'a str> {
    requests.iter().filter_map(|r| r.path.strip_prefix(prefix)).collect()
}

#[test]
fn a_handle_that_snaps_is_slid_to_the_end_of_its_track() {
    let structure = "def structure_abstraction(frames):\n    frames[0].get_element('up', 'a handle')\
                     .set_element_as('SLIDEABLE_X')";
    let solve = "def solve(frames):\n    stops = slide_x(frames[0].get_interactable(0), 'right', frames[0])\n    \
                 stops[-1].refine()[-1].release()";
    for last in [4, 2] {
        let page = format!(
            "<!doctype html><title>Pad</title><body style='margin:40px;background:#fff'>\
             <input type=range style='width:400px' value=0 max={last} \
             onchange=\"navigator.sendBeacon('/value/' + this.value)\">"
        );
        let (got, requests) = played(&page, structure, solve, 120);
        assert_eq!(paths(&requests, "/value/"), [last.to_string()], "{got}");
    }
}

/// Three panels: a knob on an upright track, a piece beside a ring, four tiles.
const PANELS: &str = include_str!("frames_tools/panels.html");

const MARK: &str = "def structure_abstraction(frames):\n    near = lambda w, h: min(frames, key=lambda f: \
    abs(f.size[0] - w) + abs(f.size[1] - h))\n    \
    near(100, 300).get_element('up', 'a handle 40x40').set_element_as('SLIDEABLE_Y')\n    \
    near(320, 200).get_element('left', 'a piece 60x60').set_element_as('DRAGGABLE')\n    near(220, 220).grid(4)";

const USE: &str = include_str!("frames_tools/panels.py");

#[test]
fn every_tool_works_through_the_cage() {
    let (got, requests) = played(PANELS, MARK, USE, 150);
    let all: Vec<&str> = requests.iter().map(|r| r.path.as_str()).filter(|p| !p.starts_with("/v1")).collect();
    // The knob was 10 px from the top, and went down by 150.
    let slid: Vec<i64> = paths(&requests, "/slid/").iter().map(|n| n.parse().unwrap()).collect();
    assert!(slid.len() == 1 && (slid[0] - 160).abs() <= 1, "{all:?} {got}");
    let dropped = paths(&requests, "/dropped/");
    let at: Vec<i64> = dropped[0].split('/').map(|n| n.parse().unwrap()).collect();
    assert!(dropped.len() == 1 && (at[0] - 240).abs() <= 20 && (at[1] - 100).abs() <= 20, "{all:?}");
    assert_eq!(paths(&requests, "/swapped/").len(), 1, "{all:?}");
    assert_eq!(got["result"]["outcome"], "finished");
    let purposes = ["Find in the image", "each by itself", "numbered from 0, in order"];
    for words in purposes {
        assert!(requests.iter().any(|r| r.body.contains(words)), "{words}");
    }
}

fn most_memory(pid: u32) -> u64 {
    let status = text_in(format!("/proc/{pid}/status"));
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() >> 10
}

/// A lamp that a slider dims, a slider that takes another one along, and a dial.
const LINKED: &str = include_str!("frames_tools/linked.html");

const LINKED_PARTS: &str = "def structure_abstraction(frames):\n    near = lambda x, y: min(frames[1:], key=lambda f: \
    abs(f.x - x) + abs(f.y - y))\n    \
    near(200, 40).get_element('left', 'a handle 40x40').set_element_as('SLIDEABLE_X')\n    \
    near(200, 140).get_element('left', 'a handle 40x40').set_element_as('SLIDEABLE_X')\n    \
    near(660, 40).get_element('left', 'a dial 160x160').set_element_as('TURNABLE')";

const LINKED_USE: &str = include_str!("frames_tools/linked.py");

#[test]
fn slow_changes_have_stops_and_what_an_input_moved_is_found_again() {
    let (got, requests) = played(LINKED, LINKED_PARTS, LINKED_USE, 220);
    let all: Vec<&str> = requests.iter().map(|r| r.path.as_str()).filter(|p| !p.starts_with("/v1")).collect();
    let number =
        |prefix: &str| -> Vec<i64> { paths(&requests, prefix).iter().map(|n| n.parse().unwrap()).collect() };
    assert!(number("/one/").len() == 1 && number("/two/") == [350], "{all:?} {got}");
    assert!(number("/dial/").iter().all(|turned| (turned - 97).abs() <= 1), "{all:?}");
    assert_eq!(number("/dial/").len(), 1, "{got}");
    assert_eq!(got["result"]["outcome"], "finished");
    let asked = requests.iter().filter(|r| r.body.contains("numbered from 0, in order")).count();
    assert_eq!(asked, 2, "questions of one rank over 36 pictures");
}

#[test]
fn a_repair_is_shown_what_the_script_before_it_left() {
    let structure = "def structure_abstraction(frames):\n    frames[0].get_element('up', 'a handle')\
                     .set_element_as('SLIDEABLE_X')";
    let page = "<!doctype html><title>Pad</title><body style='margin:40px;background:#fff'>\
         <input type=range style='width:400px' value=0 onchange=\"navigator.sendBeacon('/value/' + this.value)\">";
    let dir = tempdir();
    let site = pad(page, move |request| {
        let slide = if request.body.contains("That did not work.") {
            "'left', frames[0])[1].release()"
        } else {
            "'right', frames[0])[-1].release()\n    raise ValueError('no')"
        };
        let solve = format!("def solve(frames):\n    slide_x(frames[0].get_interactable(0), {slide}");
        model(request, structure, &solve)
    });
    let got = waldo(&dir, &run_args("as the page says", &site, 160, "--json")).run().json();
    let asked = site.requests();
    let picture = |request: &Request| {
        let from = request.body.split("base64,").nth(1).unwrap_or_default();
        from.split('"').next().unwrap_or_default().to_owned()
    };
    let solution = asked.iter().find(|r| r.body.contains("solve(frames")).unwrap();
    let repair = asked.iter().find(|r| r.body.contains("That did not work.")).unwrap();
    assert_ne!(picture(solution), picture(repair), "the repair shows the page from before the script");
    assert!(repair.body.contains("taken after them"), "{}", text_of(repair));
    // The handle was pressed where it lies now, so that it could be taken back a little.
    let values: Vec<i64> = paths(&asked, "/value/").iter().map(|n| n.parse().unwrap()).collect();
    assert!(values.len() == 2 && values[0] == 100 && (80..100).contains(&values[1]), "{values:?} {got}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_script_that_hoards_pictures_does_not_fill_the_memory() {
    let dir = tempdir();
    let pid = Arc::new(AtomicU32::new(0));
    let most = Arc::new(AtomicU32::new(0));
    let (of, seen) = (pid.clone(), most.clone());
    let site = pad("<!doctype html><title>Pad</title><button>Go</button>", move |request| {
        let structure = "def structure_abstraction(frames):\n    frames[0].set_frame_as('SELECTABLE')";
        if request.body.contains("That did not work.") {
            seen.store(u32::try_from(most_memory(of.load(Ordering::SeqCst))).unwrap(), Ordering::SeqCst);
            return scripted(&request.body, structure, "def solve(frames):\n    return");
        }
        let hoard = "def solve(frames):\n    large = frames[0].image.resize(2048, 2048)\n    \
                     for i in range(60):\n        large.crop(i, 0, 1900, 2048)\n    \
                     for i in range(1500):\n        large.crop(0, 0, 2048, 2048)";
        scripted(&request.body, structure, hoard)
    });
    let mut child = waldo(&dir, &run_args("hold all", &site, 80, "")).start();
    pid.store(child.id(), Ordering::SeqCst);
    assert!(child.wait().unwrap().success());
    let asked = site.requests();
    let repair = asked.iter().find(|r| r.body.contains("That did not work.")).unwrap();
    assert!(repair.body.contains("1500 pictures were taken"), "{}", text_of(repair));
    let most = most.load(Ordering::SeqCst);
    assert!((20..900).contains(&most), "{most} MB");
}

#[test]
fn a_limit_that_ends_the_episode_lets_go_of_what_is_held() {
    let page = "<!doctype html><title>Pad</title><body style='margin:0;background:#fff'><script>\
        for (const e of ['pointerdown','pointerup']) addEventListener(e, () => document.title += ' ' + e, true);\
        </script><div style='position:absolute;left:100px;top:100px;width:400px;height:120px;background:#246'>\
        <div style='position:absolute;left:20px;top:40px;width:40px;height:40px;background:#f60'></div></div>";
    let structure = "def structure_abstraction(frames):\n    knob = frames[1].get_element('left', 'a knob 40x40')\n    \
                     knob.set_element_as('SLIDEABLE_X')";
    // A question while the handle is held: its answer uses up the tokens.
    let solve = "def solve(frames):\n    stops = slide_x(frames[1].get_interactable(0), 'right', frames[0])\n    \
                 ask([stops[0].image], 'Which number?', 'int')\n    stops[0].release()";
    let dir = tempdir();
    let check =
        "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"Pad pointerdown pointerup\"\n";
    suite(&dir, "s", &[("pad", page, check)]);
    let server = Server::start(move |_, request| {
        if !request.body.contains("each by itself") {
            return model(request, structure, solve);
        }
        let usage = json!({ "prompt_tokens": 900_000, "completion_tokens": 1, "total_tokens": 900_001 });
        Answer::counted("{\"answers\": [1]}", usage)
    });
    let model_at = format!("--agent frames --model m --base-url {}", server.url("/v1"));
    let limits = "--max-steps 80 --max-tokens-total 100000";
    let args = format!("eval ./s {model_at} {limits} --json --no-report --out r");
    let got = waldo(&dir, &args).json();
    // It is let go before the page is judged, and that stands in the record; a limit is not a success all the same.
    assert_eq!(got["table"][0]["sr"], 0.0, "{got}");
    let told = events(&dir.join("r"));
    let result = told.iter().find_map(|event| event.get("result")).unwrap();
    assert_eq!(result["checks"][0]["passed"], true, "{result}");
    let done: Vec<&str> = told.iter().filter_map(|e| e["action"]["do"].as_str()).collect();
    assert!(done.first() == Some(&"pointer_down") && done.last() == Some(&"pointer_up"), "{done:?} {told:?}");
    assert!(told.iter().any(|event| event["result"]["outcome"] == "token_limit"), "{got}");
}
