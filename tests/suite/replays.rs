//! Replays of recordings on pages that changed: found again, mended by an agent, kept.

use super::support::*;

pub(super) const PAY: &str = "<button onclick=\"p('b')\">Pay</button>";

/// A suite of one task: press two buttons, one after the other.
pub(super) fn shop(dir: &Path, first: &str, second: &str, more: &str) {
    let page = format!(
        "<!doctype html><title>T</title><h1>Basket</h1>{more}<p>Two lamps</p><button onclick=\"p('a')\">{first}</button>\
         <p>All in all</p>{second}<script>const s = [];\
         const p = (k) => {{ s.push(k); fetch('/_waldo/state', {{ method: 'PUT', body: JSON.stringify({{ s }}) }}); }};</script>"
    );
    let checks = "max_steps = 8\n[[check]]\nkind = \"state\"\npointer = \"/s\"\nequals = [\"a\", \"b\"]\n";
    suite(dir, "s", &[("two", &page, checks)]);
    let file = dir.join("s/tasks/two.toml");
    let text = text_in(&file);
    let steps = "[[reference]]\ndo = \"tap\"\nrole = \"button\"\nname = \"Add lamp\"\n\
                 [[reference]]\ndo = \"tap\"\nrole = \"button\"\nname = \"Pay\"\n";
    write(file, text.split("[[reference]]").next().unwrap().to_owned() + steps);
}

fn replay(dir: &Path, run: &str, more: &str) -> Waldo {
    waldo(dir, &format!("replay {run} reference/two/r0 --suite ./s --json {more}"))
}

#[test]
fn a_recording_is_replayed_where_names_changed_and_an_agent_does_what_is_not_found() {
    let dir = tempdir();
    let at = &dir;
    shop(at, "Add lamp", PAY, "");
    waldo(at, "eval ./s --agent reference --no-report --out r").ok();

    // Moved and renamed: found without a model, and told.
    shop(at, "Add this lamp", PAY, "<button>Close</button><p style='height:200px'></p>");
    let drift = json!([{ "step": 1, "before": "button \"Add lamp\"", "after": "button \"Add this lamp\"", "how": "structure" }]);
    has(&replay(at, "r", "").json(), json!({ "success": 1.0, "replayed_steps": 3, "drifts": drift }));
    waldo(at, "replay r reference/two/r0 --suite ./s")
        .ok()
        .prints("step 1: button \"Add lamp\" is now button \"Add this lamp\", found by its kind");

    // Something else in its place: the replay stops, or an agent does this one step.
    shop(
        at,
        "Add lamp",
        "<a href='#' onclick=\"p('b')\">Zahlung</a>",
        "<button>Hilfe</button><button>Konto</button>",
    );
    let got = replay(at, "r", "").exits(8).json();
    assert!(got["success"].is_null() && got["drifted"].as_str().unwrap().contains("Pay"), "{got}");
    let model = Server::start(|_, request| match request.path.as_str() {
        path if path.ends_with("/chat/completions") && request.body.contains("this one step") => {
            Answer::acts("tap(4)")
        }
        path if path.ends_with("/chat/completions") => Answer::chat("ready"),
        _ => Answer::new("404 Not Found", "text/plain", ""),
    });
    let base = model.url("/v1");
    let more = format!("--fall-back appagent --model m --base-url {base} --keep mended");
    let got = replay(at, "r", &more).json();
    has(&got, json!({ "success": 1.0, "replayed_steps": 2, "drifts/0/step": 2, "drifts/0/how": "agent" }));
    let asked = model.requests().into_iter().filter(|r| r.body.contains("this one step")).count();
    assert_eq!(asked, 1, "for that step alone");
    // What was kept needs no agent any more.
    has(&replay(at, "mended", "").json(), json!({ "success": 1.0, "drifts": [] }));
    assert!(at.join("mended/report.html").is_file());
    waldo(at, "replay r reference/two/r0 --suite ./s --keep mended").exits(4);
}
