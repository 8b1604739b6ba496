//! WebArena's task files: which of them can be played here.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use waldo_devices::Platform;
use waldo_tasks::TaskError;
use waldo_webarena::interface::Shop;
use waldo_webarena::question::{Examiner, PROMPT_VERSION, prompt_hash};
use waldo_webarena::survey::{Judge, Means, Survey, Traffic, lacks};
use waldo_webarena::verified::response::FORM_VERSION;
use waldo_webarena::{Loaded, PlayedTask, Rules, Site, SiteAddress, Sites, WebTask, WebarenaStage, load_set};

use super::super::provider::{LeftOut, Listing, Opened, Request, SuiteError};
use super::super::webarena_args::WebarenaArgs;
use super::world::{Clerk, ModelJudge};
use super::{LACKS, WEBARENA};

/// What was found in a folder of task files.
struct FoundTasks {
    rules: Rules,
    sites: Sites,
    loaded: Loaded,
    means: Means,
}

fn read(place: &WebarenaArgs, traffic: Traffic) -> Result<FoundTasks, SuiteError> {
    let dir = place.webarena_dir.as_deref();
    let dir = dir.ok_or_else(|| SuiteError::Input(format!("the suite {WEBARENA} {LACKS}")))?;
    let rules = match place.webarena_rules.as_str() {
        "" => Rules::default(),
        name => name.parse().map_err(SuiteError::Input)?,
    };
    let bad = |error: String| SuiteError::Input(format!("--site {error}"));
    let all: Vec<SiteAddress> =
        place.sites.iter().map(|site| site.parse::<SiteAddress>()).collect::<Result<_, _>>().map_err(bad)?;
    let sites = Sites::new(&all).map_err(bad)?;
    let loaded = load_set(dir, rules, &sites, place.webarena_set.as_deref())?;
    let judge = if place.judge_model.is_some() { Judge::Named } else { Judge::Missing };
    Ok(FoundTasks { rules, sites, loaded, means: Means { judge, traffic } })
}

/// Every task, surveyed.
///
/// # Errors
/// When the folder is not named, or its files cannot be read.
pub(super) fn list(place: &WebarenaArgs) -> Result<Listing, SuiteError> {
    let found = read(place, Traffic::Unrecorded)?;
    let survey = Survey { tasks: &found.loaded.tasks, rules: found.rules, means: found.means };
    Ok(Listing::Survey { text: survey.text(), json: survey.json() })
}

/// The tasks that can be played here.
///
/// # Errors
/// As [`list`]; when an id is not known, or the judge cannot be opened.
pub(super) fn open(request: &Request<'_>) -> Result<Opened, SuiteError> {
    let place = &request.place.webarena;
    let FoundTasks { rules, sites, loaded, means } = read(place, request.har)?;
    let only = request.only;
    if let Some(name) = only.iter().find(|name| !loaded.tasks.iter().any(|task| task.id == **name)) {
        return Err(TaskError::UnknownTask { name: name.clone(), suite: WEBARENA.into() }.into());
    }
    let mut revisions: BTreeMap<u32, usize> = BTreeMap::new();
    for checks in loaded.tasks.iter().filter_map(|task| task.verified.as_ref()) {
        *revisions.entry(checks.revision).or_default() += 1;
    }
    let (mut played, mut left_out): (Vec<WebTask>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    for task in loaded.tasks.into_iter().filter(|task| only.is_empty() || only.contains(&task.id)) {
        match lacks(&task, means) {
            None => played.push(task),
            Some(why) => {
                let domain = task.sites.iter().map(|site| site.name()).collect::<Vec<_>>().join("+");
                left_out.push(LeftOut { task: task.id, domain, why });
            }
        }
    }
    let mut own = json!({ "rules": rules.name() });
    if rules == Rules::Verified {
        own["form"] = FORM_VERSION.into();
        own["revisions"] = json!(revisions);
        own["set"] =
            json!(loaded.set.as_ref().map(|set| json!({ "name": set.name, "checksum": set.checksum })));
    }
    let mut questions = Vec::new();
    let mut examiner: Option<Arc<dyn Examiner>> = None;
    if let Some(model) = &place.judge_model {
        let (opened, question) = ModelJudge::open(model, place, request.model)?;
        own["judge"] = json!({ "model": model, "prompt": PROMPT_VERSION, "prompt_sha256": prompt_hash() });
        questions.extend(question.filter(|_| played.iter().any(WebTask::asks_judge)));
        examiner = Some(Arc::new(opened));
    }
    let shop = sites.address(Site::Shopping);
    let interface = shop
        .map(|address| Ok::<_, SuiteError>(Arc::new(Shop::new(address, Clerk::new(address)?))))
        .transpose()?;
    let stage = WebarenaStage { sites, interface, judge: examiner };
    Ok(Opened {
        left_out,
        own,
        questions,
        ..Opened::whole(WEBARENA, Platform::Web, &loaded.hash, PlayedTask::all(played, &stage))
    })
}
