//! The agent native on real pages, with a model at a real address that looks at the pictures it is sent; and
//! `waldo models`.

use std::fmt::Write as _;

use base64::Engine as _;
use waldo_agents::native::{Profile, ProfileUse, ReplyForm, builtin, names};

use super::support::*;

/// A page with nothing but a target of ten CSS pixels, which a press within it takes away.
pub fn page(left: u32, top: u32) -> String {
    format!(
        "<!doctype html><title>start</title><style>body{{margin:0;background:#eee}}</style>\
         <button style=\"position:absolute;left:{left}px;top:{top}px;width:10px;height:10px;padding:0;border:0;\
         background:#dc1414\" onclick=\"document.title='hit';this.remove()\"></button>"
    )
}

pub const HIT: &str = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"hit\"\n";

/// The last picture of a request, and the middle of what is red in it as shares of its width and height.
fn seen(request: &Request) -> ((u32, u32), Option<[f64; 2]>) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let parts =
        body["messages"].as_array().unwrap().iter().filter_map(|message| message["content"].as_array());
    let url = parts.flatten().filter_map(|part| part["image_url"]["url"].as_str()).next_back().unwrap();
    let png = base64::engine::general_purpose::STANDARD.decode(url.split(',').nth(1).unwrap()).unwrap();
    let picture = image::load_from_memory(&png).unwrap().to_rgb8();
    let red = picture.enumerate_pixels().filter(|(.., p)| i32::from(p[0]) - i32::from(p[1]) > 60);
    let red: Vec<[f64; 2]> = red.map(|(x, y, _)| [f64::from(x) + 0.5, f64::from(y) + 0.5]).collect();
    let (w, h) = picture.dimensions();
    let sum = red.iter().fold([0.0, 0.0], |sum, at| [sum[0] + at[0], sum[1] + at[1]]);
    let n = red.len() as f64;
    ((w, h), (n > 0.0).then(|| [sum[0] / n / f64::from(w), sum[1] / n / f64::from(h)]))
}

fn done(profile: &Profile) -> &'static str {
    match (profile.form(), profile.name()) {
        (ReplyForm::Calls, _) => "Thought: It is gone.\nAction: finished()",
        (ReplyForm::ToolCall, _) => {
            "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"terminate\", \"status\": \"success\"}}\n</tool_call>"
        }
        (ReplyForm::Tags, _) => {
            "<operation>End it.</operation>\n<action>\nterminate(status='success')\n</action>"
        }
        (ReplyForm::Code, "opencua") => {
            "## Action:\nEnd it.\n## Code:\n```code\ncomputer.terminate(status='success')\n```"
        }
        (ReplyForm::Json, "claude") => "It is gone.\n{\"action\": \"done\"}",
        (ReplyForm::Json, "openai") => "It is gone.\n{\"type\": \"done\"}",
        (ReplyForm::Json, _) => "It is gone.\n{\"name\": \"done\", \"args\": {}}",
        _ => "Done.\nassistantos\nDONE",
    }
}

/// Presses what is red in the picture that it is sent, in the coordinates and the form of the profile that the address
/// names, until nothing is.
fn double() -> Server {
    Server::start(|_, request| {
        let name = request.path.split('/').nth(1).unwrap();
        let profile = builtin(name).unwrap();
        let (sent, red) = seen(request);
        let Some([x, y]) = red else { return Answer::chat(done(&profile)) };
        // What coordinates count, told from the picture that came and not from the one that waldo had.
        let extent = match name {
            "aguvis" | "internvl" => [1.0, 1.0],
            "ui-tars" | "gemini" => [1000.0, 1000.0],
            "qwen3-vl" => [999.0, 999.0],
            "qwen2.5-vl" | "claude" | "openai" => [f64::from(sent.0), f64::from(sent.1)],
            _ => {
                let most: f64 = if name == "scalecua" { 2_109_744.0 } else { 12_845_056.0 };
                let (w, h) = (f64::from(sent.0), f64::from(sent.1));
                let shrink = (w * h / most).sqrt();
                let near = |side: f64| (side / 28.0).round_ties_even() * 28.0;
                let below = |side: f64| (side / shrink / 28.0).floor() * 28.0;
                if near(w) * near(h) > most { [below(w), below(h)] } else { [near(w), near(h)] }
            }
        };
        let write = |share: f64, extent: f64| {
            if extent <= 1.0 { (share * 1e4).round() / 1e4 } else { (share * extent).round() }
        };
        Answer::chat(&profile.example([write(x, extent[0]), write(y, extent[1])]).unwrap())
    })
}

#[test]
fn a_model_that_sees_its_pictures_alone_hits_ten_pixels_by_every_profile_and_at_every_scale() {
    let dir = tempdir();
    let pages = [page(3, 5), page(611, 402), page(1258, 779)];
    let tasks = [("corner", &*pages[0], HIT), ("middle", &*pages[1], HIT), ("end", &*pages[2], HIT)];
    suite(&dir, "s", &tasks);
    let server = double();
    let (agents, flags) = contestants(&dir, |name| {
        format!("model = \"m\"\nbase-url = \"{}\"", server.url(&format!("/{name}/v1")))
    });
    for (scale, task) in [("1", "middle"), ("1.5", "end"), ("2", "corner")] {
        let line = "eval ./s --workers 3 --no-report --json --attempts 1 --viewport 1280x800";
        let args = format!("{line} --scale {scale} --out {scale} --task {task} {flags}");
        let got = waldo(&dir, &args).within(Duration::from_secs(240)).json();
        assert_eq!(got["table"].as_array().unwrap().len(), agents);
        all_solved(&got);
    }
    let native = events_of(&dir.join("1"), "decided").remove(0);
    assert!(native["decision"]["exchanges"][0]["prompt"].as_str().unwrap().contains("(picture)"), "{native}");
    text_in(dir.join("1/manifest.json")).says(builtin("ui-tars").unwrap().hash());
}

/// Writes contestants of all profiles of agents, whose model these lines name; their number, and the flags that name them.
fn contestants(dir: &Path, model: impl Fn(&str) -> String) -> (usize, String) {
    let all = names().into_iter().filter(|name| builtin(name).unwrap().used_as() == ProfileUse::Agent);
    let (mut count, mut config, mut flags) = (0, String::new(), String::new());
    for name in all {
        count += 1;
        let head = format!("[contestant.\"{name}\"]\nagent = \"native\"\nprofile = \"{name}\"");
        let _ = writeln!(config, "{head}\n{}\n", model(name));
        let _ = write!(flags, " --contestant {name}");
    }
    write(dir.join("waldo.toml"), config);
    (count, flags)
}

#[test]
fn a_stand_in_that_knows_the_solution_solves_three_tasks_by_every_profile() {
    let dir = tempdir();
    let (agents, flags) = contestants(&dir, |_| "model = \"reference\"".to_owned());
    let line = "eval l3-web --scale 1.5 --workers 3 --no-report --json --out r --attempts 1";
    let tasks = "--task modal-confirm --task kanban-drag --task cheapest-answer";
    let got = waldo(&dir, &format!("{line} {tasks} {flags}")).within(Duration::from_secs(300)).json();
    let table = got["table"].as_array().unwrap();
    assert!(table.len() == agents && table.iter().all(|row| row["n"] == 3), "{got}");
    all_solved(&got);
    // In whose words they were asked stands under the table.
    let wording = got["wording"][0].as_str().unwrap();
    assert!(wording.starts_with("prompts in waldo's own words: aguvis, "), "{wording}");
}

#[test]
fn profiles_are_listed_shown_copied_and_checked() {
    let dir = tempdir();
    let all = waldo(&dir, "models list --json").json();
    assert_eq!(all.as_array().unwrap().len(), names().len());
    waldo(&dir, "models show ui-tars --device android")
        .ok()
        .prints("long_press(start_box=")
        .prints("Action: click(start_box='(500,500)')");
    waldo(&dir, "models new mine --from ui-tars").ok();
    waldo(&dir, "models new mine --from ui-tars").run().warns("mine has a profile.toml already");
    assert_eq!(waldo(&dir, "models check ./mine").said(), "mine holds together\n");
    image::RgbImage::new(1920, 1080).save(dir.join("s.png")).unwrap();
    write(dir.join("r.txt"), "Thought: There.\nAction: click(start_box='(112,224)')");
    let args = "models check ./mine --picture s.png --reply r.txt --out o.png --json";
    let got = waldo(&dir, args).json();
    // UI-TARS's own code presses there (docs/models-sources.md).
    let at = [&got["places"][0][0], &got["places"][0][1]].map(|n| n.as_f64().unwrap());
    assert!((at[0] - 215.04).abs() < 0.01 && (at[1] - 241.92).abs() < 0.01, "{got}");
    let drawn = image::open(dir.join("o.png")).unwrap().to_rgb8();
    assert_ne!(drawn.get_pixel(205, 241), drawn.get_pixel(300, 300));
    assert_eq!(drawn.get_pixel(215, 241), drawn.get_pixel(300, 300));
    write(dir.join("r.txt"), "I cannot see it.");
    waldo(&dir, args).exits(4).warns("r.txt: 'Action:' is missing before the action");
    let toml = text_in(dir.join("mine/profile.toml"));
    write(dir.join("mine/profile.toml"), toml.replace("\"0-1000\"", "\"percent\""));
    let ended = waldo(&dir, "models check ./mine").exits(4);
    ended.warns("profile 'mine': profile.toml").warns("`0-999`");
}

#[test]
fn a_model_file_of_the_benchmark_becomes_a_contestant() {
    let dir = tempdir();
    let server = double();
    let path = format!("{}?api_key=hunter22&model=ui-tars-7b", server.url("/ui-tars/v1"));
    let file = json!({ "model": { "my tars": {
        "model_path": path, "generate_cfg": { "max_tokens": 300, "top_p": 0.9 }, "kwargs": { "img_detail": "low" },
    } } });
    write(dir.join("config.json"), file.to_string());
    let text = waldo(&dir, "models import config.json").said().lacks("hunter22");
    write(dir.join("waldo.toml"), text);
    suite(&dir, "s", &[("middle", &page(611, 402), HIT)]);
    let args = "eval ./s --contestant my-tars --no-report --json --attempts 1";
    let got = waldo(&dir, args).env("MY_TARS_API_KEY", "hunter22").json();
    assert_eq!(got["table"][0]["sr"], 1.0, "{got}");
    let request = &server.requests()[0];
    assert_eq!(request.authorization, "Bearer hunter22");
    let body: Value = serde_json::from_str(&request.body).unwrap();
    has(&body, json!({ "top_p": 0.9, "max_tokens": 300, "model": "ui-tars-7b" }));
}

#[test]
fn who_names_no_profile_or_a_wrong_one_is_told() {
    let dir = tempdir();
    let base = "eval l3-web --base-url http://127.0.0.1:9/v1 --agent";
    for (more, part) in [
        ("native --model gpt-x", "no profile is known for the model 'gpt-x'"),
        ("native --model m --profile uground", "is a grounder's"),
        ("native --model m --profile ui-tras", "no profile 'ui-tras'"),
        ("native --model m --profile ./nowhere", "nowhere/profile.toml"),
        ("native --model reference", "no profile is known for the model 'reference'"),
        ("native --model reader --profile ui-tars", "cannot answer in a profile's form"),
        ("native", "native needs --model"),
        ("planner --model m --grounder model=x --grounder-profile ui-tars", "'ui-tars' is not a grounder's"),
    ] {
        waldo(&dir, &format!("{base} {more}")).exits(4).warns(part);
    }
}
