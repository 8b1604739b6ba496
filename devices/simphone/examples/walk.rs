//! Walks over a phone by a list of steps and writes pictures, for looking: `walk DIR STEPS [dark] [wide]`.
//!
//! A step is a word and what it is about, one a line: `open PACKAGE`, `id ID`, `text TEXT`, `desc TEXT`,
//! `hold TEXT`, `type TEXT`, `key CODE`, `down` and `up` (scroll), `wait MS`, `shot NAME`.

use std::{error::Error, path::Path};

use waldo_simphone::{
    Phone, PhoneOptions,
    clock::Clock,
    options::ColorScheme,
    world::{DumpKind, KeyPress, TouchPhase, World, display::Rotation, intent::Intent, settings::Namespace},
};

type Outcome = Result<(), Box<dyn Error>>;

fn place(phone: &Phone, attribute: &str, value: &str) -> Result<(i32, i32), Box<dyn Error>> {
    let xml = phone.with(|w| w.dump(DumpKind::Full))?;
    let ends = if attribute == "resource-id" { format!("{value}\" class=") } else { format!("=\"{value}\"") };
    let at = xml
        .match_indices(&ends)
        .map(|(i, _)| i)
        .find(|i| attribute == "resource-id" || xml.get(..*i).is_some_and(|b| b.ends_with(attribute)))
        .ok_or_else(|| format!("no {attribute} {value:?}"))?;
    let bounds = xml.get(at..).and_then(|r| r.split("bounds=\"").nth(1)).unwrap_or_default();
    let n: Vec<i32> =
        bounds.split(|c: char| !c.is_ascii_digit()).filter_map(|p| p.parse().ok()).take(4).collect();
    let [l, t, r, b] = n.as_slice() else { return Err("bounds".into()) };
    Ok(((l + r) / 2, (t + b) / 2))
}

fn press(phone: &Phone, (x, y): (i32, i32), ms: u64) {
    phone.clock().skip(600);
    let now = phone.with(|w| {
        let now = w.now_ms();
        w.touch(TouchPhase::Down, 0, x, y, now);
        now
    });
    phone.clock().skip(ms);
    phone.with(|w| w.touch(TouchPhase::Up, 0, x, y, now + ms));
}

fn scroll(phone: &Phone, by: i32) {
    phone.with(|w| {
        let (wide, high) = w.frame().dimensions();
        let (x, y) = (i32::try_from(wide).unwrap_or(0) / 2, i32::try_from(high).unwrap_or(0) / 2);
        let step = i32::try_from(high).unwrap_or(0) / 40 * by;
        let begun = w.now_ms();
        w.touch(TouchPhase::Down, 0, x, y + step * 5, begun);
        for i in 1..=10_i32 {
            let at = begun + 60 * u64::try_from(i).unwrap_or(0);
            w.touch(TouchPhase::Move, 0, x, y + step * (5 - i), at);
        }
        w.touch(TouchPhase::Up, 0, x, y - step * 5, begun + 700);
    });
    phone.clock().skip(2_000);
}

fn step(phone: &Phone, dir: &Path, suffix: &str, line: &str) -> Outcome {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "open" => phone.with(|w| w.start(&Intent::launch(rest))).map(|_| ())?,
        "id" => press(phone, place(phone, "resource-id", rest)?, 20),
        "text" => press(phone, place(phone, " text", rest)?, 20),
        "desc" => press(phone, place(phone, "content-desc", rest)?, 20),
        "hold" => press(phone, place(phone, " text", rest)?, 700),
        "type" => phone.with(|w| {
            w.ime_clear();
            w.ime_commit(rest);
        }),
        "key" => {
            let code = rest.parse()?;
            phone.with(|w| w.key(code, KeyPress::Short, 0));
        }
        "down" => scroll(phone, 1),
        "up" => scroll(phone, -1),
        "wait" => phone.clock().skip(rest.parse()?),
        "shot" => {
            phone.clock().skip(500);
            phone.with(World::frame).save(dir.join(format!("{rest}{suffix}.png")))?;
        }
        _ => {}
    }
    Ok(())
}

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, steps, looks @ ..] = args.as_slice() else {
        return Err("usage: walk DIR STEPS [dark] [wide]".into());
    };
    let has = |word: &str| looks.iter().any(|l| l == word);
    std::fs::create_dir_all(dir)?;
    let phone = Phone::with_clock(PhoneOptions::default(), Clock::manual());
    phone.with(|w| {
        w.set_look(if has("dark") { ColorScheme::Dark } else { ColorScheme::Light });
        w.set_user_rotation(has("wide").then_some(Rotation::R90));
        w.put_setting(Namespace::Global, "transition_animation_scale", "0");
    });
    let suffix: String = looks.iter().map(|l| format!("-{l}")).collect();
    for (i, line) in std::fs::read_to_string(steps)?.lines().enumerate() {
        if let Err(error) = step(&phone, Path::new(dir), &suffix, line.trim()) {
            println!("line {}: {line}: {error}", i + 1);
        }
    }
    Ok(())
}
