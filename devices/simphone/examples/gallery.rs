//! Walks over phones by a list of steps and writes what each screen shows, for looking and for comparing:
//! `gallery DIR [STEPS]`. Without a list it is `gallery.txt`, which comes to every screen.
//!
//! A step is a word and what it is about, one a line: `phone [WIDTH HEIGHT DENSITY]` (a new one), `open PACKAGE`,
//! `id ID [N]`, `text TEXT`, `desc TEXT`, `hold TEXT`, `type TEXT`, `key CODE`, `down` and `up` (scroll), `wait MS`,
//! `sh LINE` (what it prints goes to `shell.txt`), `shot NAME` (a picture, and the tree as XML). Each list is walked
//! in the light, in the dark and on its side; a step that finds nothing there is told and passed over.

use std::{error::Error, fmt::Write as _, path::PathBuf, sync::Arc};

use waldo_simphone::{
    Phone, PhoneOptions,
    clock::Clock,
    options::ColorScheme,
    shell,
    world::{DumpKind, KeyPress, TouchPhase, World, display::Rotation, intent::Intent, settings::Namespace},
};

type Outcome = Result<(), Box<dyn Error>>;

/// One look of one list.
struct Walk {
    dir: PathBuf,
    suffix: &'static str,
    look: ColorScheme,
    rotation: Rotation,
    phone: Arc<Phone>,
    said: String,
}

impl Walk {
    fn phone(look: ColorScheme, rotation: Rotation, size: &str) -> Arc<Phone> {
        let mut options = PhoneOptions::default();
        let numbers: Vec<u32> = size.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        if let [width, height, density] = numbers.as_slice() {
            (options.width, options.height, options.density_dpi) = (*width, *height, *density);
        }
        let phone = Phone::with_clock(options, Clock::manual());
        phone.with(|w| {
            w.set_look(look);
            w.set_user_rotation(Some(rotation));
            w.put_setting(Namespace::Global, "transition_animation_scale", "0");
        });
        phone
    }

    /// The middle of the n-th widget whose opening tag holds a text.
    fn place(&self, key: &str, n: usize) -> Result<(i32, i32), Box<dyn Error>> {
        let xml = self.phone.with(|w| w.dump(DumpKind::Full))?;
        let node = xml.split("<node").filter(|node| node.contains(key)).nth(n).ok_or("nothing there")?;
        let bounds = node.split("bounds=\"").nth(1).unwrap_or_default();
        let numbers = bounds.split(|c: char| !c.is_ascii_digit()).filter_map(|p| p.parse().ok());
        let [l, t, r, b] = numbers.take(4).collect::<Vec<i32>>()[..] else { return Err("bounds".into()) };
        Ok((i32::midpoint(l, r), i32::midpoint(t, b)))
    }

    fn press(&self, (x, y): (i32, i32), ms: u64) {
        self.phone.clock().skip(600);
        let down = |w: &mut World| {
            w.touch(TouchPhase::Down, 0, x, y, w.now_ms());
            w.now_ms()
        };
        let now = self.phone.with(down);
        self.phone.clock().skip(ms);
        self.phone.with(|w| w.touch(TouchPhase::Up, 0, x, y, now + ms));
    }

    fn scroll(&self, by: i32) {
        self.phone.with(|w| {
            let (wide, high) = w.display().logical();
            let [x, y] = [wide, high].map(|side| i32::try_from(side).unwrap_or(0) / 2);
            let (step, begun) = (y / 20 * by, w.now_ms());
            w.touch(TouchPhase::Down, 0, x, y + step * 5, begun);
            for (i, ms) in (1..=10).zip((60..).step_by(60)) {
                w.touch(TouchPhase::Move, 0, x, y + step * (5 - i), begun + ms);
            }
            w.touch(TouchPhase::Up, 0, x, y - step * 5, begun + 700);
        });
        self.phone.clock().skip(2_000);
    }

    fn shoot(&self, name: &str) -> Outcome {
        self.phone.clock().skip(1_000);
        let path = self.dir.join(format!("{name}{}.png", self.suffix));
        self.phone.with(World::frame).save(&path)?;
        Ok(std::fs::write(path.with_extension("xml"), self.phone.with(|w| w.dump(DumpKind::Full))?)?)
    }

    fn step(&mut self, line: &str) -> Outcome {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "phone" => self.phone = Self::phone(self.look, self.rotation, rest),
            "open" => self.phone.with(|w| w.start(&Intent::launch(rest))).map(|_| ())?,
            "id" => {
                let (id, n) = rest.split_once(' ').unwrap_or((rest, "0"));
                self.press(self.place(&format!("id/{id}\" class="), n.parse()?)?, 20);
            }
            "text" => self.press(self.place(&format!(" text=\"{rest}\""), 0)?, 20),
            "desc" => self.press(self.place(&format!(" content-desc=\"{rest}\""), 0)?, 20),
            "hold" => self.press(self.place(&format!(" text=\"{rest}\""), 0)?, 700),
            "type" => self.phone.with(|w| {
                w.ime_clear();
                w.ime_commit(rest);
            }),
            "key" => {
                let code = rest.parse()?;
                self.phone.with(|w| w.key(code, KeyPress::Short, 0));
            }
            "down" => self.scroll(1),
            "up" => self.scroll(-1),
            "wait" => self.phone.clock().skip(rest.parse()?),
            "sh" => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
                let out = runtime.block_on(shell::capture(&self.phone, rest, b""));
                writeln!(self.said, "$ {rest}\n{}{}={}", out.text(), out.error_text(), out.code)?;
            }
            "shot" => self.shoot(rest)?,
            _ => return Err("no such step".into()),
        }
        Ok(())
    }
}

fn main() -> Outcome {
    let mut args = std::env::args().skip(1);
    let dir = PathBuf::from(args.next().ok_or("usage: gallery DIR [STEPS]")?);
    let steps =
        args.next().map_or_else(|| Ok(include_str!("gallery.txt").to_owned()), std::fs::read_to_string)?;
    std::fs::create_dir_all(&dir)?;
    for (suffix, look, rotation) in [
        ("", ColorScheme::Light, Rotation::R0),
        ("-dark", ColorScheme::Dark, Rotation::R0),
        ("-wide", ColorScheme::Light, Rotation::R90),
    ] {
        let phone = Walk::phone(look, rotation, "");
        let mut walk = Walk { dir: dir.clone(), suffix, look, rotation, phone, said: String::new() };
        for (i, line) in steps.lines().enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
            if let Err(error) = walk.step(line) {
                println!("line {}{suffix}: {line}: {error}", i + 1);
            }
        }
        std::fs::write(dir.join(format!("shell{suffix}.txt")), &walk.said)?;
    }
    Ok(())
}
