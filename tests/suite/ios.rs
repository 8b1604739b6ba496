//! An iPhone, named on the command line. The driver's own tests play against a double of WebDriverAgent.

use super::support::{Answer, Server, waldo};

#[test]
fn an_iphone_is_examined_fenced_and_refused_in_the_clear() {
    let dir = tempfile::tempdir().unwrap();
    let phone = Server::start_bare(|_, request| {
        let value = match request.path.as_str() {
            "/status" => r#"{"ready": true, "os": {"name": "iOS", "version": "17.4"}, "device": "iphone"}"#,
            "/wda/screen" => r#"{"screenSize": {"width": 200, "height": 400}, "scale": 2}"#,
            "/wda/locked" => "true",
            _ => r#"{"error": "unknown command", "message": "a stand-in has no more"}"#,
        };
        Answer::new("200 OK", "application/json", format!(r#"{{"value": {value}, "sessionId": null}}"#))
    });
    let device = format!("wda:{}", phone.url(""));
    let findings = waldo(dir.path(), &["doctor", "--device", &device, "--json"]).run().json();
    let finding = |what: &str| {
        let found = findings.as_array().unwrap().iter().find(|finding| finding["what"] == what);
        found.unwrap_or_else(|| panic!("no {what} in {findings}")).clone()
    };
    assert!(finding("phone")["found"].as_str().unwrap().contains("iPhone, iOS 17.4 by WebDriverAgent"));
    assert_eq!(finding("phone lock")["ok"], false);
    assert_eq!(finding("phone picture")["ok"], false);
    assert!(finding("phone proof")["found"].as_str().unwrap().contains("not seen on a phone"));
    // Whatever does something there is posted, with a body.
    assert!(phone.requests().iter().all(|asked| asked.body.is_empty()), "{:?}", phone.requests());

    let run = |more: &[&str]| {
        let args = ["run", "look", "--agent", "noop", "--device"];
        waldo(dir.path(), &[&args[..], more].concat()).run()
    };
    let said = run(&[&device]);
    assert!(said.code != 0 && said.stderr.contains("--open BUNDLE"), "{}", said.stderr);
    let said = run(&[&device, "--url", "http://a"]);
    assert!(said.code != 0 && said.stderr.contains("--url is for a browser"), "{}", said.stderr);
    let said = run(&["wda:http://192.0.2.1:8100", "--open", "com.apple.Preferences"]);
    assert!(said.code != 0 && said.stderr.contains("--insecure"), "{}", said.stderr);
    let said = run(&["wda:http://127.0.0.1:1", "--open", "com.apple.Preferences"]);
    assert!(said.code != 0 && said.stderr.contains("nothing answers"), "{}", said.stderr);
    let said = run(&["wda:http://me:zq7hunt3@127.0.0.1", "--open", "com.apple.Preferences"]);
    assert!(said.code != 0 && !said.stderr.contains("zq7hunt3"), "{}", said.stderr);
    let said = waldo(dir.path(), &["eval", "l3-android", "--device", &device, "--agent", "noop"]).run();
    assert!(said.code != 0 && said.stderr.contains("--device simphone"), "{}", said.stderr);
}
