use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use waldo_agents::appagent::Mode;
use waldo_agents::appagent::learn::{ExploreOptions, Explorer};
use waldo_agents::model::Usage;
use waldo_devices::count::count;
use waldo_tasks::demo::{Demo, LearnOutcome, Learned, Learning, Lesson, Refine};
use waldo_tasks::docs::DocsStore;
use waldo_tasks::episode::Timeouts;

use super::super::learner::Learner;
use super::super::{CliError, print_json};
use crate::agents::ModelArgs;
use crate::exit;
use crate::stop;

/// Turn demonstrations into documentation.
///
/// The model is shown the screen before and after each step. What it says goes into the documentation's
/// demonstrated layer. A step that was learnt from is not asked about again, so the same command goes on
/// where it was stopped. Demonstrations that AppAgent recorded are read too.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The demonstrations' folders.
    #[arg(required = true)]
    demos: Vec<PathBuf>,
    /// The folder of documentation.
    #[arg(long, value_name = "DIR", default_value = "docs")]
    docs: PathBuf,
    /// The app's name in the documentation [default: the demonstration's].
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    /// Whether a note from another occasion is shown to the model and mended, or stays as it is
    /// [default: true; false with --compat, as AppAgent has it].
    #[arg(long, value_name = "BOOL")]
    refine: Option<bool>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArgs,
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let learner = Learner::open(&args.model, "learn").await?;
    let prompts = Arc::new(crate::prompts::open(args.model.prompts.as_deref())?);
    let mode = args.model.mode();
    let options = ExploreOptions { mode, max_tokens: args.model.max_tokens, ..ExploreOptions::default() };
    let explorer = Explorer::new(learner.client.clone(), prompts, options);
    let refine = if args.refine.unwrap_or(mode == Mode::Tolerant) { Refine::Yes } else { Refine::No };
    let demos = args.demos.iter().map(|path| Demo::open(path)).collect::<Result<Vec<_>, _>>()?;
    let cancel = CancellationToken::new();
    let stopper = tokio::spawn(stop::stop_on_signal(cancel.clone()));
    let tell = |lesson: &Lesson| {
        if !args.json {
            eprintln!("{}", lesson_line(lesson));
        }
    };
    let mut done = Vec::new();
    for demo in &demos {
        let app = args.app.as_deref().unwrap_or(&demo.info.app);
        if app.is_empty() {
            let message =
                format!("{} does not say which app it is about: give --app NAME", demo.path.display());
            return Err(CliError::Input(message));
        }
        let mut store = DocsStore::create(&args.docs, app, "waldo demo learn")?;
        let mut learning = Learning {
            demo,
            explorer: &explorer,
            store: &mut store,
            refine,
            timeouts: Timeouts::default(),
            tell: &tell,
        };
        let learned = tokio::select! {
            learned = learning.run() => Some(learned),
            () = cancel.cancelled() => None,
        };
        match learned {
            Some(Ok(learned)) => done.push((demo, store.app().to_owned(), store.path().to_owned(), learned)),
            Some(Err(e)) => {
                if !done.is_empty() || store.learnt {
                    eprintln!(
                        "what was learnt is saved in {}; the same command continues from there",
                        args.docs.display()
                    );
                }
                return Err(e.into());
            }
            None => {
                eprintln!("stopped; resume with the same command:\n  {}", stop::command_line());
                return Ok(exit::STOPPED);
            }
        }
    }
    stopper.abort();
    if args.json {
        let all: Vec<_> = done
            .iter()
            .map(|(demo, app, docs, learned)| {
                json!({ "demo": demo.path, "app": app, "docs": docs, "learned": learned })
            })
            .collect();
        print_json(&all)?;
        return Ok(exit::OK);
    }
    for (demo, _, docs, learned) in &done {
        println!("{}: {}", demo.path.display(), summary(learned));
        println!("documentation: {}", docs.display());
    }
    Ok(exit::OK)
}

fn summary(learned: &Learned) -> String {
    format!(
        "{} ({} refined) from {}, {} learnt before; {}, {}",
        count(learned.documented, "note"),
        learned.refined,
        count(learned.lessons.len(), "step"),
        learned.already,
        count(learned.model_calls, "model call"),
        spent(&learned.usage)
    )
}

fn spent(usage: &Usage) -> String {
    let tokens = match (usage.prompt, usage.completion) {
        (None, None) => "tokens unknown".to_owned(),
        (a, b) => count(a.unwrap_or(0) + b.unwrap_or(0), "token"),
    };
    let cost = match usage.micro_usd {
        #[expect(clippy::cast_precision_loss, reason = "money is small")]
        Some(micro) => format!("{:.4} USD", micro as f64 / 1e6),
        None => "cost unknown".to_owned(),
    };
    format!("{tokens}, {cost}")
}

fn lesson_line(lesson: &Lesson) -> String {
    let clean = |text: &str| crate::out::plain(text, 160);
    let what = match lesson.slot {
        Some(slot) => format!(" {} ({slot})", clean(&lesson.key)),
        None => String::new(),
    };
    let how = match &lesson.how {
        LearnOutcome::Documented { text } => format!("documented{what}: {}", clean(text)),
        LearnOutcome::Refined { text } => format!("refined{what}: {}", clean(text)),
        LearnOutcome::Already => format!("learnt before:{what}"),
        LearnOutcome::Skipped { why } => format!("skipped{what}: {}", clean(why)),
    };
    format!("[{}] {how}", lesson.step)
}
