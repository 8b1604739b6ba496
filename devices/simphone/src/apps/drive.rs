//! For tests: an app, driven by touches as a person would, and read through the tree and the providers.

use super::PHONE;
use crate::{
    options::PhoneOptions,
    ui::geometry::Rect,
    world::{
        TouchPhase, World,
        intent::Intent,
        providers::{ProviderRow, Query},
    },
};

pub(crate) struct AppDriver {
    pub w: World,
    package: &'static str,
}

fn rect(node: &str) -> Option<Rect> {
    let bounds = node.split("bounds=\"").nth(1)?;
    let n: Vec<i32> = bounds
        .split(|c: char| !(c.is_ascii_digit() || c == '-'))
        .filter_map(|p| p.parse().ok())
        .take(4)
        .collect();
    Some(Rect::new(*n.first()?, *n.get(1)?, *n.get(2)?, *n.get(3)?))
}

/// Rows of a provider; an empty filter holds back none.
fn rows(w: &World, uri: &str, filter: &str) -> Vec<ProviderRow> {
    let filter = Some(filter.to_owned()).filter(|f| !f.is_empty());
    w.query(uri, &Query { filter, ..Query::default() }).unwrap()
}

impl AppDriver {
    pub(crate) fn of(package: &'static str) -> Self {
        let options = PhoneOptions { width: 720, height: 1600, density_dpi: 280, ..PhoneOptions::default() };
        let mut d = Self::on(&options, package);
        d.w.start(&Intent::launch(package)).unwrap();
        d
    }

    /// A new phone, on whose home screen nothing was touched yet.
    pub(crate) fn on(options: &PhoneOptions, package: &'static str) -> Self {
        Self { w: World::new(options, PHONE), package }
    }

    pub(crate) fn xml(&mut self) -> String {
        self.w.dump().unwrap()
    }

    pub(crate) fn nodes(&mut self, attribute: &str, value: &str) -> Vec<String> {
        let key = format!(" {attribute}=\"{}\"", value.replace('&', "&amp;"));
        self.xml().split("<node").filter(|n| n.contains(&key)).map(str::to_owned).collect()
    }

    pub(crate) fn id(&self, id: &str) -> String {
        if id.contains(':') { id.to_owned() } else { format!("{}:id/{id}", self.package) }
    }

    pub(crate) fn texts(&mut self, id: &str) -> Vec<String> {
        let id = self.id(id);
        self.texts_where("resource-id", &id)
    }

    pub(crate) fn texts_of_class(&mut self, class: &str) -> Vec<String> {
        self.texts_where("class", class)
    }

    fn texts_where(&mut self, attribute: &str, value: &str) -> Vec<String> {
        self.nodes(attribute, value)
            .iter()
            .filter_map(|n| Some(n.split(" text=\"").nth(1)?.split('"').next()?.to_owned()))
            .collect()
    }

    pub(crate) fn text(&mut self, id: &str) -> String {
        self.texts(id).into_iter().next().unwrap_or_else(|| panic!("no {id} in {}", self.xml()))
    }

    pub(crate) fn shows(&mut self, text: &str) -> bool {
        !self.nodes("text", text).is_empty()
    }

    /// Touches the middle of a place for some milliseconds, once what came before has come to rest.
    pub(crate) fn press(&mut self, at: Rect, ms: u64) -> &mut Self {
        let (x, y) = at.centre();
        self.w.tick(self.w.now_ms + 700);
        let now = self.w.now_ms;
        self.w.touch(TouchPhase::Down, 0, x, y, now);
        self.w.tick(now + ms);
        self.w.touch(TouchPhase::Up, 0, x, y, now + ms);
        self
    }

    /// The place of the first node whose attribute has this value.
    pub(crate) fn find(&mut self, attribute: &str, value: &str) -> Option<Rect> {
        self.nodes(attribute, value).first().and_then(|n| rect(n))
    }

    /// Swipes for some milliseconds, and waits until all is at rest.
    pub(crate) fn swipe(&mut self, from: (i32, i32), to: (i32, i32), ms: u64) -> &mut Self {
        let begun = self.w.now_ms + 10;
        self.w.touch(TouchPhase::Down, 0, from.0, from.1, begun);
        for (i, k) in (1..=10).zip(1_u64..) {
            let (x, y) = (from.0 + (to.0 - from.0) * i / 10, from.1 + (to.1 - from.1) * i / 10);
            self.w.touch(TouchPhase::Move, 0, x, y, begun + ms * k / 10);
        }
        self.w.touch(TouchPhase::Up, 0, to.0, to.1, begun + ms);
        self.w.tick(self.w.now_ms + 1_000);
        self
    }

    fn nth(&mut self, attribute: &str, value: &str, n: usize) -> Rect {
        let found = self.nodes(attribute, value);
        let at = found.get(n).and_then(|node| rect(node));
        at.unwrap_or_else(|| panic!("no {attribute}={value:?} #{n} in {}", self.xml()))
    }

    pub(crate) fn rect_of(&mut self, id: &str) -> Rect {
        let id = self.id(id);
        self.nth("resource-id", &id, 0)
    }

    pub(crate) fn tap_nth(&mut self, id: &str, n: usize) -> &mut Self {
        let id = self.id(id);
        let at = self.nth("resource-id", &id, n);
        self.press(at, 20)
    }

    pub(crate) fn tap(&mut self, id: &str) -> &mut Self {
        self.tap_nth(id, 0)
    }

    pub(crate) fn tap_desc(&mut self, desc: &str) -> &mut Self {
        let at = self.nth("content-desc", desc, 0);
        self.press(at, 20)
    }

    fn shown(&mut self, text: &str) -> Rect {
        let attribute = if self.shows(text) { "text" } else { "content-desc" };
        self.nth(attribute, text, 0)
    }

    pub(crate) fn tap_text(&mut self, text: &str) -> &mut Self {
        let at = self.shown(text);
        self.press(at, 20)
    }

    pub(crate) fn hold_text(&mut self, text: &str) -> &mut Self {
        let at = self.shown(text);
        self.press(at, 700)
    }

    pub(crate) fn tap_beside(&mut self, text: &str, id: &str) -> &mut Self {
        let row = self.shown(text);
        let full = self.id(id);
        let at = self
            .nodes("resource-id", &full)
            .iter()
            .filter_map(|n| rect(n))
            .min_by_key(|r| (r.centre().1 - row.centre().1).abs());
        let at = at.unwrap_or_else(|| panic!("no {id} beside {text:?}"));
        self.press(at, 20)
    }

    /// Swipes up over the middle of the screen until something shows the text.
    pub(crate) fn scroll_to(&mut self, text: &str) -> &mut Self {
        for _ in 0..12 {
            if self.shows(text) {
                break;
            }
            self.swipe((360, 1000), (360, 500), 700);
        }
        self
    }

    pub(crate) fn type_into(&mut self, id: &str, text: &str) -> &mut Self {
        self.tap(id);
        self.w.ime_clear();
        self.w.ime_commit(text);
        self
    }

    /// Puts a text in place of what a field holds, and hides the keyboard.
    pub(crate) fn fill(&mut self, id: &str, text: &str) -> &mut Self {
        self.type_into(id, text);
        if self.w.ime().shown { self.back() } else { self }
    }

    pub(crate) fn back(&mut self) -> &mut Self {
        self.w.key(4, 0);
        self
    }

    pub(crate) fn rows(&self, uri: &str, filter: &str) -> Vec<ProviderRow> {
        rows(&self.w, uri, filter)
    }

    /// Force-stop and start again.
    pub(crate) fn again(&mut self) -> &mut Self {
        self.w.force_stop(self.package);
        self.w.start(&Intent::launch(self.package)).unwrap();
        self
    }

    pub(crate) fn toast(&self) -> String {
        self.w.state_json()["toast"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn every_app_keeps_its_state_by_serde() {
    let mut installed = (PHONE.install)(3, 1_772_442_000);
    for (name, app) in &mut installed.apps {
        let kept = app.save();
        app.load(kept.clone()).unwrap();
        assert_eq!(app.save(), kept, "{name}");
    }
}

#[test]
fn every_seed_brings_what_tasks_lean_on() {
    for seed in 0..40 {
        let w = World::new(&PhoneOptions { seed, ..PhoneOptions::default() }, PHONE);
        let rows = |uri: &str, filter: &str| rows(&w, uri, filter);
        assert_eq!(rows("content://com.android.contacts/contacts", "").len(), 27, "{seed}");
        assert_eq!(rows("content://com.android.contacts/contacts", "starred=1").len(), 3, "{seed}");
        assert_eq!(rows("content://sms/inbox", "read=0").len(), 2, "{seed}");
        assert!(rows("content://mms-sms/conversations", "").len() >= 12, "{seed}");
        assert_eq!(rows("content://com.android.deskclock/alarms", "enabled=0").len(), 3, "{seed}");
        let events = "content://com.android.calendar/events";
        assert_eq!(rows(events, "").len(), 19, "{seed}");
        let (one, two) = (rows(events, "title='Project kick-off'"), rows(events, "title='Lunch with Omar'"));
        assert!(one[0].int("dtend") > two[0].int("dtstart"), "{seed}");
        // A talk is with someone the contacts know.
        let phones = rows("content://com.android.contacts/data/phones", "");
        let known = rows("content://sms/sent", "");
        assert!(!known.is_empty());
        for sent in known {
            assert!(phones.iter().any(|p| p.text("data1") == sent.text("address")), "{seed}");
        }
    }
}
