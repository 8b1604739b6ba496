//! Takes a reply apart into its four parts.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sections {
    pub(crate) observation: Option<String>,
    pub(crate) thought: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) actions: Vec<ActionPart>,
    pub(crate) repairs: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActionPart {
    /// Its text, up to the next heading.
    pub(crate) body: String,
    pub(crate) start: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SectionKind {
    Observation,
    Thought,
    Action,
    Summary,
}

const HEADINGS: [(&str, SectionKind); 4] = [
    ("observation", SectionKind::Observation),
    ("thought", SectionKind::Thought),
    ("action", SectionKind::Action),
    ("summary", SectionKind::Summary),
];

/// Takes a reply apart. Of headings, at beginnings of lines, the first counts; all Action parts are kept.
pub(crate) fn split(reply: &str) -> Sections {
    let mut out = Sections::default();
    let mut open: Option<(SectionKind, usize, String)> = None;
    let mut at = 0;
    for line in reply.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.trim_start().starts_with("```") {
            note(&mut out.repairs, "code fence");
            continue;
        }
        if let Some((part, body, plain)) = heading(line) {
            if !plain {
                note(&mut out.repairs, "headings in another form");
            }
            out.close(open.take());
            open = Some((part, start + body, line[body..].to_owned()));
        } else if let Some((_, _, text)) = &mut open {
            text.push_str(line);
        }
    }
    out.close(open);
    if out.actions.is_empty()
        && let Some((at, body)) = inline(reply, "action")
    {
        note(&mut out.repairs, "headings in another form");
        out.actions.push(ActionPart { body: body.to_owned(), start: reply.len() - body.len() });
        if let Some((_, text)) = inline(&reply[..at], "thought") {
            out.thought.get_or_insert_with(|| text.trim_end().to_owned());
        }
    }
    out
}

impl Sections {
    fn close(&mut self, part: Option<(SectionKind, usize, String)>) {
        let Some((part, start, text)) = part else { return };
        let slot = match part {
            SectionKind::Action => {
                self.actions.push(ActionPart { body: text, start });
                return;
            }
            SectionKind::Observation => &mut self.observation,
            SectionKind::Thought => &mut self.thought,
            SectionKind::Summary => &mut self.summary,
        };
        let text = text.trim().trim_end_matches("**").trim();
        if slot.is_none() && !text.is_empty() {
            *slot = Some(text.to_owned());
        }
    }
}

fn note(repairs: &mut Vec<String>, mend: &str) {
    if !repairs.iter().any(|r| r == mend) {
        repairs.push(mend.to_owned());
    }
}

/// The heading of a line: its part, where its text begins, and whether it is written as asked.
fn heading(line: &str) -> Option<(SectionKind, usize, bool)> {
    let marks = |c: char| c.is_whitespace() || c.is_ascii_digit() || "#>*-_`\"'•.)(".contains(c);
    let word = line.trim_start_matches(marks);
    let (part, len) = HEADINGS.iter().find_map(|(name, part)| {
        let found = word.get(..name.len())?.eq_ignore_ascii_case(name);
        let plural = word.get(name.len()..name.len() + 1).is_some_and(|s| s.eq_ignore_ascii_case("s"));
        found.then_some((*part, name.len() + usize::from(plural)))
    })?;
    let rest = word[len..].trim_start_matches(|c: char| c == ' ' || "*_`\"'".contains(c));
    let text = match rest.strip_prefix([':', '：']) {
        Some(text) => text.trim_start_matches(['*', '_']),
        // A heading of its own line: `## Action`.
        None if rest.trim().is_empty() && line.trim_start().starts_with(['#', '*']) => rest,
        None => return None,
    };
    let plain = HEADINGS.iter().any(|(_, p)| *p == part && line.starts_with(&format!("{p:?}:")));
    Some((part, line.len() - text.len(), plain))
}

/// Where `name:` stands in a text, whatever its case, and what follows it.
pub(crate) fn inline<'a>(text: &'a str, name: &str) -> Option<(usize, &'a str)> {
    let wanted = name.as_bytes();
    let found = text
        .as_bytes()
        .windows(wanted.len() + 1)
        .position(|w| w[..wanted.len()].eq_ignore_ascii_case(wanted) && w[wanted.len()] == b':')?;
    let after = text.get(found + wanted.len() + 1..)?;
    Some((found, after.trim_start()))
}
