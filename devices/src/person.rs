//! Words with which pages ask for proof of a person.
//!
//! They are looked for so that such a page is left to a person. Nothing here tries to pass one.

use crate::device::{Deadline, Device};
use crate::hit_test::InputTarget;

/// General words of the matter, none of a vendor, parted by bars.
const ASKS: &str = "captcha|verify you are human|verify that you are human|verify you're human|\
    verifying you are human|confirm you are human|confirm that you are human|prove you are human|\
    prove that you are human|are you human|are you a human|i am human|i'm human|i am a human|\
    not a robot|are you a robot|human verification|checking if the site connection is secure";

/// The notice below many a form; it asks for nothing.
const NOTICES: &[&str] = &["protected by recaptcha", "protected by hcaptcha"];

pub fn asks(text: &str) -> Option<&'static str> {
    let plain = NOTICES.iter().fold(plain(text), |text, notice| text.replace(notice, ""));
    ASKS.split('|').find(|words| plain.contains(words))
}

/// The words of a page's pieces of text that ask for a person: a page may cut them between words or within.
pub(crate) fn asks_in_pieces(pieces: &[String]) -> Option<&'static str> {
    asks(&pieces.join(" ")).or_else(|| asks(&pieces.concat()))
}

/// In small letters, with single spaces, and without what is not seen.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {}
            '\u{2019}' | '\u{2018}' => plain.push('\''),
            c if c.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            c => plain.push(c.to_ascii_lowercase()),
        }
    }
    plain
}

/// The words with which the page in front asks for a person, read from all that it has drawn as text. `None`
/// also where it cannot be read: before an input the gate reads it again, and refuses where it cannot.
pub async fn asked_for(device: &mut dyn Device, deadline: Deadline) -> Option<String> {
    if !device.info().platform.has_pages() {
        return None;
    }
    let aimed = device.hit_test(&InputTarget::default(), deadline).await.ok()?;
    asks_in_pieces(&aimed.text).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_written() {
        for text in [
            "I\u{2019}m  not a\nRobot",
            "Please VERIFY you are\u{a0}human.",
            "Veri\u{ad}fy you\u{200b} are human",
            "reCAPTCHA",
        ] {
            assert!(asks(text).is_some(), "{text}");
        }
        for text in [
            "This site is protected by reCAPTCHA and its terms apply.",
            "How humans move",
            "Verify your address",
            "The robot vacuum",
        ] {
            assert_eq!(asks(text), None, "{text}");
        }
    }

    #[test]
    fn a_page_that_cuts_its_words_is_understood() {
        let pieces = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert!(asks_in_pieces(&pieces(&["Verify you are", "human"])).is_some());
        assert!(asks_in_pieces(&pieces(&["Verify you are hu", "man"])).is_some());
        assert_eq!(asks_in_pieces(&pieces(&["Slide", "the handle"])), None);
    }
}
