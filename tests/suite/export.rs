//! `waldo export`: each form is read by what reads it.

use super::support::*;

/// A run of two contestants, one of which asks a (stand-in) model.
fn played(dir: &Path) {
    let tasks = "--task register-form --task kanban-drag --max-steps 24 --out run --no-report";
    waldo(dir, &format!("eval l3-web --agent appagent --agent noop --model reference {tasks}")).ok();
}

fn export(dir: &Path, to: &str, more: &str) -> Ended {
    waldo(dir, &format!("export run --to {to} {more}")).run()
}

fn files(said: &Value) -> Vec<PathBuf> {
    said["files"].as_array().unwrap().iter().map(|file| PathBuf::from(file.as_str().unwrap())).collect()
}

#[test]
fn messages_have_their_prompts_replies_and_pictures() {
    let dir = tempdir();
    played(&dir);
    let said = export(&dir, "jsonl", "--solved --json").expect_code(0).json();
    let all = lines(dir.join("run/export/messages.jsonl"));
    assert_eq!(said["episodes"], 2, "noop solved nothing: {said}");
    assert!(all.len() > 4);
    for line in &all {
        let (asked, answered) = (&line["messages"][0], &line["messages"][1]);
        assert!(asked["content"][0]["text"].as_str().unwrap().contains("# Task"));
        assert!(answered["content"].as_str().unwrap().contains("Action:"));
        let picture = asked["content"][1]["image_url"]["url"].as_str().unwrap();
        assert!(dir.join("run/export").join(picture).is_file(), "{picture}");
        assert_eq!(line["metadata"]["success"], 1.0);
    }
    export(&dir, "sharegpt", "--out share.jsonl --task kanban-drag").expect_code(0);
    let shared = lines(dir.join("share.jsonl"));
    assert!(shared[0]["conversations"][0]["value"].as_str().unwrap().starts_with("<image>\n"));
    assert!(dir.join(shared[0]["images"][0].as_str().unwrap()).is_file());
    export(&dir, "jsonl", "--contestant noop").expect_code(4).warns("no model was asked");
    export(&dir, "jsonl", "--task no-such").expect_code(4).warns("no recorded episode fits");
}

#[test]
fn trajectories_keep_the_rules_of_their_format() {
    let dir = tempdir();
    played(&dir);
    let said = export(&dir, "atif", "--json").expect_code(0).json();
    assert_eq!(files(&said).len(), 4);
    for file in files(&said) {
        let whole: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(whole["schema_version"], "ATIF-v1.7");
        let steps = whole["steps"].as_array().unwrap();
        assert!(steps.len() > 2 && steps[0]["source"] == "user");
        for (at, step) in steps.iter().enumerate() {
            assert_eq!(step["step_id"], at + 1);
            if step["source"] != "agent" {
                assert!(step.get("tool_calls").is_none() && step.get("metrics").is_none());
                continue;
            }
            let asked = step["llm_call_count"].as_u64().unwrap();
            assert!(asked > 0 || step.get("metrics").is_none() && step.get("reasoning_content").is_none());
            let calls = step["tool_calls"].as_array().unwrap().iter();
            let calls: Vec<&Value> = calls.map(|call| &call["tool_call_id"]).collect();
            for result in step["observation"]["results"].as_array().into_iter().flatten() {
                assert!(calls.contains(&&result["source_call_id"]), "{step}");
                let parts = result["content"].as_array().unwrap().iter();
                for part in parts.filter(|part| part["type"] == "image") {
                    // Below the folder itself, which can so be moved.
                    let path = Path::new(part["source"]["path"].as_str().unwrap());
                    assert!(path.starts_with("pictures"), "{}", path.display());
                    assert!(file.with_file_name(path).is_file(), "{}", path.display());
                }
            }
        }
    }
}

#[test]
fn a_story_moves_and_a_video_plays() {
    let dir = tempdir();
    played(&dir);
    let one = "--task kanban-drag --contestant appagent+reference --json";
    let gif = &files(&export(&dir, "gif", one).expect_code(0).json())[0];
    let file = std::io::BufReader::new(std::fs::File::open(gif).unwrap());
    let decoder = image::codecs::gif::GifDecoder::new(file).unwrap();
    let frames = image::AnimationDecoder::into_frames(decoder).collect_frames().unwrap();
    let seen = events_of(&dir.join("run/episodes/appagent+reference/kanban-drag/r0"), "observed").len();
    assert_eq!(frames.len(), seen);
    assert_ne!(frames[0].buffer(), frames[1].buffer());
    for form in ["mp4", "webm"] {
        let video = &files(&export(&dir, form, one).expect_code(0).json())[0];
        let mut probe = Command::new("ffprobe");
        probe
            .args(words("-v error -show_entries stream=codec_name,nb_read_frames -count_frames -of csv=p=0"));
        let told = probe.arg(video).output().unwrap();
        let told = String::from_utf8_lossy(&told.stdout).trim().to_owned();
        let codec = if form == "mp4" { "h264" } else { "vp9" };
        assert_eq!(told, format!("{codec},{}", seen * 15));
    }
    let bare = waldo(&dir, "export run --to mp4 --task kanban-drag").env("PATH", "/nowhere");
    bare.exits(5).warns("ffmpeg").warns("export a gif");
}

#[test]
fn a_script_for_playwright_is_one_that_node_reads() {
    let dir = tempdir();
    played(&dir);
    let said = export(&dir, "playwright", "--contestant appagent+reference --json").expect_code(0).json();
    for file in files(&said) {
        let text = text_in(&file);
        let checked = Command::new("node").arg("--check").arg(&file).output().unwrap();
        assert!(checked.status.success(), "{}\n{text}", String::from_utf8_lossy(&checked.stderr));
        assert!(text.contains("await page.goto(start)"));
        if file.to_string_lossy().contains("register") {
            assert!(text.contains("await tap({\"x\":") && text.contains("page.keyboard.type("), "{text}");
        } else {
            assert!(text.contains("page.mouse.down()"), "{text}");
        }
    }
}

#[test]
fn an_archive_of_the_traffic_is_exported_where_it_was_recorded() {
    let dir = tempdir();
    let play = "eval l3-web --agent reference --task register-form --no-report --out run --har";
    waldo(&dir, play).ok();
    let said = export(&dir, "har", "--json").expect_code(0).json();
    let archive = json_in(&files(&said)[0]);
    let entries = archive["log"]["entries"].as_array().unwrap();
    let of = |method: &str| entries.iter().find(|entry| entry["request"]["method"] == method).unwrap();
    assert_eq!((&archive["log"]["version"], &of("GET")["response"]["status"]), (&json!("1.2"), &json!(200)));
    // What the page saved when the form was sent.
    let saved = entries.iter().filter_map(|entry| entry["request"]["postData"]["text"].as_str());
    assert!(saved.into_iter().any(|text| text.contains("accounts")), "{archive:#}");
    std::fs::remove_file(dir.join("run/episodes/reference/register-form/r0/network.har")).unwrap();
    export(&dir, "har", "").expect_code(0).warns("play it with --har");
}

#[test]
fn an_episode_becomes_a_demonstration_that_is_learnt_from() {
    let dir = tempdir();
    played(&dir);
    let said = export(&dir, "demo", "--task register-form --json").expect_code(0).json();
    let folder = files(&said).into_iter().next().unwrap_or_else(|| panic!("{said}"));
    let record = text_in(folder.join("record.txt"));
    assert!(record.contains("tap(") && record.ends_with("stop\n"), "{record}");
    assert!(folder.join("screens/001.png").is_file() && !folder.join("screens/001-raw.png").exists());
    let demo = folder.to_str().unwrap();
    let args = format!("demo learn {demo} --docs docs --app shop --model reader --json");
    let learned = waldo(&dir, &args).json();
    assert!(learned[0]["learned"]["documented"].as_u64().unwrap() > 0, "{learned}");
    // A demonstration that is there is not written over.
    export(&dir, "demo", "--task register-form").expect_code(0).warns("holds a demonstration already");
}

/// An endpoint whose replies come with their tokens, as vLLM gives them; `None` where it knows nothing of their ids.
fn sampling(has_ids: bool) -> Server {
    Server::start(move |n, request| {
        let asked: Value = serde_json::from_str(&request.body).unwrap();
        if asked["logprobs"] != true {
            return Answer::new("500 Bad", "application/json", "{}");
        }
        let unknown = "Unrecognized request argument supplied: return_token_ids";
        if !has_ids && asked.get("return_token_ids").is_some() {
            let said = json!({ "error": { "message": unknown } });
            return Answer::new("400 Bad", "application/json", said.to_string());
        }
        let acts = "Observation: o\nThought: t\nAction: FINISH\nSummary: s";
        let words = if n % 2 == 0 { "no action at all" } else { acts };
        let logprobs = json!([{ "token": "a", "logprob": -0.25 }, { "token": "b", "logprob": -1.5 }]);
        let message = json!({ "role": "assistant", "content": words });
        let choice = json!({ "index": 0, "message": message, "logprobs": { "content": logprobs } });
        let mut body = json!({ "choices": [choice] });
        if has_ids {
            body["prompt_token_ids"] = json!([1, 2, 3]);
            body["choices"][0]["token_ids"] = json!([40 + n, 7]);
        }
        Answer::json(&body)
    })
}

#[test]
fn rollouts_have_the_tokens_that_were_sampled_and_the_reward() {
    let dir = tempdir();
    let eval = |out: &str, model: &Server, more: &str| {
        let model = format!("--agent appagent --model m --base-url {}", model.url("/v1"));
        let own = "--task register-form --no-report --repeats 2 --workers 1 --logprobs";
        waldo(&dir, &format!("eval l3-web {model} {own} --out {out} {more}")).run()
    };
    let rollouts = |run: &str| {
        waldo(&dir, &["export", run, "--to", "rollouts"]).ok();
        lines(dir.join(run).join("export/rollouts.jsonl"))
    };
    eval("run", &sampling(true), "--same-instance").expect_code(0);
    let all = rollouts("run");
    // Each attempt is asked twice: its first reply cannot be read, and was sampled all the same.
    let said = |line: &Value| (line["repeat"].as_u64(), line["turn"].as_u64(), line["accepted"].as_bool());
    let expected = [(0, 0, false), (0, 1, true), (1, 0, false), (1, 1, true)];
    let expected = expected.map(|(repeat, turn, accepted)| (Some(repeat), Some(turn), Some(accepted)));
    assert_eq!(all.iter().map(said).collect::<Vec<_>>(), expected);
    for (n, line) in all.iter().enumerate() {
        assert_eq!(line["group"], all[0]["group"], "one instance");
        assert_eq!(line["prompt_ids"], json!([1, 2, 3]));
        assert_eq!(line["completion_ids"], json!([40 + n, 7]));
        assert_eq!((&line["completion_mask"], &line["logprobs"]), (&json!([1, 1]), &json!([-0.25, -1.5])));
        has(line, json!({ "reward": 0.0, "truncated": false, "turns": 2 }));
        assert!(line["checks_passed"].as_f64().is_some_and(|share| share < 1.0), "{line}");
        assert!(line["prompt"][0]["content"].is_string() && line["seed"].is_string(), "{line}");
        let image = line["images"][0].as_str().unwrap();
        assert!(dir.join("run/export").join(image).is_file(), "{image}");
    }
    // Each repeat has an instance of its own otherwise; an endpoint without ids gives probabilities alone.
    eval("other", &sampling(false), "").expect_code(0);
    let all = rollouts("other");
    assert_ne!(all[0]["group"], all.last().unwrap()["group"]);
    assert_eq!((&all[0]["completion_ids"], &all[0]["logprobs"]), (&Value::Null, &json!([-0.25, -1.5])));
    eval("none", &sampling(true), "--wire anthropic").expect_code(4).warns("--wire chat");
}
