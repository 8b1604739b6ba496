//! Text of any script arrives exactly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use waldo_desktop::{DesktopDevice, Secrets};
use waldo_devices::{Action, Device, HomeFile, ResetTo, StateProbe, StateValue};

use crate::support::*;

/// 52 characters, most of them on no keyboard of this layout.
const MIXED: &str = "Ünïcödé Ωμέγα Ελλάδα Привет Ёж 世界 日本語 한글 🙂🚀 ½ñßÉ¡ ok~!";

async fn editor() -> DesktopDevice {
    let mut to: ResetTo = with("mousepad {HOME}/t.txt");
    to.desktop.files = vec![HomeFile::new("t.txt", "")];
    let mut device = desk(&to).await;
    look(&mut device).await;
    device
}

/// Replaces all of the editor's text, saves it, and compares.
async fn write(device: &mut DesktopDevice, text: &str) -> Result<(), String> {
    press(device, "ctrl+a").await;
    type_text(device, text).await;
    press(device, "Ctrl+S").await;
    let whole = file_becomes(device, "t.txt", text.as_bytes()).await;
    let ended = match &whole {
        Err(Some(bytes)) if *bytes == [text.as_bytes(), b"\n"].concat() => Ok(()),
        _ => whole,
    };
    ended.map_err(|now| {
        format!("{text:?} became {:?}", now.map(|now| String::from_utf8_lossy(&now).into_owned()))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn mixed_scripts_lines_and_signs_are_typed_exactly() {
    let mut device = editor().await;
    let many: String = (0x4e00..0x4e00 + 150).filter_map(char::from_u32).collect();
    let signs = "The quick (brown) fox; jumps! OVER {13} lazy_dogs? #$%^&*+=|\\/<>\"'`~@ aAbB";
    for text in [MIXED, "one\ntwo\tthree\n\nfour", signs, &many, "ÄäÖöÜü ĐđĦħ ЖжЩщ ΣσΞξ", "'éèê' ´` ^¨"]
    {
        write(&mut device, text).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_strings_are_exact_under_load() {
    let stop = Arc::new(AtomicBool::new(false));
    let burners: Vec<_> = (0..2)
        .map(|_| {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop()
                }
            })
        })
        .collect();
    let mut device = editor().await;
    let mut wrong = Vec::new();
    for n in 0..50_u32 {
        let other: String = (0..12).filter_map(|i| char::from_u32(0x4e00 + n * 97 + i * 7)).collect();
        let text =
            if n % 2 == 0 { format!("{n} {MIXED}") } else { format!("{n} {other} Plain ASCII, (yes)!") };
        wrong.extend(write(&mut device, &text).await.err());
    }
    stop.store(true, Ordering::Relaxed);
    burners.into_iter().for_each(|burner| burner.join().unwrap());
    assert!(wrong.is_empty(), "{} of 50 were wrong: {wrong:#?}", wrong.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_gets_what_is_typed_and_pasted() {
    let mut device = desk(&with("xterm -u8 -e sh -c 'cat > {HOME}/out.txt'")).await;
    look(&mut device).await;
    type_text(&mut device, "plain (Text) with $igns\nÜnïcödé Ωμέγα\n").await;
    act(&mut device, Action::Paste { text: "pasted Ωé".to_owned() }).await;
    press(&mut device, "Enter").await;
    let text = "plain (Text) with $igns\nÜnïcödé Ωμέγα\npasted Ωé\n";
    file_becomes(&mut device, "out.txt", text.as_bytes()).await.unwrap();
}

/// Its toolkit sends the answer to a ping to others than GTK's does: without it text ends after the first line.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_of_qt_gets_many_lines() {
    let mut to: ResetTo = with("featherpad {HOME}/t.txt");
    to.desktop.files = vec![HomeFile::new("t.txt", "")];
    let mut device = desk(&to).await;
    look(&mut device).await;
    let text = "aabb 1100\n".repeat(20);
    type_text(&mut device, &text).await;
    press(&mut device, "ctrl+s").await;
    file_becomes(&mut device, "t.txt", text.as_bytes()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_text_is_exact_and_confirmed() {
    let mut device = editor().await;
    let text = format!("{MIXED}\n{}", "long line ".repeat(30_000));
    let report = act(&mut device, Action::Paste { text: text.clone() }).await;
    assert!(format!("{report:?}").contains("fetched"), "{report:?}");
    press(&mut device, "ctrl+s").await;
    let with_end = format!("{text}\n");
    if file_becomes(&mut device, "t.txt", text.as_bytes()).await.is_err() {
        file_becomes(&mut device, "t.txt", with_end.as_bytes()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_typed_by_name_and_never_shown() {
    let mut options = small();
    options.secrets = Secrets::new([("pin".to_owned(), "hunter22ä".to_owned())]);
    let mut device = DesktopDevice::new(options);
    let mut to: ResetTo = with("mousepad {HOME}/t.txt");
    to.desktop.files = vec![HomeFile::new("t.txt", "")];
    device.reset(&to, soon()).await.unwrap();
    look(&mut device).await;
    let report = act(&mut device, Action::TypeSecret { name: "pin".to_owned() }).await;
    assert!(!format!("{report:?}").contains("hunter"), "{report:?}");
    press(&mut device, "ctrl+s").await;
    let seen = look(&mut device).await;
    assert!(!format!("{:?}{:?}", seen.elements, seen.context).contains("hunter"));
    let StateValue::Text(text) = device.probe(&StateProbe::Text, soon()).await.unwrap() else { panic!() };
    assert!(!text.contains("hunter"));
    let saved = String::from_utf8(file(&mut device, "t.txt").await.unwrap()).unwrap();
    assert_eq!(saved.trim_end(), "hunter22ä");
    let unknown = device.perform(&Action::TypeSecret { name: "x".to_owned() }, soon()).await.unwrap_err();
    assert!(unknown.to_string().contains("there is pin"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_far_behind_in_a_text_is_painted_over_too() {
    let mut options = small();
    options.secrets = Secrets::new([("pin".to_owned(), "hunter22ä".to_owned())]);
    let mut device = DesktopDevice::new(options);
    let mut to: ResetTo = with("mousepad {HOME}/t.txt");
    let lines = "Some words that nobody has to hide.\n".repeat(14);
    to.desktop.files = vec![HomeFile::new("t.txt", format!("{lines}the pin: hunter22ä\n"))];
    device.reset(&to, soon()).await.unwrap();
    let seen = look(&mut device).await;
    let editor = seen.elements.iter().find(|e| e.role.as_str() == "textbox").unwrap();
    let value = editor.value.as_deref().unwrap();
    assert!(value.starts_with("Some words") && value.ends_with("••••"), "{value}");
    // All that the editor shows is under a plate.
    let plate =
        seen.picture.pixels().enumerate_pixels().filter(|(x, y, _)| {
            editor.bounds.contains(waldo_devices::Point::new(f64::from(*x), f64::from(*y)))
        });
    assert!(plate.clone().count() > 10_000);
    assert!(plate.into_iter().all(|(.., pixel)| pixel.0 == [128; 3]));
}
