mod import;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use image::{Rgb, RgbImage};
use serde_json::{Value, json};
use waldo_agents::Choice;
use waldo_agents::native::{
    CallStep, ContentPart, InputState, Material, Profile, ProfileUse, Scale, names, steps,
};
use waldo_devices::count::count;
use waldo_devices::{DeviceInfo, ElementRef, Geometry, Observation, Physical, Point, labels};

use super::agents::DeviceKind;
use super::{CliError, Result, print_json, read};
use crate::exit;
use crate::profiles::{self, MANIFEST, SUFFIX};

/// What a place is drawn in.
const COLOUR: Rgb<u8> = Rgb([230, 0, 70]);
/// How far a drawn cross reaches, in pixels.
const ARM: i64 = 14;

/// List, show and try the profiles of models that were trained on an action space.
///
/// A profile says how such a model is shown a screen and how its reply is read. One of your own is a folder, given as
/// --profile DIR.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Every built-in profile.
    List,
    /// What a model gets and answers: messages, actions, an example of a reply.
    Show {
        /// A name, or a folder.
        profile: String,
        /// On this kind of device.
        #[arg(long, value_enum, default_value = "web")]
        device: DeviceKind,
    },
    /// Make your own profile: a folder with a copy of another.
    New {
        /// The folder.
        dir: PathBuf,
        /// What it is a copy of.
        #[arg(long, value_name = "PROFILE", default_value = "ui-tars-1.5")]
        from: String,
    },
    /// Print the models of one of MMBench-GUI's model files as contestants of waldo.toml.
    Import {
        /// The file: JSON.
        file: PathBuf,
    },
    /// Check a profile; with a picture and a reply, say and draw where it would press.
    Check {
        /// A name, or a folder.
        profile: String,
        /// A picture of a screen: PNG or JPEG.
        #[arg(long, value_name = "FILE", requires = "reply")]
        picture: Option<PathBuf>,
        /// What the model answered: a text file.
        #[arg(long, value_name = "FILE", requires = "picture")]
        reply: Option<PathBuf>,
        /// On this kind of device.
        #[arg(long, value_enum, default_value = "web")]
        device: DeviceKind,
        /// Where the picture goes with the places drawn.
        #[arg(short, long, default_value = "checked.png")]
        out: PathBuf,
    },
}

pub fn run(args: &Args) -> Result<u8> {
    match &args.what {
        Command::List => list(args.json)?,
        Command::Show { profile, device } => show(&open(profile)?, &device.info(), args.json)?,
        Command::New { dir, from } => new(dir, &open(from)?, args.json)?,
        Command::Import { file } => {
            let bad = |error: String| CliError::Input(format!("{}: {error}", file.display()));
            let value =
                serde_json::from_slice(&read(file)?).map_err(|error| bad(format!("no JSON: {error}")))?;
            let text = import::contestants(&value).map_err(bad)?;
            if args.json {
                print_json(&json!({ "toml": text }))?;
            } else {
                print!("{text}");
            }
        }
        Command::Check { profile, picture, reply, device, out } => {
            let profile = open(profile)?;
            match picture.as_ref().zip(reply.as_ref()) {
                Some((picture, reply)) => check(&profile, device.info(), (picture, reply, out), args.json)?,
                None if args.json => {
                    print_json(&json!({ "profile": profile.name(), "sha256": profile.hash() }))?
                }
                None => println!("{} holds together", profile.name()),
            }
        }
    }
    Ok(exit::OK)
}

fn open(named: &str) -> Result<Profile> {
    profiles::open(named).map_err(|error| CliError::Input(error.to_string()))
}

fn used_as(profile: &Profile) -> &'static str {
    match profile.used_as() {
        ProfileUse::Agent => "agent",
        ProfileUse::Grounder => "grounder",
    }
}

fn list(as_json: bool) -> Result<()> {
    let all = names().into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
    if as_json {
        let entry = |profile: &Profile| {
            json!({
                "name": profile.name(), "use": used_as(profile), "about": profile.about(),
                "models": profile.models(), "sha256": profile.hash(),
            })
        };
        return print_json(&all.iter().map(entry).collect::<Vec<_>>());
    }
    for profile in &all {
        println!("{:<12} {:<9} {}", profile.name(), used_as(profile), profile.about());
    }
    Ok(())
}

fn show(profile: &Profile, device: &DeviceInfo, as_json: bool) -> Result<()> {
    let failed = |message: String| CliError::Input(format!("{}: {message}", profile.name()));
    let size = device.geometry.physical;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole pixels of a screen")]
    let size = (size.w as u32, size.h as u32);
    let scale = profile.scale(size).map_err(|error| failed(error.to_string()))?;
    let material = Material { goal: "(the task)", device: Some(device), scale, steps: &[] };
    let said = profile.messages(&material).map_err(|error| failed(error.to_string()))?;
    let [right, bottom] = scale.extent;
    let example = profile.example([right / 2.0, bottom / 2.0]).map_err(|error| failed(error.to_string()))?;
    let piece = |piece: &ContentPart| match piece {
        ContentPart::Text(text) => text.clone(),
        ContentPart::Picture(_) => format!("(picture, {} by {} pixels)", scale.sent.0, scale.sent.1),
    };
    let role = |role| format!("{role:?}").to_lowercase();
    let actions = profile.offered(device);
    if as_json {
        let messages: Vec<Value> = said
            .iter()
            .map(|said| json!({ "role": role(said.role), "parts": said.pieces.iter().map(piece).collect::<Vec<_>>() }))
            .collect();
        return print_json(&json!({
            "name": profile.name(), "use": used_as(profile), "about": profile.about(), "models": profile.models(),
            "sha256": profile.hash(), "wording": profile.wording(), "screen": size, "sent": scale.sent, "extent": scale.extent,
            "actions": actions, "messages": messages, "example": example,
        }));
    }
    println!("{}: {}", profile.name(), profile.about());
    println!("in {}", profile.wording().unwrap_or("waldo's own words"));
    println!("a screen of {} by {} pixels is sent as {} by {}", size.0, size.1, scale.sent.0, scale.sent.1);
    println!("coordinates run to ({right}, {bottom})");
    if !actions.is_empty() {
        println!("actions: {}", actions.join(", "));
    }
    for said in &said {
        println!("\n--- {}", role(said.role));
        for part in &said.pieces {
            println!("{}", piece(part));
        }
    }
    println!("\n--- a reply that presses in the middle\n{example}");
    Ok(())
}

fn new(dir: &Path, from: &Profile, as_json: bool) -> Result<()> {
    let failed = |path: &Path| {
        let what = format!("cannot write {}", path.display());
        move |source| CliError::Io { what, source }
    };
    let files: Vec<(String, &str)> = std::iter::once((MANIFEST.to_owned(), from.data()))
        .chain(from.templates().map(|(name, text)| (format!("{name}{SUFFIX}"), text)))
        .collect();
    if let Some((name, _)) = files.iter().find(|(name, _)| dir.join(name).exists()) {
        let shown = dir.display();
        return Err(CliError::Input(format!(
            "{shown} has a {name} already, and what is there stays: edit it and run waldo models check {shown}, or name \
             another folder"
        )));
    }
    std::fs::create_dir_all(dir).map_err(failed(dir))?;
    let mut written = Vec::new();
    for (name, text) in files {
        let path = dir.join(name);
        // What is there stays.
        let mut file = std::fs::File::create_new(&path).map_err(failed(&path))?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed(&path))?;
        written.push(path);
    }
    if as_json {
        return print_json(&written);
    }
    for path in &written {
        println!("{}", path.display());
    }
    let shown = dir.display();
    println!(
        "\nedit them, then: waldo models check {shown}, and: waldo eval SUITE --agent native --profile {shown} ..."
    );
    Ok(())
}

fn check(
    profile: &Profile,
    mut device: DeviceInfo,
    (picture, reply, out): (&Path, &Path, &Path),
    as_json: bool,
) -> Result<()> {
    let bad = |file: &Path, message: String| CliError::Input(format!("{}: {message}", file.display()));
    let mut pixels = labels::decode(&read(picture)?).map_err(|error| bad(picture, error.to_string()))?;
    let text = String::from_utf8_lossy(&read(reply)?).into_owned();
    let size = pixels.dimensions();
    device.geometry = Geometry::new(f64::from(size.0), f64::from(size.1), 1.0);
    let scale = profile.scale(size).map_err(|error| bad(picture, error.to_string()))?;
    let (places, told) = if profile.used_as() == ProfileUse::Grounder {
        let at = profile.read_place(&text).and_then(|at| at.map(|at| scale.on_screen(at)).transpose());
        let at = at.map_err(|error| bad(reply, error))?;
        let told = at.map_or("it is not on the screen".to_owned(), |at| at.to_string());
        (at.into_iter().collect(), json!([told]))
    } else {
        acted(profile, &device, scale, &text).map_err(|error| bad(reply, error))?
    };
    for place in &places {
        cross(&mut pixels, *place);
    }
    let png = labels::encode_png(&pixels)?;
    std::fs::write(out, png)
        .map_err(|source| CliError::Io { what: format!("cannot write {}", out.display()), source })?;
    let points: Vec<[f64; 2]> = places.iter().map(|at| [at.x, at.y]).collect();
    if as_json {
        return print_json(&json!({
            "profile": profile.name(), "sent": scale.sent, "extent": scale.extent, "steps": told,
            "places": points, "out": out,
        }));
    }
    println!("sent as {} by {} pixels, coordinates to {:?}", scale.sent.0, scale.sent.1, scale.extent);
    for step in told.as_array().into_iter().flatten() {
        println!("{}", step.as_str().map_or_else(|| step.to_string(), str::to_owned));
    }
    println!("{} drawn on {}", count(points.len(), "place"), out.display());
    Ok(())
}

/// Where a reply acts, and what it comes to in words.
fn acted(
    profile: &Profile,
    device: &DeviceInfo,
    scale: Scale,
    text: &str,
) -> Result<(Vec<Point<Physical>>, Value), String> {
    let reply = profile.read(text)?;
    let seen = Observation::blank(device.geometry);
    let mut places = Vec::new();
    let mut told = Vec::new();
    for CallStep { call, choice, .. } in
        steps(profile, &reply, (&seen, device, scale), &mut InputState::default())?
    {
        let does = match choice {
            Choice::Act { mut action } => {
                let mut add = |at: &mut Point<Physical>| -> Result<(), String> {
                    places.push(*at);
                    Ok(())
                };
                action.move_targets(&mut add, &mut |_: &mut ElementRef| Ok(()))?;
                action.describe()
            }
            Choice::Pass { reason } => format!("nothing: {reason}"),
            Choice::Finish { answer: Some(answer) } => format!("the end, with the answer '{answer}'"),
            Choice::Finish { answer: None } => "the end".to_owned(),
            Choice::Infeasible { reason } | Choice::GiveUp { reason } | Choice::Fail { reason } => {
                format!("a failure: {reason}")
            }
            Choice::HandOver { reason } => format!("a person has to go on: {reason}"),
        };
        told.push(json!(format!("{call} -> {does}")));
    }
    Ok((places, Value::Array(told)))
}

/// Draws a cross around a place, whose own pixel stays free.
fn cross(picture: &mut RgbImage, at: Point<Physical>) {
    #[expect(clippy::cast_possible_truncation, reason = "a place of the screen")]
    let (x, y) = (at.x as i64, at.y as i64);
    for away in (-ARM..=ARM).filter(|away| away.abs() > 2) {
        for beside in -1..=1 {
            for (x, y) in [(x + away, y + beside), (x + beside, y + away)] {
                if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
                    && let Some(pixel) = picture.get_pixel_mut_checked(x, y)
                {
                    *pixel = COLOUR;
                }
            }
        }
    }
}
