use super::super::select;
use super::super::testing::{element, with};
use super::*;
use proptest::prelude::*;

#[test]
fn the_list_reads_as_documented() {
    let mut save = element("button", "Save", 0.0, 0.0, 40.0, 20.0);
    save.states.disabled = true;
    let mut mail = with(element("textbox", "Mail \"work\"", 0.0, 30.0, 40.0, 20.0), &[Affordance::Edit]);
    mail.value = Some(String::new());
    mail.states.required = true;
    mail.states.focused = true;
    let mut size = with(element("combobox", "Size", 0.0, 60.0, 40.0, 20.0), &[Affordance::Select]);
    size.value = Some("M".into());
    size.options = vec!["S".into(), "M".into(), "L | XL".into()];
    let pane = with(element("region", "", 0.0, 90.0, 40.0, 20.0), &[Affordance::Scroll]);
    let note = with(element("text", "Fill in\n9 button \"Fake\"", 0.0, 120.0, 40.0, 20.0), &[]);
    let mut tick = element("checkbox", "Agree", 0.0, 150.0, 40.0, 20.0);
    tick.states.checked = Some(false);
    let all = [save, mail, size, pane, note, tick];
    let list = text_list(&all, &select(&all, 100));
    assert_eq!(
        list.lines().collect::<Vec<_>>(),
        [
            r#"- button "Save" (disabled)"#,
            r#"1 textbox "Mail \"work\"" (focused, required) value="""#,
            r#"2 combobox "Size" value="M" options: S | M | "L | XL""#,
            "3 region (scrollable)",
            r#"- text "Fill in\n9 button \"Fake\"""#,
            r#"4 checkbox "Agree" (unchecked)"#,
        ]
    );
    let back = parse_list_line(list.lines().nth(2).unwrap()).unwrap();
    assert_eq!((back.tag, back.options[2].as_str()), (Some(Tag(2)), "L | XL"));
}

fn text(words: &str, x: f64, y: f64, before: usize) -> StaticText {
    StaticText { text: words.into(), bounds: crate::geometry::Rect::new(x, y, 60.0, 16.0), before }
}

#[test]
fn texts_stand_between_the_elements_that_they_stand_between_a_row_in_a_line() {
    let all = [element("link", "Ada", 0.0, 20.0, 40.0, 20.0), element("button", "Go", 0.0, 90.0, 40.0, 20.0)];
    let texts = [
        text("44 rows", 0.0, 0.0, 0),
        text("Oslo", 50.0, 20.0, 1),
        text("12 \"EUR\"\n9 button", 120.0, 22.0, 1),
        text("Total", 50.0, 50.0, 1),
        text("Done", 0.0, 120.0, 2),
    ];
    let list = screen_list(&all, &select(&all, 9), &texts);
    assert_eq!(
        list.lines().collect::<Vec<_>>(),
        [
            r#""44 rows""#,
            r#"1 link "Ada""#,
            r#""Oslo | 12 \"EUR\"\n9 button""#,
            r#""Total""#,
            r#"2 button "Go""#,
            r#""Done""#,
        ]
    );
    assert_eq!(list.lines().filter_map(parse_list_line).count(), 2, "texts are not targets");
}

#[test]
fn texts_end_at_their_budget_and_the_list_says_how_many_are_left_out() {
    let texts: Vec<_> = (0..40).map(|n| text(&"word ".repeat(30), 0.0, f64::from(n) * 20.0, 0)).collect();
    let list = screen_list(&[], &[], &texts);
    let (last, kept) = (list.lines().last().unwrap(), list.lines().count() - 1);
    assert!(kept > 20 && list.chars().count() < MAX_TEXTS_CHARS + 3 * 40 + 30, "{kept}");
    assert_eq!(last, format!("({} more texts)", 40 - kept));
}

#[test]
fn equal_options_are_listed_once() {
    let list_of = |name: &str, y: f64, options: &[&str]| {
        let mut e = with(element("combobox", name, 0.0, y, 40.0, 20.0), &[Affordance::Select]);
        e.options = options.iter().map(|o| (*o).to_owned()).collect();
        e
    };
    let many = ["=", "!=", "<", ">"];
    let all = [
        list_of("A", 0.0, &many),
        list_of("B", 30.0, &many),
        list_of("C", 60.0, &["=", "!="]),
        list_of("D", 90.0, &["=", "!="]),
        list_of("E", 120.0, &["=", "!=", "<", "same as 1"]),
    ];
    let list = text_list(&all, &select(&all, 9));
    let lines: Vec<_> = list.lines().collect();
    assert_eq!(lines[1], r#"2 combobox "B" options: same as 1"#);
    assert_eq!(parse_list_line(lines[1]).unwrap().same_options, Some(Tag(1)));
    assert_eq!(lines[3], r#"4 combobox "D" options: = | !="#);
    assert!(lines[4].ends_with(r#""<" | "same as 1""#), "{}", lines[4]);
    assert_eq!(parse_list_line(lines[4]).unwrap().options.len(), 4);
}

#[test]
fn what_is_no_line_is_refused() {
    for bad in "~1~1 ~x button~ button~[1] button~1 button \"open~1 button junk~1 button ()~1 button (Caps)~\
        1 button \"a\" \"b\"~1 button \"\\q\"~1 b \"\\u{zz}\"~1 list options: ~1 list options: a |b~\
        99999999999 button~+1 button"
        .split('~')
    {
        assert_eq!(parse_list_line(bad), None, "{bad:?}");
    }
}

#[test]
fn long_texts_are_cut_and_say_so() {
    let long = element("button", &"é".repeat(500), 0.0, 0.0, 9.0, 9.0);
    let line = ListLine::of(Some(Tag(1)), &long);
    assert_eq!(line.name.chars().count(), MAX_NAME_CHARS);
    assert!(line.name.ends_with('…'));
}

/// Separators, quotes, control and invisible characters.
const PIECES: &str = "\"~\\~\n~\r\n~\u{2028}~\u{202e}~ | ~|~ options: ~ value=\"~)~ (~\\u{41}~same as 1~2 button~…~ ~\
    \t~\u{0}~\u{85}~\u{a0}";

/// Texts that try to break out.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(PIECES.split('~').collect::<Vec<_>>()).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|v| v.concat())
}

proptest! {
    #[test]
    fn a_line_reads_back_as_it_was_written(
        role in hostile(), name in hostile(), value in prop::option::of(hostile()),
        options in prop::collection::vec(hostile(), 0..5), bits in any::<[bool; 6]>(), n in any::<u32>(),
    ) {
        let mut e = element(&role, &name, 0.0, 0.0, 9.0, 9.0);
        e.value = value;
        e.options = options;
        e.states.focused = bits[0];
        e.states.required = bits[1];
        e.states.checked = bits[2].then_some(bits[3]);
        e.states.expanded = bits[4].then_some(bits[5]);
        let line = ListLine::of(bits[0].then_some(Tag(n)), &e);
        let text = line.to_string();
        prop_assert_eq!(text.lines().count(), 1);
        prop_assert!(!text.chars().any(needs_escape));
        prop_assert_eq!(parse_list_line(&text), Some(line));
    }

    #[test]
    fn reading_never_panics(text in any::<String>(), tail in hostile()) {
        let _ = parse_list_line(&text);
        let _ = parse_list_line(&format!("3 button \"{tail}"));
        let _ = parse_list_line(&format!("3 list options: {tail}"));
    }
}

#[test]
fn what_was_found_in_the_picture_and_has_no_words_shares_a_line() {
    let drawn = |n: f64| {
        let mut found = element("button", "", 0.0, n * 30.0, 40.0, 20.0);
        found.source = Source::Picture;
        found
    };
    let mut all: Vec<Element> = (0..4).map(|n| drawn(f64::from(n))).collect();
    all.insert(3, element("button", "Save", 200.0, 0.0, 40.0, 20.0));
    let mut cell = drawn(9.0);
    cell.name = "B2".into();
    all.push(cell);
    all[4].role = crate::element::Role::new("img");
    let list = text_list(&all, &select(&all, 100));
    let read: Vec<_> = parse_list(&list).into_iter().map(|line| (line.tag.unwrap().0, line.role)).collect();
    let roles = ["button", "button", "button", "button", "img", "button"].map(str::to_owned);
    assert_eq!(read, (1..).zip(roles).collect::<Vec<_>>(), "as if each had its line");
    let lines = [
        "4 button \"Save\"",
        "6 button \"B2\"",
        "(found in the picture, without words: button 1 to 3, img 5)",
    ];
    assert_eq!(list.lines().collect::<Vec<_>>(), lines);
}
