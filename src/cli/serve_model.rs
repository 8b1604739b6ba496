use std::net::SocketAddr;

use tokio_util::sync::CancellationToken;
use waldo_devices::count::count;
use waldo_devices::peer::PeerRule;
use waldo_tasks::suite::{InstanceContext, Suite, instance_seed};
use waldo_tasks::widgets::{self, Control, Widgets, generate};

use super::{CliError, Result};
use crate::exit;
use crate::numbers::{port, whole};
use crate::serve::{ReferenceModel, Registry};
use crate::stop::stop_on_signal;

/// Serve a stand-in model over the OpenAI-compatible wire.
///
/// `reference` reads the prompt of a real agent, finds the task by its goal, and answers in the agent's
/// own reply format from the task's reference solution. Any client of chat completions can be tested
/// against it. It is not a model: it understands nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which stand-in: reference answers from the solutions alone; reader knows what a nameless element
    /// does only from documentation, when it is asked under a name that holds `reader`.
    #[arg(value_parser = ["reference", "reader"])]
    model: String,
    /// The suite to answer from.
    #[arg(long, default_value = "l3-web")]
    suite: String,
    /// The run seed of the instances.
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// The repeats of the instances.
    #[arg(long, default_value_t = 1, value_parser = whole::<u32>(1..))]
    repeats: u32,
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 8123, value_parser = port)]
    port: u16,
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    host: std::net::IpAddr,
    /// Print the address as JSON once it listens.
    #[arg(long)]
    json: bool,
}

pub async fn run(args: Args) -> Result<u8> {
    let registry = Registry::default();
    let known =
        if args.suite == widgets::SUITE { add_widgets(&args, &registry)? } else { add(&args, &registry)? };
    let server =
        ReferenceModel::start(SocketAddr::new(args.host, args.port), PeerRule::this_user(), registry).await?;
    if args.json {
        super::print_json(&serde_json::json!({ "base_url": server.base_url(), "goals": known }))?;
    } else {
        let goals = count(known, "goal");
        println!("{} answers {goals} of {} at {}", args.model, args.suite, server.base_url());
    }
    let cancel = CancellationToken::new();
    let stopper = tokio::spawn(stop_on_signal(cancel.clone()));
    cancel.cancelled().await;
    stopper.abort();
    Ok(exit::OK)
}

/// Adds the solutions of a suite's instances; how many there are.
fn add(args: &Args, registry: &Registry) -> Result<usize> {
    let suite = Suite::find(&args.suite)?;
    let mut known = 0;
    for task in &suite.tasks {
        for repeat in 0..args.repeats.max(1) {
            let seed = instance_seed(args.seed, &task.id, repeat);
            let instance = task.instance(seed, &InstanceContext::default())?;
            registry.add(None, &instance.goal, &instance.reference);
            known += 1;
        }
    }
    Ok(known)
}

/// Adds the instances of the suite of widgets, for the agent frames.
fn add_widgets(args: &Args, registry: &Registry) -> Result<usize> {
    // Nothing in a request tells one repeat's instance from another's.
    if args.repeats > 1 {
        return Err(CliError::Input(
            "widgets of several repeats share their goals: serve one repeat, or let the stand-in run within \
             waldo: waldo eval widgets --agent frames --model reference"
                .into(),
        ));
    }
    let widgets = Widgets::open(Control::default())?;
    for archetype in &widgets.archetypes {
        let seed = instance_seed(args.seed, &archetype.id, 0);
        registry.add_widget(None, &generate(&archetype.id, seed)?.goal(), &archetype.id, seed);
    }
    Ok(widgets.archetypes.len())
}
