//! Server-sent events: from bytes to the data of each event.

/// The end of a stream of chat completions, which is no JSON.
const DONE: &str = "[DONE]";

/// Takes bytes as they come, and gives the data of whole events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pending: Vec<u8>,
    data: String,
    /// Whether any line of an event was seen.
    pub(crate) begun: bool,
    /// Whether the mark of the end was.
    pub(crate) done: bool,
}

impl Events {
    /// The data of the events that these bytes complete, in order; the mark of the end is left out.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        self.pending.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            self.line(line.trim_end_matches(['\n', '\r']), &mut events);
        }
        events
    }

    pub(crate) fn end(&mut self) -> Vec<String> {
        let mut events = Vec::new();
        let rest = std::mem::take(&mut self.pending);
        self.line(&String::from_utf8_lossy(&rest), &mut events);
        self.line("", &mut events);
        events
    }

    fn line(&mut self, line: &str, events: &mut Vec<String>) {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            self.done |= data == DONE;
            if !data.is_empty() && data != DONE {
                events.push(data);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        self.begun |= matches!(field, "" | "data" | "event" | "id" | "retry");
        if field == "data" {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(value.strip_prefix(' ').unwrap_or(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_whole_however_their_bytes_come() {
        let stream = ": hello\r\nevent: a\r\ndata: {\"a\":\r\ndata: \"\u{e4}\"}\r\n\r\ndata:1\n\ndata: [DONE]\n\ndata: 2";
        for size in [1, 2, 3, 7, 1000] {
            let mut events = Events::default();
            let mut all: Vec<String> =
                stream.as_bytes().chunks(size).flat_map(|bytes| events.take(bytes)).collect();
            all.extend(events.end());
            assert_eq!(all, ["{\"a\":\n\"\u{e4}\"}", "1", "2"], "{size}");
            assert!(events.begun && events.done);
        }
        let mut html = Events::default();
        assert!(html.take(b"<html>\n\n").is_empty() && html.end().is_empty() && !html.begun);
    }
}
