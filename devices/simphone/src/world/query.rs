//! Content providers over the apps' tables: URIs, filters, projections, order.

use std::cmp::Ordering;

use super::{
    World,
    providers::{ProviderError, ProviderRow, ProviderValue, Query},
};

struct QueryTarget {
    package: &'static str,
    table: String,
    id: Option<i64>,
}

#[derive(Debug, PartialEq)]
enum ColumnTest {
    Is(Vec<Ordering>, ProviderValue),
    Not(ProviderValue),
    Like(String),
    Null,
    NotNull,
}

fn split_word(text: &str, word: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let (mut out, mut from, mut quoted) = (Vec::new(), 0, false);
    for (i, c) in text.char_indices() {
        if c == '\'' {
            quoted = !quoted;
        }
        if !quoted && i >= from && lower.get(i..).is_some_and(|r| r.starts_with(word)) {
            out.push(text.get(from..i).unwrap_or_default().to_owned());
            from = i + word.len();
        }
    }
    out.push(text.get(from..).unwrap_or_default().to_owned());
    out
}

fn literal(text: &str) -> ProviderValue {
    let t = text.trim();
    if let Some(inner) = ['\'', '"'].iter().find_map(|q| t.strip_prefix(*q).and_then(|r| r.strip_suffix(*q)))
    {
        return ProviderValue::Text(inner.replace("''", "'"));
    }
    t.parse()
        .map(ProviderValue::Int)
        .or_else(|_| t.parse().map(ProviderValue::Real))
        .unwrap_or_else(|_| ProviderValue::Text(t.to_owned()))
}

fn compare(a: &ProviderValue, b: &ProviderValue) -> Ordering {
    let number = |c: &ProviderValue| match c {
        ProviderValue::Int(v) => Some(*v as f64),
        ProviderValue::Real(v) => Some(*v),
        ProviderValue::Text(t) => t.trim().parse().ok(),
        ProviderValue::Null => None,
    };
    match (a, b, number(a), number(b)) {
        (ProviderValue::Text(x), ProviderValue::Text(y), ..) => x.cmp(y),
        (.., Some(x), Some(y)) => x.total_cmp(&y),
        _ => a.text().cmp(&b.text()),
    }
}

/// `%` stands for anything, `_` for one character; letters of either case are the same.
fn like(pattern: &[char], text: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('%', rest)) => (0..=text.len()).any(|i| like(rest, text.get(i..).unwrap_or_default())),
        Some((p, rest)) => text.split_first().is_some_and(|(t, more)| {
            (*p == '_' || p.to_lowercase().eq(t.to_lowercase())) && like(rest, more)
        }),
    }
}

fn parse_filter(filter: &str) -> Result<Vec<(String, ColumnTest)>, ProviderError> {
    let bad = |s: &str| ProviderError::BadFilter(s.to_owned());
    split_word(filter, " and ")
        .iter()
        .map(|part| {
            let part = part.trim().trim_start_matches('(').trim_end_matches(')').trim();
            let lower = part.to_ascii_lowercase();
            for (ending, test) in [(" is not null", ColumnTest::NotNull), (" is null", ColumnTest::Null)] {
                if let Some(column) = lower.strip_suffix(ending) {
                    return Ok((part.get(..column.len()).unwrap_or_default().trim().to_owned(), test));
                }
            }
            let at = part
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
                .ok_or_else(|| bad(part))?;
            let (column, rest) = part.split_at(at);
            let rest = rest.trim_start();
            let test = if rest.get(..4).is_some_and(|r| r.eq_ignore_ascii_case("like")) {
                ColumnTest::Like(literal(rest.get(4..).unwrap_or_default()).text())
            } else {
                use Ordering::{Equal, Greater, Less};
                let operators: [(&str, &[Ordering]); 8] = [
                    ("!=", &[]),
                    ("<>", &[]),
                    ("<=", &[Less, Equal]),
                    (">=", &[Greater, Equal]),
                    ("==", &[Equal]),
                    ("=", &[Equal]),
                    ("<", &[Less]),
                    (">", &[Greater]),
                ];
                let found = operators.iter().find(|(o, _)| rest.starts_with(o));
                let (sign, orders) = found.ok_or_else(|| bad(rest))?;
                let value = literal(rest.get(sign.len()..).unwrap_or_default());
                if orders.is_empty() {
                    ColumnTest::Not(value)
                } else {
                    ColumnTest::Is(orders.to_vec(), value)
                }
            };
            Ok((column.to_owned(), test))
        })
        .collect()
}

fn passes(row: &ProviderRow, tests: &[(String, ColumnTest)]) -> Result<bool, ProviderError> {
    for (column, test) in tests {
        let cell = row.get(column).ok_or_else(|| ProviderError::NoColumn(column.clone()))?;
        let ok = match test {
            ColumnTest::Null => *cell == ProviderValue::Null,
            ColumnTest::NotNull => *cell != ProviderValue::Null,
            ColumnTest::Not(v) => *cell != ProviderValue::Null && compare(cell, v) != Ordering::Equal,
            ColumnTest::Is(orders, v) => *cell != ProviderValue::Null && orders.contains(&compare(cell, v)),
            ColumnTest::Like(p) => {
                like(&p.chars().collect::<Vec<_>>(), &cell.text().chars().collect::<Vec<_>>())
            }
        };
        if !ok {
            return Ok(false);
        }
    }
    Ok(true)
}

impl World {
    fn target(&self, uri: &str) -> Result<QueryTarget, ProviderError> {
        let rest = uri.strip_prefix("content://").unwrap_or(uri);
        let rest = rest.split('?').next().unwrap_or(rest).trim_end_matches('/');
        let authority = rest.split('/').next().unwrap_or_default();
        let manifest = self
            .installed
            .manifests
            .iter()
            .find(|m| m.authorities.contains(&authority))
            .ok_or_else(|| ProviderError::NoProvider(authority.to_owned()))?;
        let (table, id) = match rest.rsplit_once('/') {
            Some((table, last)) if last.parse::<i64>().is_ok() => (table.to_owned(), last.parse().ok()),
            _ => (rest.to_owned(), None),
        };
        Ok(QueryTarget { package: manifest.package, table, id })
    }

    fn rows_of(
        &self,
        uri: &str,
        filter: Option<&str>,
    ) -> Result<(QueryTarget, Vec<ProviderRow>), ProviderError> {
        let target = self.target(uri)?;
        let of_app = || self.installed.apps.get(target.package)?.rows(&target.table);
        let rows = self.settings.rows(&target.table).or_else(of_app);
        let rows = rows.ok_or_else(|| ProviderError::UnknownUri(uri.to_owned()))?;
        let tests = match filter.map(str::trim).filter(|f| !f.is_empty()) {
            Some(f) => parse_filter(f)?,
            None => Vec::new(),
        };
        let mut kept = Vec::new();
        for row in rows {
            if target.id.is_none_or(|id| row.int("_id") == Some(id)) && passes(&row, &tests)? {
                kept.push(row);
            }
        }
        Ok((target, kept))
    }

    pub fn query(&self, uri: &str, query: &Query) -> Result<Vec<ProviderRow>, ProviderError> {
        let (_, mut rows) = self.rows_of(uri, query.filter.as_deref())?;
        if let Some(sort) = &query.sort {
            for key in sort.split(',').rev() {
                let mut words = key.split_whitespace();
                let column = words.next().unwrap_or_default();
                let down = words.next().is_some_and(|w| w.eq_ignore_ascii_case("desc"));
                rows.sort_by(|a, b| {
                    let null = ProviderValue::Null;
                    let order = compare(a.get(column).unwrap_or(&null), b.get(column).unwrap_or(&null));
                    if down { order.reverse() } else { order }
                });
            }
        }
        if query.projection.is_empty() {
            return Ok(rows);
        }
        rows.iter()
            .map(|row| {
                query
                    .projection
                    .iter()
                    .map(|c| {
                        let cell = row.get(c).ok_or_else(|| ProviderError::NoColumn(c.clone()))?;
                        Ok((c.clone(), cell.clone()))
                    })
                    .collect::<Result<Vec<_>, _>>()
                    .map(ProviderRow)
            })
            .collect()
    }

    fn put_row(&mut self, target: &QueryTarget, row: &ProviderRow) -> Result<i64, ProviderError> {
        let app = self.installed.apps.get_mut(target.package);
        let id = app
            .ok_or_else(|| ProviderError::NoProvider(target.table.clone()))?
            .put_row(&target.table, row)
            .map_err(ProviderError::Refused)?;
        self.changed();
        Ok(id)
    }

    /// Puts a new row; gives its URI.
    pub fn insert(&mut self, uri: &str, row: &ProviderRow) -> Result<String, ProviderError> {
        let target = self.target(uri)?;
        let id = self.put_row(&target, row)?;
        Ok(format!("content://{}/{id}", target.table))
    }

    /// Changes the rows that the filter takes; gives their number.
    pub fn update(
        &mut self,
        uri: &str,
        row: &ProviderRow,
        filter: Option<&str>,
    ) -> Result<usize, ProviderError> {
        let (target, rows) = self.rows_of(uri, filter)?;
        for old in &rows {
            let mut new = old.clone();
            for (k, v) in &row.0 {
                new.set(k, v.clone());
            }
            self.put_row(&target, &new)?;
        }
        Ok(rows.len())
    }

    /// Deletes the rows that the filter takes; gives their number.
    pub fn delete(&mut self, uri: &str, filter: Option<&str>) -> Result<usize, ProviderError> {
        let (target, rows) = self.rows_of(uri, filter)?;
        let mut gone = 0;
        for id in rows.iter().filter_map(|r| r.int("_id")) {
            if let Some(app) = self.installed.apps.get_mut(target.package) {
                gone += usize::from(app.delete_row(&target.table, id));
            }
        }
        self.changed();
        Ok(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_compare_and_join() {
        let row = ProviderRow::default()
            .with("_id", 4)
            .with("name", "Ada O'Hara")
            .with("gone", ProviderValue::Null);
        let ok = |f: &str| passes(&row, &parse_filter(f).unwrap()).unwrap();
        assert!(ok("_id=4") && ok("_id > 3 AND name='Ada O''Hara'") && !ok("_id<>4"));
        assert!(ok("name LIKE 'ada%'") && ok("name like '%o_h%'") && !ok("name LIKE 'x%'"));
        assert!(ok("gone IS NULL") && !ok("gone=1"));
        assert!(parse_filter("nonsense").is_err());
        assert!(passes(&row, &parse_filter("other=1").unwrap()).is_err());
    }
}
