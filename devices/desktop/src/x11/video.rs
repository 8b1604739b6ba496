//! A video of a display, by ffmpeg.
//!
//! Invariants: a video ends with its owner, also when that is killed: a keeper ends it then, in good order. What
//! is written of it can be played whenever its program ends, and however: it is cut into parts that stand alone.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::authority::DisplayAddress;
use super::keeper::Keeper;
use super::process::{gone_by, io, signal, start};
use waldo_devices::{Deadline, DeviceError, Result, child};

/// How long the end of a video may take to be written.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// The length of a part, in microseconds.
const PART: &str = "500000";
const RATE: &str = "10";

/// Ends the video of the process `$1` when its standard input ends: its owner is gone.
const KEEPER: &str = r#"
trap '' INT TERM HUP QUIT
read -r _
kill -INT "$1" 2>/dev/null
n=0; while kill -0 "$1" 2>/dev/null && [ $n -lt 100 ]; do n=$((n+1)); sleep 0.05; done
kill -KILL "$1" 2>/dev/null
"#;

/// A video that is being written. Dropping it ends the file cleanly.
pub(crate) struct VideoRecording {
    child: Child,
    file: PathBuf,
    keeper: Option<Keeper>,
}

impl VideoRecording {
    /// Starts to write what a display shows to `file`, and waits until the first pictures are written: a
    /// program that is told to end before leaves nothing that can be played.
    pub(crate) fn start(
        place: &DisplayAddress,
        size: (u16, u16),
        file: &Path,
        deadline: Deadline,
    ) -> Result<Self> {
        use std::os::unix::process::CommandExt as _;
        let mut command = child::command("ffmpeg");
        if let Some(authority) = &place.authority {
            command.env("XAUTHORITY", authority.file());
        }
        command
            .args("-hide_banner -loglevel error -nostdin -y -f x11grab -draw_mouse 1".split(' '))
            .args(["-framerate", RATE, "-video_size", &format!("{}x{}", size.0, size.1), "-i", &place.name])
            .args(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-threads", "1"])
            // Colours are kept by halves: sides must be even.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
            .args(["-movflags", "empty_moov+default_base_moof", "-frag_duration", PART])
            .args(["-flush_packets", "1"])
            .arg(file)
            // How far it is, line by line.
            .args(["-progress", "pipe:1", "-stats_period", "0.1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0);
        let child = start(&mut command)?;
        let mut recording = Self { child, file: file.to_owned(), keeper: None };
        recording.keeper = Some(Keeper::start(KEEPER, "waldo-film-keeper", Some(recording.child.id()))?);
        recording.await_pictures(deadline)?;
        Ok(recording)
    }

    /// Waits for the first pictures. What the program goes on to tell is read, so that it never waits for us.
    fn await_pictures(&mut self, deadline: Deadline) -> Result<()> {
        let Some(out) = self.child.stdout.take() else { return Ok(()) };
        let (sender, begun) = mpsc::channel();
        let reader = std::thread::Builder::new().name("waldo-video".to_owned()).spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if line.strip_prefix("frame=").is_some_and(|count| count.trim() != "0") {
                    // Only the first is waited for.
                    let _ = sender.send(());
                }
            }
        });
        reader.map_err(io("the thread of a video"))?;
        begun.recv_timeout(deadline.left()).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => {
                DeviceError::Timeout { what: "ffmpeg to write a picture".to_owned(), after: deadline.left() }
            }
            mpsc::RecvTimeoutError::Disconnected => DeviceError::Start {
                what: "ffmpeg".to_owned(),
                message: format!("it ended before it wrote a picture to {}", self.file.display()),
                hint: "check that it can capture X11 displays and write H.264".to_owned(),
            },
        })
    }
}

impl Drop for VideoRecording {
    fn drop(&mut self) {
        signal(self.child.id(), Signal::INT);
        if !gone_by(&mut self.child, Instant::now() + ENDS_WITHIN) {
            let _ = self.child.kill();
        }
        // The keeper goes first: once the process is waited for, its number may be another's.
        drop(self.keeper.take());
        // 255 is how it ends when it is told to.
        match self.child.wait().map(|status| status.code()) {
            Ok(Some(0 | 255)) => {}
            _ => tracing::warn!(
                "the video {} is not whole: ffmpeg could not write it to its end (is the disk full?)",
                self.file.display()
            ),
        }
    }
}

/// Takes the name `file`, or one with a number where it is there already, by making the file: displays that
/// start at the same time get a name each.
pub(crate) fn reserve(file: &Path) -> Result<PathBuf> {
    let named = |n: u32| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let end = file.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
        file.with_file_name(format!("{stem}-{n}{end}"))
    };
    let mut chosen = file.to_owned();
    let mut n = 2;
    loop {
        match File::create_new(&chosen) {
            Ok(_) => return Ok(chosen),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                chosen = named(n);
                n += 1;
            }
            Err(error) => return Err(io(&format!("the video {}", chosen.display()))(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_video_never_takes_anothers_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("episode.mp4");
        assert_eq!(reserve(&file).unwrap(), file);
        assert_eq!(reserve(&file).unwrap(), folder.path().join("episode-2.mp4"));
        let taken: Vec<PathBuf> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| reserve(&file).unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let mut names = taken.clone();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 8, "{taken:?}");
        assert!(reserve(&folder.path().join("nowhere/episode.mp4")).is_err());
    }
}
