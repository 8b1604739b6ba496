//! Runs that earlier versions recorded are read by this one: `scripts/release` keeps one of each version.

use super::support::*;

#[test]
fn runs_of_every_released_version_are_scored_reported_merged_and_exported() {
    let kept = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records")).unwrap();
    let kept: Vec<PathBuf> = kept.map(|entry| entry.unwrap().path()).collect();
    assert!(!kept.is_empty());
    for archive in kept {
        let dir = tempdir();
        let mut tar = Command::new("tar");
        assert!(tar.arg("-xzf").arg(&archive).current_dir(&dir).status().unwrap().success(), "{archive:?}");
        let scores = |run: &str| {
            let rows = json_in(dir.join(run).join("summary.json"))["contestants"].take();
            let rows = rows.as_array().unwrap().iter();
            let row = |row: &Value| json!([row["contestant"]["name"], row["n"], row["sr"], row["eqa"]]);
            rows.map(row).collect::<Vec<Value>>()
        };
        let then = scores("run");
        assert!(then.iter().any(|row| row[2] == 1.0) && then.iter().any(|row| row[2] == 0.0), "{then:?}");
        waldo(&dir, "report run").ok().prints("appagent+reference");
        assert_eq!(scores("run"), then, "{archive:?}");
        waldo(&dir, "merge run --out whole").ok();
        assert_eq!(scores("whole"), then, "{archive:?}");
        for to in ["atif", "jsonl", "playwright", "demo"] {
            waldo(&dir, &format!("export run --to {to} --out {to}")).ok().prints("4 episodes");
        }
    }
}
