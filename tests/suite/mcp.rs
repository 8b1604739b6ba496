//! `waldo mcp` as its clients see it.

use base64::Engine as _;

use super::mcp_client::{Client, called, number_in, session};
use super::support::*;

/// A form with a list below, and a second page.
fn site() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/" => Answer::page(
            "<!doctype html><title>Shop</title><h1>Order</h1>\
             <label>Name <input id=n></label><label>Size <select><option>Small<option>Large</select></label>\
             <button onclick=\"document.getElementById('out').textContent='Thanks, '+document.getElementById('n').value\">Send</button>\
             <button onclick=\"this.remove()\">Close</button><a href='/two'>More</a><p id=out></p>",
        ),
        "/two" => Answer::page(&format!(
            "<!doctype html><title>Two</title><button onclick=\"setTimeout(()=>document.body.prepend('It is late'),300)\">Later</button><p>{}</p>",
            "Long words. ".repeat(2000)
        )),
        _ => Answer::new("404 Not Found", "text/plain", "nothing"),
    })
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base().unwrap().encode_ordinary(text).len()
}

/// The names of a client's tools, which hold all of these.
fn offered(client: &mut Client, wanted: &[&str]) -> Vec<String> {
    let all = client.tools();
    let names: Vec<String> = all.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    for name in wanted {
        assert!(names.iter().any(|known| known == name), "no {name} in {names:?}");
    }
    names
}

#[test]
fn a_client_fills_in_a_form_by_what_it_is_told() {
    let dir = tempdir();
    let site = site();
    let url = site.url("/");
    let mut client = Client::start(&dir, &["--url", &url, "--out", "r"]);
    offered(&mut client, &["observe", "wait_for", "read", "more_tools", "tap", "fill", "open", "tap_at"]);
    let list = client.call("observe", json!({})).ok();
    assert!(list.starts_with("<screen-text untrusted>\nat http://") && list.contains("\"Shop\""), "{list}");
    let (name, send) = (number_in(&list, "\"Name\""), number_in(&list, "\"Send\""));
    let (close, size) = (number_in(&list, "\"Close\""), number_in(&list, "\"Size\""));

    let filled = client.call("fill", json!({ "element": name, "text": "Ada" }));
    assert!(filled.text.contains(&format!("~ {name} textbox \"Name\"")), "{}", filled.text);
    assert!(filled.text.contains("value=\"Ada\""), "{}", filled.text);
    let structured = &filled.whole["structuredContent"];
    assert_eq!(structured["effect"], "confirmed", "{structured}");
    assert!(tokens(&filled.text) <= 200 && tokens(&structured.to_string()) <= 200);
    client.call("select", json!({ "element": size, "option": "Large" })).ok();
    // The numbers hold although the screen has changed.
    client.call("tap", json!({ "element": send })).ok().says("+ \"Thanks, Ada\"");
    // So long that the screen is looked at again before the next press: only time makes a screen old.
    std::thread::sleep(Duration::from_millis(1_200));
    client.call("tap", json!({ "element": close })).ok().says(format!("- {close}"));
    client.call("tap", json!({ "element": close })).refused().says("not on the screen any more");
    // All of it was told.
    assert_eq!(client.call("observe", json!({ "changes_only": true })).ok(), "nothing changed");

    let opened = client.call("open", json!({ "url": "/two" })).ok().says("/two \"Two\"");
    assert!(tokens(&opened) <= 200, "{}: {opened}", tokens(&opened));
    let later = client.number("\"Later\"");
    client.call("tap", json!({ "element": later })).ok();
    let waited = client.call("wait_for", json!({ "text": "it is late" })).ok();
    assert!(waited.starts_with("it is there"), "{waited}");
    let sooner = client.call("wait_for", json!({ "element": "Sooner", "seconds": 0.3 }));
    sooner.refused().says("it was not there within 0.3 s");

    client.call("read", json!({})).ok().says("Long words.").says("read on with from=6000");
    client.call("read", json!({ "from": 18_000 })).ok().says("characters 18000 to ");
    let picture = client.call("observe", json!({ "picture": true }));
    has(&picture.whole, json!({ "content/0/type": "text", "content/1/type": "image", "content/2": null }));
    assert_eq!(client.call("screenshot", json!({})).whole["content"][0]["mimeType"], "image/png");
    let device = client.call("devices", json!({})).whole;
    let origins = json!([url.trim_end_matches('/')]);
    has(&device["structuredContent"], json!({ "platform": "web", "allowed_origins": origins }));

    assert_eq!(client.end(), 0, "{}", Client::stderr(&dir));
    // The session is a run.
    let recorded = events(&dir.join("r"));
    let acted = recorded.iter().filter(|event| event["event"] == "acted");
    let acted: Vec<&Value> = acted.map(|event| &event["action"]["do"]).collect();
    assert_eq!(acted, ["fill", "select", "tap", "tap", "navigate", "tap"]);
    assert_eq!(recorded.last().unwrap()["event"], "ended");
    assert!(dir.join("r/report.html").is_file());
    waldo(&dir, "report r").ok();
}

#[test]
fn a_browser_without_a_page_opens_what_is_allowed_and_arguments_are_read_as_models_write_them() {
    let dir = tempdir();
    let site = site();
    let mut client = Client::start(&dir, &["--allow", site.url("").trim_end_matches('/'), "--out", "r"]);
    client.call("observe", json!({ "picture": null })).ok().says("about:blank");
    client.call("open", json!({ "url": site.url("/") })).ok();
    let (name, send) = (client.number("\"Name\""), client.number("\"Send\""));
    let filled = client.call("fill", json!({ "element": name.to_string(), "text": 42, "submit": null }));
    filled.ok().says("value=\"42\"");
    client.call("tap", json!({ "element": f64::from(u32::try_from(send).unwrap()) })).ok().says("Thanks, 42");
    client.call("scroll", json!({ "element": name, "direction": "DOWN" })).ok();
    // Where nothing has a number a place will do; one off the screen is refused, not moved onto it.
    let place = json!({ "x": 40, "y": 60 });
    client.call("hover", json!({ "element": place })).ok();
    client.call("drag", json!({ "from": place, "to": { "x": 90, "y": 60 } })).ok();
    client.call("scroll", json!({ "element": place, "direction": "up" })).ok();
    client.call("tap_at", json!({ "element": place, "clicks": "double" })).ok();
    let off = json!({ "x": 40, "y": 99_999 });
    for (tool, arguments) in [
        ("hover", json!({ "element": off })),
        ("drag", json!({ "from": place, "to": off })),
        ("scroll", json!({ "element": off, "direction": "up" })),
        ("tap_at", json!({ "element": off })),
    ] {
        client.call(tool, arguments).refused().says("99999");
    }
    assert_eq!(client.end(), 0, "{}", Client::stderr(&dir));
}

#[test]
fn flags_bound_a_client_and_nothing_that_it_says_widens_them() {
    let foreign = Server::start(|_, _| Answer::page("stolen"));
    let (_dir, _site, mut client) = session(site(), &["--deny", "fill"]);
    let away = client.call("open", json!({ "url": foreign.url("/") })).refused();
    let away = away.says("refused").says("is not an allowed origin");
    let flag = format!("--allow {} allows it", foreign.url("/").trim_end_matches('/'));
    assert!(away.contains("the flags of waldo mcp decide this") && away.contains(&flag), "{away}");
    assert_eq!(foreign.requests().len(), 0);
    let name = client.number("\"Name\"");
    client.call("fill", json!({ "element": name, "text": "x" })).refused().says("denied");
    // A parameter that nobody knows is no way around it.
    let widened = client.call("open", json!({ "url": foreign.url("/"), "allow": "*" })).refused();
    widened.says("open has no parameter 'allow'; it has url");
    let file = client.call("open", json!({ "url": "file:///etc/passwd" })).refused();
    assert!(file.contains("refused") || file.contains("not"), "{file}");
    // Nobody can be asked here.
    let hidden = |tool: &Value| tool["name"] == "upload" || tool["name"] == "type_secret";
    assert!(!client.tools().iter().any(hidden));
    client.end();
}

#[test]
fn a_secret_is_typed_by_name_and_shown_nowhere() {
    const SECRET: &str = "correct-horse-9";
    let dir = tempdir();
    let site = site();
    let url = site.url("/");
    let args = ["--url", &url, "--secret", "pin=MY_PIN", "--out", "r"];
    let mut client = Client::start_with(&dir, &args, &[("MY_PIN", SECRET)], json!({}));
    let name = client.number("\"Name\"");
    client.call("tap", json!({ "element": name })).ok();
    let typed = client.call("type_secret", json!({ "name": "pin" })).ok();
    let send = client.number("\"Send\"");
    let sent = client.call("tap", json!({ "element": send })).ok().says("Thanks, ••••");
    let page = client.call("read", json!({})).ok().says("Thanks, ••••");
    let list = client.call("observe", json!({})).ok();
    let wrong = client.call("wait_for", json!({ "text": "", "nothing": SECRET })).refused();
    for text in [&typed, &sent, &page, &list, &wrong] {
        assert!(!text.contains(SECRET), "{text}");
    }
    client.end();
    assert!(!Client::stderr(&dir).contains(SECRET));
    assert_eq!(holding(&dir.join("r"), &[SECRET]), Vec::<PathBuf>::new());
}

#[test]
fn wrong_messages_get_errors_and_the_session_goes_on() {
    let (_dir, _site, mut client) = session(site(), &[]);
    for (arguments, fix) in [
        (json!({ "element": 999 }), "no element has the number 999: observe lists"),
        (json!({ "element": 0 }), "no element has the number 0"),
        (json!({ "element": -1 }), "element must be a number"),
        (json!({ "element": 1e300 }), "element must be a number"),
        (json!({ "element": [1] }), "element must be a number"),
        (json!({ "element": "the button" }), "an element is named by its number"),
        (json!({ "element": { "x": -5, "y": 1e9 } }), "outside"),
        (json!({}), "tap needs the parameter element"),
    ] {
        client.call("tap", arguments.clone()).refused().says(fix);
    }
    let unknown = client.request("tools/call", json!({ "name": "rm", "arguments": {} }));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("there is no tool 'rm'"), "{unknown}");
    assert!(client.request("no/such", json!({}))["error"].is_object());
    // What is no message at all, and one of 100 MB, are left out.
    client.write(b"{]\n\xff\xfe\nnull\n");
    let long = vec![b'x'; 1 << 20];
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":7777,\"method\":\"tools/call\",\"params\":{\"name\":\"");
    for _ in 0..100 {
        client.write(&long);
    }
    client.write(b"\",\"arguments\":{}}}\n");
    assert!(client.call("observe", json!({})).ok().contains("Shop"));
    let status = text_in(format!("/proc/{}/status", client.pid()));
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").trim().parse().unwrap();
    assert!(peak < 400_000, "{peak} kB for a message that is thrown away");
    client.end();
}

#[test]
fn two_hundred_calls_at_once_are_all_answered_in_turn() {
    let (_dir, _site, mut client) = session(site(), &[]);
    let name = client.number("\"Name\"");
    let ids: Vec<_> = (0..200)
        .map(|n| match n % 4 {
            0 => client.begin("type", json!({ "text": "a" })),
            1 => client.begin("tap", json!({ "element": name })),
            2 => client.begin("tap", json!({ "element": 100_000 })),
            _ => client.begin("devices", json!({})),
        })
        .collect();
    let results: Vec<_> = ids.into_iter().map(|id| called(client.answer(id))).collect();
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result.is_error, n % 4 == 2, "{n}: {}", result.text);
    }
    client.end();
}

#[test]
fn what_is_cancelled_ends_and_others_go_on() {
    let (_dir, site, mut client) = session(site(), &[]);
    let more = client.number("\"More\"");
    let wait = client.begin("wait_for", json!({ "text": "never", "seconds": 30 }));
    let tap = client.begin("tap", json!({ "element": more }));
    for id in [tap, wait] {
        client.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
        );
    }
    assert!(client.call("observe", json!({})).ok().contains("Shop"));
    // The tap waited for its turn, and was never carried out.
    assert!(!site.requests().iter().any(|request| request.path == "/two"));
    client.end();
}

/// Nothing of a session is left, however its client ends.
#[test]
fn a_client_that_dies_leaves_no_browser() {
    for how in ["end of input", "kill -9"] {
        let dir = tempdir();
        let temp = tempdir();
        let site = site();
        let url = site.url("/");
        let tmp = temp.to_str().unwrap().to_owned();
        let mut client =
            Client::start_with(&dir, &["--url", &url, "--out", "r"], &[("TMPDIR", &tmp)], json!({}));
        client.call("observe", json!({})).ok();
        assert!(!processes(&tmp).is_empty(), "a browser keeps its profile there");
        let _unanswered = client.begin("wait_for", json!({ "text": "never", "seconds": 30 }));
        if how == "kill -9" {
            signal(client.pid(), "-KILL");
        }
        client.vanish();
        until(how, 20, || processes(&tmp).is_empty());
        if how == "end of input" {
            assert!(profiles(&temp).is_empty());
            assert_eq!(events(&dir.join("r")).last().unwrap()["event"], "ended");
        }
    }
}

#[test]
fn a_killed_browser_is_started_again_and_that_is_said() {
    let (dir, temp) = (tempdir(), tempdir());
    let (site, tmp) = (site(), temp.to_str().unwrap().to_owned());
    let args = ["--url", &site.url("/"), "--out", "r"];
    let mut client = Client::start_with(&dir, &args, &[("TMPDIR", &tmp)], json!({}));
    let kill = || {
        let pids: Vec<String> = processes(&tmp).iter().map(|(pid, _)| pid.to_string()).collect();
        assert!(!pids.is_empty(), "a browser keeps its profile there");
        std::process::Command::new("kill").arg("-9").args(&pids).status().unwrap();
        until("they end", 20, || processes(&tmp).iter().all(|(pid, _)| !pids.contains(&pid.to_string())));
    };
    client.call("observe", json!({})).ok();
    let more = client.number("\"More\"");
    client.call("tap", json!({ "element": more })).ok();
    kill();
    client.call("observe", json!({})).ok().says("started again").says("\"Shop\"");
    let seen = client.call("observe", json!({})).ok();
    assert!(!seen.contains("started again"), "it is said once: {seen}");
    let send = client.number("\"Send\"");
    kill();
    client.call("tap", json!({ "element": send })).refused().says("started again");
    assert!(client.call("tap", json!({ "element": send })).ok().contains("Thanks,"), "it goes on");
    client.end();
}

#[test]
fn a_session_that_cannot_start_says_why() {
    let dir = tempdir();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut client = Client::start(&dir, &["--url", &format!("http://{nobody}/"), "--out", "r"]);
    client.call("observe", json!({})).refused().says("the session has ended").says("start waldo mcp again");
    assert_ne!(client.end(), 0);
}

#[test]
fn only_files_that_flags_name_are_uploaded() {
    let dir = tempdir();
    write(dir.join("photo.txt"), "a photo");
    let site = Server::start(|_, _| {
        Answer::page(
            "<!doctype html><title>Up</title><label>File <input type=file onchange=\"o.textContent=this.files[0].name+' is chosen'\"></label><p id=o></p>",
        )
    });
    let mut client = Client::start(&dir, &["--url", &site.url("/"), "--upload", "photo.txt", "--out", "r"]);
    let field = client.number("\"File\"");
    for foreign in ["../photo.txt", "/etc/passwd", "other.txt"] {
        client.call("upload", json!({ "element": field, "file": foreign })).refused().lacks("is chosen");
    }
    client.call("upload", json!({ "element": field, "file": "photo.txt" })).ok().says("photo.txt is chosen");
    client.end();
}

#[test]
fn a_phone_is_driven_like_a_page() {
    let dir = tempdir();
    let args = ["--device", "simphone", "--open", "com.android.settings", "--out", "r"];
    let mut client = Client::start(&dir, &args);
    let names = offered(&mut client, &["open", "home", "swipe", "long_press", "tap"]);
    assert!(!names.iter().any(|name| name == "new_tab"), "{names:?}");
    let display = client.number("\"Display");
    client.call("tap", json!({ "element": display })).ok().says("\n+ ");
    client.call("tap", json!({ "element": display })).refused().says("not on the screen any more");
    client.call("back", json!({})).ok();
    assert!(client.call("observe", json!({})).ok().contains("\"Display"));
    // Another app than the opened one is not to be touched.
    client.call("open", json!({ "app": "Contacts" })).refused().says("refused");
    assert_eq!(client.call("devices", json!({})).whole["structuredContent"]["platform"], "android");
    client.end();
}

#[test]
fn documentation_of_what_is_on_the_screen_is_told() {
    let dir = tempdir();
    let slots = "{'tap': 'x', 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}";
    write(dir.join("pad/auto_docs/button|Send.txt"), slots);
    waldo(&dir, "docs import pad --docs docs --app pad").ok();
    waldo(&dir, "docs edit docs button|Send --slot tap --text 'Sends the order.'").ok();
    let site = site();
    let mut client = Client::start(&dir, &["--url", &site.url("/"), "--docs", "docs", "--out", "r"]);
    let send = client.number("\"Send\"");
    client.call("docs", json!({})).ok().says(format!("[{send}] ")).says("Sends the order");
    client.end();
}

#[test]
fn core_tools_are_ten() {
    let (_dir, _site, mut client) = session(site(), &["--tools", "core"]);
    let tools = client.tools();
    assert!(tools.len() <= 10, "{tools:?}");
    assert!(tokens(&serde_json::to_string(&tools).unwrap()) <= 1_200);
    let read_only = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["annotations"]["readOnlyHint"].as_bool()
    };
    assert_eq!([read_only("observe"), read_only("tap")], [Some(true), None]);
    client.end();
}

#[test]
fn pictures_are_packed_as_asked() {
    let dir = tempdir();
    let site = site();
    let url = site.url("/");
    let mut pictures = Vec::new();
    for (format, media) in [("png", "image/png"), ("webp", "image/webp")] {
        let mut client = Client::start(
            &dir,
            &["--url", &url, "--picture", format, "--viewport", "640x480", "--out", format],
        );
        for (tool, arguments) in [("observe", json!({ "picture": true })), ("screenshot", json!({}))] {
            let shown = client.call(tool, arguments).whole;
            let content = shown["content"].as_array().unwrap();
            let image = content.iter().find(|part| part["type"] == "image").unwrap();
            assert_eq!(image["mimeType"], media, "{tool}");
            let packed =
                base64::engine::general_purpose::STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
            pictures.push(image::load_from_memory(&packed).unwrap().to_rgb8());
        }
        client.end();
    }
    assert!(pictures[0] == pictures[2] && pictures[1] == pictures[3] && pictures[0] != pictures[1]);
}
