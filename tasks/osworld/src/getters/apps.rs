//! `vlc.py`, `gimp.py`, `vscode.py`, `impress.py`: what programs keep.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use waldo_http::OperatingSystem;

use super::super::fault::{OsworldFault, Result};
use super::super::machine::{MachineCommand, MachineInput, to_guest};
use super::super::ooxml::Package;
use super::super::ooxml::package::parse;
use super::{Config, GetterContext, text, whole};

/// The kinds of video that the default player is asked of; the original asks each twice, which changes no
/// majority.
const VIDEOS: &str = "3gp 3gpp 3gpp2 avi divx dv fli flv mp2t mp4 mp4v-es mpeg mpeg-system msvideo ogg quicktime \
     vnd.divx vnd.mpegurl vnd.rn-realvideo webm x-anim x-avi x-flc x-fli x-flv x-m4v x-matroska \
     x-mpeg x-mpeg-system x-mpeg2 x-ms-asf x-ms-asf-plugin x-ms-asx x-ms-wm x-ms-wmv x-ms-wmx \
     x-ms-wvx x-msvideo x-nsv x-ogm x-ogm+ogg x-theora x-theora+ogg";

impl GetterContext<'_> {
    pub(super) async fn app(&mut self, kind: &str, config: &Config) -> Result<Value> {
        if self.machine.system() != OperatingSystem::Linux
            && ["gimp_config_file", "default_video_player"].contains(&kind)
        {
            return Err(OsworldFault::Unsupported(format!("getter '{kind}' of another system than Linux")));
        }
        match kind {
            "vlc_config" => {
                let place = match self.machine.system() {
                    OperatingSystem::Linux => ".config/vlc/vlcrc",
                    OperatingSystem::Windows => "AppData/Roaming/vlc/vlcrc",
                    OperatingSystem::Mac => "Library/Preferences/org.videolan.vlc/vlcrc",
                };
                let found = self.config_file(place).await?;
                // Without its file the original raises: the program never ran.
                let found = found.ok_or_else(|| OsworldFault::raised("vlcrc: there is no such file"))?;
                self.keep(text(config, "dest")?, &found)
            }
            "gimp_config_file" => {
                let name = format!(".config/GIMP/2.10/{}", text(config, "file_name")?);
                match self.config_file(&name).await?.filter(|bytes| !bytes.is_empty()) {
                    Some(found) => self.keep(text(config, "dest")?, &found),
                    None => Ok(Value::Null),
                }
            }
            "vlc_playing_info" => match self.machine.player("requests/status.xml", self.call()).await? {
                Some(found) => {
                    let home = self.machine.home();
                    let found = to_guest(&String::from_utf8_lossy(&found), &home);
                    self.keep(text(config, "dest")?, found.as_bytes())
                }
                None => Ok(Value::Null),
            },
            "vscode_config" => {
                let chord =
                    |keys: &[&str]| MachineInput::Chord(keys.iter().map(|key| (*key).to_owned()).collect());
                let command = text(config, "vscode_extension_command")?.to_owned();
                let inputs = [chord(&["ctrl", "shift", "p"]), MachineInput::Text(command), chord(&["enter"])];
                self.machine.input(&inputs, self.call()).await?;
                self.machine.settle(Duration::from_secs(1), self.call()).await?;
                self.vm_file(config).await
            }
            "default_video_player" => self.player().await,
            _ => self.slide_part(kind, config).await,
        }
    }

    /// A file of the user's settings, with the guest's home in its paths.
    async fn config_file(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let home = self.machine.home();
        let found = self.machine.get(&home.join(name), self.call()).await?;
        Ok(found.map(|bytes| match String::from_utf8(bytes) {
            Ok(text) => to_guest(&text, &home).into_bytes(),
            Err(e) => e.into_bytes(),
        }))
    }

    async fn player(&mut self) -> Result<Value> {
        let mut votes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (i, kind) in VIDEOS.split(' ').enumerate() {
            let words = ["xdg-mime", "query", "default", &format!("video/{kind}")].map(str::to_owned);
            let output = self.machine.run(&MachineCommand::Program(words.to_vec()), self.call()).await?;
            if !output.stdout.is_empty() {
                votes.entry(output.stdout).or_insert((0, i)).0 += 1;
            }
        }
        // Among equals, the first that was met.
        let most = votes.into_iter().max_by_key(|(_, (n, first))| (*n, std::cmp::Reverse(*first)));
        Ok(Value::String(most.map_or_else(|| "unknown".to_owned(), |(name, _)| name)))
    }

    /// The background picture, or the sound, of a slide.
    async fn slide_part(&mut self, kind: &str, config: &Config) -> Result<Value> {
        let file = text(config, "ppt_file_path")?;
        let slide = whole(config, "slide_index")
            .ok_or_else(|| OsworldFault::Expected("a getter has no slide_index".into()))?
            + 1;
        let name = file.rsplit('/').next().unwrap_or_default();
        let path = self.path(file);
        let bytes = self.machine.get(&path, self.call()).await?;
        let bytes = bytes.ok_or_else(|| OsworldFault::raised(format!("{name}: there is no such file")))?;
        let copy = self.keep(name, &bytes)?;
        let package = Package::open(Path::new(copy.as_str().unwrap_or_default()))?;
        let part = format!("ppt/slides/slide{slide}.xml");
        let relations = package.relations(&part)?;
        let found = if kind == "audio_in_slide" {
            relations.into_iter().find(|relation| relation.kind.contains("audio"))
        } else {
            if package.bytes(&part).is_none() {
                return Ok(Value::Null);
            }
            let id = background(&part, package.text(&part)?)?;
            relations.into_iter().find(|r| r.kind.contains("image") && Some(&r.id) == id.as_ref())
        };
        let Some(relation) = found else { return Ok(Value::Null) };
        if !relation.external {
            let inner = relation.target.rsplit('/').next().unwrap_or_default().to_owned();
            let bytes = package.bytes(&relation.target);
            return bytes.map_or(Ok(Value::Null), |bytes| self.keep(&inner, bytes));
        }
        let outside = relation.target.strip_prefix("file://").unwrap_or(&relation.target).to_owned();
        let outside = self.path(&outside);
        let dest = text(config, "dest")?.to_owned();
        match self.machine.get(&outside, self.call()).await? {
            Some(bytes) => self.keep(&dest, &bytes),
            None => Ok(Value::Null),
        }
    }
}

fn background(part: &str, xml: &str) -> Result<Option<String>> {
    const P: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
    const A: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
    let document = parse(part, xml)?;
    let behind = document.descendants().filter(|n| n.has_tag_name((P, "bgPr")));
    let blips =
        behind.flat_map(|n| n.descendants().filter(|n| n.has_tag_name((A, "blip"))).collect::<Vec<_>>());
    let mut ids =
        blips.filter_map(|n| n.attribute((super::super::ooxml::package::R, "embed")).map(str::to_owned));
    Ok(ids.next())
}
