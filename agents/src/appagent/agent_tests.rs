use std::sync::Arc;

use waldo_devices::{
    Action, Affordance, Capability, DialogInfo, LabelStyle, Picture, Point, RefusalKind, ScrollNotches,
    Settled, TabIndex,
};

use super::*;
use crate::agent::{Note, View};
use crate::appagent::docs::{Docs, ElementKnowledge, Layers, Slot};
use crate::appagent::testing::{
    ScriptedModel, brief, device, element, elements, observation, phone, step, step_on, turn, view,
};

fn reply(action: &str) -> String {
    let name = action.split('(').next().unwrap();
    format!("Observation: o\nThought: t\nAction: {action}\nSummary: Did {name}.")
}

/// What documentation says of tapping.
fn tapping(text: &str) -> Layers {
    let mut layers = Layers::default();
    layers.auto.set(Slot::Tap, text);
    layers
}

fn agent(script: &Arc<ScriptedModel>, options: AppAgentOptions) -> AppAgent {
    let mut agent = AppAgent::new(script.clone(), Arc::new(Prompts::builtin().unwrap()), options);
    agent.begin(&brief("Order a lamp.", vec![])).unwrap();
    agent
}

fn asked(script: &ScriptedModel, i: usize) -> String {
    let asked = script.asked.lock().unwrap();
    match &asked[i].messages.last().unwrap().parts[0] {
        MessagePart::Text(text) => text.clone(),
        _ => panic!("the text comes first"),
    }
}

async fn acted(action: &str) -> Action {
    let script = ScriptedModel::new(&[&reply(action)]);
    match step(&mut agent(&script, AppAgentOptions::default()), 1, &view(), None).await.choice {
        Choice::Act { action } => action,
        other => panic!("{action}: {other:?}"),
    }
}

#[tokio::test]
async fn the_prompt_shows_the_screen_and_the_reply_becomes_an_action() {
    let script = ScriptedModel::new(&[&reply("tap(1)")]);
    let decision = step(&mut agent(&script, AppAgentOptions::default()), 1, &view(), None).await;
    insta::assert_snapshot!(asked(&script, 0));
    assert!(matches!(
        script.asked.lock().unwrap()[0].messages[0].parts[..],
        [MessagePart::Text(_), MessagePart::Png(_)]
    ));
    assert!(matches!(decision.choice, Choice::Act { action: Action::Tap { .. } }));
    assert_eq!((decision.tag, decision.call.as_str()), (Some(Tag(1)), "tap(1)"));
    assert_eq!(decision.summary.as_deref(), Some("Did tap."));
    assert_eq!((decision.exchanges.len(), decision.exchanges[0].pictures), (1, 1));
}

#[tokio::test]
async fn a_secret_is_offered_by_name_and_typed_by_the_device() {
    let options = AppAgentOptions { secrets: vec!["pin".into()], ..AppAgentOptions::default() };
    let script = ScriptedModel::new(&[&reply("secret(\"pin\")"), &reply("secret(\"pim\")"), "no"]);
    let mut mine = agent(&script, options);
    let decision = step(&mut mine, 1, &view(), None).await;
    assert_eq!(decision.choice, Choice::Act { action: Action::TypeSecret { name: "pin".into() } });
    assert!(asked(&script, 0).contains("secret(\"name\")") && asked(&script, 0).contains("names are: pin."));
    let decision = step(&mut mine, 2, &view(), None).await;
    let told = decision.exchanges[0].rejected.as_deref().unwrap();
    assert!(told.contains("names no secret; there is pin"), "{told}");
    let script = ScriptedModel::new(&[&reply("secret(\"pin\")"), "no"]);
    let decision = step(&mut agent(&script, AppAgentOptions::default()), 1, &view(), None).await;
    assert!(decision.exchanges[0].rejected.as_deref().unwrap().contains("not among the functions"));
    assert!(!asked(&script, 0).contains("secret("));
}

#[tokio::test]
async fn a_phone_is_offered_what_it_can() {
    let script =
        ScriptedModel::new(&[&reply("swipe(1, \"down\", \"short\")"), &reply("select(3, \"Small\")"), "no"]);
    let mut agent = agent(&script, AppAgentOptions::default());
    agent.begin(&Brief { device: phone(), ..brief("Order.", vec![]) }).unwrap();
    let decision = step_on(&phone(), &mut agent, 1, &view(), None).await;
    let drag = Action::drag(vec![Point::new(60.0, 35.0), Point::new(60.0, 35.0 + 144.0)]);
    assert_eq!(decision.choice, Choice::Act { action: drag });
    assert!(!asked(&script, 0).contains("select(") && !asked(&script, 0).contains("switch_tab"));
    let decision = step_on(&phone(), &mut agent, 2, &view(), None).await;
    let told = decision.exchanges[0].rejected.as_deref().unwrap();
    assert!(told.contains("select is not among the functions"), "{told}");
}

#[tokio::test]
async fn calls_become_actions() {
    let scroll = |x, y, right, down| Action::scroll(Point::new(x, y), ScrollNotches { right, down });
    let drag = |a: (f64, f64), b: (f64, f64)| Action::drag(vec![Point::new(a.0, a.1), Point::new(b.0, b.1)]);
    let open = |url: &str| Action::Navigate { url: url.into() };
    for (call, action) in [
        ("swipe(6, \"up\", \"medium\")", scroll(60.0, 275.0, 0, 6)),
        ("scroll(\"left\", 2)", scroll(360.0, 240.0, -2, 0)),
        ("open(\"/x\")", open("http://127.0.0.1:8080/x")),
        ("open(\"127.0.0.1:8080/x\")", open("http://127.0.0.1:8080/x")),
        ("open(\"example.org\")", open("https://example.org/")),
        ("switch_tab(2)", Action::SwitchTab { tab: TabIndex(1) }),
        ("enter()", Action::Key { chord: "Enter".into() }),
        ("drag_path(5, \"0,0 100,100\")", drag((10.0, 180.0), (209.5, 209.5))),
        ("drag(7, 5, \"\", \"50,50\")", drag((60.0, 315.0), (110.0, 195.0))),
    ] {
        assert_eq!(acted(call).await, action, "{call}");
    }
}

#[tokio::test]
async fn a_bad_reply_is_asked_for_again_once_with_the_reason() {
    for (bad, reason) in [
        ("tap(99)", "the numbers on this screen are 1 to 7"),
        ("tap(0)", "no element has the number 0"),
        ("tap(3, \"top\")", "tap takes the number of one element"),
        ("fly(1)", "there is no function fly"),
        ("upload(4, \"/etc/passwd\")", "without a path"),
        ("switch_tab(3)", "there is no tab 3; 2 are open"),
        ("open(\"http://\")", "is not an address"),
    ] {
        let script = ScriptedModel::new(&[&reply(bad), &reply("tap(2)")]);
        let decision = step(&mut agent(&script, AppAgentOptions::default()), 1, &view(), None).await;
        assert_eq!(decision.tag, Some(Tag(2)), "{bad}");
        let told = decision.exchanges[0].rejected.clone().unwrap();
        assert!(told.contains(reason), "{bad}: {told}");
        assert!(asked(&script, 1).contains(&told), "{bad}");
        let asked = script.asked.lock().unwrap();
        assert_eq!(asked[1].messages.len(), 3);
        assert_eq!(asked[1].messages[1], message(Speaker::Assistant, &reply(bad)));
    }
}

#[tokio::test]
async fn after_the_second_bad_reply_the_step_is_passed_over_and_the_next_prompt_says_so() {
    let script = ScriptedModel::new(&["What?", &reply("tap(99)"), &reply("FINISH")]);
    let mut agent = agent(&script, AppAgentOptions::default());
    let decision = step(&mut agent, 1, &view(), None).await;
    assert!(
        matches!(&decision.choice, Choice::Pass { reason } if reason.contains("number 99")),
        "{decision:?}"
    );
    assert_eq!(decision.exchanges.iter().filter(|e| e.rejected.is_some()).count(), 2);
    assert_eq!(step(&mut agent, 2, &view(), None).await.choice, Choice::Finish { answer: None });
    assert!(asked(&script, 2).contains("your reply could not be used"), "{}", asked(&script, 2));
}

#[tokio::test]
async fn a_reply_cut_off_is_told_so() {
    let mut script = ScriptedModel::new(&["Observation: so many", &reply("tap(1)")]);
    Arc::get_mut(&mut script).unwrap().finish = "length";
    let decision = step(&mut agent(&script, AppAgentOptions::default()), 1, &view(), None).await;
    assert!(decision.exchanges[0].rejected.as_deref().unwrap().contains("cut off after 1024 tokens"));
}

#[tokio::test]
async fn notes_and_summaries_reach_the_next_prompt() {
    let script = ScriptedModel::new(&[&reply("tap(1)"), "Action: back()", &reply("answer(\"42\")")]);
    let mut agent = agent(&script, AppAgentOptions::default());
    step(&mut agent, 1, &view(), None).await;
    let refused = Note::refused(RefusalKind::Denied, "no\npayments");
    step(&mut agent, 2, &view(), Some(&refused)).await;
    let text = asked(&script, 1);
    assert!(text.contains("# So far\n\nDid tap.\n"), "{text}");
    assert!(text.contains("tap(1), by the numbers of the screen before, was refused: no payments"), "{text}");
    assert!(text.contains("Turns left, this one included: 9."), "{text}");
    let decision = step(&mut agent, 10, &view(), Some(&Note::NoChange)).await;
    assert_eq!(decision.choice, Choice::Finish { answer: Some("42".into()) });
    assert!(asked(&script, 2).contains("Did tap. Then called back()."), "{}", asked(&script, 2));
    assert!(asked(&script, 2).contains("this one included: 1. Whatever"), "{}", asked(&script, 2));
}

#[tokio::test]
async fn a_screen_that_loads_and_what_happened_unasked_are_told() {
    let mut o = observation(elements(), Picture::empty());
    let quiet = View::new(o.clone(), LabelStyle::default()).unwrap();
    o.settled = Settled::StillLoading;
    o.context.notices = vec!["the page crashed \"twice\"".into()];
    let loading = View::new(o, LabelStyle::default()).unwrap();
    let script = ScriptedModel::new(&[&reply("tap(1)"), &reply("tap(1)")]);
    let mut agent = agent(&script, AppAgentOptions::default());
    step(&mut agent, 1, &quiet, None).await;
    step(&mut agent, 2, &loading, None).await;
    let told = [asked(&script, 0), asked(&script, 1)]
        .map(|text| (text.contains("\nstill loading: "), text.contains("\nnotice: \"the page crashed")));
    assert_eq!(told, [(false, false), (true, true)], "{}", asked(&script, 1));
}

#[tokio::test]
async fn a_grid_lasts_one_action_and_keeps_the_summary() {
    let replies = ["grid()", "tap(99, \"top\")", "tap(2, \"top-left\")", "tap(1)"].map(reply);
    let script = ScriptedModel::new(&replies.each_ref().map(String::as_str));
    let mut agent = agent(&script, AppAgentOptions::default());
    assert_eq!(step(&mut agent, 1, &view(), None).await.choice, Choice::Pass { reason: "grid".into() });
    let decision = step(&mut agent, 2, &view(), None).await;
    insta::assert_snapshot!(asked(&script, 1));
    assert!(decision.exchanges[0].rejected.as_deref().unwrap().contains("there is no area 99"));
    let Choice::Act { action } = decision.choice else { panic!("{decision:?}") };
    assert_eq!(action.point(), Grid::for_size(720, 480).point(2, labels::Subarea::TopLeft));
    let picture = |n: usize| script.asked.lock().unwrap()[n].messages[0].parts[1].clone();
    assert_ne!(picture(0), picture(1));
    assert_eq!(step(&mut agent, 3, &view(), None).await.tag, Some(Tag(1)));
    assert!(asked(&script, 3).contains("<screen-text untrusted>"));
}

#[tokio::test]
async fn a_dialog_without_a_picture_is_answered_from_the_text() {
    let mut o = observation(vec![], Picture::empty());
    o.context.dialog =
        Some(DialogInfo { kind: "prompt".into(), message: "Your name?".into(), default: Some("Ada".into()) });
    let view = View::new(o, LabelStyle::default()).unwrap();
    let script = ScriptedModel::new(&[&reply("grid()"), &reply("dialog(\"accept\", \"Bob\")")]);
    let decision = step(&mut agent(&script, AppAgentOptions::default()), 1, &view, None).await;
    insta::assert_snapshot!(asked(&script, 0));
    assert!(matches!(script.asked.lock().unwrap()[0].messages[0].parts[..], [MessagePart::Text(_)]));
    assert!(matches!(decision.choice, Choice::Act { action: Action::Dialog { .. } }), "{decision:?}");
}

#[tokio::test]
async fn docs_are_given_for_what_is_on_the_screen() {
    let known = |key: &str, text: &str| {
        (key.to_owned(), ElementKnowledge { layers: tapping(text), ..ElementKnowledge::default() })
    };
    let docs = Docs::new([
        known("button|Save \"all\"", "Keeps all changes."),
        known("button|Elsewhere", "Not here."),
    ]);
    let key = crate::appagent::docs::key_of(&elements()[0], Mode::Tolerant);
    assert_eq!(key.unwrap(), "button|Save \"all\"");
    let script = ScriptedModel::new(&[&reply("tap(1)")]);
    let options = AppAgentOptions { docs: Arc::new(docs.into()), ..AppAgentOptions::default() };
    step(&mut agent(&script, options), 1, &view(), None).await;
    let text = asked(&script, 0);
    assert!(
        text.contains("- element 1: It can be tapped. Keeps all changes.\n") && !text.contains("Not here"),
        "{text}"
    );
}

#[test]
fn docs_of_a_uid_are_not_given_to_another_name_and_twins_give_theirs() {
    let row = |name: &str, n: u32, uid: &str| {
        let mut row = element("button", name, n, &[Affordance::Click]);
        row.uid = Some(uid.to_owned());
        row
    };
    let known = |key: &str, uid: &str, name: &str, text: &str| {
        let (uid, name, layers) = (uid.into(), name.into(), tapping(text));
        (key.to_owned(), ElementKnowledge { uid, name, layers, ..ElementKnowledge::default() })
    };
    let docs = Docs::new([
        known("L_1", "L_1", "Display", "opens the display"),
        known("L_2", "L_2", "", "opens a page"),
        known("L_3", "L_3", "Wi-Fi, Connected", "opens networks"),
        known("L_3 \u{201c}Bluetooth\u{201d}", "L_3", "Bluetooth", "opens devices"),
        known("outer", "outer", "", "is what AppAgent numbers here"),
    ]);
    let told = |elements: Vec<waldo_devices::Element>, mode: Mode| -> Vec<(u32, String)> {
        let view = View::new(observation(elements, Picture::empty()), LabelStyle::Boxes).unwrap();
        let told = docs.of(&view, mode).into_iter();
        told.map(|d| (d.tags[0], d.text.replace("It can be tapped. ", ""))).collect()
    };
    let rows = || {
        let all =
            [("Sound", 0, "L_1"), ("Battery", 1, "L_2"), ("Wi-Fi, Off", 2, "L_3"), ("Bluetooth", 3, "L_3")];
        all.map(|(name, n, uid)| row(name, n, uid)).to_vec()
    };
    let of = |n: u32, text: &str| (n, text.to_owned());
    assert_eq!(
        told(rows(), Mode::Tolerant),
        [of(2, "opens a page"), of(3, "opens networks"), of(4, "opens devices")]
    );
    let both = "\u{201c}Wi-Fi, Connected\u{201d}: opens networks \u{201c}Bluetooth\u{201d}: opens devices";
    assert_eq!(
        told(rows(), Mode::Compat),
        [of(1, "opens the display"), of(2, "opens a page"), of(3, both), of(4, both)]
    );
    // What was written about a uid without a name is nobody's where several have that uid.
    assert!(told(vec![row("", 0, "L_2"), row("", 1, "L_2")], Mode::Tolerant).is_empty());
    assert_eq!(told(vec![row("", 0, "L_2"), row("", 1, "L_2")], Mode::Compat).len(), 2);
    assert_eq!(told(vec![row("", 0, "L_2")], Mode::Tolerant), [of(1, "opens a page")]);
    // A button that fills its row bears the number; AppAgent's is the row's.
    let mut outer = row("", 0, "outer");
    outer.role = waldo_devices::Role::new("row");
    let twins = vec![outer, row("Send", 0, "inner")];
    assert_eq!(told(twins, Mode::Tolerant), [of(1, "is what AppAgent numbers here")]);
}

#[tokio::test]
async fn the_compatible_mode_has_appagents_parts_and_defects() {
    let options = || AppAgentOptions { mode: Mode::Compat, ..AppAgentOptions::default() };
    let script = ScriptedModel::new(&[&reply("tap(0)"), &reply("grid()"), &reply("tap(2, \"top\")"), "oops"]);
    let mut agent = agent(&script, options());
    let decision = step(&mut agent, 1, &view(), None).await;
    assert!(matches!(decision.choice, Choice::Act { .. }), "{decision:?}");
    insta::assert_snapshot!(asked(&script, 0));
    assert_eq!(
        step(&mut agent, 2, &view(), Some(&Note::NoChange)).await.choice,
        Choice::Pass { reason: "grid".into() }
    );
    assert!(!asked(&script, 1).contains("changed nothing"));
    assert!(matches!(step(&mut agent, 3, &view(), None).await.choice, Choice::Act { .. }));
    assert!(asked(&script, 2).contains("# So far\n\ngrid\n"), "{}", asked(&script, 2));
    let decision = step(&mut agent, 4, &view(), None).await;
    assert!(matches!(decision.choice, Choice::GiveUp { .. }), "{decision:?}");
    assert!(decision.exchanges[0].rejected.is_some());
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_is_an_error() {
    let script = ScriptedModel::new(&[]);
    let mut agent = agent(&script, AppAgentOptions::default());
    let view = view();
    let error = agent.decide(&turn(&device(), 1, &view)).await.unwrap_err();
    assert!(matches!(error, AgentError::Model(_)));
}

#[test]
fn every_function_on_offer_is_one_that_is_read() {
    use crate::appagent::{catalogue::functions, parse_call};
    for (offer, form) in
        [(FunctionOffer::Elements, PictureForm::Elements), (FunctionOffer::Areas, PictureForm::Areas)]
    {
        let mut phone = phone();
        phone.capabilities = vec![Capability::Touch, Capability::Apps, Capability::Rotation];
        let phones = functions(&phone, offer);
        let news = ["stop_app(\"name\")", "rotate(\"side\")"];
        assert!(news.iter().all(|n| phones.iter().any(|f| f.signature == *n)));
        for f in functions(&device(), offer).into_iter().chain(phones) {
            let example = if f.example.is_empty() { &f.signature } else { &f.example };
            let example = example.split(')').next().unwrap();
            let example = if example.contains('(') { format!("{example})") } else { example.to_owned() };
            let call = parse_call(&example, form).unwrap_or_else(|e| panic!("{example}: {e}"));
            let name = catalogue::function_name(&f.signature);
            assert_eq!(catalogue::function_name(&call.to_string()), name, "{example}");
        }
    }
    let upstream: Vec<_> =
        functions(&device(), FunctionOffer::UpstreamElements).into_iter().map(|f| f.signature).collect();
    let names: Vec<_> = upstream.iter().map(|s| catalogue::function_name(s)).collect();
    assert_eq!(names, ["tap", "text", "long_press", "swipe", "grid"]);
}

#[test]
fn a_note_on_a_switch_without_a_name_is_not_given_to_the_others() {
    let uid = "android.widget.Switch_140_84_2";
    let screen = |rows: &[&str]| {
        let mut elements = Vec::new();
        for (n, text) in (0..).zip(rows) {
            let mut switch = element("switch", "", n, &[Affordance::Click]);
            switch.uid = Some(uid.to_owned());
            (switch.bounds.x, switch.bounds.w) = (600.0, 100.0);
            elements.extend([switch, element("text", text, n, &[])]);
        }
        View::new(observation(elements, Picture::empty()), LabelStyle::Boxes).unwrap()
    };
    let note = |key: &str, places: &[&str], text: &str| {
        let places = places.iter().map(|place| (*place).to_owned()).collect();
        let (uid, layers) = (uid.to_owned(), tapping(text));
        (key.to_owned(), ElementKnowledge { uid, places, layers, ..ElementKnowledge::default() })
    };
    let tags = |docs: &Docs, view: &View| -> Vec<(Vec<u32>, bool)> {
        docs.of(view, Mode::Tolerant).into_iter().map(|doc| (doc.tags, doc.text.contains("dark"))).collect()
    };
    let rows = ["Dark theme", "Bluetooth", "Wi-Fi", "Location"];
    let row = format!("{uid} in the row \u{201c}Dark theme\u{201d}");
    let own = Docs::new([note(&row, &[], "turns the dark theme on or off")]);
    assert_eq!(tags(&own, &screen(&rows)), [(vec![1], true)]);
    // One of earlier stood for all of them, wherever it is read, and however few of them are in view now.
    let old = Docs::new([note(uid, &["/a/b"], "turns the dark theme on or off")]);
    assert!(tags(&old, &screen(&rows)).is_empty());
    assert!(tags(&old, &screen(&rows[1..2])).is_empty());
    assert_eq!(old.of(&screen(&rows), Mode::Compat).len(), 4);
}
