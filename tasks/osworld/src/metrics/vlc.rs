//! `vlc.py` and `others.py`: the media player's state and settings, pictures and tags of music.

use roxmltree::Node;
use serde_json::Value;
use waldo_agents::python::url::UrlParts;

use super::super::fault::{OsworldFault, Score, score};
use super::super::id3;
use super::super::ooxml::package;
use super::super::picture::{ByteImage, ResizeFilter, ssim};
use super::super::py::{self, text};
use super::MetricCall;
use super::general::gold;
use super::rules::match_value;

/// `is_vlc_playing`: a file, or an address, by what the player says of itself.
pub(crate) fn is_vlc_playing(call: &MetricCall) -> Score {
    let path = call.path().ok_or_else(|| OsworldFault::raised("the player does not answer"))?;
    let xml = text::read(path)?;
    let document = package::parse("the player's answer", &xml)?;
    let root = document.root_element();
    let child = |node: Node, name: &str| node.children().find(|n| n.has_tag_name(name)).map(|n| n.id());
    let state = child(root, "state").and_then(|id| document.get_node(id)).and_then(|n| n.text());
    if state.ok_or_else(|| OsworldFault::raised("the player says no state"))? != "playing" {
        return Ok(0.0);
    }
    let info = |category: &str, name: &str| -> Option<String> {
        let all = document.descendants().filter(|n| n.has_tag_name("category"));
        let mut found = all.filter(|n| {
            n.attribute("name") == Some(category) && n.parent().is_some_and(|p| p.has_tag_name("information"))
        });
        let node = found.find_map(|n| {
            n.children().find(|n| n.has_tag_name("info") && n.attribute("name") == Some(name))
        })?;
        node.text().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let first = |names: &[(&str, &str)]| names.iter().find_map(|(category, name)| info(category, name));
    match call.rule("type")?.as_str() {
        Some("file_name") => {
            let wanted = call.rule("file_name")?.as_str().unwrap_or_default();
            let names = ["filename", "title", "uri", "location", "name"].map(|name| ("meta", name));
            Ok(score(first(&names).is_some_and(|found| found.ends_with(wanted))))
        }
        Some("url") => {
            let wanted = call.rule("url")?.as_str().unwrap_or_default();
            let mut names =
                ["url", "URI", "location", "title", "filename"].map(|name| ("meta", name)).to_vec();
            names.extend(["Codec", "Type", "Language"].map(|name| ("Stream 0", name)));
            let Some(found) = first(&names) else { return Ok(0.0) };
            let (parts, other) = (UrlParts::parse(wanted), UrlParts::parse(&found));
            let name = parts.path.rsplit('/').next().unwrap_or_default();
            let same_place =
                found.contains("://") && parts.netloc == other.netloc && other.path.contains(&parts.path);
            Ok(score(found.contains(wanted) || found == name || same_place))
        }
        _ => Ok(0.0),
    }
}

fn settings(call: &MetricCall) -> Result<String, OsworldFault> {
    text::read(call.path().ok_or_else(|| OsworldFault::raised("there are no settings"))?)
}

fn value(line: &str) -> &str {
    text::strip(line.rsplit('=').next().unwrap_or_default())
}

/// The last line with this mark, or a default; and the rule's word.
fn setting(call: &MetricCall, mark: &str, default: &str, rule: &str) -> Score {
    let content = settings(call)?;
    let wanted = match call.rule(rule)? {
        Value::Bool(truth) => if *truth { "True" } else { "False" }.to_owned(),
        other => py::string(other),
    };
    let found = content.split('\n').rfind(|line| line.contains(mark)).map_or(default, value);
    Ok(score(found == wanted))
}

pub(crate) fn is_vlc_recordings_folder(call: &MetricCall) -> Score {
    let content = settings(call)?;
    let wanted = call.rule("recording_file_path")?.as_str();
    let mut lines =
        content.split('\n').filter(|line| !line.starts_with('#') && !text::strip(line).is_empty());
    let line = lines.find(|line| line.contains("input-record-path"));
    Ok(score(line.is_some_and(|line| Some(value(line)) == wanted)))
}

/// Metrics of a setting: its mark, its default, and the member of the rules that it is held against.
macro_rules! settings {
    ($($metric:ident: $mark:literal, $default:literal, $rule:literal;)+) => {
        $(pub(crate) fn $metric(call: &MetricCall) -> Score {
            setting(call, $mark, $default, $rule)
        })+
    };
}

settings! {
    check_qt_bgcone: "qt-bgcone=", "1", "expected_qt_bgcone";
    check_qt_max_volume: "qt-max-volume=", "125", "expected_qt_max_volume";
    check_qt_minimal_view: "qt-minimal-view=", "0", "expected_qt_minimal_view";
    check_one_instance_when_started_from_file: "one-instance-when-started-from-file=", "1",
        "expected_one_instance_when_started_from_file";
    check_play_and_exit: "play-and-exit=", "0", "expected_play_and_exit";
}

/// `check_global_key_play_pause`: whether a key is set.
pub(crate) fn check_global_key_play_pause(call: &MetricCall) -> Score {
    let content = settings(call)?;
    let line = content.split('\n').rfind(|line| line.contains("global-key-play-pause="));
    let found = line.is_some_and(|line| !value(line).is_empty());
    let wanted = py::string(call.rule("expected_global_key_play_pause")?);
    Ok(score(wanted == if found { "1" } else { "0" }))
}

/// `check_qt_slider_colours`: these, or all dark.
pub(crate) fn check_qt_slider_colours(call: &MetricCall) -> Score {
    let content = settings(call)?;
    let line = content.split('\n').rfind(|line| line.contains("qt-slider-colours"));
    let found = line.map_or("153;210;153;20;210;20;255;199;15;245;39;29", value);
    match call.rule("type")?.as_str() {
        Some("match") => Ok(score(call.rule("expected_qt_slider_colours")?.as_str() == Some(found))),
        Some("blackish") => {
            let values: Option<Vec<i64>> = found.split(';').map(py::number::parse_int).collect();
            let Some(values) = values else { return Ok(0.0) };
            // A colour that is not whole is left out.
            Ok(score(values.chunks_exact(3).flatten().all(|value| *value < 100)))
        }
        other => Err(OsworldFault::Unsupported(format!("rule type {other:?}"))),
    }
}

/// `is_vlc_fullscreen`: the window is as large as the screen.
pub(crate) fn is_vlc_fullscreen(call: &MetricCall) -> Score {
    let Some(screen) = call.expected.as_ref().filter(|screen| !screen.is_null()) else { return Ok(0.0) };
    if call.result.is_null() {
        return Ok(0.0);
    }
    for side in ["width", "height"] {
        let of = |size: &Value| {
            size.get(side).cloned().ok_or_else(|| OsworldFault::raised(format!("a size has no {side}")))
        };
        if !py::eq(&of(&call.result)?, &of(screen)?) {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

/// `compare_images`: how alike two pictures are in grey, above a base where one is given.
pub(crate) fn compare_images(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    if call.expected.as_ref().is_none_or(Value::is_null) {
        return Ok(0.0);
    }
    let (a, b) = (ByteImage::open(path)?.grey(), ByteImage::open(call.gold()?).map_err(gold)?.grey());
    let size = a.size().min(b.size());
    if (a.lossy || b.lossy) && a.data != b.data {
        return Err(OsworldFault::Unsupported("the likeness of pictures compressed with losses".into()));
    }
    let resized = |picture: &ByteImage| picture.resized_in_any_order(size, ResizeFilter::Lanczos);
    let (Some(a), Some(b)) = (resized(&a), resized(&b)) else {
        return Err(OsworldFault::Unsupported("the likeness of pictures of two sizes".into()));
    };
    let found = ssim(&a, &b)?;
    Ok(match call.options.get("reference_base_result").and_then(Value::as_f64) {
        Some(base) if found >= base + 0.01 => (found - base) / (1.0 - base),
        Some(_) => 0.0,
        None => found,
    })
}

/// `check_mp3_meta`: the tags of a file of music.
pub(crate) fn check_mp3_meta(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let tags =
        id3::tags(&text::read_bytes(path)?).ok_or_else(|| OsworldFault::raised("the file has no tags"))?;
    let mut all = true;
    for (key, rule) in call.rules()?.as_object().into_iter().flatten() {
        let found = tags.get(key.as_str()).map(|values| values.join(",")).unwrap_or_default();
        all = all && match_value(&Value::String(found), rule)?;
    }
    Ok(score(all))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests_support::{call, file};
    use super::*;

    #[test]
    fn the_player_says_what_it_plays() {
        let dir = tempfile::tempdir().unwrap();
        let status = |state: &str, info: &str| {
            format!(
                "<root><state>{state}</state><information><category name='meta'>{info}</category></information></root>"
            )
        };
        let check = |status: &str, rule: Value| {
            is_vlc_playing(&call(json!(file(&dir, "s.xml", status.as_bytes())), rule)).unwrap()
        };
        let name = json!({ "type": "file_name", "file_name": "a.mp4" });
        assert_eq!(
            check(&status("playing", "<info name='filename'>/home/user/a.mp4</info>"), name.clone()),
            1.0
        );
        assert_eq!(check(&status("paused", "<info name='filename'>a.mp4</info>"), name.clone()), 0.0);
        assert_eq!(check(&status("playing", "<info name='title'>b.mp4</info>"), name), 0.0);
        let url = json!({ "type": "url", "url": "https://x.org/live/main.m3u8" });
        assert_eq!(check(&status("playing", "<info name='filename'>main.m3u8</info>"), url), 1.0);
    }
}
