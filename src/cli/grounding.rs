use std::sync::Arc;

use clap::Subcommand;
use tokio_util::sync::CancellationToken;
use waldo_agents::items::Rewriter;
use waldo_devices::count::count;
use waldo_offline::make::{make_places, write_places};
use waldo_tasks::episode::Timeouts;

use super::item_screens::{ItemArgs, tell, too_few};
use super::learner::Learner;
use super::{CliError, Result};
use crate::agents::{ModelArgs, is_stand_in};
use crate::exit;
use crate::offline::{LevelError, Replies, Words};
use crate::stop::{command_line, stop_on_signal};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Pictures with true boxes and instructions, in MMBench-GUI's L2 format.
    ///
    /// Each element has two instructions: one by its name, and one by its place and purpose, from what lies beside it and
    /// what its press was seen to bring up. Boxes are the tree's. The same seed gives the same items. With --rewrite-with
    /// a model says the instructions in other words: the same items, marked.
    Make(Box<MakeArgs>),
}

#[derive(Debug, clap::Args)]
#[command(mut_args(only_for_rewriting))]
struct MakeArgs {
    #[command(flatten)]
    items: ItemArgs,
    /// Have this model say each instruction in other words: a name that the endpoint knows, or `replay:DIR`. Wordings
    /// that would change or reveal the meaning are refused. The same command continues where it was stopped.
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    rewrite_with: Option<String>,
    #[command(flatten)]
    model: ModelArgs,
}

/// Flags of models go with `--rewrite-with` alone, which takes the place of `--model`; those that say nothing of asking for
/// words are not shown, and go with nothing.
fn only_for_rewriting(arg: clap::Arg) -> clap::Arg {
    if arg.get_help_heading() != Some("Model") || arg.get_id() == "rewrite_with" {
        return arg;
    }
    let arg = arg.requires("rewrite_with");
    match arg.get_id().as_str() {
        "model" | "image_detail" | "compat" | "no_summary" => arg.hide(true).exclusive(true),
        _ => arg,
    }
}

async fn words(args: &MakeArgs) -> Result<Option<(Learner, Words)>> {
    let Some(name) = &args.rewrite_with else { return Ok(None) };
    if is_stand_in(name) {
        return Err(CliError::Input(format!(
            "the stand-in '{name}' finds no words of its own: name a model"
        )));
    }
    let prompts = Arc::new(crate::prompts::open(args.model.prompts.as_deref())?);
    let model = ModelArgs { model: Some(name.clone()), ..args.model.clone() };
    let learner = Learner::open(&model, "--rewrite-with").await?;
    let words = Words {
        model: learner.client.model().to_owned(),
        asked: serde_json::json!([
            learner.client.parameters(),
            model.max_tokens,
            prompts.hashes().get("items/rewrite")
        ]),
        limit: model.timeouts(Timeouts::default()).decide,
        at_once: model.model_concurrency,
        rewriter: Rewriter::new(learner.client.clone(), prompts, model.max_tokens),
    };
    Ok(Some((learner, words)))
}

pub async fn run(args: Args) -> Result<u8> {
    let Command::Make(args) = args.command;
    let words = words(&args).await?;
    let mut replies = None;
    let mut was_asked = false;
    if let Some((learner, _)) = &words {
        let there = Replies::open(&args.items.out)?;
        if there.is_empty() {
            // Better now than after all screens.
            learner.preflight().await?;
            was_asked = true;
        }
        replies = Some(there);
    }
    let Some((from, screens)) = args.items.screens().await? else { return Ok(exit::STOPPED) };
    let mut all = make_places(&screens, args.items.items as usize, args.items.seed).map_err(too_few)?;
    let mut summary = None;
    if let (Some((learner, words)), Some(replies)) = (&words, &mut replies) {
        if !was_asked && !words.has_all(&all, replies) {
            learner.preflight().await?;
        }
        let stop = CancellationToken::new();
        let heard = tokio::spawn(stop_on_signal(stop.clone()));
        let told = words.rewrite(&mut all, replies, &stop).await;
        heard.abort();
        let told = told?;
        if told.missing > 0 {
            let left = count(told.missing, "instruction");
            eprintln!("stopped with {left} to ask for; no items were written");
            eprintln!("resume with: {}", command_line());
            return Ok(exit::STOPPED);
        }
        summary = Some(told);
    }
    let made = write_places(&args.items.out, &from, &all).map_err(LevelError::from)?;
    tell(&args.items, "L2", made, &screens, &from, summary.as_ref())?;
    Ok(if summary.is_some_and(|told| told.failed > 0) { exit::INVALID } else { exit::OK })
}
