//! Reading `events.jsonl`, of an episode or of a demonstration.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::path::Path;

use serde::de::DeserializeOwned;
use waldo_devices::foreign;

use crate::error::{Result, TaskError};
use crate::events::Event;

pub(crate) const EVENTS: &str = "events.jsonl";

/// The events that are kept in `folder`, which lies in `root` or is it. A last line that was cut off by a crash, in the
/// middle of a character perhaps, is left out.
pub(crate) fn read_events(root: &Path, folder: &Path) -> Result<Vec<Event>> {
    read_by(root, folder, Event::from_line)
}

pub(crate) fn read_lines<T: DeserializeOwned>(root: &Path, folder: &Path) -> Result<Vec<T>> {
    read_by(root, folder, |line| serde_json::from_slice(line))
}

fn read_by<T>(root: &Path, folder: &Path, read: impl Fn(&[u8]) -> serde_json::Result<T>) -> Result<Vec<T>> {
    let path = folder.join(EVENTS);
    let mut file = match foreign::open(root, &path, foreign::LARGE_BYTES) {
        Ok(file) => BufReader::new(file.take(foreign::LARGE_BYTES)),
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(TaskError::io("read", &path)(e)),
    };
    let (mut events, mut line) = (Vec::new(), Vec::new());
    let mut damaged = None;
    for number in 1.. {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(TaskError::io("read", &path))? == 0 {
            break;
        }
        if let Some(message) = damaged {
            return Err(TaskError::record(&path, message));
        }
        match read(&line) {
            Ok(event) => events.push(event),
            Err(e) => damaged = Some(format!("line {number}: {e}; the file is damaged")),
        }
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{EventKind, FORMAT};
    use crate::record::EpisodeKey;

    #[test]
    fn only_a_last_line_may_be_cut_off_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let event = Event {
            v: FORMAT,
            at: jiff::Timestamp::UNIX_EPOCH,
            episode: EpisodeKey { contestant: "é".to_owned(), task: "t".to_owned(), repeat: 0 },
            kind: EventKind::Started {
                attempt: 1,
                seed: 1,
                goal: "é".to_owned(),
                params: serde_json::Value::Null,
                max_steps: 1,
            },
        };
        let line = format!("{}\n", serde_json::to_string(&event).unwrap());
        let read = |bytes: &[u8]| {
            std::fs::write(folder.path().join(EVENTS), bytes).unwrap();
            read_events(folder.path(), folder.path())
        };
        assert!(read_events(folder.path(), folder.path()).unwrap().is_empty(), "no file, no event");
        for cut in 1..line.len() - 1 {
            let bytes = [line.as_bytes(), &line.as_bytes()[..cut]].concat();
            assert_eq!(read(&bytes).unwrap().len(), 1, "cut at {cut}");
            let followed = [&bytes[..], b"\n", line.as_bytes()].concat();
            let error = read(&followed).unwrap_err().to_string();
            assert!(error.contains("line 2: ") && error.ends_with("the file is damaged"), "{error}");
        }
    }
}
