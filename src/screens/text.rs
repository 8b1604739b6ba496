//! Words for what only a picture shows: what reads them here, and devices that have them.
//!
//! Invariant: where nothing reads, or it is off, devices are as they were.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use waldo_devices::{Deadline, Device, DeviceError, DeviceInfo, Secrets};
use waldo_tasks::record::TaskEntry;
use waldo_tasks::runner::DeviceSource;
use waldo_text::{KeptWords, NamedByText, PROGRAM, Tesseract, TextReader as _};

use super::desktops::is_there;
use super::error::ScreenError;
use super::finding::Finding;
use super::kind::ScreenSource;
use super::text_choice::TextChoice;

/// The longest that a program may take to say what it is.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);
/// What the finding about it is called.
pub const TEXT_RECOGNITION: &str = "text recognition";
const INSTALL: &str = "Debian, Ubuntu: sudo apt install tesseract-ocr";

type Found = Result<Option<Tesseract>, String>;

impl TextChoice {
    /// What reads, if anything does. Asked for once; bounded.
    fn reader(&self) -> Found {
        static FOUND: OnceLock<(TextChoice, Found)> = OnceLock::new();
        if *self == Self::Off {
            return Ok(None);
        }
        let (choice, found) = FOUND.get_or_init(|| (self.clone(), self.find()));
        if choice == self { found.clone() } else { self.find() }
    }

    fn find(&self) -> Found {
        let wanted = match self {
            Self::In(languages) => Some(languages.clone()),
            Self::Auto | Self::Off => None,
        };
        if !is_there(PROGRAM) {
            return match wanted {
                None => Ok(None),
                Some(_) => Err(format!("--text-recognition needs {PROGRAM}, which is not here ({INSTALL})")),
            };
        }
        // Asked for by what is no part of any runtime: a manifest.
        let ask = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            runtime
                .block_on(Tesseract::find(wanted.as_ref(), Deadline::after(ANSWERS_WITHIN)))
                .map_err(|error| error.to_string())
        });
        ask.join().unwrap_or_else(|_| Err("looking for what reads pictures failed".to_owned()))
    }

    /// What records say of it; nothing where nothing reads.
    pub fn recorded(&self) -> Option<String> {
        self.reader().ok().flatten().map(|reader| reader.name())
    }

    /// `source`, with words for what its devices' pictures alone show.
    pub fn over(&self, source: Arc<dyn ScreenSource>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        match (self.reader(), self) {
            (Ok(Some(reader)), _) => {
                Ok(Arc::new(TextSource { source, reader: Arc::new(reader), kept: Arc::default() }))
            }
            (Ok(None), _) => Ok(source),
            (Err(error), Self::In(_)) => Err(ScreenError::Input(error)),
            (Err(error), _) => {
                tracing::warn!(%error, "text recognition");
                Ok(source)
            }
        }
    }

    /// What `waldo doctor` says of it.
    pub fn examine(&self) -> Finding {
        let what = TEXT_RECOGNITION;
        match (self, self.reader()) {
            (Self::Off, _) => Finding::note(what, "off: --text-recognition".to_owned()),
            (_, Ok(Some(reader))) => {
                Finding::note(what, format!("{}: words for what only a picture shows", reader.name()))
            }
            (_, Ok(None)) => {
                let (found, hint) = match is_there(PROGRAM) {
                    true => ("has no language", "Debian, Ubuntu: sudo apt install tesseract-ocr-eng"),
                    false => ("is not here", INSTALL),
                };
                let costs = "what only a picture shows has no words, and no number";
                Finding::lacks(what, format!("{PROGRAM} {found}"), costs, hint)
            }
            (_, Err(error)) => {
                Finding::foreign(what, Err(error), "install what is missing, or give --text-recognition off")
            }
        }
    }
}

/// Devices of another source, with words.
struct TextSource {
    source: Arc<dyn ScreenSource>,
    reader: Arc<Tesseract>,
    kept: Arc<KeptWords>,
}

impl TextSource {
    fn over(&self, device: Box<dyn Device>) -> Box<dyn Device> {
        Box::new(NamedByText::new(device, self.reader.clone(), self.kept.clone()))
    }
}

#[async_trait]
impl DeviceSource for TextSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        Ok(self.over(self.source.device(deadline).await?))
    }

    async fn device_for(&self, task: &TaskEntry, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        Ok(self.over(self.source.device_for(task, deadline).await?))
    }

    fn secrets(&self) -> Secrets {
        self.source.secrets()
    }
}

#[async_trait]
impl ScreenSource for TextSource {
    async fn info(&self, deadline: Deadline) -> Result<DeviceInfo, DeviceError> {
        self.source.info(deadline).await
    }

    fn workers(&self, workers: usize) -> usize {
        self.source.workers(workers)
    }

    async fn close(&self) {
        self.source.close().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_a_word_or_languages() {
        assert_eq!("auto".parse(), Ok(TextChoice::Auto));
        assert_eq!("off".parse(), Ok(TextChoice::Off));
        assert!(matches!("deu+eng".parse(), Ok(TextChoice::In(_))));
        let error = "-l".parse::<TextChoice>().unwrap_err();
        assert!(error.contains("deu+eng") && error.ends_with("or auto, or off"), "{error}");
    }
}
