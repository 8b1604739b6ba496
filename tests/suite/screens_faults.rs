//! Tasks on several screens of which a part is killed, or waldo itself: whose fault it is, what is left, and that a run
//! goes on to the scores of one that nothing happened to.

use waldo_simphone::wire::PhoneServer;
use waldo_simphone::{IdleWait, Phone, PhoneOptions};

use super::desktop::{inhabitants, need};
use super::support::*;

const LOG: &str = "r/episodes/reference/code-to-page/r0/events.jsonl";

const ONE: &str = "eval l4-devices --task code-to-page --agent reference --workers 1 --out r --json";

/// Outcome, attempts, success and steps of the only episode.
fn result(dir: &Path) -> (String, u64, f64, u64) {
    let result = json_in(dir.join(LOG).with_file_name("result.json"));
    let number = |name: &str| result[name].as_u64().unwrap();
    let outcome = result["outcome"].as_str().unwrap().to_owned();
    (outcome, number("attempts"), result["success"].as_f64().unwrap(), number("steps"))
}

/// An episode under way, past its third step.
struct UnderWay {
    dir: Dir,
    temp: Dir,
    child: Child,
}

impl UnderWay {
    fn start() -> Self {
        Self::start_on("")
    }

    fn start_on(screens: &str) -> Self {
        need(&["mousepad"]);
        let (dir, temp) = (tempdir(), tempdir());
        let args = format!("{ONE} {screens}");
        let child = waldo(&dir, &args).env("TMPDIR", &temp.display().to_string()).start();
        until("the episode to be under way", 120, || {
            let told = std::fs::read_to_string(dir.join(LOG));
            told.is_ok_and(|text| text.matches("\"acted\"").count() >= 3)
        });
        Self { dir, temp, child }
    }

    fn pid(&self, program: &str) -> u32 {
        let of_browser = processes(&self.temp.display().to_string());
        let main = of_browser.iter().find(|(_, line)| line.contains(program) && !line.contains("--type="));
        let own = inhabitants(&self.temp);
        let desk = own.iter().find(|(_, name)| name == program);
        desk.or(main).unwrap_or_else(|| panic!("{program}: {own:?} {of_browser:?}")).0
    }

    /// Waits for the end of the run, which has to leave nothing.
    fn ended(mut self) -> (String, u64, f64, u64) {
        until("the run to end", 240, || self.child.try_wait().unwrap().is_some());
        nothing_left(&self.temp);
        result(&self.dir)
    }
}

fn nothing_left(temp: &Path) {
    until("processes to be gone", 20, || {
        inhabitants(temp).is_empty() && processes(&temp.display().to_string()).is_empty()
    });
    until("files to be gone", 20, || {
        let names = std::fs::read_dir(temp).unwrap().flatten().map(|entry| entry.file_name());
        // Who holds a phone that others could take is kept for all of a user's runs.
        names.into_iter().all(|name| name.to_string_lossy().starts_with("waldo-locks-"))
    });
}

/// How the episode ends that nothing happens to.
fn undisturbed() -> (String, f64, u64) {
    let dir = tempdir();
    waldo(&dir, &words(ONE)).ok();
    let (outcome, attempts, success, steps) = result(&dir);
    assert_eq!(attempts, 1);
    (outcome, success, steps)
}

#[test]
fn one_screen_that_dies_makes_the_attempt_invalid_and_all_are_made_anew() {
    let (outcome, success, steps) = undisturbed();
    assert_eq!(success, 1.0);
    for program in ["Xvfb", "chrom"] {
        let run = UnderWay::start();
        signal(run.pid(program), "-9");
        assert_eq!(run.ended(), (outcome.clone(), 2, success, steps), "{program}");
    }
}

#[test]
fn a_waldo_that_is_killed_leaves_nothing_and_is_gone_on_with() {
    let (outcome, success, steps) = undisturbed();
    let mut run = UnderWay::start();
    kill(&mut run.child);
    until("desktops to be gone", 30, || inhabitants(&run.temp).is_empty());
    let temp = run.temp.display().to_string();
    waldo(&run.dir, &words(ONE)).env("TMPDIR", &temp).ok();
    assert_eq!(profiles(&run.temp), Vec::<std::ffi::OsString>::new());
    nothing_left(&run.temp);
    assert_eq!(result(&run.dir), (outcome, 1, success, steps));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_dies_among_several_screens_makes_the_attempt_invalid() {
    let (outcome, success, steps) = undisturbed();
    let phone = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..PhoneOptions::default() });
    let server = PhoneServer::bind(std::net::SocketAddr::from(([127, 0, 0, 1], 0)), phone).await.unwrap();
    let run = UnderWay::start_on(&format!("--on phone=tcp:{}", server.local_addr()));
    // It starts anew, and is back on its port.
    server.phone().reboot();
    assert_eq!(run.ended(), (outcome, 2, success, steps));
}
