//! The format of the pictures that a model is sent.

use super::support::*;

/// A suite's episode by a model that says `colour` when it is asked what it sees in a WebP: the endings of the
/// pictures that were kept, and the media types of those that were sent.
fn played(colour: &'static str, flags: &str) -> (String, String) {
    let server = Server::start_bare(move |_, request| match request.body.contains("What colour") {
        true => Answer::chat(colour),
        false => Answer::acts("FINISH"),
    });
    let dir = tempdir();
    let line = "eval l3-web --agent appagent --model m --task kanban-drag --no-report --out r";
    waldo(&dir, &format!("{line} --base-url {} {flags}", server.url("/v1"))).ok();
    let episode = dir.join("r/episodes/appagent+m/kanban-drag/r0");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut kept: Vec<_> =
        std::fs::read_dir(episode).unwrap().map(name).filter(|n| n.starts_with("step-")).collect();
    kept.sort();
    let types = ["data:image/png", "data:image/webp", "data:image/jpeg"];
    let sent = server.requests();
    let sent = sent.iter().filter(|request| !request.body.contains("This only tests the connection."));
    let sent = sent.map(|request| *types.iter().find(|one| request.body.contains(*one)).unwrap());
    (kept.join(" "), sent.collect::<Vec<_>>().join(" "))
}

#[test]
fn an_endpoint_is_sent_what_it_sees_or_what_was_asked_for_and_the_record_keeps_the_same() {
    let each = |ending: &str, kind: &str| {
        (format!("step-01.{ending} step-02.{ending}"), format!("data:image/{kind}"))
    };
    assert_eq!(played("Orange.", ""), each("webp", "webp"));
    // Whoever does not see what is in it is sent what all read.
    assert_eq!(played("ok", ""), each("png", "png"));
    assert_eq!(played("ok", "--picture jpeg:70 --picture-max 640x640"), each("jpg", "jpeg"));
    assert_eq!(played("ok", "--picture webp").1, "data:image/webp");
    assert_eq!(played("orange", "--picture png").1, "data:image/png");
}

#[test]
fn a_screen_that_stays_as_it_is_is_stored_once_and_a_merge_stores_nothing_again() {
    use std::os::unix::fs::MetadataExt as _;
    let dir = tempdir();
    let check = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"T\"";
    suite(&dir, "s", &[("still", "<title>T</title><button>Stay</button>", check)]);
    let args = "eval ./s --agent noop --max-steps 3 --no-report --out r";
    waldo(&dir, args).ok();
    waldo(&dir, "merge r --out m").ok();
    let file = |run: &str, name: &str| {
        let path = dir.join(run).join("episodes/noop/still/r0").join(name);
        (std::fs::metadata(&path).unwrap().ino(), std::fs::read(path).unwrap())
    };
    let (first, third) = (file("r", "step-01.webp"), file("r", "step-03.webp"));
    assert!(first == third, "the same picture is stored twice");
    for name in ["step-01.webp", "events.jsonl", "result.json"] {
        assert_eq!(file("r", name).0, file("m", name).0, "{name} is stored again");
    }
    // The run that was merged goes on by itself: what it writes anew is not the other's.
    let events = file("m", "events.jsonl").1;
    std::fs::remove_file(dir.join("r/episodes/noop/still/r0/result.json")).unwrap();
    waldo(&dir, args).ok();
    assert!(file("m", "events.jsonl").1 == events && file("r", "events.jsonl").1 != events);
}
