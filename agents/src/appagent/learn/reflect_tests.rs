use serde_json::json;

use super::*;

const DOC: &str = "Opens the settings.";

fn reply(decision: &str) -> String {
    format!("Decision: {decision}\nThought: It moved.\nDocumentation: {DOC}")
}

/// Reply, what AppAgent makes of it (`None` is its ERROR), what we make of it.
#[test]
fn every_row_as_appagent_reads_it_and_as_we_do() {
    use ActionVerdict::{Back, Continue, Ineffective, Success};
    type Verdict = Option<(ActionVerdict, Option<&'static str>)>;
    let [success, back, goes_on] = [Success, Back, Continue].map(|verdict| Some((verdict, Some(DOC))));
    let (idle, opens) = (Some((Ineffective, None)), Some((Back, Some("Opens"))));
    let json = json!({ "Decision": "BACK", "Thought": "x", "Documentation": DOC });
    let rows: Vec<(String, Verdict, Verdict)> = vec![
        (reply("SUCCESS"), success, success),
        (reply("BACK"), back, back),
        (reply("CONTINUE"), goes_on, goes_on),
        (reply("INEFFECTIVE"), idle, idle),
        ("Decision: INEFFECTIVE\nThought: Same.".into(), idle, idle),
        // A trailing blank, another case, markdown, quotes.
        (reply("SUCCESS "), None, success),
        (reply("Success"), None, success),
        (reply("**BACK**"), None, back),
        (reply("\"BACK\""), None, back),
        (reply("CONTINUE."), None, goes_on),
        (reply("SUCCESS, no need to go BACK"), None, success),
        (reply("FINISH"), None, None),
        (reply("BACK or CONTINUE").replace("BACK or", "either BACK or"), None, None),
        (format!("**Decision:** BACK\n**Thought:** x\n**Documentation:** {DOC}"), None, back),
        (format!("## Decision\nBACK\n## Thought\nx\n## Documentation\n{DOC}"), None, back),
        // A colon without a blank, or with a line break behind it.
        (format!("Decision:BACK\nThought:x\nDocumentation:{DOC}"), None, back),
        (format!("Decision:\nBACK\nThought:\nx\nDocumentation:\n{DOC}"), None, back),
        // Parts that are missing.
        (format!("Decision: BACK\nDocumentation: {DOC}"), None, back),
        ("Decision: BACK\nThought: x".into(), None, None),
        ("Decision: INEFFECTIVE".into(), None, idle),
        (format!("Thought: BACK it is.\nDocumentation: {DOC}"), None, back),
        ("".into(), None, None),
        ("I cannot tell.".into(), None, None),
        // Only the first line counts for AppAgent; ours goes on to the next part.
        ("Decision: BACK\nThought: x\nDocumentation: Opens\nthe settings.".into(), opens, back),
        // The name may stand within a line for AppAgent.
        (format!("My Decision: BACK\nThought: x\nDocumentation: {DOC}"), back, back),
        (format!("Decision: BACK\nThought: x\nDocumentation: {DOC}\nDecision: SUCCESS"), back, back),
        // Fences, JSON, thinking aloud.
        (format!("```\n{}\n```", reply("BACK")), back, back),
        (format!("{json:#}"), None, back),
        (format!("<think>Decision: SUCCESS?</think>\n{}", reply("BACK")), None, back),
    ];
    for (reply, theirs, ours) in rows {
        let compat = parse_compat(&reply).map(|r| (r.verdict, r.documentation));
        let compat = compat.as_ref().map(|(v, d)| (*v, d.as_deref()));
        assert_eq!(compat, theirs, "AppAgent on {reply:?}");
        let read = parse_tolerant(&reply);
        let tolerant = read.as_ref().ok().map(|r| (r.verdict, r.documentation.as_deref()));
        assert_eq!(tolerant, ours, "we on {reply:?}: {read:?}");
    }
}

#[test]
fn what_was_mended_is_told() {
    assert!(parse_tolerant(&reply("SUCCESS")).unwrap().repairs.is_empty());
    let read = parse_tolerant("```\n**decision**: back!\nDocumentation: x\n```").unwrap();
    assert_eq!(
        read.repairs,
        ["code fence", "headings in another form", "words around the decision", "no Thought"]
    );
    assert!(parse_tolerant("Decision: BACK\nThought: x").unwrap_err().contains("no Documentation part"));
}

#[test]
fn what_is_to_be_left_alone_is_read_from_its_own_part() {
    let of = |text: &str| {
        let reply = format!("{}\n{text}", reply("SUCCESS"));
        let read = parse_tolerant(&reply).unwrap();
        assert_eq!(read.documentation.as_deref(), Some(DOC), "{reply}");
        (read.sensitive.this, read.sensitive.after.into_iter().collect::<Vec<u32>>())
    };
    for nothing in ["", "Sensitive: none", "Sensitive: None; 5 only opens a list."] {
        assert_eq!(of(nothing), (false, vec![]), "{nothing}");
    }
    assert_eq!(of("Sensitive: 7, 12"), (false, vec![7, 12]));
    assert_eq!(of("**Sensitive:** [7] and this"), (true, vec![7]));
    assert_eq!(of("sensitive: this"), (true, vec![]));
    // What does nothing may stand beside what must be left alone.
    let read = parse_tolerant("Decision: INEFFECTIVE\nThought: x\nSensitive: 3").unwrap();
    assert_eq!(read.sensitive.after, BTreeSet::from([3]));
}
