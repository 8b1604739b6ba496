//! The offline levels, through the built program: benchmark data drawn here, models at real addresses.

use base64::Engine as _;
use image::{Rgb, RgbImage};

use super::support::*;

/// Platform, width, height, and the pixels of what is red on its picture.
const PICTURES: [(&str, u32, u32, [u32; 4]); 6] = [
    ("os_windows", 1280, 720, [640, 360, 768, 432]),
    ("os_mac", 1280, 720, [100, 60, 180, 90]),
    ("os_linux", 1280, 720, [0, 300, 64, 360]),
    ("os_ios", 393, 852, [0, 0, 120, 60]),
    ("os_android", 393, 852, [200, 700, 300, 760]),
    ("os_web", 1280, 720, [1100, 20, 1200, 60]),
];

/// The box of a picture, each in another of the forms that the benchmark's file has.
fn bbox((platform, w, h, [l, t, r, b]): (&str, u32, u32, [u32; 4])) -> Value {
    let share = |at: u32, of: u32| f64::from(at) / f64::from(of);
    match platform {
        "os_mac" | "os_android" => json!([l, t, r, b]),
        "os_linux" => json!([-1, t, r, b]),
        _ => json!([share(l, w), share(t, h), share(r, w), share(b, h)]),
    }
}

/// Six pictures, eighteen questions, twenty-four places.
fn data(dir: &Path) -> (Vec<Value>, Vec<Value>) {
    let (mut questions, mut places) = (Vec::new(), Vec::new());
    for (at, one) in PICTURES.into_iter().enumerate() {
        let (platform, w, h, [l, t, r, b]) = one;
        let mut picture = RgbImage::from_pixel(w, h, Rgb([250; 3]));
        for (x, y) in (l..r).flat_map(|x| (t..b).map(move |y| (x, y))) {
            picture.put_pixel(x, y, Rgb([220, 20, 20]));
        }
        let folder = dir.join("MMBench-GUI/offline_images").join(platform);
        super::support::folder(&folder);
        picture.save(folder.join("p.png")).unwrap();
        let group = |n: usize, difficulty: &str| {
            let options =
                ["red", "B. is it", "blue", "green", "white", "black"].iter().take(4 + n).zip('A'..);
            let options: serde_json::Map<String, Value> =
                options.map(|(text, letter)| (letter.to_string(), json!(text))).collect();
            let mut group = json!({
                "question": format!("Which colour, {platform} {difficulty}?"),
                "options": options,
                "answer": if n == 2 && at == 0 { "F" } else { "A" },
                "explanation": "It is seen.",
                "difficulty": difficulty,
            });
            if at == 1 {
                group["hint"] = json!("Look at the box.");
            }
            group
        };
        questions.push(json!({
            "index": at, "image_path": "p.png", "image_size": [w, h], "platform": platform, "app_name": "App",
            "groups": [group(0, "easy"), group(1, "medium"), group(2, "hard")],
        }));
        for (kind, grounding) in
            [("icon", "basic"), ("text", "basic"), ("icon", "advanced"), ("text", "advanced")]
        {
            places.push(json!({
                "index": places.len(), "image_path": "p.png", "instruction": format!("The {kind} box, {grounding}."),
                "bbox": bbox(one), "image_size": [w, h], "data_type": kind, "platform": platform,
                "app_name": "App", "grounding_type": grounding,
            }));
        }
    }
    put(dir, "L1", &questions);
    put(dir, "L2", &places);
    (questions, places)
}

fn put(dir: &Path, level: &str, records: &[Value]) {
    let path = dir.join("MMBench-GUI").join(format!("{level}_annotations.json"));
    write(path, serde_json::to_string(records).unwrap());
}

fn row<'v>(said: &'v Value, name: &str) -> &'v Value {
    let mut rows = said["rows"].as_array().unwrap().iter();
    rows.find(|row| row["contestant"]["name"] == name).unwrap_or_else(|| panic!("no {name} in {said}"))
}

fn messages(request: &Request) -> Vec<Value> {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    body["messages"].as_array().unwrap().clone()
}

fn text(request: &Request) -> String {
    let of = |message: Value| match &message["content"] {
        Value::String(text) => vec![text.clone()],
        parts => {
            let texts = parts.as_array().unwrap().iter();
            texts.filter_map(|part| Some(part["text"].as_str()?.to_owned())).collect()
        }
    };
    messages(request).into_iter().flat_map(of).collect::<Vec<_>>().join("\n")
}

/// The middle of what is red in the last picture of a request, as shares of its width and height.
fn red(request: &Request) -> Option<[f64; 2]> {
    let all = messages(request);
    let parts = all.iter().filter_map(|message| message["content"].as_array()).flatten();
    let url = parts.filter_map(|part| part["image_url"]["url"].as_str()).next_back()?;
    let png = base64::engine::general_purpose::STANDARD.decode(url.split(',').nth(1)?).ok()?;
    let picture = image::load_from_memory(&png).ok()?.to_rgb8();
    let is_red = |p: &Rgb<u8>| p[0] > 150 && p[1] < 90;
    let places: Vec<(u32, u32)> =
        picture.enumerate_pixels().filter(|(.., p)| is_red(p)).map(|(x, y, _)| (x, y)).collect();
    let n = places.len() as f64;
    let sum = places.iter().fold([0.0, 0.0], |sum, (x, y)| [sum[0] + f64::from(*x), sum[1] + f64::from(*y)]);
    let (w, h) = picture.dimensions();
    (n > 0.0).then(|| [sum[0] / n / f64::from(w), sum[1] / n / f64::from(h)])
}

#[test]
fn the_reference_is_the_ceiling_and_published_rows_are_marked() {
    let dir = tempdir();
    data(&dir);
    let l1 = "eval l1 --mmbench-dir . --with-bounds --out one";
    let said = waldo(&dir, &format!("{l1} --json")).json();
    let scores = |score: f64| json!({ "l1/easy/level_score": score, "l1/medium/level_score": score, "l1/hard/level_score": score });
    let (reference, noop) = (row(&said, "reference"), row(&said, "noop"));
    has(reference, json!({ "n": 18, "hits": 18, "invalid": 0 }));
    has(reference, scores(1.0));
    has(noop, scores(0.0));
    has(noop, json!({ "unread": 18 }));
    // Seventeen of eighteen are A.
    has(row(&said, "commonest-letter"), json!({ "hits": 17 }));
    has(row(&said, "longest-option"), json!({ "hits": 0 }));
    let chance = said["chance"].as_f64().unwrap();
    assert!((chance - (1.0 / 4.0 + 1.0 / 5.0 + 1.0 / 6.0) / 3.0).abs() < 1e-9, "{chance}");
    waldo(&dir, &format!("{l1} --beside published"))
        .ok()
        .prints("GPT-4o (published)")
        .prints("Published rows are of the benchmark's own");
    text_in(dir.join("one/report.html")).says("GPT-4o (published)");

    let l2 = "eval l2 --mmbench-dir MMBench-GUI --with-bounds --out two --json";
    let said = waldo(&dir, l2).json();
    let wanted =
        json!({ "Average accuracy": 100.0, "Basic accuracy": 100.0, "advanced/os_linux/Icon num": 1 });
    has(&row(&said, "reference")["l2"], wanted);
    let wanted = json!({ "Average accuracy": 0.0, "basic/os_ios/Error format num": 2 });
    has(&row(&said, "noop")["l2"], wanted);
    // One mode, where the benchmark's own code ends with an error.
    let basic = "eval l2 --mmbench-dir . --mode basic --agent reference --out b --json";
    let basic = waldo(&dir, basic).json();
    assert_eq!(basic["items"], 12);
    has(row(&basic, "reference"), json!({ "l2/Average accuracy": null }));
    // What was written can be made anew, and is what others' runs are scored from.
    let again = waldo(&dir, "report one --json").json();
    has(row(&again, "reference"), json!({ "hits": 18 }));
}

#[test]
fn answers_of_others_are_scored_as_the_benchmark_scores_them() {
    let dir = tempdir();
    data(&dir);
    waldo(&dir, "eval l1 --mmbench-dir . --agent reference --out one").ok();
    let sheet = "one/mmbench/reference_GUIContentUnderstanding_exact_matching_result.xlsx";
    let scored = |more: &str| waldo(&dir, &format!("eval l1 --mmbench-dir . --json --predictions {more}"));
    has(row(&scored(&format!("theirs={sheet} --out x")).json(), "theirs"), json!({ "hits": 18 }));

    // Numbers of mode all run over the groups: easy, medium, hard of a picture, then those of the next.
    let replies = [
        "A",
        "(A)",
        "final answer: **E**",
        "Based on it, A",
        "The answer is A",
        "Failed to obtain answer via API.",
    ];
    let lines: Vec<String> =
        (0..18).map(|n| json!({ "index": n, "prediction": replies[n % 6] }).to_string()).collect();
    write(dir.join("p.jsonl"), lines.join("\n"));
    let said = scored("p.jsonl --out y").exits(3).json();
    // A failed request is invalid and no F; "Based on it, A" is B, and "final answer: **E**" is F, right once.
    has(row(&said, "p"), json!({ "n": 15, "invalid": 3 }));
    let score = |said: &Value, split: &str| row(said, "p")["l1"][split]["level_score"].as_f64().unwrap();
    assert_eq!([score(&said, "easy"), score(&said, "medium")], [0.5, 1.0]);
    assert!((score(&said, "hard") - 1.0 / 3.0).abs() < 1e-9);
    let careful = scored("p.jsonl --out z --letters careful").exits(3).json();
    assert_eq!([score(&careful, "easy"), score(&careful, "hard")], [1.0, 0.0]);
    scored("p.jsonl --out e --mode easy").exits(4).warns("index 6 is not one of mode easy");
}

#[test]
fn a_model_is_asked_in_the_benchmarks_form_and_only_for_what_is_missing() {
    let dir = tempdir();
    data(&dir);
    let server = Server::start(|number, request| {
        let first = messages(request);
        assert_eq!(first.len(), 3, "system, picture, text");
        match (number, text(request).contains("os_ios hard")) {
            (0..18, true) => Answer::new("500 Internal Server Error", "text/plain", "out of memory"),
            _ => Answer::chat("A"),
        }
    });
    let base = server.url("/v1");
    let args = |model: &str, more: &str| {
        let line = "eval l1 --mmbench-dir . --agent native --model-retries 0 --image-detail low --out run --workers 3";
        waldo(&dir, &format!("{line} --json --model {model} --base-url {base} {more}"))
    };
    has(&args("ui-tars", "--dry-run").json(), json!({ "items": 18, "model_calls": 18 }));
    let said = args("ui-tars", "").exits(3).json();
    let name = "native+ui-tars";
    has(row(&said, name), json!({ "invalid": 1, "hits": 16 }));
    assert!(row(&said, name)["reasons"][0][0].as_str().unwrap().contains("500"), "{said}");
    let all = server.requests();
    assert_eq!(all.len(), 18);
    let asked = all.iter().find(|request| text(request).contains("os_mac medium")).unwrap();
    let [system, picture, question] = <[Value; 3]>::try_from(messages(asked)).unwrap();
    assert_eq!([&system["role"], &picture["role"], &question["role"]], ["system", "user", "user"]);
    let part = &picture["content"][0];
    assert!(part["image_url"]["url"].as_str().unwrap().starts_with("data:image/png;base64,"), "{part}");
    has(&picture, json!({ "content/0/image_url/detail": "low", "content/1": null }));
    let text = text(asked);
    let order =
        ["Hint: Look at the box.", "Question: Which colour", "Options:", "A. red", "B. B. is it", "E. white"];
    let places: Vec<usize> =
        order.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"))).collect();
    assert!(places.is_sorted() && !text.contains("F. black"), "{text}");

    let again = args("ui-tars", "").json();
    assert_eq!(server.requests().len(), 19, "one was missing");
    has(row(&again, name), json!({ "n": 18, "hits": 17 }));
    // Another model would not be of this run.
    args("qwen3-vl", "").exits(4).warns("holds another run");
}

#[test]
fn every_option_of_a_circular_question_has_to_be_found() {
    let dir = tempdir();
    data(&dir);
    // Reads the options; or always says A.
    let server = Server::start(|_, request| {
        if request.path.starts_with("/lazy") {
            return Answer::chat("A");
        }
        let text = text(request);
        let wanted = if text.contains("os_windows hard") { "black" } else { "red" };
        let line = text.lines().find(|line| line.ends_with(&format!(". {wanted}"))).unwrap();
        Answer::chat(&line[..1])
    });
    let config = |name: &str| {
        let base = server.url(&format!("/{name}/v1"));
        format!("[contestant.{name}]\nagent = \"appagent\"\nmodel = \"m\"\nbase-url = \"{base}\"\n")
    };
    write(dir.join("waldo.toml"), format!("{}\n{}", config("lazy"), config("seeing")));
    let args = "eval l1 --mmbench-dir . --circular --contestant lazy --contestant seeing --agent reference --mode hard";
    let said = waldo(&dir, &format!("{args} --json")).json();
    for (name, hits) in [("seeing", 6), ("lazy", 0), ("reference", 6)] {
        has(row(&said, name), json!({ "hits": hits }));
    }
    assert_eq!(server.requests().len(), 2 * 6 * 6, "each once for every place of the right option");
}

#[test]
fn every_kind_of_contestant_finds_a_place_in_its_own_way() {
    let dir = tempdir();
    data(&dir);
    let server = Server::start(|_, request| {
        let Some([x, y]) = red(request) else { return Answer::chat("I see nothing red.") };
        let thousand = |share: f64| (share * 1000.0).round();
        match request.path.split('/').nth(1).unwrap() {
            "tars" => Answer::chat(&format!(
                "Thought: There it is.\nAction: click(start_box='({},{})')",
                thousand(x),
                thousand(y)
            )),
            "app" => {
                Answer::chat("Observation: One box.\nThought: It is 1.\nAction: tap(1)\nSummary: Tapped it.")
            }
            "tags" => Answer::chat(r#"{"element": 1}"#),
            "points" => Answer::chat(&format!("[{}, {}]", thousand(x), thousand(y))),
            _ => Answer::chat(&format!("({x:.4}, {y:.4})")),
        }
    });
    let contestant = |name: &str, rest: &str| {
        let base = server.url(&format!("/{name}/v1"));
        format!("[contestant.{name}]\nmodel = \"m\"\nbase-url = \"{base}\"\n{rest}\n")
    };
    let config = [
        contestant("tars", "agent = \"native\"\nprofile = \"ui-tars\""),
        contestant("app", "agent = \"appagent\""),
        contestant("tags", "agent = \"planner\""),
        contestant("points", "agent = \"planner\"\ngrounder = \"model=g\"\ngrounder-profile = \"thousand\""),
    ];
    write(dir.join("waldo.toml"), config.concat());
    let names = ["tars", "app", "tags", "points"];
    let contestants = names.map(|name| format!("--contestant {name}")).join(" ");
    let said = waldo(&dir, &format!("eval l2 --mmbench-dir . --out own --json {contestants}")).json();
    for name in names {
        has(row(&said, name), json!({ "l2/Average accuracy": 100.0 }));
    }
    assert!(server.requests().iter().any(|request| text(request).contains("The icon box, basic.")));
    let answers = text_in(dir.join("own/answers.jsonl"));
    assert!(answers.contains("click(start_box=") && answers.contains("tap(1)"), "replies are kept");

    // In the benchmark's form the same models answer with points, which a rule reads.
    let base = server.url("/plain/v1");
    let args =
        format!("eval l2 --mmbench-dir . --agent native --model ui-tars --base-url {base} --points default");
    let said = waldo(&dir, &format!("{args} --out bench --json")).json();
    has(row(&said, "native+ui-tars"), json!({ "l2/Average accuracy": 100.0 }));
    let plain: Vec<Request> =
        server.requests().into_iter().filter(|request| request.path.starts_with("/plain")).collect();
    assert_eq!((plain.len(), messages(&plain[0]).len()), (24, 3));

    // A recipe is such a command, with what was published beside what came of it.
    let recipe = "reproduce internvl3-72b-mmbench-l2";
    waldo(&dir, recipe).exits(4).warns("--mmbench-dir").warns("--base-url");
    let line = format!("{recipe} --mmbench-dir . --model stand-in --out again --base-url {base}");
    let both = waldo(&dir, &format!("{line} --json")).json();
    has(&both, json!({ "recipe/percent": 72.2, "measured/percent": 100.0, "measured/n": 24 }));
    waldo(&dir, &line).ok().prints("published").prints("Known differences:");
}

#[test]
fn files_and_flags_that_cannot_be_are_refused() {
    let dir = tempdir();
    let (mut questions, mut places) = data(&dir);
    let refused = |line: &str, why: &str| waldo(&dir, line).exits(4).warns(why);
    questions[2]["groups"].as_array_mut().unwrap().swap(0, 1);
    put(&dir, "L1", &questions);
    let l1 = "eval l1 --mmbench-dir . --agent reference";
    refused(l1, "[2].groups: they are medium, easy, hard");
    places[5]["bbox"] = json!([10, 10, 2000, 20]);
    put(&dir, "L2", &places);
    refused("eval l2 --mmbench-dir . --agent reference", "[5].bbox").warns("1280 by 720");
    data(&dir);
    std::fs::remove_file(dir.join("MMBench-GUI/offline_images/os_mac/p.png")).unwrap();
    refused(l1, "3 of 18 pictures cannot be read");
    data(&dir);
    for (line, why) in [
        ("eval l1 --agent reference", "give --mmbench-dir"),
        ("eval l1 --mmbench-dir . --agent reference --device web", "--device does not go with l1"),
        ("eval l1 --mmbench-dir . --agent reference --mode basic", "L1 has no mode 'basic'"),
        ("eval l3-web --agent noop --circular", "--circular can only be used with"),
        ("eval l1 l3-web --mmbench-dir . --agent noop", "name it alone"),
        ("eval l2 --mmbench-dir . --agent native --model reference", "sees no pictures"),
        (
            "eval l2 --mmbench-dir . --agent frames --model m --base-url http://127.0.0.1:1/v1",
            "needs a live screen",
        ),
    ] {
        refused(line, why);
    }
}

/// A page of buttons in a column and links in a row; the first button brings up three more.
fn page(at: usize) -> String {
    const WORDS: [&str; 12] = waldo_devices::word_list(
        "Ink Lamp Chair Carpet Armrest Wardrobe Bookshelf Chandelier Tin Towel Mirror Cushion",
    );
    let name = |n: usize| {
        format!(
            "{} {}",
            WORDS[(at * 5 + n) % 12],
            "oak ".repeat((at * 7 + n) % 4) + &"ivxlc"[at % 5..=at % 5] + &n.to_string()
        )
    };
    let button = |n: usize| format!("<p><button style=\"width:220px;height:32px\">{}</button></p>", name(n));
    let column: String = (1..8).map(button).collect();
    let links: String =
        (8..12).map(|n| format!("<a href=\"#x\" style=\"padding:0 14px\">{}</a> ", name(n))).collect();
    let more: String = (20..23).map(button).collect();
    format!(
        "<!doctype html><title>Shop {at}</title><body style=\"background:#fff\"><p><button id=\"b\" style=\"width:220px\" \
         onclick=\"document.getElementById('more').hidden=false\">More of it</button></p>{column}<p>{links}</p>\
         <div id=\"more\" hidden>{more}</div>"
    )
}

/// A suite `s` of so many such pages, whose first buttons are pressed.
pub(super) fn shops(dir: &Path, count: usize) {
    let pages: Vec<String> = (0..count).map(page).collect();
    let ids: Vec<String> = (0..count).map(|at| format!("t{at}")).collect();
    let steps = "[[check]]\nkind = \"js\"\nexpr = \"1\"\nequals = 1\n\n[[reference]]\ndo = \"tap\"\nrole = \"button\"\nname = \"More of it\"\n";
    let tasks: Vec<(&str, &str, &str)> =
        ids.iter().zip(&pages).map(|(id, page)| (id.as_str(), page.as_str(), steps)).collect();
    suite(dir, "s", &tasks);
    let file = dir.join("s/suite.toml");
    write(&file, text_in(&file).replace("max_steps = 3", "max_steps = 6"));
}

#[test]
fn items_are_made_of_live_screens_with_true_boxes_and_checked_answers() {
    let dir = tempdir();
    shops(&dir, 8);
    let run = |line: &str| waldo(&dir, line).ok();
    let make = |out: &str| run(&format!("grounding make --suite ./s --items 40 --out {out} --json")).json();
    let made = make("items");
    assert_eq!((&made["items"], made["screens"].as_u64().unwrap() >= 16), (&40.into(), true));
    run("questions make --from items --items 24 --out items");
    let said = run("eval l2 --mmbench-dir items --with-bounds --json").json();
    has(row(&said, "reference"), json!({ "l2/Average accuracy": 100.0 }));
    assert!(row(&said, "random")["hits"].as_u64().unwrap() < 8);
    let said = run("eval l1 --mmbench-dir items --with-bounds --json").json();
    has(row(&said, "reference"), json!({ "hits": 24 }));
    has(row(&said, "noop"), json!({ "hits": 0 }));

    let read = |out: &str, level: &str| text_in(dir.join(out).join(format!("{level}_annotations.json")));
    let l2: Vec<Value> = serde_json::from_str(&read("items", "L2")).unwrap();
    for item in &l2 {
        let picture = dir.join("items/offline_images/os_web").join(item["image_path"].as_str().unwrap());
        let picture = image::open(picture).unwrap().to_rgb8();
        assert_eq!(item["image_size"], json!([picture.width(), picture.height()]));
        // A button is grey inside of its box and the page white right beside it: the box is true, and no tag is drawn.
        if item["instruction"].as_str().unwrap().contains("button") && item["grounding_type"] == "basic" {
            let at = |n: usize, of: u32| item["bbox"][n].as_f64().unwrap() * f64::from(of);
            let (left, top, bottom) =
                (at(0, picture.width()), at(1, picture.height()), at(3, picture.height()));
            let middle = ((top + bottom) / 2.0) as u32;
            assert_ne!(picture.get_pixel(left as u32 + 4, middle)[0], 255, "{item}");
            assert_eq!(picture.get_pixel(left as u32 - 3, middle)[0], 255, "{item}");
        }
    }
    let l1 = read("items", "L1").says("What would come up if the button \\\"More of it\\\" were pressed?");
    // The same suite and seed: the same items.
    make("again");
    assert_eq!(read("again", "L2"), read("items", "L2"));
    run("questions make --from again --items 24 --out again");
    assert_eq!(read("again", "L1"), l1);
    let few = "grounding make --from items --items 9000 --out many";
    waldo(&dir, few).exits(4).warns("of 9000 items: ask for fewer");
    // A run has tags drawn over its pictures.
    run("eval ./s --agent noop --out live --task t0");
    let live = waldo(&dir, "grounding make --from live --items 4 --out x").exits(4);
    live.warns("tags drawn over the elements").warns("--bare-pictures");
    // One that kept bare pictures gives the very same items.
    run("eval ./s --agent reference --bare-pictures --no-report --out bare");
    run("grounding make --from bare --items 40 --out kept");
    run("questions make --from bare --items 24 --out kept");
    let kept: Vec<Value> = serde_json::from_str(&read("kept", "L2")).unwrap();
    for (kept, item) in kept.iter().zip(&l2) {
        assert_eq!((&kept["instruction"], &kept["bbox"]), (&item["instruction"], &item["bbox"]));
        let picture = |out: &str, item: &Value| {
            let dir = dir.join(out).join("offline_images/os_web");
            image::open(dir.join(item["image_path"].as_str().unwrap())).unwrap().to_rgb8()
        };
        assert_eq!(picture("kept", kept).dimensions(), picture("items", item).dimensions());
    }
    assert_eq!(kept.len(), l2.len());
    let asked = |text: &str| {
        let all: Vec<Value> = serde_json::from_str(text).unwrap();
        all.into_iter().map(|one| one["groups"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(asked(&read("kept", "L1")), asked(&l1));
    // Levels of one contestant side by side.
    run("eval l1 --mmbench-dir items --agent noop --out one");
    run("eval l2 --mmbench-dir items --agent noop --out two");
    let all = run("report live --with one --with two").stdout;
    let columns = all.lines().skip_while(|line| !line.starts_with("all levels")).nth(1).unwrap();
    for part in ["L1 easy", "L1 hard", "L2 basic", "L2 average", "L3 SR", "L3 EQA"] {
        columns.says(part);
    }
    text_in(dir.join("live/report.html")).says("<h3>All levels</h3>");
    text_in(dir.join("live/summary.md")).says("## All levels, in percent");
}
