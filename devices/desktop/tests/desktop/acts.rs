//! Windows, programs, the shell: what an agent does besides pointing and typing.

use waldo_desktop::DesktopDevice;
use waldo_devices::{Action, Affordance, Device, Effect, GuardPolicy, ResetTo, ShellUse};

use crate::support::*;

fn evidence(effect: &Effect) -> &str {
    match effect {
        Effect::Confirmed { evidence } => evidence,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_are_listed_brought_to_the_front_and_closed() {
    let mut device = desk(&with_all(&[&["galculator"], &["mousepad"]], &["*"])).await;
    let all = windows(&mut device).await;
    let programs: Vec<&str> = all.iter().map(|window| window.program.as_str()).collect();
    assert_eq!(programs, ["galculator", "mousepad"]);
    assert!(all[1].focused && !all[0].focused, "{all:?}");
    let report = act(&mut device, Action::FocusWindow { window: all[0].id }).await;
    assert!(evidence(&report.effect).contains("keyboard"), "{report:?}");
    let seen = look(&mut device).await;
    assert_eq!(seen.context.location, "galculator");
    assert_eq!(seen.context.windows.last().unwrap().program, "galculator");
    let report = act(&mut device, Action::CloseWindow { window: all[1].id }).await;
    assert!(evidence(&report.effect).contains("closed"), "{report:?}");
    assert_eq!(windows(&mut device).await.len(), 1);
    let stale = device.perform(&Action::CloseWindow { window: all[1].id }, soon()).await.unwrap_err();
    assert!(stale.is_agents_mistake() && stale.to_string().contains(&all[0].id.to_string()), "{stale}");
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_opened_by_name_and_ended() {
    let mut device = desk(&with("")).await;
    let report = act(&mut device, Action::OpenApp { app: "galculator".to_owned() }).await;
    assert!(evidence(&report.effect).contains("galculator"), "{report:?}");
    let report = act(&mut device, Action::OpenApp { app: "Mousepad".to_owned() }).await;
    assert!(confirmed(&report), "{report:?}");
    let report = act(&mut device, Action::StopApp { app: "galculator".to_owned() }).await;
    assert!(evidence(&report.effect).contains("no process"), "{report:?}");
    let left = windows(&mut device).await;
    assert_eq!(left.iter().map(|w| w.program.as_str()).collect::<Vec<_>>(), ["mousepad"]);
    let report = act(&mut device, Action::StopApp { app: "galculator".to_owned() }).await;
    assert_eq!(report.effect, Effect::SuspectedNoop);
    let unknown = device.perform(&Action::OpenApp { app: "no-such-thing".to_owned() }, soon()).await;
    assert!(unknown.unwrap_err().is_agents_mistake());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_is_there_only_where_the_policy_says_so() {
    let run = |command: &str| Action::Shell { command: command.to_owned() };
    let mut device = desk(&with("")).await;
    let report = act(&mut device, run("touch made")).await;
    assert!(refusal(&report).unwrap().contains("shell"), "{report:?}");
    assert_eq!(file(&mut device, "made").await, None);
    let policy = GuardPolicy { shell: ShellUse::Allowed, ..allow(&["*"]) };
    device.reset(&ResetTo { policy, ..ResetTo::default() }, soon()).await.unwrap();
    let report = act(&mut device, run("echo hi; pwd; echo bad >&2; touch made; exit 3")).await;
    let said = evidence(&report.effect);
    assert!(said.contains("exit code 3") && said.contains("hi") && said.contains("bad"), "{said}");
    assert!(file(&mut device, "made").await.is_some());
    // What stays in the background holds nothing up.
    let report = act(&mut device, run("sleep 100 & echo started")).await;
    assert!(evidence(&report.effect).contains("started"), "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modal_dialog_is_seen_and_answered() {
    let line: &[&str] = &["zenity", "--question", "--text", "Really go on?", "--title", "Sure"];
    let mut device = desk(&with_all(&[line], &["zenity"])).await;
    let seen = look(&mut device).await;
    assert_eq!(seen.context.title, "Sure");
    let yes = seen.elements.iter().find(|e| e.name == "Yes" && e.can(Affordance::Click));
    let yes = yes.unwrap_or_else(|| panic!("{:#?}", seen.elements));
    assert!(
        seen.elements
            .iter()
            .any(|e| e.name.contains("Really") || e.value.as_deref().is_some_and(|v| v.contains("Really"))),
        "{:#?}",
        seen.elements
    );
    let tap = Action::tap(yes.hit);
    let report = act(&mut device, tap).await;
    assert!(confirmed(&report), "{report:?}");
    windows_become(&mut device, |windows| windows.is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_a_key_answered_is_gone_at_the_next_look() {
    let line: &[&str] = &["zenity", "--question", "--text", "Really go on?", "--title", "Sure"];
    let mut device = desk(&with_all(&[line], &["zenity"])).await;
    look(&mut device).await;
    // A program that was quick so far: its button is still shown pressed for a quarter of a second.
    for _ in 0..8 {
        press(&mut device, "Tab").await;
        look(&mut device).await;
    }
    press(&mut device, "Enter").await;
    let seen = look(&mut device).await;
    assert!(seen.elements.is_empty() && seen.context.windows.is_empty(), "{:#?}", seen.elements);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_started_when_its_window_is_filled() {
    let mut device = desk(&with("soffice --norestore --nologo --nofirststartwizard --calc")).await;
    let seen = look(&mut device).await;
    for name in ["Bold", "Save", "Sheet1"] {
        assert!(seen.elements.iter().any(|e| e.name == name), "{name}: {:#?}", seen.elements);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_is_emptied_by_its_handle() {
    let line: &[&str] = &["zenity", "--entry", "--entry-text", "old words", "--text", "Name"];
    let mut device = desk(&with_all(&[line], &["zenity"])).await;
    let seen = look(&mut device).await;
    let field = seen.elements.iter().find(|e| e.can(Affordance::Edit));
    let field = field.unwrap_or_else(|| panic!("{:#?}", seen.elements)).clone();
    assert_eq!(field.value.as_deref(), Some("old words"));
    let report = act(&mut device, Action::Clear { element: field.handle }).await;
    assert!(confirmed(&report), "{report:?}");
    let seen = look(&mut device).await;
    let field = seen.elements.iter().find(|e| e.can(Affordance::Edit)).unwrap();
    assert_eq!(field.value.as_deref().unwrap_or_default(), "");
    let stale = Action::Clear { element: waldo_devices::ElementRef("gone".to_owned()) };
    assert!(device.perform(&stale, soon()).await.unwrap_err().is_agents_mistake());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_after_a_field_was_emptied_goes_there() {
    let line: &[&str] = &["zenity", "--forms", "--text", "Data", "--add-entry=Name", "--add-entry=Town"];
    let mut device = desk(&with_all(&[line], &["zenity"])).await;
    let field = async |device: &mut DesktopDevice, name: &str| {
        let seen = look(device).await;
        seen.elements.iter().find(|e| e.name == name && e.can(Affordance::Edit)).unwrap().clone()
    };
    let town = field(&mut device, "Town").await;
    assert!(!town.states.focused);
    assert!(confirmed(&act(&mut device, Action::Clear { element: town.handle }).await));
    type_text(&mut device, "Oslo").await;
    assert_eq!(field(&mut device, "Town").await.value.as_deref(), Some("Oslo"));
    assert_eq!(field(&mut device, "Name").await.value.as_deref().unwrap_or_default(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calculator_calculates() {
    let mut device = desk(&with("galculator")).await;
    for name in ["7", "8"] {
        let seen = look(&mut device).await;
        let key = seen.elements.iter().find(|e| e.name == name && e.can(Affordance::Click));
        let key = key.unwrap_or_else(|| panic!("{:#?}", seen.elements));
        let tap = Action::tap(key.hit);
        assert!(confirmed(&act(&mut device, tap).await));
    }
    // Each key presses a button, which drops the same key while it is shown pressed.
    for (text, result) in [("*2\n", "156"), ("1100+1212\n", "2312"), ("5555555\n", "5555555")] {
        type_text(&mut device, text).await;
        let seen = look(&mut device).await;
        let shown = |e: &waldo_devices::Element| {
            e.name.contains(result) || e.value.as_deref().is_some_and(|v| v.contains(result))
        };
        assert!(seen.elements.iter().any(shown), "{result}: {:#?}", seen.elements);
    }
    for _ in 0..4 {
        press(&mut device, "9 9").await;
    }
    let seen = look(&mut device).await;
    assert!(seen.elements.iter().any(|e| e.value.as_deref() == Some("99999999")), "{:#?}", seen.elements);
    // A key that nothing answers to.
    let report = press(&mut device, "F9").await;
    assert!(!confirmed(&report), "{report:?}");
}
