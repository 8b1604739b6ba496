use super::{Ctx, Options};
use crate::fault::PhoneFault;
use crate::shell::picture::{self, Shot};
use crate::world::DumpError;
use crate::world::second::SECOND_PHYSICAL;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use std::time::Duration;

/// The display's id outside the system server.
pub(super) const PHYSICAL_DISPLAY: &str = "4619827259835644672";
/// `HAL_PIXEL_FORMAT_RGBA_8888`.
const RGBA_8888: u32 = 1;
/// The colour space word of sRGB.
const SRGB: u32 = 1;
/// First system version whose raw pictures carry a colour space.
const COLOUR_SPACE_SDK: u32 = 28;
/// First system version with `-j`.
const JPEG_SDK: u32 = 36;
/// First system version that spells "hierarchy".
const SPELLED_SDK: u32 = 36;

const USAGE: &str = include_str!("../../../assets/texts/screencap.txt");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Raw,
    Png,
    Jpeg,
}

pub(super) async fn screencap(ctx: &mut Ctx) -> u8 {
    let sdk = ctx.phone.options.sdk;
    let known = if sdk >= JPEG_SDK { "hpja" } else { "hpa" };
    // `--jpeg` and its kin are long options of the versions that have the short ones.
    let words: Vec<String> = ctx
        .words()
        .into_iter()
        .map(|w| match w.as_str() {
            "--jpeg" if sdk >= JPEG_SDK => "-j".to_owned(),
            _ => w,
        })
        .collect();
    let options = match Options::read(&words, known, "d") {
        Ok(options) => options,
        Err(c) => {
            ctx.warn(format!("screencap: invalid option -- {c}"));
            return ctx.refuse(1, USAGE);
        }
    };
    if options.has('h') {
        return ctx.refuse(1, USAGE);
    }
    let second = options.value('d').filter(|id| *id == SECOND_PHYSICAL);
    let second = second.and_then(|_| ctx.phone.with(|w| w.second().map(|s| s.picture())));
    if let Some(id) = options.value('d')
        && id != PHYSICAL_DISPLAY
        && second.is_none()
    {
        let text = format!("Display Id '{id}' is not valid.");
        ctx.warn(text);
        return ctx.refuse(1, USAGE);
    }
    let file = options.rest.first().cloned();
    let coding = if options.has('j') {
        Coding::Jpeg
    } else if options.has('p') || file.as_ref().is_some_and(|f| f.ends_with(".png")) {
        Coding::Png
    } else {
        Coding::Raw
    };
    if let Some(file) = &file {
        let path = ctx.path(file);
        if let Err(error) = ctx.files(|fs| fs.as_shell().may_write(&path)) {
            return ctx.refuse(1, format!("Error opening file: {file} ({error})"));
        }
    }
    let shot = match second {
        Some(image) => Shot::whole(image),
        None => match picture::take(&ctx.phone).await {
            Some(shot) => shot,
            None => return 1,
        },
    };
    let swapped = ctx.phone.with(|w| w.faults.has("swapped-colours"));
    let image = shot.image.clone();
    let coded = tokio::task::spawn_blocking(move || encode(&image, coding, sdk)).await;
    let coded =
        coded.map(|bytes| {
            bytes.map(|bytes| {
                if swapped && coding == Coding::Raw { picture::swapped(bytes, &shot.image) } else { bytes }
            })
        });
    let Ok(Some(mut bytes)) = coded else { return 1 };
    let slow =
        ctx.phone.with(|w| w.take_fault(|f| matches!(f, PhoneFault::SlowPng(_)) && coding == Coding::Png));
    if let Some(PhoneFault::SlowPng(ms)) = slow
        && ctx.wait(Duration::from_millis(ms)).await
    {
        return 1;
    }
    bytes.truncate(shot.keep(bytes.len()));
    match file.as_deref() {
        None | Some("/dev/stdout" | "/dev/tty") => {
            ctx.out = bytes;
            0
        }
        Some(file) => {
            let path = ctx.path(file);
            match ctx.files(|fs| fs.as_shell().write(&path, bytes)) {
                Ok(()) => 0,
                // A full phone leaves an empty file and says nothing: the encoder's result is not looked at.
                Err(_) => {
                    let _ = ctx.files(|fs| fs.as_shell().write(&path, Vec::new()));
                    0
                }
            }
        }
    }
}

fn encode(image: &image::RgbaImage, coding: Coding, sdk: u32) -> Option<Vec<u8>> {
    let (width, height) = image.dimensions();
    let raw = image.as_raw();
    match coding {
        Coding::Raw => {
            let mut out = Vec::with_capacity(raw.len() + 16);
            let words = [width, height, RGBA_8888, SRGB];
            let words = if sdk >= COLOUR_SPACE_SDK { &words[..] } else { &words[..3] };
            for word in words {
                out.extend_from_slice(&word.to_le_bytes());
            }
            out.extend_from_slice(raw);
            Some(out)
        }
        Coding::Png => {
            let mut out = Vec::new();
            PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Up)
                .write_image(raw, width, height, ExtendedColorType::Rgba8)
                .ok()?;
            Some(out)
        }
        Coding::Jpeg => {
            let mut out = Vec::new();
            let rgb: Vec<u8> = raw.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
            JpegEncoder::new_with_quality(&mut out, 100)
                .write_image(&rgb, width, height, ExtendedColorType::Rgb8)
                .ok()?;
            Some(out)
        }
    }
}

const UIAUTOMATOR_USAGE: &str = include_str!("../../../assets/texts/uiautomator.txt");

/// `uiautomator dump`. Failures are told on stderr with status 0, and the file of before stays: callers that do not
/// remove it first and do not read stderr take the old screen for the new one.
pub(super) async fn uiautomator(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    if words.first().map(String::as_str) != Some("dump") {
        return ctx.refuse(1, UIAUTOMATOR_USAGE);
    }
    let mut file = "/sdcard/window_dump.xml".to_owned();
    for word in &words[1..] {
        if !word.starts_with("--") {
            word.clone_into(&mut file);
        }
    }
    let dumped = tokio::select! {
        dumped = ctx.phone.dump() => dumped,
        () = ctx.gone.cancelled() => return 143,
    };
    let xml = match dumped {
        Ok(xml) => xml,
        Err(DumpError::NotIdle) => return ctx.refuse(0, "ERROR: could not get idle state."),
        Err(DumpError::NullRoot) => {
            return ctx.refuse(0, "ERROR: null root node returned by UiTestAutomationBridge.");
        }
    };
    match file.as_str() {
        "/dev/tty" | "/dev/stdout" => ctx.out.extend_from_slice(xml.as_bytes()),
        _ => {
            // A file that cannot be written is only logged; the line below is printed all the same.
            let path = ctx.path(&file);
            let _ = ctx.files(|fs| fs.as_shell().write(&path, xml.into_bytes()));
        }
    }
    let word = if ctx.phone.options.sdk >= SPELLED_SDK { "hierarchy" } else { "hierchary" };
    ctx.answer(format!("UI {word} dumped to: {file}"))
}
