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
            let options: serde_json::Map<String, Value> =
                ["red", "B. is it", "blue", "green", "white", "black"]
                    .iter()
                    .take(4 + n)
                    .zip('A'..)
                    .map(|(text, letter)| (letter.to_string(), json!(text)))
                    .collect();
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
        parts => parts
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|part| Some(part["text"].as_str()?.to_owned()))
            .collect(),
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
    let run = |args: &[&str]| waldo(&dir, args).run();
    let l1 = ["eval", "l1", "--mmbench-dir", ".", "--with-bounds", "--out", "one"];
    let said = run(&[&l1[..], &["--json"]].concat()).expect_code(0).json();
    let reference = row(&said, "reference");
    has(reference, json!({ "n": 18, "hits": 18, "invalid": 0 }));
    for difficulty in ["easy", "medium", "hard"] {
        assert_eq!(reference["l1"][difficulty]["level_score"], 1.0);
        assert_eq!(row(&said, "noop")["l1"][difficulty]["level_score"], 0.0);
    }
    // Seventeen of eighteen are A.
    assert_eq!(
        (&row(&said, "commonest-letter")["hits"], &row(&said, "noop")["unread"]),
        (&17.into(), &18.into())
    );
    assert_eq!(row(&said, "longest-option")["hits"], 0);
    let chance = said["chance"].as_f64().unwrap();
    assert!((chance - (1.0 / 4.0 + 1.0 / 5.0 + 1.0 / 6.0) / 3.0).abs() < 1e-9, "{chance}");
    run(&[&l1[..], &["--beside", "published"]].concat())
        .expect_code(0)
        .stdout
        .says("GPT-4o (published)")
        .says("Published rows are of the benchmark's own");
    let page = text_in(dir.join("one/report.html"));
    assert!(page.contains("GPT-4o (published)"), "the page has the rows too");

    let l2 = ["eval", "l2", "--mmbench-dir", "MMBench-GUI", "--with-bounds", "--out", "two", "--json"];
    let said = run(&l2).expect_code(0).json();
    let reference = &row(&said, "reference")["l2"];
    has(reference, json!({ "Average accuracy": 100.0, "Basic accuracy": 100.0 }));
    assert_eq!(reference["advanced"]["os_linux"]["Icon num"], 1);
    let noop = &row(&said, "noop")["l2"];
    has(noop, json!({ "Average accuracy": 0.0, "basic/os_ios/Error format num": 2 }));
    // One mode, where the benchmark's own code ends with an error.
    let basic = run(&words("eval l2 --mmbench-dir . --mode basic --agent reference --out b --json"));
    let basic = basic.expect_code(0).json();
    assert_eq!(
        (&basic["items"], &row(&basic, "reference")["l2"]["Average accuracy"]),
        (&12.into(), &Value::Null)
    );
    // What was written can be made anew, and is what others' runs are scored from.
    let again = run(&["report", "one", "--json"]).expect_code(0).json();
    assert_eq!(row(&again, "reference")["hits"], 18);
}

#[test]
fn answers_of_others_are_scored_as_the_benchmark_scores_them() {
    let dir = tempdir();
    data(&dir);
    let run = |args: &[&str]| waldo(&dir, args).run();
    run(&["eval", "l1", "--mmbench-dir", ".", "--agent", "reference", "--out", "one"]).expect_code(0);
    let sheet = "one/mmbench/reference_GUIContentUnderstanding_exact_matching_result.xlsx";
    let args = ["eval", "l1", "--mmbench-dir", ".", "--json", "--out"];
    let said =
        run(&[&args[..], &["x", "--predictions", &format!("theirs={sheet}")]].concat()).expect_code(0).json();
    assert_eq!(row(&said, "theirs")["hits"], 18);

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
    let said = run(&[&args[..], &["y", "--predictions", "p.jsonl"]].concat()).expect_code(3).json();
    let theirs = row(&said, "p");
    // A failed request is invalid and no F; "Based on it, A" is B, and "final answer: **E**" is F, right once.
    assert_eq!((&theirs["n"], &theirs["invalid"]), (&15.into(), &3.into()));
    let score = |said: &Value, split: &str| row(said, "p")["l1"][split]["level_score"].as_f64().unwrap();
    assert_eq!([score(&said, "easy"), score(&said, "medium")], [0.5, 1.0]);
    assert!((score(&said, "hard") - 1.0 / 3.0).abs() < 1e-9);
    let careful = run(&[&args[..], &["z", "--predictions", "p.jsonl", "--letters", "careful"]].concat());
    let careful = careful.expect_code(3).json();
    assert_eq!([score(&careful, "easy"), score(&careful, "hard")], [1.0, 0.0]);
    let other =
        run(&[&args[..], &["e", "--mode", "easy", "--predictions", "p.jsonl"]].concat()).expect_code(4);
    assert!(other.stderr.contains("index 6 is not one of mode easy"), "{}", other.stderr);
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
    let args = filled(
        "eval l1 --mmbench-dir . --agent native --model ui-tars --base-url {} \
                --model-retries 0 --image-detail low --out run --workers 3 --json",
        &[&base],
    );
    let plan = waldo(&dir, &[&args[..], &["--dry-run"]].concat()).json();
    assert_eq!((&plan["items"], &plan["model_calls"]), (&18.into(), &18.into()));
    let said = waldo(&dir, &args).exits(3).json();
    let name = "native+ui-tars";
    assert_eq!((&row(&said, name)["invalid"], &row(&said, name)["hits"]), (&1.into(), &16.into()));
    assert!(row(&said, name)["reasons"][0][0].as_str().unwrap().contains("500"), "{said}");
    let all = server.requests();
    assert_eq!(all.len(), 18);
    let asked = all.iter().find(|request| text(request).contains("os_mac medium")).unwrap();
    let [system, picture, question] = <[Value; 3]>::try_from(messages(asked)).unwrap();
    assert_eq!([&system["role"], &picture["role"], &question["role"]], ["system", "user", "user"]);
    let part = &picture["content"][0];
    assert!(part["image_url"]["url"].as_str().unwrap().starts_with("data:image/png;base64,"), "{part}");
    assert_eq!(
        (&part["image_url"]["detail"], picture["content"].as_array().unwrap().len()),
        (&"low".into(), 1)
    );
    let text = text(asked);
    let order =
        ["Hint: Look at the box.", "Question: Which colour", "Options:", "A. red", "B. B. is it", "E. white"];
    let places: Vec<usize> =
        order.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"))).collect();
    assert!(places.is_sorted() && !text.contains("F. black"), "{text}");

    let again = waldo(&dir, &args).json();
    assert_eq!(server.requests().len(), 19, "one was missing");
    assert_eq!((&row(&again, name)["n"], &row(&again, name)["hits"]), (&18.into(), &17.into()));
    // Another model would not be of this run.
    let mut other = args;
    other[7] = "qwen3-vl";
    waldo(&dir, &other).exits(4).warns("holds another run");
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
    let args = words(
        "eval l1 --mmbench-dir . --circular --contestant lazy --contestant seeing --agent \
                reference --mode hard --json",
    );
    let said = waldo(&dir, &args).json();
    assert_eq!(row(&said, "seeing")["hits"], 6);
    assert_eq!((&row(&said, "lazy")["hits"], &row(&said, "reference")["hits"]), (&0.into(), &6.into()));
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
    let mut args = vec!["eval", "l2", "--mmbench-dir", ".", "--out", "own", "--json"];
    for name in ["tars", "app", "tags", "points"] {
        args.extend(["--contestant", name]);
    }
    let said = waldo(&dir, &args).json();
    for name in ["tars", "app", "tags", "points"] {
        assert_eq!(row(&said, name)["l2"]["Average accuracy"], 100.0, "{name}: {}", row(&said, name));
    }
    assert!(server.requests().iter().any(|request| text(request).contains("The icon box, basic.")));
    let answers = text_in(dir.join("own/answers.jsonl"));
    assert!(answers.contains("click(start_box=") && answers.contains("tap(1)"), "replies are kept");

    // In the benchmark's form the same models answer with points, which a rule reads.
    let base = server.url("/plain/v1");
    let args = filled(
        "eval l2 --mmbench-dir . --agent native --model ui-tars --base-url {} --points \
                default --out bench --json",
        &[&base],
    );
    let said = waldo(&dir, &args).json();
    assert_eq!(row(&said, "native+ui-tars")["l2"]["Average accuracy"], 100.0);
    let plain: Vec<Request> =
        server.requests().into_iter().filter(|request| request.path.starts_with("/plain")).collect();
    assert_eq!((plain.len(), messages(&plain[0]).len()), (24, 3));

    // A recipe is such a command, with what was published beside what came of it.
    let recipe = "reproduce internvl3-72b-mmbench-l2";
    waldo(&dir, &words(recipe)).exits(4).warns("--mmbench-dir").warns("--base-url");
    let line = format!("{recipe} --mmbench-dir . --model stand-in --out again --base-url {base}");
    let both = waldo(&dir, &words(&format!("{line} --json"))).json();
    let rows = (&both["recipe"]["percent"], &both["measured"]["percent"], &both["measured"]["n"]);
    assert_eq!(rows, (&json!(72.2), &json!(100.0), &json!(24)), "{both}");
    waldo(&dir, &words(&line)).ok().prints("published").prints("Known differences:");
}

#[test]
fn files_and_flags_that_cannot_be_are_refused() {
    let dir = tempdir();
    let (mut questions, mut places) = data(&dir);
    let refused = |args: &[&str]| waldo(&dir, args).exits(4).stderr;
    questions[2]["groups"].as_array_mut().unwrap().swap(0, 1);
    put(&dir, "L1", &questions);
    let l1 = ["eval", "l1", "--mmbench-dir", ".", "--agent", "reference"];
    assert!(refused(&l1).contains("[2].groups: they are medium, easy, hard"));
    places[5]["bbox"] = json!([10, 10, 2000, 20]);
    put(&dir, "L2", &places);
    refused(&["eval", "l2", "--mmbench-dir", ".", "--agent", "reference"])
        .says("[5].bbox")
        .says("1280 by 720");
    data(&dir);
    std::fs::remove_file(dir.join("MMBench-GUI/offline_images/os_mac/p.png")).unwrap();
    assert!(refused(&l1).contains("3 of 18 pictures cannot be read"));
    data(&dir);
    assert!(refused(&["eval", "l1", "--agent", "reference"]).contains("give --mmbench-dir"));
    assert!(refused(&[&l1[..], &["--device", "web"]].concat()).contains("--device does not go with l1"));
    assert!(refused(&[&l1[..], &["--mode", "basic"]].concat()).contains("L1 has no mode 'basic'"));
    assert!(refused(&["eval", "l3-web", "--agent", "noop", "--circular"]).contains("--circular goes with"));
    assert!(
        refused(&["eval", "l1", "l3-web", "--mmbench-dir", ".", "--agent", "noop"]).contains("name it alone")
    );
    let stand_in = ["eval", "l2", "--mmbench-dir", ".", "--agent", "native", "--model", "reference"];
    assert!(refused(&stand_in).contains("sees no pictures"));
    let frames = words("eval l2 --mmbench-dir . --agent frames --model m --base-url http://127.0.0.1:1/v1");
    assert!(refused(&frames).contains("needs a live screen"));
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
    let run = |args: &[&str]| waldo(&dir, args).run();
    let make = |out: &str| {
        run(&["grounding", "make", "--suite", "./s", "--items", "40", "--out", out, "--json"])
            .expect_code(0)
            .json()
    };
    let made = make("items");
    assert_eq!((&made["items"], made["screens"].as_u64().unwrap() >= 16), (&40.into(), true));
    run(&["questions", "make", "--from", "items", "--items", "24", "--out", "items"]).expect_code(0);
    let said =
        run(&["eval", "l2", "--mmbench-dir", "items", "--with-bounds", "--json"]).expect_code(0).json();
    assert_eq!(row(&said, "reference")["l2"]["Average accuracy"], 100.0);
    assert!(row(&said, "random")["hits"].as_u64().unwrap() < 8);
    let said =
        run(&["eval", "l1", "--mmbench-dir", "items", "--with-bounds", "--json"]).expect_code(0).json();
    assert_eq!((&row(&said, "reference")["hits"], &row(&said, "noop")["hits"]), (&24.into(), &0.into()));

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
    run(&["questions", "make", "--from", "again", "--items", "24", "--out", "again"]).expect_code(0);
    assert_eq!(read("again", "L1"), l1);
    let few =
        run(&["grounding", "make", "--from", "items", "--items", "9000", "--out", "many"]).expect_code(4);
    assert!(few.stderr.contains("of 9000 items: ask for fewer"), "{}", few.stderr);
    // A run has tags drawn over its pictures.
    run(&["eval", "./s", "--agent", "noop", "--out", "live", "--task", "t0"]).expect_code(0);
    let live = run(&["grounding", "make", "--from", "live", "--items", "4", "--out", "x"]).expect_code(4);
    assert!(live.stderr.contains("tags drawn over the elements"), "{}", live.stderr);
    assert!(live.stderr.contains("--bare-pictures"), "{}", live.stderr);
    // One that kept bare pictures gives the very same items.
    run(&["eval", "./s", "--agent", "reference", "--bare-pictures", "--no-report", "--out", "bare"])
        .expect_code(0);
    run(&["grounding", "make", "--from", "bare", "--items", "40", "--out", "kept"]).expect_code(0);
    run(&["questions", "make", "--from", "bare", "--items", "24", "--out", "kept"]).expect_code(0);
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
    run(&["eval", "l1", "--mmbench-dir", "items", "--agent", "noop", "--out", "one"]).expect_code(0);
    run(&["eval", "l2", "--mmbench-dir", "items", "--agent", "noop", "--out", "two"]).expect_code(0);
    let all = run(&["report", "live", "--with", "one", "--with", "two"]).expect_code(0).stdout;
    let columns = all.lines().skip_while(|line| !line.starts_with("all levels")).nth(1).unwrap();
    for part in ["L1 easy", "L1 hard", "L2 basic", "L2 average", "L3 SR", "L3 EQA"] {
        assert!(columns.contains(part), "{columns}");
    }
    let page = text_in(dir.join("live/report.html"));
    assert!(page.contains("<h3>All levels</h3>"));
}
