//! The terminal's side of an interactive shell: what is typed becomes lines, and is shown as it is typed.
//!
//! Invariants: a line reaches the shell once it is ended, as edited; ctrl-C and ctrl-D are told apart from text; what
//! the keys of a terminal send beside text (arrows, function keys) never reaches a command.

const REMEMBERED: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// Text for whoever reads: a line, or what was there when ctrl-D ended the piece.
    Text(Vec<u8>),
    /// Ctrl-D at the start of a line: the end of what is read.
    End,
    /// Ctrl-C: what runs is to stop.
    Interrupt,
}

/// Where a sequence that begins with ESC stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    /// ESC and `[` or `O` came.
    Inside,
}

/// A terminal in its usual state: it echoes, and gives lines.
#[derive(Debug, Default)]
pub(super) struct Terminal {
    line: Vec<u8>,
    escape: Escape,
    past: Vec<Vec<u8>>,
    /// Where in the past the line was taken from, counted from its end.
    back: usize,
    after_return: bool,
}

impl Terminal {
    /// Takes what was typed; gives what it came to, and what the terminal shows of it.
    pub(super) fn take(&mut self, keys: &[u8]) -> (Vec<Typed>, Vec<u8>) {
        let (mut typed, mut echo) = (Vec::new(), Vec::new());
        for key in keys {
            self.key(*key, &mut typed, &mut echo);
        }
        (typed, echo)
    }

    fn key(&mut self, key: u8, typed: &mut Vec<Typed>, echo: &mut Vec<u8>) {
        let returned = std::mem::take(&mut self.after_return);
        match (std::mem::take(&mut self.escape), key) {
            (Escape::Begun, b'[' | b'O') => self.escape = Escape::Inside,
            (Escape::Inside, b'A') => self.recall(self.back + 1, echo),
            (Escape::Inside, b'B') => self.recall(self.back.saturating_sub(1), echo),
            // Parameters of a sequence that is not over.
            (Escape::Inside, 0x20..=0x3f) => self.escape = Escape::Inside,
            (Escape::Begun | Escape::Inside, _) => {}
            (Escape::None, 0x1b) => self.escape = Escape::Begun,
            // A host that sends CR LF has ended one line, not two.
            (Escape::None, b'\n') if returned => {}
            (Escape::None, b'\r' | b'\n') => {
                self.after_return = key == b'\r';
                echo.push(b'\n');
                self.remember();
                let mut line = std::mem::take(&mut self.line);
                line.push(b'\n');
                typed.push(Typed::Text(line));
            }
            (Escape::None, 0x03 | 0x1c) => {
                echo.extend_from_slice(if key == 3 { b"^C" } else { b"^\\" });
                self.line.clear();
                self.back = 0;
                typed.push(Typed::Interrupt);
            }
            (Escape::None, 0x04) if self.line.is_empty() => typed.push(Typed::End),
            (Escape::None, 0x04) => typed.push(Typed::Text(std::mem::take(&mut self.line))),
            (Escape::None, 0x08 | 0x7f) => self.rub(1, echo),
            (Escape::None, 0x15) => self.rub(usize::MAX, echo),
            (Escape::None, 0x17) => {
                let text = String::from_utf8_lossy(&self.line);
                let kept = text.trim_end_matches(' ').rfind(' ').map_or(0, |at| at + 1);
                let gone = text.get(kept..).unwrap_or_default().chars().count();
                self.rub(gone, echo);
            }
            (Escape::None, 0..0x20) if key != b'\t' => {}
            (Escape::None, _) => {
                self.line.push(key);
                echo.push(key);
            }
        }
    }

    /// Takes characters off the end of the line, and off the screen.
    fn rub(&mut self, count: usize, echo: &mut Vec<u8>) {
        for _ in 0..count {
            // The bytes after the first of a character go with it.
            while self.line.last().is_some_and(|b| b & 0xc0 == 0x80) {
                self.line.pop();
            }
            if self.line.pop().is_none() {
                return;
            }
            echo.extend_from_slice(b"\x08 \x08");
        }
    }

    fn remember(&mut self) {
        self.back = 0;
        if !self.line.is_empty() && self.past.last() != Some(&self.line) {
            self.past.push(self.line.clone());
            let over = self.past.len().saturating_sub(REMEMBERED);
            self.past.drain(..over);
        }
    }

    /// Puts an earlier line in the place of this one; 0 is an empty one.
    fn recall(&mut self, back: usize, echo: &mut Vec<u8>) {
        if back > self.past.len() {
            return;
        }
        self.back = back;
        let line = if back == 0 { Vec::new() } else { self.past[self.past.len() - back].clone() };
        self.rub(usize::MAX, echo);
        echo.extend_from_slice(&line);
        self.line = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Typed {
        Typed::Text(line.as_bytes().to_vec())
    }

    #[test]
    fn a_line_is_edited_before_it_is_given() {
        let mut terminal = Terminal::default();
        assert_eq!(terminal.take(b"ec\x7fch\xc3\xb6").0, []);
        let (typed, echo) = terminal.take(b"\x7fo hi\r");
        assert_eq!(typed, [text("echo hi\n")]);
        assert_eq!(echo, b"\x08 \x08o hi\n");
        assert_eq!(terminal.take(b"rm -r all\x17one\r\n").0, [text("rm -r one\n")]);
        assert_eq!(terminal.take(b"gone\x15kept\n").0, [text("kept\n")]);
        let mut terminal = Terminal::default();
        assert_eq!(terminal.take(b"half\x03"), (vec![Typed::Interrupt], b"half^C".to_vec()));
        assert_eq!(terminal.take(b"\x04").0, [Typed::End]);
        assert_eq!(terminal.take(b"part\x04").0, [text("part")]);
        assert_eq!(terminal.take(b"a\x1b[C\x1b[15~b\x00\r").0, [text("ab\n")]);
        let mut terminal = Terminal::default();
        terminal.take(b"one\rtwo\r");
        assert_eq!(terminal.take(b"\x1b[A\x1b[A\r").0, [text("one\n")]);
        assert_eq!(terminal.take(b"\x1b[A\x1b[A\x1b[Bx\r").0, [text("onex\n")]);
        assert_eq!(terminal.take(b"\x1b[B\r").0, [text("\n")]);
    }
}
