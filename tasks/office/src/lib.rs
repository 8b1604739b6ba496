//! Office files of desktop tasks: made from what a task says, and read for its checks.
//!
//! Invariants: the same content gives the same bytes, so that a suite holds no binary; what cannot be read
//! is an error that fails a check; it never ends an episode.

pub mod book;
pub mod budget;
mod contents;
pub mod document;
mod error;
mod make;
pub mod package;
pub mod range;
mod sheet;
pub mod styles;

use serde_json::Value;

pub use contents::{document_entries, workbook_entries};
pub use document::paragraphs;
pub use error::OfficeError;
pub use make::{BadContent, document, picture, workbook};
pub use package::Package;
pub use sheet::{cell, rows};

/// A number without a needless fraction: `5` rather than `5.0`.
fn plain_number(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "only whole numbers that fit are converted")]
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Value::from(number as i64);
    }
    Value::from(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_workbook_is_read_back_as_it_was_made() {
        let rows = json!([["Item", "Price", "Sum"], ["Tea <green>", 2.5, "=B2*2"], ["", "7", "'7"]]);
        let book = workbook(&[("Costs & more".into(), rows.clone())]).unwrap();
        assert_eq!(book, workbook(&[("Costs & more".into(), rows)]).unwrap());
        let read = super::rows(&book, None).unwrap();
        assert_eq!(read[0], json!(["Item", "Price", "Sum"]));
        assert_eq!(read[1][0], "Tea <green>");
        assert_eq!(read[1][1], 2.5);
        assert_eq!((&read[2][1], &read[2][2]), (&json!(7), &json!("7")));
        let formula = cell(&book, Some("Costs & more"), "C2").unwrap();
        assert_eq!(formula["formula"], "B2*2");
        assert_eq!(cell(&book, None, "Z9").unwrap()["value"], Value::Null);
        assert!(cell(&book, Some("Other"), "A1").unwrap_err().to_string().contains("Costs & more"));
        assert!(super::rows(b"no archive", None).is_err());
    }

    #[test]
    fn documents_and_pictures_are_read_back_as_they_were_made() {
        let content = json!(["Plain & simple", { "text": "Title", "style": "Heading1", "bold": true }, ""]);
        let made = document(&content).unwrap();
        let read = paragraphs(&made).unwrap();
        assert_eq!(read[0]["text"], "Plain & simple");
        assert_eq!((&read[1]["style"], &read[1]["bold"]), (&json!("Heading1"), &json!(true)));
        assert_eq!((&read[0]["bold"], &read[2]["text"]), (&json!(false), &json!("")));
        assert!(document(&json!([3])).is_err());
        let made = picture(&json!({ "width": 40, "height": 20, "colours": ["#ff0000", "#0000ff"] })).unwrap();
        let read = image::load_from_memory(&made).unwrap().to_rgb8();
        assert_eq!(read.dimensions(), (40, 20));
        assert_eq!((read.get_pixel(5, 5).0, read.get_pixel(35, 5).0), ([255, 0, 0], [0, 0, 255]));
        assert!(picture(&json!({ "width": 0, "height": 20 })).is_err());
    }
}
