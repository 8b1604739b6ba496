//! `misc.py`: rules whose days depend on the day that they are read.

use jiff::civil::{Date, Weekday, date};
use jiff::{Span, Zoned, tz::TimeZone};
use serde_json::{Map, Value};

use super::super::fault::{OsworldFault, Result};
use super::Config;

/// The rules with the days of today's zone filled in.
///
/// Without a zone the original asks a web service where it is; this asks the machine's own clock.
pub fn rules(config: &Config) -> Result<Value> {
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

fn fill(rules: &Map<String, Value>, today: Date) -> Result<Value> {
    let relative = rules.get("relativeTime").ok_or_else(|| bad("no relativeTime"))?;
    let name = |end: &str| relative.get(end).and_then(Value::as_str);
    let from = name("from").ok_or_else(|| bad("no 'from'"))?;
    let mut filled = rules.clone();
    let expected =
        filled.get_mut("expected").and_then(Value::as_object_mut).ok_or_else(|| bad("no 'expected'"))?;
    let mut put = |member: &str, day: Date| -> Result<()> {
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
        put("time", day(from, ALONE, "", today)?)?;
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

fn plus(day: Date, days: i64) -> Result<Date> {
    let span = Span::new().try_days(days).map_err(|e| bad(&e.to_string()))?;
    day.checked_add(span).map_err(|e| bad(&e.to_string()))
}

fn next_month(today: Date, day: i8) -> Date {
    let (year, month) =
        if today.month() == 12 { (today.year() + 1, 1) } else { (today.year(), today.month() + 1) };
    date(year, month, day)
}

fn first_monday(today: Date, months: i8) -> Result<Date> {
    let year = if today.month() >= 13 - months { today.year() + 1 } else { today.year() };
    let month = (today.month() + months - 1) % 12 + 1;
    date(year, month, 1).nth_weekday_of_month(1, Weekday::Monday).map_err(|e| bad(&e.to_string()))
}

/// The names that the original knows of a day that stands alone, that a span begins with, and that one ends with.
const ALONE: &str = "tomorrow,5th next month,10th next month,this month,next Monday,first monday four months later,\
                     first monday eight months later";
const STARTS: &str = "tomorrow,this Saturday,10th next month,next Monday,next Monday split,\
                      week after next Monday split,week after next Friday,week after next Saturday,\
                      week after next Sunday,next Friday,next Saturday,next week Friday,next week Saturday,\
                      next week Sunday";
const ENDS: &str = "tomorrow,this Sunday,11th next month,next Friday,next Friday split,week after next Friday split,\
                    next Sunday,next week Sunday,week after next Sunday";
/// The days of a week as names have them, from Monday.
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

fn day(name: &str, known: &str, what: &str, today: Date) -> Result<Date> {
    let unknown = || bad(&format!("no day '{name}'{what}"));
    if !known.split(',').any(|one| one == name) {
        return Err(unknown());
    }
    let now = weekday(today);
    match name.strip_suffix(" split").unwrap_or(name) {
        "tomorrow" => plus(today, 1),
        "this month" => Ok(today),
        "first monday four months later" => first_monday(today, 4),
        "first monday eight months later" => first_monday(today, 8),
        "5th next month" => Ok(next_month(today, 5)),
        "10th next month" => Ok(next_month(today, 10)),
        "11th next month" => Ok(next_month(today, 11)),
        name => {
            let (week, day) = name.rsplit_once(' ').ok_or_else(unknown)?;
            let day = DAYS.iter().position(|one| *one == day).and_then(|day| i64::try_from(day).ok());
            let day = day.ok_or_else(unknown)?;
            let days = match week {
                "this" => day - now,
                "next" if now < day => day - now,
                "next" | "next week" => 7 - now + day,
                _ => 14 - now + day,
            };
            plus(today, days)
        }
    }
}

fn start(name: &str, today: Date) -> Result<Date> {
    day(name, STARTS, " to begin with", today)
}

/// A day that a span ends with: of the week that it begins in, where both are named after the same one.
fn end(name: &str, from: &str, first: Date, today: Date) -> Result<Date> {
    let found = day(name, ENDS, " to end with", today)?;
    let same_week = ["next", "next week", "week after next"].iter().any(|week| {
        name == format!("{week} Sunday")
            && ["Friday", "Saturday"].iter().any(|day| from == format!("{week} {day}"))
    });
    match name {
        _ if same_week => plus(first, 6 - weekday(first)),
        "next Friday" | "next Friday split" | "week after next Friday split"
            if from.contains("next Monday") =>
        {
            plus(first, 4)
        }
        // The original takes this week's Friday for it, or next week's.
        "week after next Friday split" => day("next Friday", ENDS, "", today),
        _ => Ok(found),
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
        for (from, format, filled) in [
            ("tomorrow", json!("{DoW}, {Month} {DayD}, {Year}"), json!("Thu, May 9, 2024")),
            ("next Monday", json!("{Year}-{Month0D}-{Day0D}"), json!("2024-05-13")),
            ("5th next month", json!("{month} {MonthFull} {MonthD}"), json!("june June 6")),
            ("first monday four months later", json!("{DayD}.{MonthD}."), json!("2.9.")),
            (
                "tomorrow",
                json!(["{MonthFull} {Day0D}, 9:00 AM", "{DayD}.{MonthD}."]),
                json!(["May 09, 9:00 AM", "9.5."]),
            ),
        ] {
            assert_eq!(of(json!({ "from": from }), json!({ "time": format })), json!({ "time": filled }));
        }
        let parts = |day: &str, to: &str| json!({ "puDay": day, "puMonth": "{MonthD}", "puYear": "", "doDay": to, "doMonth": "", "doYear": "{Year}" });
        for (week, first, last) in [("next", "13", "17"), ("week after next", "20", "24")] {
            let span =
                json!({ "from": format!("{week} Monday split"), "to": format!("{week} Friday split") });
            let mut filled = parts(first, last);
            (filled["puMonth"], filled["doYear"]) = ("5".into(), "2024".into());
            assert_eq!(of(span, parts("{DayD}", "{DayD}")), filled);
        }
        // Every span that the original knows, by the days of May.
        for (from, to, first, last) in [
            ("tomorrow", "this Sunday", 9, 12),
            ("this Saturday", "next Friday", 11, 10),
            ("next Friday", "next Sunday", 10, 12),
            ("next Saturday", "next Sunday", 11, 12),
            ("next week Friday", "next week Sunday", 17, 19),
            ("next week Saturday", "next Sunday", 18, 12),
            ("week after next Saturday", "week after next Sunday", 25, 26),
            ("week after next Friday", "next week Sunday", 24, 19),
            ("tomorrow", "week after next Friday split", 9, 10),
            ("week after next Sunday", "tomorrow", 26, 9),
        ] {
            let begins = start(from, today).unwrap();
            let ends = end(to, from, begins, today).unwrap();
            assert_eq!((begins, ends), (date(2024, 5, first), date(2024, 5, last)), "{from} {to}");
        }
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
