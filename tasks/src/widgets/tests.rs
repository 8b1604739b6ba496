use std::collections::HashSet;

use super::*;

fn suite() -> Widgets {
    Widgets::open(Control::Oracle).unwrap()
}

/// What the page would report for an answer: the page's arithmetic, told again.
fn state(play: &Play, answer: &WidgetAnswer) -> Value {
    match (play, answer) {
        (Play::Slide { .. }, WidgetAnswer::Shares(s)) => json!({ "share": s[0] }),
        (Play::Handles { .. }, WidgetAnswer::Shares(s)) => json!({ "low": s[0], "high": s[1] }),
        (Play::Colour { .. }, WidgetAnswer::Shares(s)) => json!({ "h": s[0] * 360.0, "s": s[1], "v": s[2] }),
        (Play::Cycle { .. }, WidgetAnswer::One(n)) => json!({ "index": n }),
        (Play::Spots(at), WidgetAnswer::One(n)) => json!({ "x": at[*n][0], "y": at[*n][1] }),
        (Play::Piece { ends, .. }, WidgetAnswer::One(n)) => {
            // Of a dial, whose first place is where it starts, the share is handed in.
            let share = (*n + 1) as f64 / (ends.len() + 1) as f64;
            json!({ "x": ends[*n][0], "y": ends[*n][1], "share": share })
        }
        (Play::Cells { .. }, WidgetAnswer::Cells(cells)) => json!({ "cells": cells }),
        (Play::Ground(_), WidgetAnswer::Path(path)) => json!({ "path": path }),
        (Play::Fields { .. }, WidgetAnswer::Texts(texts)) => json!({ "text": texts[0], "fields": texts }),
        _ => Value::Null,
    }
}

/// The tiles of a drawing after the move of one to another's place: tiles change places, rows make room.
fn moved(it: &Instance, from: usize, to: usize) -> Vec<usize> {
    let mut tiles: Vec<usize> = serde_json::from_value(it.render["data"]["tiles"].clone()).unwrap();
    if matches!(it.play, Play::Tiles(_)) {
        tiles.swap(from, to);
    } else {
        let moved = tiles.remove(from);
        tiles.insert(to, moved);
    }
    tiles
}

#[test]
fn the_file_names_every_archetype_once_in_order() {
    let suite = suite();
    let ids: Vec<&str> = suite.archetypes.iter().map(|a| a.id.as_str()).collect();
    assert_eq!(ids, GENERATORS.map(|(id, _)| id));
    assert_eq!(suite.archetypes.iter().filter(|a| a.held_out).count(), 2);
    assert!(suite.archetypes.iter().all(|a| (0.0..=0.35).contains(&a.chance)));
    assert!(suite.files.get("/").is_some());
    assert_eq!(suite.hash(), self::suite().hash());
}

#[test]
fn instances_follow_their_seeds_and_looks_vary() {
    for (id, _) in GENERATORS {
        assert_eq!(generate(id, 5).unwrap(), generate(id, 5).unwrap());
        let all: HashSet<String> = (0..20).map(|s| generate(id, s).unwrap().render.to_string()).collect();
        assert_eq!(all.len(), 20, "{id}");
    }
    assert!(generate("nothing", 0).is_err());
    let facts: Vec<Value> = (0..60).map(|seed| generate("slider-value", seed).unwrap().facts).collect();
    for (what, least) in [("theme", 6), ("font", 4), ("size", 5), ("pixel_ratio", 2)] {
        let all: HashSet<String> = facts.iter().map(|f| f[what].to_string()).collect();
        assert!(all.len() >= least, "{what}: {all:?}");
    }
}

#[test]
fn the_answer_is_the_truth() {
    for (id, _) in GENERATORS {
        for seed in 0..300 {
            let it = generate(id, seed).unwrap();
            match (&it.play, &it.answer) {
                (Play::Tiles(_) | Play::Rows(_), WidgetAnswer::Move(a, b)) => {
                    assert!(it.truth.holds(&json!({ "tiles": moved(&it, *a, *b) })), "{id} {seed}");
                }
                (Play::Table { .. }, WidgetAnswer::Sort([column, presses, _])) => {
                    let Truth::Table { column: right, direction, .. } = it.truth else { panic!() };
                    assert_eq!((*column, *presses == 2), (right, direction < 0), "{id} {seed}");
                }
                (play, answer) => {
                    assert!(it.truth.holds(&state(play, answer)), "{id} {seed} {:?} {answer:?}", it.truth);
                }
            }
        }
    }
}

#[test]
fn steps_stay_on_the_drawing_and_within_the_budget() {
    let suite = suite();
    for archetype in &suite.archetypes {
        for seed in 0..100 {
            let it = generate(&archetype.id, seed).unwrap();
            for control in [Control::Oracle, Control::Random, Control::Blind] {
                let steps = it.steps(control).unwrap();
                assert!(steps.len() > usize::from(control == Control::Oracle), "{} {seed}", archetype.id);
                assert!(steps.len() < archetype.max_steps as usize, "{} {seed} {control}", archetype.id);
                for step in &steps {
                    let places = step.at.iter().chain(step.path.iter().flatten());
                    for [x, y] in places {
                        let inside = (0.01..=0.99).contains(x) && (0.01..=0.99).contains(y);
                        assert!(inside, "{} {seed} {control} {step:?}", archetype.id);
                    }
                }
            }
        }
    }
}

/// Without a browser: chance and a blind answer solve no more than the file allows.
#[test]
fn chance_and_a_blind_answer_stay_within_the_stated_chance() {
    const SEEDS: u64 = 600;
    for archetype in &suite().archetypes {
        for control in [Control::Random, Control::Blind] {
            let mut solved = 0;
            let mut played = 0;
            for seed in 0..SEEDS {
                let it = generate(&archetype.id, seed).unwrap();
                let answer = match control {
                    Control::Random => it.play.random(&mut Dice::new("chance", seed)),
                    _ => generate(&archetype.id, !seed).unwrap().answer,
                };
                let found = match (&it.play, &answer) {
                    (Play::Cells { at, pick: Pick::One, .. }, WidgetAnswer::Cells(cells)) => {
                        json!({ "cells": [cells[0] % at.len()] })
                    }
                    (Play::Cycle { count, .. }, WidgetAnswer::One(n)) => json!({ "index": n % count }),
                    (Play::Spots(at) | Play::Piece { ends: at, .. }, WidgetAnswer::One(n)) => {
                        state(&it.play, &WidgetAnswer::One(n % at.len()))
                    }
                    (Play::Tiles(at) | Play::Rows(at), WidgetAnswer::Move(a, b)) => {
                        json!({ "tiles": moved(&it, a % at.len(), b % at.len()) })
                    }
                    (Play::Table { .. }, WidgetAnswer::Sort([column, presses, row])) => {
                        // The row in that place once it is sorted so.
                        let rows = it.render["data"]["rows"].as_array().unwrap().iter().enumerate();
                        let key =
                            |(n, cells): (usize, &Value)| (cells[*column].as_i64().unwrap_or(n as i64), n);
                        let mut rows: Vec<(i64, usize)> = rows.map(key).collect();
                        rows.sort_unstable();
                        if *presses == 2 {
                            rows.reverse();
                        }
                        let direction = if *presses == 2 { -1 } else { 1 };
                        json!({ "column": column, "direction": direction, "row": rows[row % rows.len()].1 })
                    }
                    (play, answer) => state(play, answer),
                };
                played += 1;
                solved += usize::from(it.truth.holds(&found));
            }
            // A blind answer to a table is its top row, sorted: that part of the instruction never changes.
            let (low, _) = crate::score::wilson(solved, played);
            let (id, stated) = (&archetype.id, archetype.chance);
            assert!(low <= stated, "{id} {control}: {solved} of {played}, stated {stated}");
        }
    }
}

#[test]
fn pages_get_no_truth() {
    for (id, _) in GENERATORS {
        let it = generate(id, 1).unwrap();
        let told: Vec<&String> = it.render.as_object().unwrap().keys().collect();
        assert_eq!(told, ["title", "ask", "button", "style", "stage", "kind", "svg", "data"]);
        let text = it.render["data"].to_string();
        for word in ["truth", "right", "answer", "target", "within"] {
            assert!(!text.contains(word) || text.contains("Answer"), "{id}: {word}");
        }
        assert!(it.render["title"].as_str().unwrap().starts_with("Widget test "));
    }
}
