use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use ab_glyph::{FontRef, PxScale};
use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_hollow_rect_mut, draw_text_mut};
use imageproc::rect::Rect as Frame;

use super::*;
use waldo_devices::geometry::Rect;

static FACE: &[u8] = include_bytes!("../../simphone/assets/dejavu-sans-regular.ttf");

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

async fn tesseract() -> Tesseract {
    let found = Tesseract::find(None, soon()).await.unwrap();
    found.expect("tesseract is missing: scripts/setup tests installs it (apt install tesseract-ocr)")
}

/// Words at places, in letters of 13 pixels; a frame around the last.
fn screen(
    words: &[&str],
    ink: u8,
    background: u8,
) -> (RgbImage, Vec<Rect<waldo_devices::geometry::Physical>>) {
    let mut picture = RgbImage::from_pixel(640, 40 + 40 * words.len() as u32, Rgb([background; 3]));
    let face = FontRef::try_from_slice(FACE).unwrap();
    let mut places = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let y = 20 + 40 * i32::try_from(n).unwrap();
        draw_text_mut(&mut picture, Rgb([ink; 3]), 30, y, PxScale::from(15.0), &face, word);
        if n + 1 == words.len() {
            draw_hollow_rect_mut(&mut picture, Frame::at(20, y - 8).of_size(200, 30), Rgb([128; 3]));
        }
        places.push(Rect::new(20.0, f64::from(y) - 8.0, 200.0, 30.0));
    }
    (picture, places)
}

fn parts(picture: &RgbImage, places: &[Rect<waldo_devices::geometry::Physical>]) -> Vec<PreparedPart> {
    places.iter().map(|place| PreparedPart::of(picture, place, 1.0).unwrap()).collect()
}

#[tokio::test]
async fn words_on_a_screen_are_read_dark_and_light_in_their_order() {
    let reader = tesseract().await;
    assert!(reader.name().starts_with("tesseract ") && reader.name().ends_with(" eng"), "{}", reader.name());
    let words = ["Open File", "Edit", "Preferences", "Go to Folder", "Cancel"];
    for (ink, background) in [(20, 250), (240, 40)] {
        let (picture, places) = screen(&words, ink, background);
        let read = reader.read(&parts(&picture, &places), soon()).await.unwrap();
        let names: Vec<String> = read.iter().map(|words| crate::words::name(words)).collect();
        assert_eq!(names, words, "{ink} on {background}: {read:?}");
    }
    assert!(reader.read(&[], soon()).await.unwrap().is_empty());
}

#[tokio::test]
async fn many_parts_are_shared_and_come_back_in_their_order() {
    let reader = tesseract().await;
    let words: Vec<String> = (0..60).map(|n| format!("Entry {}", 100 + n)).collect();
    let (picture, places) = screen(&words.iter().map(String::as_str).collect::<Vec<_>>(), 0, 255);
    let read = reader.read(&parts(&picture, &places), soon()).await.unwrap();
    let names: Vec<String> = read.iter().map(|words| crate::words::name(words)).collect();
    assert_eq!(names, words);
}

#[tokio::test]
async fn a_language_that_is_not_there_is_named_with_its_package() {
    let wanted: Languages = "eng+xyz".parse().unwrap();
    let error = Tesseract::find(Some(&wanted), soon()).await.unwrap_err().to_string();
    assert!(error.contains("'xyz'") && error.contains("apt install tesseract-ocr-xyz"), "{error}");
    for bad in ["", "+", "eng+", "-l", "eng;ls", "eng/../x", &"a".repeat(300)] {
        assert!(bad.parse::<Languages>().is_err(), "{bad}");
    }
}

/// A program in its place that answers as it should until it is asked to read.
fn false_program(dir: &std::path::Path, reads: &str) -> OsString {
    let path = dir.join("tesseract");
    let script = format!(
        "#!/bin/sh\ncase $1 in\n--version) echo tesseract 9.9;;\n--list-langs) printf 'List (2):\\neng\\nosd\\n';;\n*) {reads};;\nesac\n"
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.into_os_string()
}

async fn reading(program: OsString, deadline: Deadline) -> Result<Vec<Vec<Word>>, DeviceError> {
    let reader = Tesseract::at(program, None, soon()).await.unwrap().unwrap();
    let (picture, places) = screen(&["Open"], 0, 255);
    reader.read(&parts(&picture, &places), deadline).await
}

#[tokio::test]
async fn a_program_that_hangs_breaks_or_never_ends_costs_a_bounded_wait() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let hangs = format!("echo $$ > {}; exec sleep 1000", pid.display());
    let began = Instant::now();
    let late = reading(false_program(dir.path(), &hangs), Deadline::after(Duration::from_secs(2))).await;
    assert!(matches!(late, Err(DeviceError::Timeout { .. })), "{late:?}");
    assert!(began.elapsed() < Duration::from_secs(60));
    // It is gone with the wait for it.
    let process = format!("/proc/{}", std::fs::read_to_string(&pid).unwrap().trim());
    let gone = || {
        let state = std::fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    let end = soon();
    while !gone() && !end.passed() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(gone());
    for (reads, said) in [
        ("exec yes too much", "printed more than"),
        ("echo out of order >&2; exit 3", "out of order"),
        ("cat > /dev/null; yes error | head -c 1000000 >&2; exit 1", "erro"),
    ] {
        let error = reading(false_program(dir.path(), reads), soon()).await.unwrap_err().to_string();
        assert!(error.contains(said), "{reads}: {error}");
    }
    // Nothing, and nonsense: no words.
    for reads in ["true", "cat > /dev/null; echo 'What? 5	1	x'"] {
        assert_eq!(reading(false_program(dir.path(), reads), soon()).await.unwrap(), [vec![]], "{reads}");
    }
    let none = Tesseract::at(dir.path().join("none").into(), None, soon()).await.unwrap();
    assert!(none.is_none());
}
