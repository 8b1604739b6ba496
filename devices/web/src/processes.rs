//! The processes that the browser is made of: which of them last as long as it does, and what became of them.
//!
//! Invariant: whatever ends one of them from outside is never the agent's failure, nor the page's. A renderer that crashes
//! by itself, or that the system ends because no memory is left, is the page's.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::cdp::{Cdp, text};
use waldo_devices::{Deadline, DeviceError};

/// The processes that last as long as the browser does, by their ids: those that no navigation replaces.
#[derive(Debug, Default)]
pub(crate) struct LastingProcesses(BTreeMap<u64, String>);

impl LastingProcesses {
    pub(crate) async fn now(cdp: &Cdp, deadline: Deadline) -> Result<Self, DeviceError> {
        let method = "SystemInfo.getProcessInfo";
        let answer = cdp.call(None, method, json!({}), deadline).await.map_err(|error| error.on(method))?;
        let mut lasting = Self::read(&answer);
        let processes = answer["processInfo"].as_array().into_iter().flatten();
        let browser =
            processes.filter(|one| text(one, "type") == "browser").find_map(|one| one["id"].as_u64());
        lasting.0.extend(browser.into_iter().flat_map(zygotes).map(|pid| (pid, "zygote".to_owned())));
        Ok(lasting)
    }

    fn read(answer: &Value) -> Self {
        let processes = answer["processInfo"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self(
            processes
                .iter()
                .filter_map(|one| Some((one["id"].as_u64()?, lasting(text(one, "type"))?)))
                .collect(),
        )
    }

    pub(crate) fn lost(&self, later: &Self) -> Option<String> {
        let (pid, name) = self.0.iter().find(|(pid, name)| later.0.get(pid) != Some(name))?;
        Some(format!("the browser's {name} (process {pid}) ended during the episode"))
    }
}

/// The processes that renderers are forked from, which the protocol does not list: without them no page opens any more.
/// None where the system does not tell, as on other systems than Linux.
fn zygotes(browser: u64) -> Vec<u64> {
    let read = |path: String| std::fs::read_to_string(path).unwrap_or_default();
    let children = read(format!("/proc/{browser}/task/{browser}/children"));
    let children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    children.filter(|pid| read(format!("/proc/{pid}/cmdline")).contains("--type=zygote")).collect()
}

/// What a process is called, where it is one that lasts.
fn lasting(kind: &str) -> Option<String> {
    match kind {
        "GPU" => Some("GPU process".to_owned()),
        // Services are named by their interfaces, such as network.mojom.NetworkService.
        _ => ["network", "storage"]
            .into_iter()
            .find(|service| kind.starts_with(&format!("{service}.")))
            .map(|service| format!("{service} service")),
    }
}

/// Why a renderer ended, where that was not its page's doing: `event` is `Target.targetCrashed`, and `killed_before` how
/// many processes the system had ended for want of memory when the episode began.
pub(crate) fn killed_renderer(event: &Value, killed_before: Option<u64>) -> Option<String> {
    let (status, code) = (text(event, "status"), event["errorCode"].as_i64().unwrap_or_default());
    let of_page = matches!(status, "crashed" | "oom" | "normal" | "abnormal")
        || (code == 9
            && killed_before.is_some_and(|before| out_of_memory_kills().is_some_and(|now| now > before)));
    (!of_page).then(|| format!("a renderer process of the browser was ended from outside ({status}, {code})"))
}

/// How many processes this system has ended for want of memory.
pub(crate) fn out_of_memory_kills() -> Option<u64> {
    let counters = std::fs::read_to_string("/proc/vmstat").ok()?;
    counters.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_and_the_gpu_last_and_renderers_come_and_go() {
        let of = |all: &[(&str, u64)]| {
            let all: Vec<Value> = all.iter().map(|(kind, id)| json!({ "type": kind, "id": id })).collect();
            LastingProcesses::read(&json!({ "processInfo": all }))
        };
        let (network, storage) = ("network.mojom.NetworkService", "storage.mojom.StorageService");
        let before = of(&[("browser", 1), ("GPU", 2), (network, 3), (storage, 4), ("renderer", 5)]);
        assert_eq!(before.lost(&of(&[(storage, 4), (network, 3), ("GPU", 2), ("renderer", 6)])), None);
        let lost = |all: &[(&str, u64)]| before.lost(&of(all)).unwrap_or_default();
        assert!(lost(&[("GPU", 2), (network, 7), (storage, 4)]).contains("network service (process 3)"));
        assert!(lost(&[(network, 3), (storage, 4)]).contains("GPU process (process 2)"));
        assert!(lost(&[("GPU", 2), (network, 3)]).contains("storage service"));
    }

    #[test]
    fn only_a_signal_from_outside_is_nobodys_fault() {
        let of = |status: &str, code: i64| json!({ "status": status, "errorCode": code });
        for (status, code) in [("crashed", 11), ("crashed", 5), ("crashed", 6), ("oom", 9)] {
            assert_eq!(killed_renderer(&of(status, code), out_of_memory_kills()), None, "{status} {code}");
        }
        for (status, code) in [("killed", 9), ("killed", 15), ("failed to start", 0)] {
            assert!(killed_renderer(&of(status, code), out_of_memory_kills()).is_some(), "{status} {code}");
        }
        if out_of_memory_kills().is_some_and(|kills| kills > 0) {
            assert_eq!(killed_renderer(&of("killed", 9), Some(0)), None);
        }
    }
}
