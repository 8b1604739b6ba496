//! Commands that need no browser.

use super::support::*;

#[test]
fn score_prints_the_official_value() {
    let dir = tempdir();
    let file = dir.join("r.json");
    let episodes = r#"{"success":1,"steps":7},{"success":0,"steps":15},{"success":1,"steps":15},
        {"success":0,"steps":4},{"success":1,"steps":2}"#;
    write(&file, format!(r#"{{"max_steps":15,"episodes":[{episodes}]}}"#));
    let got = waldo(&dir, "score r.json --json").json();
    let keys: Vec<&String> = got.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["n", "sr", "sr_ci", "eqa", "eqa_ci", "eqa_step", "eqa_exact", "mean_steps"]);
    for (key, want) in
        [("sr", 0.6), ("eqa", 0.398_986_327_204), ("eqa_step", 0.366_336_633_663), ("eqa_exact", 0.368)]
    {
        assert!((got[key].as_f64().unwrap() - want).abs() < 1e-12, "{key}: {}", got[key]);
    }
    assert_eq!(got["n"], 5);
    // Wilson's of three in five.
    for (at, want) in [(0, 0.2307), (1, 0.8824)] {
        assert!((got["sr_ci"][at].as_f64().unwrap() - want).abs() < 5e-4, "{got}");
    }
    let eqa = |at: usize| got["eqa_ci"][at].as_f64().unwrap();
    assert!(eqa(0) < 0.39 && 0.41 < eqa(1) && eqa(1) <= got["sr_ci"][1].as_f64().unwrap(), "{got}");
    // Of nothing nothing is known.
    write(&file, r#"{"max_steps":15,"episodes":[]}"#);
    let none = waldo(&dir, "score r.json --json").json();
    let known: Vec<&String> =
        none.as_object().unwrap().iter().filter(|(_, v)| !v.is_null()).map(|(k, _)| k).collect();
    assert_eq!((known.as_slice(), &none["n"]), (&[&"n".to_owned()][..], &0.into()), "{none}");
    waldo(&dir, "score r.json").ok().prints("SR          unknown").never_prints("0.0");
}

#[test]
fn a_bad_file_is_refused_with_the_place() {
    let dir = tempdir();
    write(dir.join("r.json"), r#"{"max_steps":15,"episodes":[{"success":2,"steps":1}]}"#);
    waldo(&dir, "score r.json").exits(4).warns("episodes[0]");
    let dir = tempdir();
    image::RgbImage::new(8, 8).save(dir.join("s.png")).unwrap();
    write(dir.join("e.json"), r#"[{"role":"button"}]"#);
    waldo(&dir, "label s.png e.json").exits(4).warns("element 0 needs \"bounds\"");
}

#[test]
fn label_draws_one_tag_per_element() {
    let dir = tempdir();
    image::RgbImage::from_pixel(320, 200, image::Rgb([240, 240, 240])).save(dir.join("s.png")).unwrap();
    write(
        dir.join("e.json"),
        r#"[{"role":"button","name":"Save","bounds":{"x":10,"y":10,"w":80,"h":30}},
            {"role":"link","name":"Help","bounds":{"x":120,"y":90,"w":60,"h":20}},
            {"role":"button","name":"Off","bounds":{"x":10,"y":150,"w":60,"h":20},"states":{"disabled":true}}]"#,
    );
    for style in ["boxes", "appagent"] {
        let args = format!("label s.png e.json --style {style} --out o.png --json");
        let got = waldo(&dir, &args).json();
        assert_eq!(got["tagged"].as_array().unwrap().len(), 2);
        assert!(got["list"].as_str().unwrap().contains("1 button \"Save\""), "{}", got["list"]);
        let drawn = image::open(dir.join("o.png")).unwrap().to_rgb8();
        assert_eq!(drawn.dimensions(), (320, 200));
        assert!(drawn.pixels().any(|p| *p != image::Rgb([240, 240, 240])));
    }
}

#[test]
fn tasks_lists_the_built_in_suite() {
    let dir = tempdir();
    let got = waldo(&dir, "tasks l3-web --json").json();
    assert!(got.as_array().unwrap().len() >= 24);
    waldo(&dir, "tasks no-such-suite").exits(4).warns("l3-web");
}

#[test]
fn a_malformed_task_is_reported_with_file_line_and_field() {
    let dir = tempdir();
    write(dir.join("s/suite.toml"), suite_head("s", "web", 9, "\"t\""));
    folder(dir.join("s/site"));
    let task = "id = \"t\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"g\"\nstart = \"/\"\nmax_stepz = 4\n";
    write(dir.join("s/tasks/t.toml"), task);
    waldo(&dir, "tasks ./s").exits(4).warns("t.toml:6").warns("max_stepz");
}

#[test]
fn every_command_has_help_with_an_example() {
    let dir = tempdir();
    let help = |command: &[String]| waldo(&dir, &[command, &["--help".to_owned()]].concat()).said();
    let page = text_in(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md"));
    let (_, listed) = page.split_once("## Commands").unwrap();
    let mut open: Vec<Vec<String>> = vec![vec![]];
    let mut leaves = 0;
    while let Some(command) = open.pop() {
        let name = command.join(" ");
        let text = help(&command);
        assert!(text.contains("Example"), "{name} --help has no example");
        if let [only] = &command[..] {
            assert!(listed.contains(&format!("`{only}`")), "the page does not list {only}");
        }
        let within: Vec<&str> = text
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty())
            // What it says of a command may go on in further lines, which are indented more.
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help")
            .collect();
        open.extend(within.iter().map(|name| [&command[..], &[(*name).to_owned()]].concat()));
        if within.is_empty() {
            leaves += 1;
            // Two print a file, the others speak JSON and nothing else.
            let silent = ["completions", "env", "mcp", "skill"].contains(&name.as_str());
            assert!(silent || text.contains("--json"), "{name} has no --json");
        }
    }
    assert!(leaves >= 30, "{leaves}");
}

/// What is not there is bad input, whichever command is given it.
#[test]
fn a_file_that_is_not_there_is_bad_input() {
    let dir = tempdir();
    for command in [
        "score nosuch",
        "docs list nosuch",
        "docs import nosuch",
        "demo learn nosuch --model reader",
        "elements --xml nosuch",
        "label nosuch.png nosuch.json",
        "tasks osworld --osworld-dir nosuch",
        "tasks miniwob --miniwob-dir nosuch",
        "report nosuch",
        "replay nosuch x",
    ] {
        waldo(&dir, command).exits(4).warns("nosuch");
    }
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0, "something was left behind");
}

#[test]
fn a_simulated_phones_picture_is_told_as_json() {
    let dir = tempdir();
    let said = waldo(&dir, "simphone --screenshot home.png --json").ok();
    assert_eq!(said.json(), json!({ "screenshot": "home.png" }));
    assert!(image::open(dir.join("home.png")).is_ok());
}

#[test]
fn completions_are_printed() {
    let dir = tempdir();
    for shell in ["bash", "zsh", "fish"] {
        let script = waldo(&dir, &["completions", shell]).said().says("serve-model");
        // What waldo starts itself as is not a command for people.
        assert!(!script.contains("cage"), "{shell}: {script}");
    }
}
