//! A picture story: each screen with what was done on it, and words below.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use image::{RgbImage, imageops};
use waldo_devices::child;
use waldo_devices::labels::{animate, caption, decode, mark_path, mark_point, shrink};
use waldo_tasks::TaskError;

use super::ExportFormat;
use super::error::ExportError;
use super::taken::{ExportStep, RecordedEpisode};

/// The longest sides of a GIF and of a video, in pixels.
const GIF: (u32, u32) = (800, 800);
const VIDEO: (u32, u32) = (1280, 1280);
const SHOWN: Duration = Duration::from_millis(1500);
const RATE: u32 = 10;

/// The frames of an episode, all of one size; `None` where no picture was recorded.
pub(super) fn frames(taken: &RecordedEpisode, form: ExportFormat) -> Option<Vec<RgbImage>> {
    let most = if form == ExportFormat::Gif { GIF } else { VIDEO };
    let mut frames: Vec<RgbImage> = Vec::new();
    for step in &taken.steps {
        let Some(picture) = taken.picture(step).and_then(|bytes| decode(&bytes).ok()) else { continue };
        frames.push(frame(taken, step, picture, most));
    }
    let (wide, high) = frames.iter().fold((2, 2), |(w, h), f| (w.max(f.width()), h.max(f.height())));
    // Screens of several devices share one story; videos keep colours by halves.
    let (wide, high) = (wide.next_multiple_of(2), high.next_multiple_of(2));
    let frames: Vec<_> = frames.into_iter().map(|frame| on_ground(frame, wide, high)).collect();
    (!frames.is_empty()).then_some(frames)
}

fn frame(taken: &RecordedEpisode, step: &ExportStep, mut picture: RgbImage, most: (u32, u32)) -> RgbImage {
    if let Some(done) = step.done.first() {
        let target = done.action.target();
        match target.points.as_slice() {
            [] => {}
            [point] => mark_point(&mut picture, *point),
            path => mark_path(&mut picture, path),
        }
    }
    let number = if step.decided.is_some() { format!("{}. ", step.number) } else { String::new() };
    // The letters of a caption are few.
    let plain = |text: String| text.replace(['\u{201c}', '\u{201d}'], "\"");
    let goal = taken.goal.lines().collect::<Vec<_>>().join(" ");
    caption(&shrink(picture, most), &[plain(goal), plain(format!("{number}{}", step.words()))])
}

fn on_ground(frame: RgbImage, wide: u32, high: u32) -> RgbImage {
    if frame.dimensions() == (wide, high) {
        return frame;
    }
    let mut ground = RgbImage::from_pixel(wide, high, image::Rgb([24, 28, 34]));
    imageops::replace(&mut ground, &frame, i64::from((wide - frame.width()) / 2), 0);
    ground
}

/// The story as an animated GIF that begins anew at its end.
pub(super) fn gif(taken: &RecordedEpisode, frames: &[RgbImage]) -> Result<Vec<u8>, ExportError> {
    let failed = |source| ExportError::Story { episode: taken.name(), source };
    animate(frames, SHOWN).map_err(failed)
}

pub(super) fn video(frames: &[RgbImage], file: &Path, webm: bool) -> Result<(), ExportError> {
    let (width, height) = frames.first().map_or((0, 0), RgbImage::dimensions);
    let size = format!("{width}x{height}");
    let codec: &[&str] = if webm {
        &["-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "36", "-deadline", "realtime", "-cpu-used", "6"]
    } else {
        &["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    };
    let mut started = child::command("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size])
        .args(["-r", &RATE.to_string(), "-i", "-"])
        .args(codec)
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| ExportError::Program(format!("videos need ffmpeg, which does not start: {error}; install it (apt install ffmpeg), or export a gif")))?;
    let each = SHOWN.as_millis() * u128::from(RATE) / 1000;
    let written = started.stdin.take().map_or(Ok(()), |mut pipe| {
        frames.iter().try_for_each(|frame| (0..each).try_for_each(|_| pipe.write_all(frame.as_raw())))
    });
    let ended = started.wait_with_output().map_err(TaskError::io("wait for", Path::new("ffmpeg")))?;
    if !ended.status.success() || written.is_err() {
        let said = String::from_utf8_lossy(&ended.stderr).lines().last().unwrap_or_default().to_owned();
        return Err(ExportError::Program(format!("ffmpeg could not write {}: {said}", file.display())));
    }
    Ok(())
}
