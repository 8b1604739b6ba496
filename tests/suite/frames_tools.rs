//! The tools of the frames agent, called by scripts through the cage on real pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::frames::{run_args, scripted};
use super::skill::{sized, squarest, text_of};
use super::support::{Answer, Request, Server, events, suite, waldo};

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
fn played(page: &str, structure: &str, solve: &str, steps: &str) -> (Value, Vec<Request>) {
    let dir = tempfile::tempdir().unwrap();
    let (page, structure, solve) = (page.to_owned(), structure.to_owned(), solve.to_owned());
    let site = Server::start(move |_, request| match request.path.as_str() {
        "/" => Answer::page(&page),
        "/v1/chat/completions" => model(request, &structure, &solve),
        _ => Answer::new("200 OK", "text/plain", "ok"),
    });
    let (url, base) = (site.url("/"), site.url("/v1"));
    let mut args = run_args("as the page says", &url, &base);
    args.extend(["--json", "--script-repairs", "0"]);
    let at = args.iter().position(|arg| *arg == "80").unwrap();
    args[at] = steps;
    let got = waldo(dir.path(), &args).run().json();
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
        let (got, requests) = played(&page, structure, solve, "120");
        assert_eq!(paths(&requests, "/value/"), [last.to_string()], "{got}");
    }
}

/// Three panels: a knob on an upright track, a piece beside a ring, four tiles.
const PANELS: &str = "<!doctype html><title>Pad</title><body style='margin:0;background:#fff'><style>\
    body > div { position: absolute; background: #dde; } div div { position: absolute; }</style>\
    <div style='left:40px;top:40px;width:100px;height:300px'>\
    <div id=knob style='left:30px;top:10px;width:40px;height:40px;background:#c40'></div></div>\
    <div style='left:200px;top:40px;width:320px;height:200px'>\
    <div id=piece style='left:20px;top:70px;width:60px;height:60px;background:#062'></div>\
    <div style='left:220px;top:80px;width:30px;height:30px;border:5px solid #309;border-radius:50%'></div></div>\
    <div id=board style='left:600px;top:40px;width:220px;height:220px'></div><script>\
    const tell = (path) => navigator.sendBeacon(path);\
    const drags = (it, done) => { it.onpointerdown = (e) => { it.setPointerCapture(e.pointerId);\
      const from = [e.clientX - it.offsetLeft, e.clientY - it.offsetTop];\
      it.onpointermove = (m) => { if (it !== knob) it.style.left = m.clientX - from[0] + 'px';\
        it.style.top = m.clientY - from[1] + 'px'; };\
      it.onpointerup = () => { it.onpointermove = null; done(); }; }; };\
    drags(knob, () => tell('/slid/' + knob.offsetTop));\
    drags(piece, () => tell('/dropped/' + (piece.offsetLeft + 30) + '/' + (piece.offsetTop + 30)));\
    let order = ['#b00', '#0a0', '#00b', '#b0b'], first = null;\
    const draw = () => { board.replaceChildren(...order.map((colour, n) => { const t = document.createElement('div');\
      t.style = `left:${5 + (n % 2) * 110}px;top:${5 + (n >> 1) * 110}px;width:100px;height:100px;background:${colour}`;\
      t.onclick = () => { if (first === null) { first = n; return; }\
        [order[first], order[n]] = [order[n], order[first]]; tell('/swapped/' + first + '/' + n); first = null; draw(); };\
      return t; })); };\
    draw();</script>";

const MARK: &str = "def structure_abstraction(frames):\n    near = lambda w, h: min(frames, key=lambda f: \
    abs(f.size[0] - w) + abs(f.size[1] - h))\n    \
    near(100, 300).get_element('up', 'a handle 40x40').set_element_as('SLIDEABLE_Y')\n    \
    near(320, 200).get_element('left', 'a piece 60x60').set_element_as('DRAGGABLE')\n    near(220, 220).grid(4)";

const USE: &str = "def solve(frames):\n    near = lambda w, h: min(frames, key=lambda f: \
    abs(f.size[0] - w) + abs(f.size[1] - h))\n    \
    def nearest(get, x, y):\n        found = []\n        for n in range(1, 200):\n            try:\n                \
    found.append(get(n))\n            except IndexError:\n                pass\n        \
    return min(found, key=lambda p: abs(p.x - x) + abs(p.y - y))\n    \
    upright = near(100, 300)\n    \
    stops = slide_y(upright.get_interactable(0), 'down', upright)\n    \
    low = min(stops, key=lambda s: abs(s.position - 150))\n    \
    min(low.refine(), key=lambda s: abs(s.position - 150)).release()\n    \
    board = near(320, 200)\n    shown = board.show_keypoints('all')\n    \
    marked = mark([shown], 'the ring')\n    \
    if marked[0].size != shown.size or marked[0].diff(shown) == 0:\n        raise ValueError('nothing was marked')\n    \
    parts = focus(board.image, 'the ring')\n    \
    if len(parts) != 1 or parts[0].height <= 200:\n        raise ValueError(f'focus: {len(parts)} {parts[0].size}')\n    \
    ring = (200 + 240, 40 + 100)\n    \
    spot = nearest(lambda n: board.get_keypoint(n), *ring)\n    closer = spot.show_neighbours()\n    \
    if ask([closer], 'Which number?', 'int') != [1]:\n        raise ValueError('ask')\n    \
    exact = nearest(lambda n: spot.get_neighbour(n), *ring)\n    \
    choices = drag(board.get_interactable(0), exact)\n    \
    previews = [c.preview for c in choices]\n    \
    if previews[0].diff(previews[1]) == 0:\n        raise ValueError('all previews are the same')\n    \
    choices[rank(previews, 'the piece lies on the ring')[0]].drop()\n    \
    grid = near(220, 220)\n    before = grid.image\n    swaps = explore(grid)\n    \
    if len(swaps) != 6 or min([s.preview.diff(before) for s in swaps]) == 0:\n        \
    raise ValueError('a preview shows no exchange')\n    \
    chosen = swaps[0].preview\n    swaps[0].swap()\n    \
    if grid.image.diff(chosen) > 0.01:\n        raise ValueError('the preview was another than what came')";

#[test]
fn every_tool_works_through_the_cage() {
    let (got, requests) = played(PANELS, MARK, USE, "150");
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

/// The most memory that a process has had, in MB.
fn most_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() >> 10
}

#[test]
#[cfg(target_os = "linux")]
fn a_script_that_hoards_pictures_does_not_fill_the_memory() {
    let dir = tempfile::tempdir().unwrap();
    let pid = Arc::new(AtomicU32::new(0));
    let most = Arc::new(AtomicU32::new(0));
    let (of, seen) = (pid.clone(), most.clone());
    let site = Server::start(move |_, request| match request.path.as_str() {
        "/" => Answer::page("<!doctype html><title>Pad</title><button>Go</button>"),
        "/v1/chat/completions" => {
            let structure = "def structure_abstraction(frames):\n    frames[0].set_frame_as('SELECTABLE')";
            if request.body.contains("That did not work.") {
                seen.store(u32::try_from(most_memory(of.load(Ordering::SeqCst))).unwrap(), Ordering::SeqCst);
                return scripted(&request.body, structure, "def solve(frames):\n    return");
            }
            let hoard = "def solve(frames):\n    large = frames[0].image.resize(2048, 2048)\n    \
                         for i in range(1500):\n        large.crop(0, 0, 2048, 2048)";
            scripted(&request.body, structure, hoard)
        }
        _ => Answer::new("200 OK", "text/plain", "ok"),
    });
    let (url, base) = (site.url("/"), site.url("/v1"));
    let mut child = waldo(dir.path(), &run_args("hold all", &url, &base)).start();
    pid.store(child.id(), Ordering::SeqCst);
    assert!(child.wait().unwrap().success());
    let asked = site.requests();
    let repair = asked.iter().find(|r| r.body.contains("That did not work.")).unwrap();
    assert!(repair.body.contains("all pictures together take 256 MB"), "{}", text_of(repair));
    let most = most.load(Ordering::SeqCst);
    assert!((200..900).contains(&most), "{most} MB");
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
    let dir = tempfile::tempdir().unwrap();
    let check =
        "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"Pad pointerdown pointerup\"\n";
    suite(dir.path(), "s", &[("pad", page, check)]);
    let server = Server::start(move |_, request| {
        if !request.body.contains("each by itself") {
            return model(request, structure, solve);
        }
        let message = json!({ "role": "assistant", "content": "{\"answers\": [1]}" });
        let usage = json!({ "prompt_tokens": 900_000, "completion_tokens": 1, "total_tokens": 900_001 });
        let body = json!({ "choices": [{ "index": 0, "message": message }], "usage": usage });
        Answer::new("200 OK", "application/json", body.to_string())
    });
    let base = server.url("/v1");
    let mut args = vec!["eval", "./s", "--agent", "frames", "--model", "m", "--base-url", &base, "--json"];
    args.extend(["--max-steps", "80", "--max-tokens-total", "100000", "--no-report", "--out", "r"]);
    let got = waldo(dir.path(), &args).run().expect_code(0).json();
    // It is let go before the page is judged, and that stands in the record; a limit is not a success all the same.
    assert_eq!(got["table"][0]["sr"], 0.0, "{got}");
    let told = events(&dir.path().join("r"));
    let result = told.iter().find_map(|event| event.get("result")).unwrap();
    assert_eq!(result["checks"][0]["passed"], true, "{result}");
    let done: Vec<&str> = told.iter().filter_map(|e| e["action"]["do"].as_str()).collect();
    assert!(done.first() == Some(&"pointer_down") && done.last() == Some(&"pointer_up"), "{done:?} {told:?}");
    assert!(told.iter().any(|event| event["result"]["outcome"] == "token_limit"), "{got}");
}
