//! What holds of any text.

use proptest::prelude::*;

use crate::locator::{Locator, PageLocation};
use crate::rules::Rules;
use crate::text::{clean, entities, excludes, includes, is_same, number, tokens};
use crate::url::{is_there, post_of};

/// Texts of what the rules look at.
const TEXT: &str = "[a-c0-2 .,'\"/&;#|?!()é“”\\n-]{0,24}";

proptest! {
    #[test]
    fn a_text_is_what_it_is(text in TEXT) {
        for rules in Rules::BY_PAGES {
            prop_assert!(is_same(rules, &text, &text));
            prop_assert_eq!(clean(rules, &text).to_lowercase(), clean(rules, &text));
            // To be refused is no answer; to differ would be one. Upstream knows no exclusion.
            if rules != Rules::Upstream
                && let (Ok(has), Ok(has_not)) = (includes(rules, &text, &text, true), excludes(rules, &text, &text)) {
                prop_assert_eq!(has_not, if rules == Rules::V2 { has } else { !has });
            }
        }
    }

    #[test]
    fn what_is_a_token_is_a_part(text in TEXT, word in "[a-c0-2]{1,3}") {
        if let Ok(true) = tokens::has(&text, &word, true) {
            prop_assert!(text.contains(&word));
        }
        prop_assert!(tokens::is_one(&word).unwrap_or(true));
    }

    #[test]
    fn nothing_makes_it_stumble(text in "\\PC{0,40}", other in "\\PC{0,20}") {
        for rules in Rules::BY_PAGES {
            let _ = (includes(rules, &other, &text, true), is_there(rules, &text, &other, None));
        }
        let readings = entities::unescape(&text);
        prop_assert!((1..=2).contains(&readings.len()));
        prop_assert!(text.contains('&') || readings == [text.clone()]);
        let _ = (number::whole(&text), number::is_any(1, &text), Locator::parse(&text), PageLocation::parse(&text));
    }

    #[test]
    fn a_post_is_its_own_post(forum in "[a-z]{1,5}", post in "[0-9]{1,4}", rest in "[a-z/-]{0,12}") {
        let found = post_of(&format!("http://h:1/f/{forum}/{post}/{rest}")).unwrap();
        prop_assert_eq!(&post_of(&found).unwrap(), &found);
        prop_assert_eq!(found, format!("http://h:1/f/{forum}/{post}/"));
    }

    #[test]
    fn no_script_assigns_or_calls_what_is_not_listed(name in "[a-zA-Z]{1,12}", way in "[a-z.()'\\[\\]]{0,12}") {
        let assigned = Locator::parse(&format!("document.title = {name}"));
        prop_assert!(assigned.is_err());
        let told = Locator::parse(&format!("document.{name}({way})"));
        let listed = ["querySelector", "closest", "map", "filter", "join", "trim", "includes", "title", "value", "text", "href", "src",
            "length", "body", "options", "checked", "disabled", "children", "toString"];
        prop_assert!(told.is_err() || listed.contains(&name.as_str()));
    }
}
