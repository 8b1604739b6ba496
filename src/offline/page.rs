//! The page of a run: its tables, and what was answered wrong with the pictures.
//!
//! Invariant: every text goes through the template's escaping.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value as View};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use waldo_devices::labels;
use waldo_offline::Share;

use super::LevelError;
use super::answers::{Answers, LevelManifest};
use super::bench::{Bench, Items};
use super::blind::Blind;
use super::scores::{LevelRow, judged_place, judged_question};
use super::tables::{RowSource, Table, shown_name};

const TEMPLATE: &str = include_str!("assets/levels.html.j2");
/// Wrong answers of a contestant that are shown.
const SHOWN: usize = 12;
/// The longest side of a picture in the page, in pixels.
const SIDE: u32 = 560;
const RIGHT: Rgb<u8> = Rgb([22, 140, 80]);
const WRONG: Rgb<u8> = Rgb([214, 30, 60]);

#[derive(Serialize)]
struct TableView {
    title: String,
    columns: Vec<String>,
    rows: Vec<(String, RowSource, Vec<String>)>,
}

#[derive(Serialize)]
struct Wrong {
    item: String,
    place: String,
    asked: String,
    options: Vec<String>,
    right: String,
    reply: String,
    picture: String,
    alt: String,
}

#[derive(Serialize)]
struct Gallery {
    name: String,
    wrong: usize,
    shown: Vec<Wrong>,
}

#[derive(Serialize)]
struct PageView<'a> {
    css: &'a str,
    csp: String,
    notices: &'a [String],
    galleries: Vec<Gallery>,
    level: &'static str,
    mode: &'a str,
    items: usize,
    rewritten: Option<String>,
    letters: &'static str,
    circular: bool,
    seed: u64,
    records: String,
    waldo: &'a str,
    tables: Vec<TableView>,
}

pub fn page(
    manifest: &LevelManifest,
    bench: &Bench,
    answers: &Answers,
    rows: &[LevelRow],
    tables: &[Table],
    notices: &[String],
) -> Result<String, LevelError> {
    let css = crate::report::CSS;
    let csp = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'",
        STANDARD.encode(Sha256::digest(css.as_bytes()))
    );
    let own = rows.iter().filter(|row| Blind::of(&row.contestant.agent).is_none());
    let galleries = own.map(|row| gallery(&row.contestant.name, bench, answers));
    let galleries = galleries.collect::<Result<Vec<_>, _>>()?;
    let views: Vec<TableView> = tables
        .iter()
        .map(|table| TableView {
            title: table.title.clone(),
            columns: table.columns.clone(),
            rows: table.rows.iter().map(|row| (shown_name(row), row.source, row.cells.clone())).collect(),
        })
        .collect();
    render(&PageView {
        css,
        csp,
        notices,
        galleries,
        level: bench.level.title(),
        mode: &bench.mode,
        items: bench.len(),
        rewritten: bench.rewritten_line(),
        letters: bench.reading.letters.name(),
        circular: bench.reading.circular,
        seed: manifest.seed,
        records: manifest.records_sha256.chars().take(12).collect(),
        waldo: &manifest.waldo,
        tables: views,
    })
}

fn render(view: &PageView<'_>) -> Result<String, LevelError> {
    let mut environment = Environment::new();
    // A field that is left out may be asked for, and not shown.
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.add_template("levels.html", TEMPLATE)?;
    Ok(environment.get_template("levels.html")?.render(View::from(Serde(view)))?)
}

fn gallery(name: &str, bench: &Bench, answers: &Answers) -> Result<Gallery, LevelError> {
    let mut all = Vec::new();
    match &bench.items {
        Items::L1(questions) => {
            for (at, question) in questions.iter().enumerate() {
                let Ok(judged) = judged_question(question, name, answers, bench.reading) else { continue };
                if !judged.hit {
                    let read = judged.read.map_or_else(|| "no letter".to_owned(), String::from);
                    let options = question.options.iter().map(|(letter, text)| format!("{letter}. {text}"));
                    all.push((
                        at,
                        Wrong {
                            item: question.id.clone(),
                            place: format!("{}, {}", question.platform.title(), question.app_name),
                            asked: question.question.clone(),
                            options: options.collect(),
                            right: question.answer.clone(),
                            reply: format!(
                                "{} (read as {read})",
                                crate::report::cut(&judged.answer.reply, 300)
                            ),
                            picture: String::new(),
                            alt: format!("The picture of question {}", question.id),
                        },
                        None,
                    ));
                }
            }
        }
        Items::L2(items) => {
            for (at, item) in items.iter().enumerate() {
                let Ok(judged) = judged_place(item, name, answers, bench.reading) else { continue };
                if !judged.hit {
                    all.push((
                        at,
                        Wrong {
                            item: item.id.clone(),
                            place: format!(
                                "{}, {}, {}",
                                item.platform.title(),
                                item.app_name,
                                item.grounding.name()
                            ),
                            asked: item.instruction.clone(),
                            options: Vec::new(),
                            right: String::new(),
                            reply: crate::report::cut(&judged.answer.reply, 300),
                            picture: String::new(),
                            alt: format!("Item {}: the right element in green, the answer in red", item.id),
                        },
                        Some((item.share, judged.read.0)),
                    ));
                }
            }
        }
    }
    let wrong = all.len();
    let mut shown = Vec::new();
    // Spread over the whole file.
    let gap = wrong.div_ceil(SHOWN).max(1);
    for (at, mut one, drawn) in all.into_iter().step_by(gap) {
        let mut picture = small(&bench.picture(at)?);
        if let Some((share, point)) = drawn {
            outline(&mut picture, share);
            if let Some(point) = point {
                dot(&mut picture, point);
            }
        }
        one.picture =
            format!("data:image/jpeg;base64,{}", STANDARD.encode(labels::encode_jpeg(&picture, 80)?));
        shown.push(one);
    }
    Ok(Gallery { name: name.to_owned(), wrong, shown })
}

fn small(picture: &RgbImage) -> RgbImage {
    let (w, h) = picture.dimensions();
    let longest = w.max(h);
    if longest <= SIDE {
        return picture.clone();
    }
    let side = |side: u32| (u64::from(side) * u64::from(SIDE) / u64::from(longest)).max(1);
    let [w, h] = [side(w), side(h)].map(|side| u32::try_from(side).unwrap_or(SIDE));
    imageops::resize(picture, w, h, FilterType::Triangle)
}

#[expect(clippy::cast_possible_truncation, reason = "a place of a small picture")]
fn pixel(picture: &RgbImage, x: f64, y: f64) -> (i64, i64) {
    ((x * f64::from(picture.width())) as i64, (y * f64::from(picture.height())) as i64)
}

fn put(picture: &mut RgbImage, x: i64, y: i64, colour: Rgb<u8>) {
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
        && let Some(pixel) = picture.get_pixel_mut_checked(x, y)
    {
        *pixel = colour;
    }
}

fn outline(picture: &mut RgbImage, [left, top, right, bottom]: [f64; 4]) {
    let ((left, top), (right, bottom)) = (pixel(picture, left, top), pixel(picture, right, bottom));
    for thick in 0..2 {
        for x in left - thick..=right + thick {
            put(picture, x, top - thick, RIGHT);
            put(picture, x, bottom + thick, RIGHT);
        }
        for y in top - thick..=bottom + thick {
            put(picture, left - thick, y, RIGHT);
            put(picture, right + thick, y, RIGHT);
        }
    }
}

fn dot(picture: &mut RgbImage, at: Share) {
    let (x, y) = pixel(picture, at.x, at.y);
    for (dx, dy) in (-4..=4_i64).flat_map(|dx| (-4..=4_i64).map(move |dy| (dx, dy))) {
        if dx * dx + dy * dy <= 16 {
            put(picture, x + dx, y + dy, WRONG);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Level;
    use super::*;

    #[test]
    fn a_page_is_made_with_every_optional_field_and_without() {
        let text = |text: &str, full: bool| if full { text.to_owned() } else { String::new() };
        for (full, level) in [(true, Level::L1), (true, Level::L2), (false, Level::L1), (false, Level::L2)] {
            let one = || Wrong {
                item: text("q1", full),
                place: text("Android, Clock", full),
                asked: text("Which is it?", full),
                options: if full { vec!["A. this".to_owned()] } else { Vec::new() },
                right: text("A", full),
                reply: text("B", full),
                picture: text("data:image/jpeg;base64,", full),
                alt: text("A picture", full),
            };
            let table = TableView {
                title: text("Scores", full),
                columns: if full { vec!["SR".to_owned()] } else { Vec::new() },
                rows: if full {
                    vec![("appagent".to_owned(), RowSource::Run, vec!["1.0".to_owned()])]
                } else {
                    Vec::new()
                },
            };
            let gallery =
                Gallery { name: text("appagent", full), wrong: 1 + usize::from(full), shown: vec![one()] };
            let notices = if full { vec!["mind this".to_owned()] } else { Vec::new() };
            let made = render(&PageView {
                css: "",
                csp: text("default-src 'none'", full),
                notices: &notices,
                galleries: vec![gallery, Gallery { name: String::new(), wrong: 0, shown: Vec::new() }],
                level: level.title(),
                mode: "",
                items: usize::from(full),
                rewritten: full.then(|| "rewritten by a model".to_owned()),
                letters: "first",
                circular: full,
                seed: 0,
                records: String::new(),
                waldo: "",
                tables: if full { vec![table] } else { Vec::new() },
            })
            .unwrap();
            for word in ["mind this", "Right is A.", "rewritten by a model", ", circular", "1 of them"] {
                assert_eq!(made.contains(word), full, "{word}: {made}");
            }
        }
    }
}
