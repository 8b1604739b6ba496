//! `misc.py`: rules whose days depend on the day that they are read.

use jiff::civil::{Date, Weekday, date};
use jiff::{Span, Zoned, tz::TimeZone};
use serde_json::{Map, Value};

use super::super::fault::OsworldFault;
use super::Config;

/// The rules with the days of today's zone filled in.
///
/// Without a zone the original asks a web service where it is; this asks the machine's own clock.
///
/// # Errors
/// [`OsworldFault::Expected`] for a day that is not known.
pub fn rules(config: &Config) -> Result<Value, OsworldFault> {
    let rules = config.get("rules").and_then(Value::as_object).ok_or_else(|| bad("no rules"))?;
    let zone = match rules.get("timezone").and_then(Value::as_str) {
        Some(name) => TimeZone::get(name).unwrap_or(TimeZone::UTC),
        None => TimeZone::system(),
    };
    fill(rules, Zoned::now().with_time_zone(zone).date())
}

fn bad(what: &str) -> OsworldFault {
    OsworldFault::Expected(format!("rule_relativeTime: {what}"))
}

fn fill(rules: &Map<String, Value>, today: Date) -> Result<Value, OsworldFault> {
    let relative = rules.get("relativeTime").ok_or_else(|| bad("no relativeTime"))?;
    let name = |end: &str| relative.get(end).and_then(Value::as_str);
    let from = name("from").ok_or_else(|| bad("no 'from'"))?;
    let mut filled = rules.clone();
    let expected =
        filled.get_mut("expected").and_then(Value::as_object_mut).ok_or_else(|| bad("no 'expected'"))?;
    let mut put = |member: &str, day: Date| -> Result<(), OsworldFault> {
        let place = expected.get_mut(member).ok_or_else(|| bad(&format!("no '{member}' to fill")))?;
        let texts = match place {
            Value::Array(several) => several.as_mut_slice(),
            one => std::slice::from_mut(one),
        };
        for text in texts {
            let format = text.as_str().ok_or_else(|| bad(&format!("'{member}' is not text")))?;
            *text = Value::String(write(format, day));
        }
        Ok(())
    };
    let Some(to) = name("to") else {
        put("time", alone(from, today)?)?;
        return Ok(Value::Object(filled));
    };
    let first = start(from, today)?;
    if from.ends_with("next Monday split") {
        for member in ["puDay", "puMonth", "puYear"] {
            put(member, first)?;
        }
    } else {
        put("from", first)?;
    }
    let last = end(to, from, first, today)?;
    if to.ends_with("next Friday split") {
        for member in ["doDay", "doMonth", "doYear"] {
            put(member, last)?;
        }
    } else {
        put("to", last)?;
    }
    Ok(Value::Object(filled))
}

/// Monday is 0.
fn weekday(day: Date) -> i64 {
    i64::from(day.weekday().to_monday_zero_offset())
}

fn plus(day: Date, days: i64) -> Result<Date, OsworldFault> {
    let span = Span::new().try_days(days).map_err(|e| bad(&e.to_string()))?;
    day.checked_add(span).map_err(|e| bad(&e.to_string()))
}

fn next_month(today: Date, day: i8) -> Date {
    let (year, month) =
        if today.month() == 12 { (today.year() + 1, 1) } else { (today.year(), today.month() + 1) };
    date(year, month, day)
}

/// The first Monday of the month that is so many months on.
fn first_monday(today: Date, months: i8) -> Result<Date, OsworldFault> {
    let year = if today.month() >= 13 - months { today.year() + 1 } else { today.year() };
    let month = (today.month() + months - 1) % 12 + 1;
    date(year, month, 1).nth_weekday_of_month(1, Weekday::Monday).map_err(|e| bad(&e.to_string()))
}

/// A day that stands alone.
fn alone(name: &str, today: Date) -> Result<Date, OsworldFault> {
    match name {
        "tomorrow" => plus(today, 1),
        "5th next month" => Ok(next_month(today, 5)),
        "10th next month" => Ok(next_month(today, 10)),
        "this month" => Ok(today),
        "next Monday" => plus(today, 7 - weekday(today)),
        "first monday four months later" => first_monday(today, 4),
        "first monday eight months later" => first_monday(today, 8),
        other => Err(bad(&format!("no day '{other}'"))),
    }
}

/// A day that a span begins with.
fn start(name: &str, today: Date) -> Result<Date, OsworldFault> {
    let now = weekday(today);
    let coming = |day: i64| if now < day { day - now } else { day - now + 7 };
    match name {
        "tomorrow" => plus(today, 1),
        "this Saturday" => plus(today, 5 - now),
        "10th next month" => Ok(next_month(today, 10)),
        "next Monday" | "next Monday split" => plus(today, 7 - now),
        "week after next Monday split" => plus(today, 7 - now + 7),
        "week after next Friday" => plus(today, 7 - now + 4 + 7),
        "week after next Saturday" => plus(today, 7 - now + 5 + 7),
        "week after next Sunday" => plus(today, 7 - now + 6 + 7),
        "next Friday" => plus(today, coming(4)),
        "next Saturday" => plus(today, coming(5)),
        "next week Friday" => plus(today, 7 - now + 4),
        "next week Saturday" => plus(today, 7 - now + 5),
        "next week Sunday" => plus(today, 7 - now + 6),
        other => Err(bad(&format!("no day '{other}' to begin with"))),
    }
}

/// A day that a span ends with.
fn end(name: &str, from: &str, first: Date, today: Date) -> Result<Date, OsworldFault> {
    let now = weekday(today);
    match name {
        "tomorrow" => plus(today, 1),
        "this Sunday" => plus(today, 6 - now),
        "11th next month" => Ok(next_month(today, 11)),
        "next Friday" | "next Friday split" | "week after next Friday split"
            if from.contains("next Monday") =>
        {
            plus(first, 4)
        }
        "next Friday" | "next Friday split" | "week after next Friday split" => {
            plus(today, if now < 4 { 4 - now } else { 6 - now + 5 })
        }
        "next Sunday" if matches!(from, "next Friday" | "next Saturday") => plus(first, 6 - weekday(first)),
        "next Sunday" => plus(today, if now < 6 { 6 - now } else { 7 }),
        "next week Sunday" if matches!(from, "next week Friday" | "next week Saturday") => {
            plus(first, 6 - weekday(first))
        }
        "next week Sunday" => plus(today, 7 - now + 6),
        "week after next Sunday" if matches!(from, "week after next Friday" | "week after next Saturday") => {
            plus(first, 6 - weekday(first))
        }
        "week after next Sunday" => plus(today, 7 - now + 6 + 7),
        other => Err(bad(&format!("no day '{other}' to end with"))),
    }
}

/// Fills each place once, in the original's order.
fn write(format: &str, day: Date) -> String {
    let mut text = format.to_owned();
    for (place, value) in [
        ("{DoW}", day.strftime("%a").to_string()),
        ("{Month}", day.strftime("%b").to_string()),
        ("{DayD}", day.day().to_string()),
        ("{Year}", day.year().to_string()),
        ("{Month0D}", format!("{:02}", day.month())),
        ("{month}", day.strftime("%B").to_string().to_lowercase()),
        ("{MonthFull}", day.strftime("%B").to_string()),
        ("{Day0D}", format!("{:02}", day.day())),
        ("{MonthD}", day.month().to_string()),
    ] {
        text = text.replacen(place, &value, 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn days_are_filled_in() {
        // A Wednesday.
        let today = date(2024, 5, 8);
        let of = |relative: Value, expected: Value| {
            let rules = json!({ "relativeTime": relative, "expected": expected });
            fill(rules.as_object().unwrap(), today).unwrap()["expected"].clone()
        };
        assert_eq!(
            of(json!({ "from": "tomorrow" }), json!({ "time": "{DoW}, {Month} {DayD}, {Year}" })),
            json!({ "time": "Thu, May 9, 2024" })
        );
        assert_eq!(
            of(json!({ "from": "next Monday" }), json!({ "time": "{Year}-{Month0D}-{Day0D}" }))["time"],
            "2024-05-13"
        );
        assert_eq!(
            of(json!({ "from": "5th next month" }), json!({ "time": "{month} {MonthFull} {MonthD}" }))["time"],
            "june June 6"
        );
        assert_eq!(
            of(json!({ "from": "first monday four months later" }), json!({ "time": "{DayD}.{MonthD}." }))["time"],
            "2.9."
        );
        assert_eq!(
            of(
                json!({ "from": "next Monday split", "to": "next Friday split" }),
                json!({ "puDay": "{DayD}", "puMonth": "{MonthD}", "puYear": "{Year}", "doDay": "{DayD}", "doMonth": "{MonthD}", "doYear": "{Year}" })
            ),
            json!({ "puDay": "13", "puMonth": "5", "puYear": "2024", "doDay": "17", "doMonth": "5", "doYear": "2024" })
        );
        assert_eq!(
            of(
                json!({ "from": "next Saturday", "to": "next Sunday" }),
                json!({ "from": "{DayD}", "to": "{DayD}" })
            ),
            json!({ "from": "11", "to": "12" })
        );
        assert_eq!(
            of(
                json!({ "from": "tomorrow" }),
                json!({ "time": ["{MonthFull} {Day0D}, 9:00 AM", "{DayD}.{MonthD}."] })
            ),
            json!({ "time": ["May 09, 9:00 AM", "9.5."] })
        );
        assert_eq!(
            of(
                json!({ "from": "week after next Saturday", "to": "week after next Sunday" }),
                json!({ "from": "{DayD}", "to": "{DayD}" })
            ),
            json!({ "from": "25", "to": "26" })
        );
        assert_eq!(
            of(
                json!({ "from": "week after next Monday split", "to": "week after next Friday split" }),
                json!({ "puDay": "{DayD}", "puMonth": "", "puYear": "", "doDay": "{DayD}", "doMonth": "", "doYear": "" })
            ),
            json!({ "puDay": "20", "puMonth": "", "puYear": "", "doDay": "24", "doMonth": "", "doYear": "" })
        );
        let wrong = json!({ "relativeTime": { "from": "someday" }, "expected": { "time": "" } });
        assert!(fill(wrong.as_object().unwrap(), today).is_err());
    }

    #[test]
    fn years_turn() {
        assert_eq!(next_month(date(2024, 12, 31), 5), date(2025, 1, 5));
        assert_eq!(first_monday(date(2024, 9, 3), 4).unwrap(), date(2025, 1, 6));
        assert_eq!(first_monday(date(2024, 8, 3), 4).unwrap(), date(2024, 12, 2));
        assert_eq!(start("next Friday", date(2024, 5, 10)).unwrap(), date(2024, 5, 17));
        assert_eq!(start("next Saturday", date(2024, 5, 12)).unwrap(), date(2024, 5, 18));
    }
}
