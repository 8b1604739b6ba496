//! Documentation of one app or several, and which of it holds for the screen in front.

use url::Url;
use waldo_devices::observation::Context;
use waldo_prompts::appagent::Doc;

use super::Docs;
use crate::agent::View;
use crate::appagent::Mode;

/// Documentation by app.
///
/// One app's is given on every screen: its keys say where it belongs. Of several apps the one counts that is in front: the
/// package of a phone, the program of a desktop, the host of a page, with its port or without. A screen for which an app
/// is named has that app's alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    apps: Vec<(String, Docs)>,
    screens: Vec<(String, String)>,
}

impl Library {
    /// Of these apps; `screens` are names of screens, each with its app.
    pub fn new(apps: Vec<(String, Docs)>, screens: Vec<(String, String)>) -> Self {
        Self { apps, screens }
    }

    pub fn is_empty(&self) -> bool {
        self.apps.iter().all(|(_, docs)| docs.is_empty())
    }

    /// What is known about the tagged elements of a view ([`Docs::of`]).
    pub fn of(&self, view: &View, mode: Mode) -> Vec<Doc> {
        self.in_front(&view.observation.context).map(|docs| docs.of(view, mode)).unwrap_or_default()
    }

    fn in_front(&self, context: &Context) -> Option<&Docs> {
        let named = context.screen().and_then(|name| self.screens.iter().find(|(screen, _)| screen == name));
        let fits = |app: &str| match (named, self.screens.is_empty() && self.apps.len() == 1) {
            (Some((_, own)), _) => app == own,
            (None, true) => true,
            (None, false) => is_in_front(app, &context.location),
        };
        self.apps.iter().find(|(app, _)| fits(app)).map(|(_, docs)| docs)
    }
}

impl From<Docs> for Library {
    fn from(docs: Docs) -> Self {
        Self::new(vec![(String::new(), docs)], Vec::new())
    }
}

/// Whether a location, as devices tell it, is one of the app's.
fn is_in_front(app: &str, location: &str) -> bool {
    // A phone's app may be named with its activity.
    let first = |text: &str| text.split('/').next().unwrap_or_default().to_lowercase();
    match Url::parse(location).ok().filter(Url::has_host) {
        Some(url) => {
            let host = url.host_str().unwrap_or_default();
            let port = url.port_or_known_default().map(|port| format!("{host}:{port}"));
            app.eq_ignore_ascii_case(host) || port.is_some_and(|port| app.eq_ignore_ascii_case(&port))
        }
        None => !location.is_empty() && first(app) == first(location),
    }
}

#[cfg(test)]
mod tests {
    use waldo_devices::Platform;
    use waldo_devices::observation::ScreenInfo;

    use super::super::{ElementKnowledge, Layers, Slot};
    use super::*;

    fn docs(text: &str) -> Docs {
        let mut layers = Layers::default();
        layers.auto.set(Slot::Tap, text);
        Docs::new([("k".to_owned(), ElementKnowledge { layers, ..ElementKnowledge::default() })])
    }

    fn given(library: &Library, location: &str, screen: Option<&str>) -> Option<String> {
        let info = |name: &str| ScreenInfo {
            name: name.to_owned(),
            platform: Platform::Web,
            front: true,
            showing: String::new(),
            changed: false,
        };
        let screens = screen.map(info).into_iter().collect();
        let context = Context { location: location.to_owned(), screens, ..Context::default() };
        library.in_front(&context).and_then(|docs| docs.iter().next()).map(|(_, text)| text)
    }

    fn library(screens: &[(&str, &str)]) -> Library {
        let apps = ["com.a.notes/.Main", "mousepad", "127.0.0.1:8080", "shop"];
        let apps = apps.map(|app| (app.to_owned(), docs(app))).to_vec();
        let named = screens.iter().map(|(screen, app)| ((*screen).to_owned(), (*app).to_owned()));
        Library::new(apps, named.collect())
    }

    #[test]
    fn a_screen_has_the_app_that_is_named_for_it_or_in_front() {
        let all = library(&[]);
        for (location, want) in [
            ("com.a.notes", Some("com.a.notes/.Main")),
            ("com.a.notes/.Edit", Some("com.a.notes/.Main")),
            ("Mousepad", Some("mousepad")),
            ("http://127.0.0.1:8080/a/b?c=1", Some("127.0.0.1:8080")),
            ("http://127.0.0.1:8081/", None),
            ("http://shop/cart", Some("shop")),
            ("http://other/mousepad", None),
            ("com.a.clock", None),
            ("", None),
        ] {
            let got = given(&all, location, None);
            assert_eq!(got.is_some(), want.is_some(), "{location}");
            assert!(got.unwrap_or_default().contains(want.unwrap_or_default()), "{location}");
        }
        let named = library(&[("browser", "shop")]);
        assert!(given(&named, "http://127.0.0.1:8080/", Some("browser")).unwrap().contains("shop"));
        assert!(given(&named, "mousepad", Some("desk")).unwrap().contains("mousepad"));
        assert_eq!(given(&named, "http://127.0.0.1:9/", Some("other")), None);
        // One app that no screen was named for holds everywhere, as its keys say.
        let one = Library::from(docs("everywhere"));
        assert!(given(&one, "com.a.clock", Some("phone")).unwrap().contains("everywhere"));
        let bound = Library::new(vec![("shop".to_owned(), docs("shop"))], named.screens);
        assert_eq!(given(&bound, "com.a.clock", Some("phone")), None);
    }
}
