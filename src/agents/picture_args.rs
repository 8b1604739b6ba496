//! Flags that say how pictures are packed.

use std::str::FromStr;

use waldo_devices::labels::{PictureFormat, PicturePacking};
use waldo_tasks::Contestant;
use waldo_tasks::events::KeptPictures;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureChoice {
    /// WebP where whoever is sent it is known to read it, else PNG.
    #[default]
    Auto,
    Format(PictureFormat),
}

impl FromStr for PictureChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let quality = text.strip_prefix("jpeg:").and_then(|quality| quality.parse().ok());
        match (text, quality) {
            ("auto", _) => Ok(Self::Auto),
            ("png", _) => Ok(Self::Format(PictureFormat::Png)),
            ("webp", _) => Ok(Self::Format(PictureFormat::Webp)),
            (_, Some(quality @ 1..=100)) => Ok(Self::Format(PictureFormat::Jpeg(quality))),
            _ => Err("give auto, png, webp, or jpeg:QUALITY with a quality from 1 to 100".to_owned()),
        }
    }
}

#[cfg(feature = "mcp")]
impl PictureChoice {
    /// The packing for somebody of whom nothing is known but that each byte is sent and read: what everybody reads, and small, unless
    /// another format is named.
    pub fn for_anybody(self) -> PicturePacking {
        match self {
            Self::Auto | Self::Format(PictureFormat::Png) => {
                PicturePacking { format: PictureFormat::SmallPng, max: None }
            }
            Self::Format(format) => PicturePacking { format, max: None },
        }
    }
}

/// Flags for the pictures that a model is sent and the record keeps.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArgs {
    /// The format of labelled pictures, for model and record: png, webp (both lossless), jpeg:QUALITY, or auto, which
    /// is webp if no model is asked or its endpoint can read it, else png.
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    picture: PictureChoice,
    /// The most pixels that such a picture may have; a larger one is made smaller.
    #[arg(long, value_name = "WxH", value_parser = size)]
    picture_max: Option<(u32, u32)>,
    /// Keep each screen without numbers, too, as step-NN-bare.webp: what waldo grounding make --from RUN and waldo
    /// questions make --from RUN make items of. It changes no result.
    #[arg(long)]
    bare_pictures: bool,
    /// Take no pictures for agents that look at none (reference, baseline, random, noop, refuser): they play faster, are not given
    /// the elements that only a picture shows, and the report shows outlines in place of their screens.
    #[arg(long, conflicts_with = "bare_pictures")]
    only_needed_pictures: bool,
}

impl PictureArgs {
    pub fn kept(&self) -> KeptPictures {
        match (self.bare_pictures, self.only_needed_pictures) {
            (true, _) => KeptPictures::TaggedAndBare,
            (false, true) => KeptPictures::Needed,
            (false, false) => KeptPictures::Tagged,
        }
    }

    /// Whether it has to be found out what an endpoint reads.
    pub fn asks_endpoints(&self) -> bool {
        self.picture == PictureChoice::Auto
    }

    /// How the pictures of a contestant are packed, where the endpoints of all are seen to read WebP or not.
    pub fn packing(&self, contestant: &Contestant, read_webp: bool) -> PicturePacking {
        let format = match (self.picture, contestant.model.as_deref()) {
            (PictureChoice::Format(format), _) => format,
            (PictureChoice::Auto, None | Some("reference")) => PictureFormat::Webp,
            // Recordings of old have PNG.
            (PictureChoice::Auto, Some(model)) if read_webp && !model.starts_with("replay:") => {
                PictureFormat::Webp
            }
            (PictureChoice::Auto, Some(_)) => PictureFormat::Png,
        };
        PicturePacking { format, max: self.picture_max }
    }

    /// Adds what changes results to the parameters of a manifest: only what was asked for.
    pub fn add_parameters(&self, all: &mut serde_json::Map<String, serde_json::Value>) {
        if let PictureChoice::Format(PictureFormat::Jpeg(quality)) = self.picture {
            // The others show a model the same pixels.
            all.insert("picture".to_owned(), format!("jpeg:{quality}").into());
        }
        if let Some((width, height)) = self.picture_max {
            all.insert("picture_max".to_owned(), format!("{width}x{height}").into());
        }
        if self.only_needed_pictures {
            // Elements that only a picture shows are missing.
            all.insert("only_needed_pictures".to_owned(), true.into());
        }
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    sides
        .filter(|(w, h)| *w > 0 && *h > 0)
        .ok_or_else(|| "give width and height in pixels, such as 1280x800".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_sizes_are_read() {
        let jpeg = PictureChoice::Format(PictureFormat::Jpeg(80));
        assert_eq!("jpeg:80".parse(), Ok(jpeg));
        assert_eq!("auto".parse(), Ok(PictureChoice::Auto));
        for bad in ["jpeg", "jpeg:0", "jpeg:101", "jpeg:x", "gif", ""] {
            assert!(bad.parse::<PictureChoice>().is_err(), "{bad}");
        }
        assert_eq!(size("640x400"), Ok((640, 400)));
        for bad in ["640", "0x9", "9x0", "-1x4", "x"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn auto_is_webp_only_for_who_reads_it() {
        let auto = PictureArgs::default();
        let format = |model, read| auto.packing(&Contestant::new("appagent", model), read).format;
        assert_eq!(format(None, false), PictureFormat::Webp);
        assert_eq!(format(Some("reference"), false), PictureFormat::Webp);
        assert_eq!(format(Some("gpt-x"), false), PictureFormat::Png);
        assert_eq!(format(Some("gpt-x"), true), PictureFormat::Webp);
        assert_eq!(format(Some("replay:old"), true), PictureFormat::Png);
        let png = PictureArgs { picture: PictureChoice::Format(PictureFormat::Png), ..auto };
        assert_eq!(png.packing(&Contestant::new("noop", None), true).format, PictureFormat::Png);
    }
}
