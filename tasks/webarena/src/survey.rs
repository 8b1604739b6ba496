//! Which tasks can be played, and what the others lack.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use waldo_devices::count::count;

use crate::rules::Rules;
use crate::task::{JudgedBy, WebTask};
pub use waldo_devices::Traffic;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    Named,
    Missing,
}

/// What there is to judge with.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    pub judge: Judge,
    pub traffic: Traffic,
}

/// What keeps a task from being played; `None` where nothing does.
pub fn lacks(task: &WebTask, means: Means) -> Option<String> {
    let mut all = task.problems.clone();
    if !task.missing.is_empty() {
        let sites: Vec<String> = task.missing.iter().map(|site| format!("--site {site}=URL")).collect();
        all.push(format!("it needs {}", sites.join(" and ")));
    }
    if means.judge == Judge::Missing && task.asks_judge() {
        all.push("its rules ask a model: --judge-model".to_owned());
    }
    let needed = task.verified.as_ref().map_or(Traffic::Unrecorded, |checks| checks.traffic());
    if needed > means.traffic {
        let flag = if needed == Traffic::Recorded { "--har" } else { "--har=cookies" };
        all.push(format!("it is judged by what the network saw: {flag}"));
    }
    (!all.is_empty()).then(|| all.join("; "))
}

pub struct Survey<'a> {
    pub tasks: &'a [WebTask],
    pub rules: Rules,
    pub means: Means,
}

impl Survey<'_> {
    fn counted(&self, of: impl Fn(&WebTask) -> Vec<String>) -> BTreeMap<String, (usize, usize)> {
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for task in self.tasks {
            let playable = usize::from(lacks(task, self.means).is_none());
            for name in of(task) {
                let count = counts.entry(name).or_default();
                count.0 += 1;
                count.1 += playable;
            }
        }
        counts
    }

    fn sites(&self) -> BTreeMap<String, (usize, usize)> {
        self.counted(|task| vec![task.sites.iter().map(|site| site.name()).collect::<Vec<_>>().join("+")])
    }

    fn kinds(&self) -> BTreeMap<String, (usize, usize)> {
        self.counted(|task| {
            let name = |kind: &JudgedBy| match kind {
                JudgedBy::String => "string_match",
                JudgedBy::Url => "url_match",
                JudgedBy::Html => "program_html",
            };
            let kinds = || task.eval.kinds.iter().map(name).collect::<Vec<_>>().join("+");
            let mut all = match &task.verified {
                Some(checks) if checks.traffic() > Traffic::Unrecorded => vec!["response+network".to_owned()],
                Some(_) => vec!["response".to_owned()],
                None => vec![kinds()],
            };
            all.extend(task.asks_judge().then(|| "asks a judge model".to_owned()));
            all.extend(task.infeasible().then(|| "cannot be done".to_owned()));
            all.extend(task.asks_interface().then(|| "asks the shop's interface".to_owned()));
            all.extend(task.is_multi_site().then(|| "several sites (L4)".to_owned()));
            all
        })
    }

    pub fn json(&self) -> Value {
        let table = |counts: BTreeMap<String, (usize, usize)>| {
            let row = |(name, (tasks, playable))| (name, json!({ "tasks": tasks, "playable": playable }));
            Value::Object(counts.into_iter().map(row).collect())
        };
        let tasks: Vec<Value> = self
            .tasks
            .iter()
            .map(|task| {
                json!({
                    "id": task.id, "webarena": task.old_id, "intent": task.intent, "sites": task.sites.iter().map(|site| site.name()).collect::<Vec<_>>(),
                    "level": if task.is_multi_site() { "L4" } else { "L3" }, "judge": task.asks_judge(), "lacks": lacks(task, self.means),
                })
            })
            .collect();
        json!({ "rules": self.rules.name(), "sites": table(self.sites()), "kinds": table(self.kinds()), "tasks": tasks })
    }

    pub fn text(&self) -> String {
        let playable = self.tasks.iter().filter(|task| lacks(task, self.means).is_none()).count();
        let mut text = format!(
            "WebArena by the rules of {}: {}, {playable} can be played here\n",
            self.rules,
            count(self.tasks.len(), "task")
        );
        for (title, counts) in [("sites", self.sites()), ("judged by", self.kinds())] {
            text.push_str(&format!("\n{title:<34} tasks  playable\n"));
            text.extend(counts.iter().map(|(name, (all, here))| format!("{name:<34} {all:>5}  {here:>8}\n")));
        }
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for reason in self.tasks.iter().filter_map(|task| lacks(task, self.means)) {
            *reasons.entry(reason).or_default() += 1;
        }
        if !reasons.is_empty() {
            text.push_str("\nwhat keeps tasks from being played\n");
        }
        text.extend(reasons.iter().map(|(reason, count)| format!("{count:>5}  {reason}\n")));
        text
    }
}
