use proptest::prelude::*;
use serde::Deserialize;

use super::*;

fn right(kind: AnswerType, value: &str, goal: &str) -> Right {
    Right { kind, goal: goal.to_owned(), ..Right::one_of(vec![value.to_owned()]) }
}

#[derive(Deserialize)]
struct Cases {
    seeming: Vec<Case>,
    case: Vec<Case>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Case {
    kind: Option<AnswerType>,
    values: Vec<String>,
    is_list: bool,
    tolerance: f64,
    unit: Option<String>,
    among: Vec<String>,
    bare: bool,
    goal: String,
    good: Vec<String>,
    bad: Vec<String>,
}

#[test]
fn what_means_the_same_is_right_and_nothing_else() {
    let cases: Cases = toml::from_str(include_str!("cases.toml")).unwrap();
    for Case { kind, values, is_list, tolerance, unit, among, bare, goal, good, bad } in
        cases.seeming.into_iter().chain(cases.case)
    {
        let as_it_seems = Right::one_of(values);
        let kind = kind.unwrap_or(as_it_seems.kind);
        let right = Right { kind, is_list, tolerance, unit, among, bare, goal, ..as_it_seems };
        for (answer, wanted) in good.iter().map(|good| (good, true)).chain(bad.iter().map(|bad| (bad, false)))
        {
            let reading = right.read(answer);
            assert_eq!(reading.passed, wanted, "{right:?}: {answer}: {}", reading.found);
        }
    }
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
