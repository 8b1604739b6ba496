//! Writes a picture of each screen to a folder, for looking: `gallery DIR [WIDTH HEIGHT DENSITY]`.

use std::{error::Error, path::PathBuf, time::Instant};

use waldo_simphone::{
    Phone, PhoneOptions,
    clock::Clock,
    options::ColorScheme,
    world::{
        DumpKind, Shade, TouchPhase, World,
        display::Rotation,
        intent::{Component, Intent},
        settings::Namespace,
    },
};

type Outcome = Result<(), Box<dyn Error>>;

struct Gallery {
    phone: std::sync::Arc<Phone>,
    dir: PathBuf,
    suffix: String,
}

impl Gallery {
    fn shoot(&self, name: &str) -> Outcome {
        self.phone.clock().skip(1_000);
        let begun = Instant::now();
        let frame = self.phone.with(World::frame);
        let took = begun.elapsed();
        let path = self.dir.join(format!("{name}{}.png", self.suffix));
        frame.save(&path)?;
        let nodes = self.phone.with(|w| w.dump(DumpKind::Full))?.matches("<node").count();
        println!(
            "{:<28} {took:>10.1?} {nodes:>4} nodes",
            path.file_name().unwrap_or_default().to_string_lossy()
        );
        Ok(())
    }

    /// Taps what shows a text or is described so; says so where there is none.
    fn tap(&self, text: &str) -> Outcome {
        let xml = self.phone.with(|w| w.dump(DumpKind::Full))?;
        let at = [format!("text=\"{text}\""), format!("content-desc=\"{text}\"")]
            .iter()
            .find_map(|k| xml.find(k.as_str()))
            .ok_or_else(|| format!("nothing shows {text:?}"))?;
        let bounds = xml.get(at..).and_then(|r| r.split("bounds=\"").nth(1)).unwrap_or_default();
        let n: Vec<i32> =
            bounds.split(|c: char| !c.is_ascii_digit()).filter_map(|p| p.parse().ok()).take(4).collect();
        let [l, t, r, b] = n.as_slice() else { return Err("bounds".into()) };
        self.tap_at((l + r) / 2, (t + b) / 2);
        Ok(())
    }

    fn tap_at(&self, x: i32, y: i32) {
        self.phone.clock().skip(600);
        self.phone.with(|w| {
            let now = w.now_ms();
            w.touch(TouchPhase::Down, 0, x, y, now);
            w.touch(TouchPhase::Up, 0, x, y, now + 20);
        });
    }

    fn page(&self, page: &str) -> Outcome {
        let to = Component::new("com.android.settings", ".SubSettings");
        let intent = Intent::to(to).with("page", page);
        self.phone.with(|w| w.start(&intent))?;
        self.shoot(&format!("settings-{page}"))
    }

    fn walk(&self) -> Outcome {
        self.phone.with(|w| w.key(3, waldo_simphone::world::KeyPress::Short, 0));
        self.shoot("home")?;
        self.tap("Apps list")?;
        self.shoot("drawer")?;
        self.phone.with(|w| w.start(&Intent::launch("com.android.settings")))?;
        self.shoot("settings")?;
        self.tap("Search settings")?;
        self.phone.with(|w| w.ime_commit("net"));
        self.shoot("settings-search")?;
        for p in ["network", "wifi", "display", "sound", "storage", "about", "datetime"] {
            self.page(p)?;
        }
        if self.page("display").is_ok() && self.tap("Screen timeout").is_ok() {
            self.shoot("settings-timeout")?;
        }
        self.phone.with(|w| w.key(4, waldo_simphone::world::KeyPress::Short, 0));
        self.phone.with(|w| {
            w.toast("You are now 3 steps away from being a developer.".to_owned());
            w.notify(waldo_simphone::world::Notification {
                id: 1,
                package: "com.android.settings".to_owned(),
                title: "Storage is filling up".to_owned(),
                text: "Some functions may not work; free some room in Settings.".to_owned(),
                when: w.wall(),
                intent: None,
                ongoing: false,
            });
        });
        self.shoot("toast")?;
        self.phone.with(|w| w.set_shade(Shade::Open));
        self.shoot("shade")?;
        self.phone.with(|w| w.set_shade(Shade::Closed));
        self.phone.with(|w| w.key(187, waldo_simphone::world::KeyPress::Short, 0));
        self.shoot("recents")?;
        self.apps()
    }

    fn apps(&self) -> Outcome {
        for p in self.phone.with(|w| w.packages()) {
            if p.launcher.is_some() && p.package != "com.android.settings" {
                self.phone.with(|w| w.start(&Intent::launch(&p.package)))?;
                self.shoot(&p.package)?;
            }
        }
        Ok(())
    }
}

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dir = PathBuf::from(args.first().ok_or("usage: gallery DIR [WIDTH HEIGHT DENSITY]")?);
    std::fs::create_dir_all(&dir)?;
    let number = |i: usize, or: u32| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(or);
    let options = PhoneOptions {
        width: number(1, 1080),
        height: number(2, 2400),
        density_dpi: number(3, 420),
        ..PhoneOptions::default()
    };
    for (suffix, look, rotation) in [
        ("", ColorScheme::Light, Rotation::R0),
        ("-dark", ColorScheme::Dark, Rotation::R0),
        ("-wide", ColorScheme::Light, Rotation::R90),
    ] {
        let phone = Phone::with_clock(options.clone(), Clock::manual());
        phone.with(|w| {
            w.set_look(look);
            w.set_user_rotation(Some(rotation));
            w.put_setting(Namespace::Global, "transition_animation_scale", "0");
        });
        Gallery { phone, dir: dir.clone(), suffix: suffix.to_owned() }.walk()?;
    }
    Ok(())
}
