//! Virtual machines behind the program: the guest for tests that `scripts/make-vm --trial` builds, in a real QEMU.

#[path = "../../devices/vm/tests/support/image.rs"]
mod image;

use super::support::*;

/// The machines that have their files below `temp`.
fn machines(temp: &Path) -> usize {
    let is_qemu =
        |line: &str| line.split(' ').next().is_some_and(|name| name.ends_with("qemu-system-x86_64"));
    processes(temp.to_str().unwrap()).iter().filter(|(_, line)| is_qemu(line)).count()
}

#[test]
fn osworld_starts_each_episode_from_the_snapshot_and_a_waldo_that_is_killed_leaves_no_machine() {
    let dir = tempdir();
    let temp = dir.join("temp");
    folder(&temp);
    let shell = |line: &str| json!(["sh", "-c", line]);
    let task = |id: &str, config: Value| {
        let evaluator = json!({
            "func": "exact_match",
            "result": { "type": "vm_command_line", "command": shell("cat /state") },
            "expected": { "type": "rule", "rules": { "expected": "x\n" } },
        });
        let task = json!({ "id": id, "instruction": "Nothing.", "config": [config], "evaluator": evaluator });
        write(dir.join(format!("tasks/own/{id}.json")), task.to_string());
    };
    // What an earlier episode left would make it two.
    task("once", json!({ "type": "execute", "parameters": { "command": shell("echo x >>/state") } }));
    task("pause", json!({ "type": "sleep", "parameters": { "seconds": 500 } }));
    let image = image::trial(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/make-vm"));
    let device = format!("--device qemu:{} --vm memory=128,cores=1,hands=server,boot=900", image.display());
    let plays = "--screen 640x480 --agent noop --repeats 2 --workers 2 --attempts 1 --out r --no-report";
    let args = format!("eval osworld --osworld-dir tasks {device} {plays}");
    let mut run = Ends(waldo(&dir, &args).env("TMPDIR", temp.to_str().unwrap()).start());
    let result = |repeat: u32| dir.join(format!("r/episodes/noop/once/r{repeat}/result.json"));
    let paused = |repeat: u32| dir.join(format!("r/episodes/noop/pause/r{repeat}"));
    until("the episodes before the pause", 900, || {
        assert!(run.0.try_wait().unwrap().is_none(), "waldo ended");
        (0..2).all(|repeat| result(repeat).exists() && paused(repeat).exists()) && machines(&temp) == 2
    });
    for repeat in 0..2 {
        assert_eq!(json_in(result(repeat))["success"], 1.0);
    }
    let folders = || std::fs::read_dir(&temp).unwrap().flatten();
    let of_machines =
        || folders().filter(|one| one.file_name().to_string_lossy().starts_with("waldo-vm-")).count();
    assert_eq!(of_machines(), 1);
    kill(&mut run.0);
    until("nothing is left", 30, || processes(temp.to_str().unwrap()).is_empty() && of_machines() == 0);
}
