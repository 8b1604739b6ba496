use proptest::prelude::*;

use super::*;

fn right(kind: AnswerType, value: &str, goal: &str) -> Right {
    Right { kind, goal: goal.to_owned(), ..Right::one_of(vec![value.to_owned()]) }
}

fn holds(right: &Right, answer: &str, wanted: bool) {
    let reading = right.read(answer);
    assert_eq!(reading.passed, wanted, "{:?} {:?}: {answer}: {}", right.kind, right.values, reading.found);
}

fn all(right: &Right, good: &[&str], bad: &[&str]) {
    good.iter().for_each(|answer| holds(right, answer, true));
    bad.iter().for_each(|answer| holds(right, answer, false));
}

#[test]
fn what_does_not_change_the_meaning_is_forgiven() {
    for (answer, value) in [
        ("  Blue   Lamp. ", "blue lamp"),
        ("\"Berlin\"", "Berlin"),
        ("**Berlin**", "Berlin"),
        ("$1,234.50", "1234.50"),
        ("1234.5", "$1,234.50"),
        ("12.00", "12"),
        ("-$5", "-5"),
        ("12,345,678", "12345678"),
        ("Straße", "straße"),
        ("0042", "0042"),
        ("2 pm", "14:00"),
        ("March 6th, 2026", "2026-03-06"),
        ("1 hour and 35 minutes", "95 minutes"),
        ("Yes.", "yes"),
    ] {
        holds(&Right::one_of(vec![value.to_owned()]), answer, true);
    }
}

#[test]
fn what_changes_the_meaning_is_not() {
    for (answer, value) in [
        ("12.50", "12.51"),
        ("0042", "42"),
        ("42", "0042"),
        ("1,5", "15"),
        ("1,2345", "12345"),
        ("-5", "5"),
        ("not Berlin", "Berlin"),
        ("", "0"),
        ("A-1", "A1"),
        ("k7-204", "K7-204"),
        ("Lamp 2", "Lamp"),
        ("€5", "$5"),
        ("2 am", "14:00"),
        ("no", "yes"),
        ("It is a yes or a no.", "yes"),
    ] {
        holds(&Right::one_of(vec![value.to_owned()]), answer, false);
    }
}

#[test]
fn a_number_may_stand_in_a_sentence() {
    let sum = right(AnswerType::Number, "195", "Work out 15 times 13 with the calculator. What is it?");
    let good = [
        "195",
        "195.0",
        "The answer is 195.",
        "15 times 13 is 195.",
        "15*13=195",
        "15 × 13 = **195**",
        "It is 195, not 196.",
    ];
    let bad = [
        "15 times 13 is 196.",
        "16 times 13 is 195.",
        "195 or 196",
        "either 195 or 13",
        "It is not 195.",
        "It isn't 195",
        "195 is wrong",
        "It does not come to 195.",
        "between 195 and 200",
        "15",
        "The result cannot be 195.",
        "1950",
        "-195",
        "195-196",
        "K195",
        "0195",
        "",
    ];
    all(&sum, &good, &bad);
    let stated = right(AnswerType::Number, "15", "Work out 15 times 1. What is it?");
    all(&stated, &["15", "15 times 1 is 15.", "It is 15"], &["1", "15 times 1 is 1", "1 or 15", "15 or 1"]);
    let named = right(AnswerType::Number, "13", "Is it 12 or more?");
    all(&named, &["13", "It is 13."], &["12 or 13", "13 or 12", "12"]);
    let few = right(AnswerType::Number, "3", "How many bars are there?");
    all(
        &few,
        &["three", "There are three bars.", "One can see 3."],
        &["four", "three or four", "3 or four or 5"],
    );
}

#[test]
fn a_unit_or_a_currency_may_stand_by_it_but_not_another() {
    let costs =
        Right { unit: Some("$".to_owned()), tolerance: 0.005, ..right(AnswerType::Currency, "1012.5", "") };
    let good = [
        "1012.50",
        "$1,012.50",
        "1,012.50 dollars",
        "They cost USD 1012.50.",
        "2 lamps cost $1,012.50 together",
    ];
    all(&costs, &good, &["€1012.50", "1012.50 euros", "$1,012.60", "$1,012.50 or $1,013", "1012.50 cents"]);
    let long = Right { unit: Some("minutes".to_owned()), ..right(AnswerType::Duration, "95", "") };
    all(
        &long,
        &["95", "95 minutes", "1 h 35 min", "It is 95 minutes."],
        &["95 hours", "95 s", "1 h", "95 or 96"],
    );
    let weight = Right { unit: Some("kg".to_owned()), ..right(AnswerType::Number, "2", "") };
    all(&weight, &["2", "2kg", "2 kilograms", "5 bags weigh 2 kg"], &["2 g", "2000"]);
    let share = right(AnswerType::Number, "5", "");
    all(&share, &["5%", "5 percent"], &["5%, 6%"]);
}

#[test]
fn codes_are_exact_wherever_they_stand() {
    let code = right(AnswerType::Code, "K7-204", "What is the code of the front door in the open file?");
    let good = ["K7-204", "The code of the front door is K7-204.", "It's `K7-204`", "K7-204, not R2-951"];
    let bad =
        ["K7-205", "k7-204", "K7204", "K7-204 or R2-951", "not K7-204", "K7-204 R2-951", "K7-2044", "7-204"];
    all(&code, &good, &bad);
    let door = right(AnswerType::Code, "0042", "What is the code of door 3?");
    all(&door, &["0042", "The code of door 3 is 0042."], &["42", "The code of door 4 is 0042.", "00420"]);
    let phone =
        Right { kind: AnswerType::Code, ..Right::one_of(vec!["555-0123".to_owned(), "5550123".to_owned()]) };
    all(&phone, &["555-0123", "5550123", "Call 555-0123 (5550123)"], &["555-0124", "555-0123 or 555-0124"]);
}

#[test]
fn a_name_may_stand_in_a_sentence() {
    let goal = "Which item of the open sheet costs least?";
    let tea = Right {
        among: vec!["Tea".to_owned(), "Coffee".to_owned(), "Cocoa".to_owned()],
        ..right(AnswerType::Name, "Tea", goal)
    };
    let good = [
        "Tea",
        "tea.",
        "The item that costs least is Tea.",
        "Tea costs least.",
        "The cheapest item is **Tea**.",
        "Answer: Tea",
        "It is Tea, not Coffee.",
        "\"Tea\"",
    ];
    let bad = [
        "Coffee",
        "Tea or Coffee",
        "Coffee, Tea",
        "Tea and Coffee",
        "Tea/Coffee",
        "not Tea",
        "It is not Tea",
        "Tea is wrong",
        "Tea bags",
        "Green Tea",
        "Teas",
        "Te",
        "Coffee costs less than Tea",
        "Tea 2",
        "everything except Tea",
        "",
    ];
    all(&tea, &good, &bad);
    let goal = "Where does Swim meet take place on 4 March 2026?";
    let place = right(AnswerType::Name, "Hall 4", goal);
    let good = ["Hall 4", "Swim meet takes place at Hall 4.", "It takes place in Hall 4 on 4 March 2026."];
    let bad = [
        "Hall 42",
        "Hall",
        "Hall 4b",
        "Hall 4 or Pier Street 12",
        "Pier Street 12, Hall 4",
        "It does not take place in Hall 4",
    ];
    all(&place, &good, &bad);
    let room = right(AnswerType::Name, "Elm room", "Which room is the smallest?");
    all(
        &room,
        &["The smallest room that is not closed is Elm room.", "the elm room"],
        &["Ash room", "the Old Elm room"],
    );
    let file = Right { kind: AnswerType::Name, ..Right::one_of(vec!["treasure".to_owned()]) };
    all(
        &file,
        &["The hidden file is .treasure", "a file named treasure"],
        &["treasure map", "secret treasure", "no treasure"],
    );
}

#[test]
fn dates_times_and_yes_or_no_are_read() {
    let date = right(AnswerType::Date, "2026-03-06", "Which day after 3 March 2026 is free?");
    let good = [
        "6 March 2026",
        "March 6",
        "2026-03-06",
        "It is the 6th of March.",
        "After 3 March 2026, 6 March is free.",
    ];
    all(
        &date,
        &good,
        &[
            "7 March 2026",
            "6 March 2025",
            "03/06/2026",
            "6 or 7 March",
            "6 March or 7 March",
            "5 or 6 March",
            "6 March or later",
            "not 6 March",
        ],
    );
    let time = right(AnswerType::Time, "14:00", "At which hour? Answer as 09:00 is written.");
    all(
        &time,
        &["14:00", "At 2 pm.", "I am free at 14:00."],
        &["2:00", "14:01", "14:00 or 16:00", "not at 14:00", "09:00"],
    );
    let no = right(AnswerType::YesNo, "no", "Is there an alarm?");
    all(
        &no,
        &["No", "No, there is none.", "The answer is no."],
        &["Yes", "Yes, there is no doubt.", "yes and no", "There is no alarm"],
    );
}

#[test]
fn a_bare_value_is_nothing_else() {
    let number = Right { bare: true, ..right(AnswerType::Number, "12", "") };
    all(&number, &["12", " 12. ", "12 kg"], &["It is 12", "12 lamps", "13"]);
    let name = Right { bare: true, ..right(AnswerType::Name, "Hall 4", "") };
    all(&name, &["Hall 4", "hall 4."], &["It is Hall 4"]);
}

#[test]
fn a_list_is_compared_without_its_order() {
    let values = ["Ada Lovelace", "Salt and Pepper", "1200"].map(str::to_owned);
    let list = Right { is_list: true, ..Right::one_of(values.to_vec()) };
    let good = [
        "Ada Lovelace, Salt and Pepper, 1,200",
        "1200; ada lovelace; salt and pepper",
        "- Salt and Pepper\n- 1200\n- Ada Lovelace",
        "1. Ada Lovelace\n2. Salt and Pepper\n3. 1,200",
        "1200, Salt and Pepper, and Ada Lovelace",
        "1200, Salt and Pepper and Ada Lovelace.",
        "The entries are 1200, Salt and Pepper and Ada Lovelace.",
        "These: Ada Lovelace; 1200; Salt and Pepper",
    ];
    let bad = [
        "Ada Lovelace, Salt and Pepper",
        "Ada Lovelace, Ada Lovelace, 1200",
        "",
        "a, b, c, d",
        "The entries are not 1200, Salt and Pepper and Ada Lovelace.",
        "1200, Salt and Pepper, Ada Lovelace, 13",
    ];
    all(&list, &good, &bad);
    let short = Right { is_list: true, ..Right::one_of(vec!["y".to_owned(), "x".to_owned()]) };
    all(&short, &["x and y", "x,y"], &["x or y", "x"]);
}

#[test]
fn the_record_says_what_was_read() {
    let sum = right(AnswerType::Number, "195", "15 times 13");
    assert_eq!(sum.read("195").found, "195");
    assert_eq!(sum.read("15 times 13 is 195 kg.").found, "read as 195 kg, in: 15 times 13 is 195 kg.");
    assert_eq!(sum.read("12 or 14").found, "no answer: it offers a choice, in: 12 or 14");
    assert_eq!(sum.read("twice").found, "no answer: there is no number in it, in: twice");
}

proptest! {
    #[test]
    fn any_text_is_read(answer in "\\PC{0,60}", goal in "\\PC{0,30}", value in "[A-Za-z0-9 .:-]{1,12}") {
        for kind in [AnswerType::Number, AnswerType::Date, AnswerType::Time, AnswerType::Duration, AnswerType::Code, AnswerType::Name, AnswerType::YesNo] {
            right(kind, &value, &goal).read(&answer);
        }
        Right { is_list: true, ..Right::one_of(vec![value]) }.read(&answer);
    }

    #[test]
    fn a_number_is_right_in_each_form_and_no_other_is(n in -99_999_i64..99_999, other in 1_i64..50) {
        let sum = right(AnswerType::Number, &n.to_string(), "What is it?");
        let wrong = n + other;
        for (before, after) in [("", ""), ("It is ", "."), ("The answer is ", " kg"), ("**", "**"), ("= ", "")] {
            let said = |number: String| sum.read(&format!("{before}{number}{after}")).passed;
            let (good, bad, choice) = (said(n.to_string()), said(wrong.to_string()), said(format!("{n} or {wrong}")));
            prop_assert!(good && !bad && !choice, "{} {} {}", before, n, after);
        }
        let denied = sum.read(&format!("not {n}")).passed;
        prop_assert!(!denied);
    }

    #[test]
    fn numbers_of_the_question_may_be_repeated(a in 2_i64..999, b in 2_i64..999) {
        let sum = right(AnswerType::Number, &(a * b).to_string(), &format!("Work out {a} times {b}. What is it?"));
        let sentence = format!("{a} times {b} is {}.", a * b);
        let wrong = format!("{a} times {b} is {}.", a * b + 1);
        prop_assert!(sum.read(&sentence).passed);
        prop_assert!(!sum.read(&wrong).passed);
    }

    #[test]
    fn a_code_is_read_exactly(code in "[A-Z]{1,2}[0-9]{1,3}-[0-9]{2,4}", digit in "[0-9]") {
        let right = right(AnswerType::Code, &code, "What is the code?");
        let sentence = format!("The code is {code}.");
        prop_assert!(right.read(&code).passed && right.read(&sentence).passed);
        let longer = format!("The code is {code}{digit}.");
        prop_assert!(!right.read(&longer).passed);
        prop_assert!(!right.read(&code.to_lowercase()).passed);
    }
}
