//! For tests: walks through the apps, as `tests/walks` has them. A walk begins on a new phone with its app in front; each
//! line below its name is a step, with bars between what the step needs. `{{ … }}` stands for what a `let` kept.

use std::collections::BTreeMap;

use super::drive::AppDriver;
use crate::{
    fault::Stay,
    lists,
    world::providers::{ProviderRow, ProviderValue},
};

/// A row of `column=value; column=value`; a value in digits is a number.
fn row(text: &str) -> ProviderRow {
    let pair = |pair: &str| {
        let (column, value) = pair.trim().split_once('=').unwrap_or_else(|| panic!("no value in {pair}"));
        (column.to_owned(), value.parse().map_or_else(|_| value.into(), ProviderValue::Int))
    };
    ProviderRow(text.split("; ").map(pair).collect())
}

fn keep(d: &mut AppDriver, what: &str) -> ProviderValue {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    let parts: Vec<&str> = rest.split('|').map(str::trim).collect();
    let filter = parts.get(1).copied().unwrap_or("");
    match verb {
        "count" => d.rows(parts[0], filter).len().into(),
        "cell" => d.rows(parts[0], filter).remove(0).get(parts[2]).unwrap().clone(),
        "text" => d.texts(parts[0]).remove(filter.parse().unwrap_or(0)).into(),
        _ => panic!("{what} keeps nothing"),
    }
}

fn step(d: &mut AppDriver, verb: &str, rest: &str) {
    let parts: Vec<&str> = rest.split('|').map(str::trim).collect();
    let part = |n: usize| parts.get(n).copied().unwrap_or("");
    let (a, b, c) = (part(0), part(1), part(2));
    match verb {
        "tap" => drop(d.tap_nth(a, b.parse().unwrap_or(0))),
        "text" => drop(d.tap_text(a)),
        "desc" => drop(d.tap_desc(a)),
        "hold" => drop(d.hold_text(a)),
        "beside" => drop(d.tap_beside(a, b)),
        "type" => drop(d.type_into(a, b)),
        "fill" => drop(d.fill(a, b)),
        "scroll" => drop(d.scroll_to(a)),
        "back" => drop(d.back()),
        "again" => drop(d.again()),
        "wait" => d.w.tick(d.w.now_ms + a.parse::<u64>().unwrap()),
        "at" => d.w.tick(a.parse().unwrap()),
        "stop" => d.w.force_stop(a),
        "busy" => assert_eq!(d.w.quiet_for_ms(), 0),
        "quiet" => assert!(d.w.quiet_for_ms() > 0),
        "notices" => assert_eq!(d.w.notifications.len().to_string(), a),
        "fault" => d.w.faults_mut().set(a.parse().unwrap(), Stay::Always),
        "mend" => d.w.faults_mut().clear_all(),
        "setting" => d.w.put_setting(a.parse().unwrap(), b, c),
        "write" => d.w.files.write(a, b.as_bytes().to_vec()).unwrap(),
        "insert" => drop(d.w.insert(a, &row(b)).unwrap()),
        "update" => assert!(d.w.update(a, &row(c), Some(b)).unwrap() > 0),
        "delete" => assert!(d.w.delete(a, Some(b)).unwrap() > 0),
        "refused" => assert!(d.w.insert(a, &row(b)).is_err()),
        "shows" => assert!(d.shows(a), "{}", d.xml()),
        "hides" => assert!(!d.shows(a), "{}", d.xml()),
        "has" => assert!(d.xml().contains(a), "{}", d.xml()),
        "lacks" => assert!(!d.xml().contains(a), "{}", d.xml()),
        "front" => assert!(d.w.foreground().to_string().contains(a), "{}", d.w.foreground()),
        "toast" => assert_eq!(d.toast(), a),
        "texts" => assert_eq!(d.texts(a).join("; "), b),
        "rows" => assert_eq!(d.rows(a, b).len().to_string(), c),
        "row" => {
            let found = d.rows(a, b).remove(0);
            row(c)
                .0
                .iter()
                .for_each(|(column, value)| assert_eq!(found.text(column), value.text(), "{column}"));
        }
        "file" => assert_eq!(String::from_utf8_lossy(&d.w.files.read(a).unwrap()), b),
        "nofile" => assert!(!d.w.files.exists(a)),
        _ => panic!("no step is called {verb}"),
    }
}

fn walk(package: &'static str, walks: &'static str) {
    for (name, steps) in lists::read(walks) {
        let mut d = AppDriver::of(package);
        let mut kept = BTreeMap::new();
        for line in steps {
            println!("{name}: {line}");
            let line =
                minijinja::Environment::new().render_str(line, minijinja::value::Serde(&kept)).unwrap();
            let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match rest.split_once(" = ").filter(|_| verb == "let") {
                Some((name, what)) => drop(kept.insert(name.to_owned(), keep(&mut d, what))),
                None => step(&mut d, verb, rest),
            }
        }
    }
}

macro_rules! walks {
    ($($name:ident $package:literal,)+) => {
        $(#[test]
        fn $name() {
            walk($package, include_str!(concat!("../../tests/walks/", stringify!($name), ".txt")));
        })+
    };
}

walks! {
    calendar "com.android.calendar",
    clock "com.android.deskclock",
    contacts "com.android.contacts",
    files "com.waldo.files",
    messages "com.android.messaging",
    music "com.waldo.music",
    notes "com.waldo.notes",
    photos "com.waldo.photos",
    settings "com.android.settings",
    shop "com.waldo.shop",
}
