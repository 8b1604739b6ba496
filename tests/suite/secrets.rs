//! A secret is typed by name, and neither the model nor a record ever holds its value.

use super::desktop::{desk, need};
use super::support::*;
use std::sync::atomic::{AtomicUsize, Ordering};

const VALUE: &str = "hunter22-and-more";

const PAGE: &str = r#"<!doctype html><title>Sign in</title>
<input aria-label="Card" id="c"><p id="p">nothing yet</p>
<script>c.oninput = () => { p.textContent = c.value.length + " characters"; document.title = c.value; }</script>"#;

/// Serves the page, and a model that taps the field, types the secret and ends.
fn serve() -> Server {
    let asked = AtomicUsize::new(0);
    Server::start(move |_, request| {
        if !request.path.starts_with("/v1/") {
            return Answer::page(PAGE);
        }
        let n = asked.fetch_add(1, Ordering::SeqCst);
        Answer::acts(["tap(1)", "secret(\"card\")"].get(n).copied().unwrap_or("FINISH"))
    })
}

#[test]
fn a_secret_is_typed_and_nowhere_to_be_read() {
    let dir = tempdir();
    let server = serve();
    let (address, base) = (server.url("/"), server.url("/v1"));
    let args = filled(
        "run --url {} --agent appagent --model m --base-url {} --secret card=MY_CARD \
                --max-steps 4 --out r --json --watch {}",
        &[&address, &base, "pay with the card"],
    );
    let ended = waldo(&dir, &args).env("MY_CARD", VALUE).ok();
    assert_eq!(ended.json()["result"]["outcome"], "finished", "{}", ended.stderr);
    let all = server.requests();
    assert!(!all.iter().any(|request| format!("{request:?}").contains(VALUE)), "a request holds the value");
    let asked: Vec<_> = all.into_iter().filter(|r| r.path.starts_with("/v1/")).map(|r| r.body).collect();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].contains("The names are: card."));
    // It was typed: the page shows how long it is, and waldo that the field holds something masked.
    assert!(asked[2].contains("••••"), "{}", asked[2].get(..3000).unwrap_or(&asked[2]));
    assert_eq!(holding(&dir.join("r"), &[VALUE]), Vec::<PathBuf>::new());
    assert!(!holding(&dir.join("r"), &["type_secret"]).is_empty());
    // The picture shows a grey plate where the field is.
    let episode = dir.join("r/episodes/appagent+m/by-hand/r0");
    let seen = events_of(&episode, "observed").into_iter().find(|event| event["step"] == 3).unwrap();
    let bounds = &seen["elements"][0]["bounds"];
    let [x, y, w, h] = ["x", "y", "w", "h"].map(|part| bounds[part].as_f64().unwrap());
    let picture = image::open(episode.join("step-03.png")).unwrap().to_rgb8();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies in the picture")]
    let pixel = picture.get_pixel((x + w * 0.7) as u32, (y + h * 0.5) as u32);
    assert_eq!(pixel, &image::Rgb([128; 3]));
    assert!(!ended.stdout.contains(VALUE) && !ended.stderr.contains(VALUE), "{}", ended.stderr);
}

#[test]
fn a_secret_that_is_not_set_stops_the_run() {
    let dir = tempdir();
    let args = "run --url http://127.0.0.1:1 --agent noop --secret pin=NO_SUCH_PIN go";
    waldo(&dir, args).exits(4).warns("NO_SUCH_PIN is not set");
}

/// A task on a desktop whose checks look at what was typed.
const NOTE: &str = include_str!("secrets.toml");

#[test]
fn what_a_check_found_shows_no_secret() {
    need(&["mousepad"]);
    let dir = tempdir();
    desk(&dir, NOTE);
    let server = Server::start(|n, _| {
        Answer::acts(["secret(\"card\")", "key(\"ctrl+s\")"].get(n).copied().unwrap_or("FINISH"))
    });
    let base = server.url("/v1");
    let args = format!(
        "eval ./desk --device desktop --agent appagent --model m --base-url {base} --secret \
        card=MY_CARD --workers 1 --out r --json"
    );
    let ended = waldo(&dir, &args).env("MY_CARD", VALUE).ok();
    let result = holding(&dir.join("r"), &["\"checks\""]).into_iter().find(|p| p.ends_with("result.json"));
    let result = text_in(result.unwrap());
    // The file was found, with what was typed masked.
    assert!(result.contains("••••start"), "{result}");
    assert_eq!(holding(&dir, &[VALUE]), Vec::<PathBuf>::new());
    assert!(!ended.stdout.contains(VALUE) && !ended.stderr.contains(VALUE), "{}", ended.stderr);
}

#[test]
fn a_video_and_a_secret_do_not_go_together() {
    let dir = tempdir();
    desk(&dir, NOTE);
    for command in [
        &["run", "--open", "xterm", "--agent", "noop", "go"][..],
        &["eval", "./desk", "--agent", "noop"],
        &["demo", "record", "--open", "xterm", "--app", "xterm", "go"],
    ] {
        let mut args = command.to_vec();
        args.extend(["--device", "desktop", "--out", "r", "--record", "film.mp4", "--secret", "pin=MY_PIN"]);
        waldo(&dir, &args).env("MY_PIN", VALUE).exits(4).warns("leave out --record or --secret");
        assert!(!dir.join("film.mp4").exists() && !dir.join("r").exists(), "{command:?}");
    }
}

/// One whose forms differ: blank, sign, ampersand.
const ODD: &str = "p@ss word+1&2'x";
const KEY: &str = "sk-test-4711/abc+def";

/// What `text` shows of `value`, whichever usual way it is written.
fn shows(text: &str, value: &str) -> Vec<String> {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let percent = |hex: fn(u8) -> String| -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~'()*!".contains(&b);
        value.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { hex(b) }).collect()
    };
    let (upper, lower) = (percent(|b| format!("%{b:02X}")), percent(|b| format!("%{b:02x}")));
    let coded = |before: &str| {
        let whole = STANDARD.encode(format!("{before}{value}"));
        whole[4 * usize::from(!before.is_empty())..whole.len() - 4].to_owned()
    };
    let debug = format!("{value:?}");
    let mut forms = vec![
        value.to_owned(),
        upper.replace("%20", "+"),
        lower.replace("%20", "+"),
        value.replace(' ', "%20"),
        value.replace('&', "&amp;"),
        value.replace('&', "&amp;").replace('\'', "&#39;"),
        value.replace('\'', r"'\''"),
        value.replace(' ', "%s"),
        debug.trim_matches('"').to_owned(),
        // As far as a cut leaves it.
        value.chars().take(7).collect(),
        value.replace(' ', "%s").chars().take(8).collect(),
        upper,
        lower,
        coded(""),
        coded("x"),
        coded("xy"),
    ];
    forms.retain(|form| text.contains(form.as_str()));
    forms
}

/// All files below `folder`, and their names, that show `value` in any form.
fn showing(folder: &Path, value: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let mut forms = shows(&entry.file_name().to_string_lossy(), value);
        if path.is_dir() {
            found.extend(showing(&path, value));
        } else if path.extension().is_none_or(|end| end != "png") {
            forms.extend(shows(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()), value));
        }
        found.extend(forms.into_iter().map(|form| format!("{}: {form}", path.display())));
    }
    found
}

/// A page that shows what is typed wherever a page can.
const ECHO: &str = include_str!("secrets.html");

/// The number of the line of a prompt that says `name`.
fn tag(request: &str, name: &str) -> String {
    let body: Value = serde_json::from_str(request).unwrap();
    let mut texts = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        let content = &message["content"];
        texts.extend(content.as_str().map(str::to_owned));
        for part in content.as_array().into_iter().flatten() {
            texts.extend(part["text"].as_str().map(str::to_owned));
        }
    }
    let numbered = |line: &str| {
        let (before, _) = line.split_once(name)?;
        let number = before.split(' ').next()?;
        number.parse::<u32>().is_ok().then(|| number.to_owned())
    };
    let found = texts.iter().flat_map(|text| text.lines()).find_map(numbered);
    found.unwrap_or_else(|| panic!("no {name} in {texts:?}"))
}

#[test]
fn whatever_a_page_does_with_a_secret_it_is_nowhere_to_be_read() {
    let dir = tempdir();
    let calls = words(
        r#""Field" secret("card") "Echo" wait() "Alert" dialog("accept") "Prompt" dialog("dismiss")
           "Load" wait() "Place" "Foreign" close_tab() secret("none") "Send""#,
    );
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |_, request| {
        if request.path.starts_with("/v1/") {
            let n = asked.fetch_add(1, Ordering::SeqCst);
            let call = match calls.get(n) {
                Some(name) if name.starts_with('"') => format!("tap({})", tag(&request.body, name)),
                Some(call) => (*call).to_owned(),
                None => "FINISH".to_owned(),
            };
            return Answer::acts(&call);
        }
        if let Some(name) = request.path.strip_prefix("/file?n=") {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: 4\r\n\
                 content-disposition: attachment; filename*=UTF-8''{name}\r\nconnection: close\r\n\r\ndata"
            );
            return Answer::Bytes(head.into_bytes());
        }
        Answer::page(ECHO)
    });
    let (page, base) = (server.url("/"), server.url("/v1"));
    let goal = format!("pay with {ODD} at once");
    let args = filled(
        "run --url {} --agent appagent --model m --base-url {} --secret card=MY_CARD \
        --max-steps 20 --out r --json --watch -vvv --record-model cassettes {}",
        &[&page, &base, &goal],
    );
    let ended =
        waldo(&dir, &args).env("MY_CARD", ODD).env("OPENAI_API_KEY", KEY).env("WALDO_LOG", "trace").ok();
    assert_eq!(ended.json()["result"]["outcome"], "finished", "{}", ended.stdout);
    let requests = server.requests();
    let asked: Vec<_> = requests.iter().filter(|r| r.path.starts_with("/v1/")).collect();
    assert_eq!(asked.len(), 16);
    for (n, request) in asked.iter().enumerate() {
        // Pictures are looked at below; in base64 anything may be found.
        let body = without_pictures(&request.body);
        assert_eq!(shows(&body, ODD), Vec::<String>::new(), "request {n}: {body}");
        assert_eq!(shows(&body, KEY), Vec::<String>::new(), "request {n}");
    }
    // The page got it, in the address of the form, too, and the steps came to what they were to come to.
    assert!(requests.iter().any(|r| r.path.starts_with("/sent?who=p%40ss+word%2B1%262%27x")), "{requests:?}");
    for what in ["plain ••••", "frame ••••", "label ••••", "say ••••", "f-••••.txt", "q=••••", "who=••••"]
    {
        let told = asked.iter().any(|request| request.body.contains(what));
        assert!(told, "{what}: {}", without_pictures(&asked[4].body));
    }
    for value in [ODD, KEY] {
        assert_eq!(showing(&dir, value), Vec::<String>::new());
        assert_eq!(shows(&ended.stdout, value), Vec::<String>::new());
        let lines: Vec<_> = ended.stderr.lines().filter(|line| !shows(line, value).is_empty()).collect();
        assert!(lines.is_empty(), "{lines:#?}");
    }
    assert!(ended.stderr.contains("••••") && ended.stderr.contains("DEBUG"), "nothing was logged");
    // Whatever shows it is painted over, however far behind the name was cut.
    let episode = dir.join("r/episodes/appagent+m/by-hand/r0");
    let seen = events_of(&episode, "observed").into_iter().find(|event| event["step"] == 5).unwrap();
    let picture = image::open(episode.join("step-05.png")).unwrap().to_rgb8();
    let mut painted = 0;
    for element in seen["elements"].as_array().unwrap() {
        if !element.to_string().contains("••••") {
            continue;
        }
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|part| element["bounds"][part].as_f64().unwrap());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies in the picture")]
        let grey = |part: f64| {
            let at = picture.get_pixel((x + w * part) as u32, (y + h * 0.5) as u32);
            at == &image::Rgb([128; 3])
        };
        // Numbers of elements lie over some of it.
        let share = (1..20).filter(|n| grey(f64::from(*n) / 20.0)).count();
        assert!(share >= 7, "{share} of 19: {element}");
        painted += 1;
    }
    assert!(painted >= 8, "{painted}");
}

fn without_pictures(body: &str) -> String {
    let mut parts = body.split("data:image/");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once('"').map_or("", |(_, rest)| rest));
    }
    text
}

#[test]
fn what_a_phone_is_typed_is_in_no_log() {
    let dir = tempdir();
    // Longer than what is typed at once, with a sign that ends a part.
    let value = "4pass word%s'and 9more of it, till the end";
    let server = Server::start(move |n, request| match n {
        0 => Answer::acts(&format!("tap({})", tag(&request.body, "earch"))),
        1 | 3 => Answer::acts("wait()"),
        2 => Answer::acts("secret(\"card\")"),
        _ => Answer::acts("FINISH"),
    });
    let base = server.url("/v1");
    let args = format!(
        "run --device simphone --open com.android.settings --agent appagent --model m \
        --base-url {base} --secret card=MY_CARD --max-steps 6 --out r --json --watch -vv \
        'look for it'"
    );
    let ended = waldo(&dir, &args).env("MY_CARD", value).ok().warns("shell");
    let requests = server.requests();
    assert!(requests[3].body.contains("••••"), "{}", requests[3].body);
    for part in [value, "4pass", "and 9more", "till the end", "9more%s", "the%send"] {
        assert_eq!(holding(&dir.join("r"), &[part]), Vec::<PathBuf>::new());
        let lines: Vec<_> = ended.stderr.lines().filter(|line| line.contains(part)).collect();
        assert!(lines.is_empty(), "{part}: {lines:#?}");
        assert!(!ended.stdout.contains(part));
        assert!(!requests.iter().any(|request| request.body.contains(part)), "{part}");
    }
}
