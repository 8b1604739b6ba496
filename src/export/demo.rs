//! An episode as a demonstration: to learn documentation from, and for AppAgent.

use std::path::{Path, PathBuf};

use waldo_tasks::RunFolder;
use waldo_tasks::demo::{DemoInfo, import};

use super::error::ExportError;
use super::taken::RecordedEpisode;

/// Writes it below `home`; why not, where it cannot be one.
pub(super) fn write(
    run: &RunFolder,
    taken: &RecordedEpisode,
    home: &Path,
) -> Result<Result<PathBuf, String>, ExportError> {
    if taken.entry.platform.has_several_screens() {
        return Ok(Err("it was played on several screens".to_owned()));
    }
    let done = taken.done()?;
    if done.deeds.is_empty() {
        return Ok(Err("nothing was done in it".to_owned()));
    }
    let place = done.screens.as_ref().map(|(first, _)| first.context.location.clone()).unwrap_or_default();
    let app = match place.split_once("://") {
        Some((_, rest)) => rest.split(['/', ':']).next().unwrap_or_default(),
        None => place.split('/').next().unwrap_or_default(),
    };
    let path = home.join(taken.name());
    if path.join("demo.json").exists() {
        return Ok(Err(format!("{} holds a demonstration already", path.display())));
    }
    let product = run.manifest.device.as_ref().map(|on| on.product.clone()).unwrap_or_default();
    let name = format!("demo_{}", taken.name());
    let mut info = DemoInfo::new(&name, app, &taken.goal, taken.entry.platform, &product);
    info.started = taken.began;
    import(&path, info, &done, |seen| taken.picture_of(seen))?;
    Ok(Ok(path))
}
