//! What the benchmark's own functions answered, recorded by `scripts/diff mmbench`.

use serde_json::Value;

use crate::{
    Difficulty, Grounding, ItemKind, L1Outcome, L2Outcome, LetterRule, OfflinePlatform, PlaceResult,
    PointRule, Scorer, read_letter, read_point, score_l1, score_l2,
};

fn recorded(part: &str) -> Vec<Value> {
    let mut all: Value = serde_json::from_str(include_str!("../data/answers.json")).unwrap();
    let Value::Array(rows) = all[part].take() else { panic!("{part}") };
    rows
}

fn of<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn letters_are_read_alike() {
    let all = recorded("letters");
    assert_eq!(all.len(), 1000);
    for row in all {
        let want = row[1].as_str().and_then(|letter| letter.chars().next());
        assert_eq!(read_letter(LetterRule::Upstream, row[0].as_str().unwrap()), want, "{}", row[0]);
    }
}

#[test]
fn points_are_read_alike() {
    let all = recorded("points");
    assert_eq!(all.len(), 1000);
    for row in all {
        let (text, size): (String, (u32, u32)) = (of(&row[0]), of(&row[1]));
        for (rule, want) in [PointRule::Default, PointRule::Uitars, PointRule::Aguvis].into_iter().zip(2..) {
            let got = read_point(rule, &text, size).map(|at| [at.x, at.y]);
            let want: Option<[f64; 2]> = of(&row[want]);
            let same = match (got, want) {
                (Some(got), Some(want)) => {
                    got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 1e-12 * w.abs().max(1.0))
                }
                (got, want) => got == want,
            };
            assert!(same, "{rule:?} {text:?} {size:?}: {got:?} {want:?}");
        }
    }
}

/// Whether all that `want` has is in `got`, numbers to the last digits. What the benchmark cannot compute is null there
/// and left out here, and spoils the score over all.
fn holds(got: &Value, want: &Value, path: &str) {
    match (got, want) {
        (Value::Object(got), Value::Object(want)) => {
            let spoilt = want.values().any(|cell| cell["score"].is_null() && cell.is_object());
            for (name, inner) in want {
                if inner["score"].is_null() && inner["sample_num"] == 0 {
                    assert!(!got.contains_key(name), "{path}.{name}");
                } else if !(spoilt && name == "level_score") {
                    holds(&got[name], inner, &format!("{path}.{name}"));
                }
            }
        }
        _ => {
            let (got, want) = (got.as_f64().unwrap(), want.as_f64().unwrap());
            assert!((got - want).abs() < 1e-9, "{path}: {got} {want}");
        }
    }
}

#[test]
fn scores_are_alike() {
    for row in recorded("l1") {
        let outcomes: Vec<L1Outcome> = of::<Vec<(Difficulty, OfflinePlatform, u8, usize)>>(&row[0])
            .into_iter()
            .map(|(difficulty, platform, hit, options)| L1Outcome {
                difficulty,
                platform,
                hit: hit == 1,
                options,
            })
            .collect();
        for (scorer, want) in [(Scorer::Normal, &row[1]), (Scorer::Weighted, &row[2])] {
            holds(&serde_json::to_value(score_l1(&outcomes, scorer)).unwrap(), want, "");
        }
    }
    for row in recorded("l2") {
        let outcomes: Vec<L2Outcome> = of::<Vec<(Grounding, OfflinePlatform, ItemKind, i8)>>(&row[0])
            .into_iter()
            .map(|(grounding, platform, kind, result)| {
                let result = match result {
                    1 => PlaceResult::Hit,
                    0 => PlaceResult::Miss,
                    _ => PlaceResult::WrongFormat,
                };
                L2Outcome { grounding, platform, kind, result }
            })
            .collect();
        holds(&serde_json::to_value(score_l2(&outcomes)).unwrap(), &row[1], "");
    }
}
