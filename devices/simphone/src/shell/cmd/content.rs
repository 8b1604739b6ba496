//! `content`: the apps' state as rows.

use super::Ctx;
use crate::world::providers::{ProviderError, ProviderRow, ProviderValue, Query};

const USAGE: &str = include_str!("../../../assets/texts/content.txt");

#[derive(Default)]
struct ContentCall {
    uri: Option<String>,
    query: Query,
    row: ProviderRow,
}

/// Errors are told on stderr and the status stays 0: the tool is a Java main that catches everything.
pub(super) fn content(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some((verb, rest)) = words.split_first() else {
        return ctx.refuse(0, USAGE);
    };
    let call = match read(rest) {
        Ok(call) => call,
        Err(text) => {
            return ctx.refuse(0, format!("[ERROR] {text}\n{USAGE}"));
        }
    };
    let Some(uri) = call.uri else {
        return ctx.refuse(
            0,
            format!("[ERROR] Content provider URI not specified. Did you specify --uri argument?\n{USAGE}"),
        );
    };
    let filter = call.query.filter.as_deref();
    let failed = match verb.as_str() {
        "query" => match ctx.phone.with(|w| w.query(&uri, &call.query)) {
            Ok(rows) if rows.is_empty() => {
                ctx.say("No result found.");
                None
            }
            Ok(rows) => {
                for (i, row) in rows.iter().enumerate() {
                    let cells: Vec<String> = row.0.iter().map(|(k, v)| format!("{k}={}", v.text())).collect();
                    ctx.say(format!("Row: {i} {}", cells.join(", ")));
                }
                None
            }
            Err(error) => Some(error),
        },
        "insert" => ctx.phone.with(|w| w.insert(&uri, &call.row)).err(),
        "update" => ctx.phone.with(|w| w.update(&uri, &call.row, filter)).err(),
        "delete" => ctx.phone.with(|w| w.delete(&uri, filter)).err(),
        other => {
            ctx.warn(format!("[ERROR] Unsupported operation: {other}\n{USAGE}"));
            None
        }
    };
    if let Some(error) = failed {
        let authority = uri.trim_start_matches("content://").split('/').next().unwrap_or_default().to_owned();
        let (class, text) = match &error {
            ProviderError::NoProvider(_) => {
                ("java.lang.IllegalStateException", format!("Could not find provider: {authority}"))
            }
            ProviderError::UnknownUri(uri) => {
                ("java.lang.IllegalArgumentException", format!("Unknown URI {uri}"))
            }
            ProviderError::BadFilter(_) | ProviderError::NoColumn(_) => {
                ("android.database.sqlite.SQLiteException", format!("{error} (code 1 SQLITE_ERROR)"))
            }
            ProviderError::Refused(text) => ("java.lang.IllegalArgumentException", text.clone()),
        };
        ctx.warn(format!(
            "Error while accessing provider:{authority}\n{class}: {text}\n\tat com.android.commands.content.Content$Command.execute(Content.java:510)\n\tat com.android.commands.content.Content.main(Content.java:735)\n\tat com.android.internal.os.RuntimeInit.nativeFinishInit(Native Method)\n\tat com.android.internal.os.RuntimeInit.main(RuntimeInit.java:355)"
        ));
    }
    0
}

fn read(words: &[String]) -> Result<ContentCall, String> {
    let mut call = ContentCall::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("Argument required for {word}"));
        match word.as_str() {
            "--uri" => call.uri = Some(value()?),
            "--user" | "--extra" => {
                value()?;
            }
            "--projection" => {
                call.query.projection =
                    value()?.split(':').filter(|c| !c.is_empty()).map(str::to_owned).collect();
            }
            "--where" => call.query.filter = Some(value()?),
            "--sort" => call.query.sort = Some(value()?),
            "--bind" => {
                let (name, cell) = binding(&value()?)?;
                call.row.0.push((name, cell));
            }
            other => return Err(format!("Unsupported argument: {other}")),
        }
    }
    Ok(call)
}

/// `name:type:value`, the type one of `b s i l f d n`.
fn binding(text: &str) -> Result<(String, ProviderValue), String> {
    let mut parts = text.splitn(3, ':');
    let (name, kind, value) = (parts.next(), parts.next(), parts.next());
    let (Some(name), Some(kind)) = (name, kind) else {
        return Err(format!("Binding not well formed: {text}"));
    };
    let value = value.unwrap_or_default();
    let bad = || format!("Binding not well formed: {text}");
    let cell = match kind {
        "n" => ProviderValue::Null,
        "s" => ProviderValue::Text(value.to_owned()),
        "b" => ProviderValue::Int(i64::from(value.eq_ignore_ascii_case("true"))),
        "i" | "l" => ProviderValue::Int(value.parse().map_err(|_| bad())?),
        "f" | "d" => ProviderValue::Real(value.parse().map_err(|_| bad())?),
        other => return Err(format!("Unsupported type: {other}")),
    };
    Ok((name.to_owned(), cell))
}
