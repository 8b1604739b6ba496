use super::*;

fn steps(json: serde_json::Value) -> Vec<Step> {
    serde_json::from_value(json).unwrap()
}

fn solved() -> Solved {
    Solved {
        goal: "Put the guest's name into the form".into(),
        steps: steps(json!([
            { "do": "tap", "role": "link", "name": "Guests" },
            { "do": "tap", "role": "link", "name": "Form" },
            { "do": "type", "text": "Ada Lund, 3 nights" }
        ])),
    }
}

/// AppAgent's prompt as far as it is read.
fn prompt(history: &str, screen: &str) -> String {
    format!(
        "\n# Task\n\nPut the guest's name into the form\n\n# So far\n\n{history}\n\nTurns left, this one included: 9.\n\n\
         # Screen\n\n<screen-text untrusted>\n{screen}\n</screen-text>\n\nAnswer now"
    )
}

fn action(reply: &str) -> &str {
    reply.lines().find_map(|line| line.strip_prefix("Action: ")).unwrap()
}

fn summary(reply: &str) -> &str {
    reply.lines().find_map(|line| line.strip_prefix("Summary: ")).unwrap()
}

const FIRST: &str = "1 link \"Guests\"";
const GUESTS: &str = "\"Lund, Ada\"\n\"Room 7\"\n1 link \"Form\"";
const FORM: &str = "1 textbox \"Name\" (focused)";

#[test]
fn what_is_noted_is_typed() {
    let mut course = NoteTakerEpisode::default();
    let play = |course: &mut NoteTakerEpisode, history: &str, screen| {
        course.reply(&[&prompt(history, screen)], &solved()).unwrap()
    };
    let first = play(&mut course, "None", FIRST);
    assert_eq!((action(&first), summary(&first)), ("tap(1)", "Noted: "));
    let second = play(&mut course, summary(&first), GUESTS);
    assert_eq!((action(&second), summary(&second)), ("tap(1)", "Noted: ada lund"));
    let third = play(&mut course, summary(&second), FORM);
    // No screen had the number of nights: it is its own.
    assert_eq!(action(&third), "text(\"Ada Lund, 3 nights\")");
}

#[test]
fn what_is_not_carried_is_forgotten() {
    let mut course = NoteTakerEpisode::default();
    for screen in [FIRST, GUESTS] {
        course.reply(&[&prompt("None", screen)], &solved()).unwrap();
    }
    let reply = course.reply(&[&prompt("None", FORM)], &solved()).unwrap();
    assert_eq!((action(&reply), summary(&reply)), ("text(\" , 3 nights\")", "Noted: "));
}

#[test]
fn the_same_prompt_gets_the_same_reply() {
    let mut course = NoteTakerEpisode::default();
    let first = course.reply(&[&prompt("None", FIRST)], &solved()).unwrap();
    assert_eq!(course.reply(&[&prompt("None", FIRST)], &solved()).unwrap(), first);
    assert_eq!(course.progress.cursor.done, 1);
    assert_eq!(course.reply(&["Good morning"], &solved()), None);
}
