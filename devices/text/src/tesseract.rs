//! The program `tesseract`, one process for a bounded number of parts: pictures in by its standard input, a table out by its
//! standard output, nothing on the disk and no shell.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::num::NonZero;
use std::process::Stdio;
use std::str::FromStr;

use async_trait::async_trait;
use futures::future::try_join_all;
use image::GrayImage;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use crate::part::PreparedPart;
use crate::reader::TextReader;
use crate::words::Word;
use crate::{pages, table};
use waldo_devices::{Deadline, DeviceError, Result, child, secrets};

pub const PROGRAM: &str = "tesseract";
/// The most bytes that it may print.
const PRINTS: u64 = 8 << 20;
/// The most bytes of its errors that are kept.
const SAYS: u64 = 4 << 10;
/// The fewest parts for which another process is worth its start.
const SHARE: usize = 24;
const PROCESSES: usize = 4;
/// Languages that are none of a text.
const NO_TEXT: [&str; 3] = ["osd", "equ", "snum"];

/// Languages as the program names them: `eng`, `deu+eng`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages(String);

impl FromStr for Languages {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plain = |name: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !name.is_empty() && name.len() <= 32 && name.chars().all(fits)
        };
        let all = text.len() <= 200 && text.split('+').all(plain);
        all.then(|| Self(text.to_owned())).ok_or_else(|| {
            format!(
                "'{text}' names no languages: write eng, or deu+eng, as tesseract --list-langs lists them"
            )
        })
    }
}

#[derive(Clone, Debug)]
pub struct Tesseract {
    program: OsString,
    version: String,
    languages: String,
}

#[derive(Clone, Copy)]
enum Layout {
    Block,
    Line,
}

impl Tesseract {
    /// The program on the path, for `wanted`, else English or the first language that it has. `None` where it is not
    /// installed, or has no language and none was named.
    ///
    /// # Errors
    /// [`DeviceError::Absent`] for a language that it lacks; what it fails with; [`DeviceError::Timeout`].
    pub async fn find(wanted: Option<&Languages>, deadline: Deadline) -> Result<Option<Self>> {
        Self::at(PROGRAM.into(), wanted, deadline).await
    }

    async fn at(program: OsString, wanted: Option<&Languages>, deadline: Deadline) -> Result<Option<Self>> {
        let (said, listed) = tokio::try_join!(
            run(&program, &["--version"], &[], deadline),
            run(&program, &["--list-langs"], &[], deadline)
        )?;
        let (Some(said), Some(listed)) = (said, listed) else { return Ok(None) };
        let version = said.lines().next().and_then(|line| line.split_whitespace().nth(1)).unwrap_or("?");
        let version = secrets::brief(version, 40);
        let listed: Vec<&str> =
            listed.lines().map(str::trim).filter(|name| name.parse::<Languages>().is_ok()).collect();
        let languages = match wanted {
            Some(Languages(named)) => {
                if let Some(missing) = named.split('+').find(|name| !listed.contains(name)) {
                    return Err(DeviceError::absent(
                        format!("tesseract has no language '{missing}' here (it has {})", listed.join(", ")),
                        format!("install it (Debian, Ubuntu: sudo apt install tesseract-ocr-{missing})"),
                    ));
                }
                named.clone()
            }
            None => {
                let first = listed.iter().find(|name| !NO_TEXT.contains(name));
                let usual = listed.contains(&"eng").then_some(&"eng").or(first);
                let Some(language) = usual else { return Ok(None) };
                (*language).to_owned()
            }
        };
        Ok(Some(Self { program, version, languages }))
    }

    /// Reads parts of one layout, shared among processes.
    async fn read_all(
        &self,
        layout: Layout,
        parts: &[&PreparedPart],
        deadline: Deadline,
    ) -> Result<Vec<Vec<Word>>> {
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get).min(PROCESSES);
        let shares = parts.len().div_ceil(SHARE).min(cores).max(1);
        let chunks = parts.chunks(parts.len().div_ceil(shares));
        let read = chunks.map(|chunk| self.read_some(layout, chunk, deadline));
        Ok(try_join_all(read).await?.into_iter().flatten().collect())
    }

    async fn read_some(
        &self,
        layout: Layout,
        parts: &[&PreparedPart],
        deadline: Deadline,
    ) -> Result<Vec<Vec<Word>>> {
        let images: Vec<GrayImage> = parts.iter().map(|part| part.page()).collect();
        let count = images.len();
        let file = pages::tiff(&images.iter().collect::<Vec<_>>())
            .ok_or_else(|| failed("the parts are too large for one file".to_owned()))?;
        drop(images);
        let layout = match layout {
            Layout::Block => "6",
            Layout::Line => "7",
        };
        // The letters are dark on light already.
        let args =
            ["stdin", "stdout", "--psm", layout, "-l", &self.languages, "-c", "tessedit_do_invert=0", "tsv"];
        let said = run(&self.program, &args, &file, deadline).await?;
        let said = said.ok_or_else(|| failed("it is not there any more".to_owned()))?;
        Ok(table::read(&said, count))
    }
}

#[async_trait]
impl TextReader for Tesseract {
    fn name(&self) -> String {
        format!("tesseract {} {}", self.version, self.languages)
    }

    async fn read(&self, parts: &[PreparedPart], deadline: Deadline) -> Result<Vec<Vec<Word>>> {
        let (lines, blocks): (Vec<&PreparedPart>, Vec<&PreparedPart>) =
            parts.iter().partition(|part| part.one_line);
        let (lines, blocks) = tokio::try_join!(
            self.read_all(Layout::Line, &lines, deadline),
            self.read_all(Layout::Block, &blocks, deadline),
        )?;
        let (mut lines, mut blocks) = (lines.into_iter(), blocks.into_iter());
        let next = |part: &PreparedPart| {
            if part.one_line { lines.next() } else { blocks.next() }.unwrap_or_default()
        };
        Ok(parts.iter().map(next).collect())
    }
}

fn failed(message: String) -> DeviceError {
    DeviceError::Call { call: PROGRAM.to_owned(), message }
}

/// What the program prints for `input`; `None` where there is no such program. It ends with the wait for it.
async fn run(program: &OsString, args: &[&str], input: &[u8], deadline: Deadline) -> Result<Option<String>> {
    let mut command = child::command(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Processes are what is done at once; threads within one wait for each other more than they work.
    command.env("OMP_THREAD_LIMIT", "1");
    let mut child = match Command::from(command).kill_on_drop(true).spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(format!("it cannot be started: {error}"))),
    };
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
        return Err(failed("its standard streams are not available".to_owned()));
    };
    let after = deadline.left();
    let talk = async {
        let (mut printed, mut errors) = (Vec::new(), Vec::new());
        let write = async {
            // One that ends before it has read all says why by its status.
            let _ = stdin.write_all(input).await;
            let _ = stdin.shutdown().await;
            drop(stdin);
        };
        // Read beyond the bound by one, to know of it; then it is ended.
        let mut stdout = stdout.take(PRINTS + 1);
        let (mut first, mut rest) = (stderr.take(SAYS), tokio::io::sink());
        let hear = async {
            first.read_to_end(&mut errors).await?;
            tokio::io::copy(&mut first.into_inner(), &mut rest).await
        };
        let read = async {
            stdout.read_to_end(&mut printed).await?;
            // A program that prints without an end is not waited for.
            if printed.len() as u64 > PRINTS { Err(ErrorKind::FileTooLarge.into()) } else { Ok(()) }
        };
        let done = tokio::try_join!(
            async {
                write.await;
                Ok(())
            },
            read,
            hear
        );
        done.map_err(|error: std::io::Error| match error.kind() {
            ErrorKind::FileTooLarge => failed(format!("it printed more than {} MiB", PRINTS >> 20)),
            _ => failed(format!("its standard streams broke: {error}")),
        })?;
        let status = child.wait().await.map_err(|error| failed(error.to_string()))?;
        if !status.success() {
            let said = String::from_utf8_lossy(&errors);
            let last = secrets::brief(said.trim().lines().last().unwrap_or_default(), 200);
            return Err(failed(format!("it ended with {status}: {last}")));
        }
        Ok(String::from_utf8_lossy(&printed).into_owned())
    };
    match tokio::time::timeout_at(deadline.instant(), talk).await {
        Ok(said) => said.map(Some),
        Err(_) => Err(DeviceError::Timeout { what: PROGRAM.to_owned(), after }),
    }
}

#[cfg(test)]
#[path = "tesseract_tests.rs"]
mod tests;
