use proptest::prelude::*;

use super::*;

fn slots(tap: &str, text: &str) -> Slots {
    Slots { tap: tap.into(), text: text.into(), ..Slots::default() }
}

/// What Python 3.11 prints for the same strings.
#[test]
fn a_string_is_written_as_python_writes_it() {
    for (text, python) in [
        ("", "''"),
        ("plain", "'plain'"),
        ("it's", "\"it's\""),
        ("say \"hi\"", "'say \"hi\"'"),
        ("it's \"both\"", "'it\\'s \"both\"'"),
        ("a\\b", "'a\\\\b'"),
        ("l1\nl2\r\tx", "'l1\\nl2\\r\\tx'"),
        ("\u{0}\u{7}\u{1b}\u{7f}", "'\\x00\\x07\\x1b\\x7f'"),
        ("caf\u{e9} \u{a0}\u{ad}", "'caf\u{e9} \\xa0\\xad'"),
        ("\u{200b}\u{2028}\u{3000}", "'\\u200b\\u2028\\u3000'"),
        ("\u{4f60}\u{597d} \u{1f600}", "'\u{4f60}\u{597d} \u{1f600}'"),
        ("\u{e000}\u{e0001}", "'\\ue000\\U000e0001'"),
    ] {
        assert_eq!(repr(text), python, "{text:?}");
    }
}

#[test]
fn a_file_has_the_five_keys_in_their_order() {
    let text = write(&slots("It's \"Send\".", ""));
    assert_eq!(
        text,
        "{'tap': 'It\\'s \"Send\".', 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}"
    );
    assert_eq!(read(&text).unwrap(), slots("It's \"Send\".", ""));
}

#[test]
fn what_python_reads_is_read() {
    for (text, tap) in [
        ("{'tap': 'a'}", "a"),
        ("{\"tap\": \"a\"}", "a"),
        ("  {\n 'tap' : 'a' , # a note\n}\n", "a"),
        ("{'tap': 'a' \"b\"\n'c'}", "abc"),
        ("{'tap': '''a\n'b''' }", "a\n'b"),
        ("{'tap': \"\"\"x\"\"\"}", "x"),
        ("{'tap': u'a'}", "a"),
        ("{'tap': r'a\\n'}", "a\\n"),
        ("{'tap': '\\x41\\u00e9\\U0001F600\\101\\0'}", "A\u{e9}\u{1f600}A\u{0}"),
        ("{'tap': 'a\\\nb\\d\\'\\\"'}", "ab\\d'\""),
        ("{'tap': '\\ud800'}", "\u{fffd}"),
        ("{'tap': None, 'text': ''}", ""),
        ("{}", ""),
        ("\u{feff}{'tap': 'a'}", "a"),
    ] {
        assert_eq!(read(text).map(|s| s.tap), Ok(tap.to_owned()), "{text}");
    }
}

#[test]
fn what_is_no_documentation_is_refused_with_the_place() {
    for (text, says) in [
        ("", "'{' is missing"),
        ("[]", "'{' is missing"),
        ("{'tap' 'a'}", "is none of"),
        ("{'tap': 'a' 'text': 'b'}", "'}' is missing"),
        ("{'tap': 'a", "does not end"),
        ("{'tap': 'a\nb'}", "on its line"),
        ("{'tap': a}", "a string is missing"),
        ("{'tap': 'a'} x", "follows"),
        ("{'swipe': 'a'}", "is none of"),
        ("{'tap': '\\x4'}", "2 digits"),
        ("{'tap': '\\N{BULLET}'}", "write the character"),
        ("{'tap': '\\", "does not end"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.message.contains(says), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn every_text_comes_back(tap in "\\PC*", text in any::<String>()) {
        let slots = slots(&tap, &text);
        prop_assert_eq!(read(&write(&slots)), Ok(slots));
    }

    #[test]
    fn no_text_makes_the_reader_fall(text in any::<String>(), quoted in "[{}'\"\\\\:,a-z\n ]{0,40}") {
        let _ = read(&text);
        let _ = read(&quoted);
    }
}
