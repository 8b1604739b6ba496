//! Agents that are clients of the Model Context Protocol: programs that play episodes with waldo's tools.

use super::support::*;

fn documented() -> String {
    super::agents::documented(include_str!("../../docs/mcp.md"), "import json, os, re, sys, urllib.request")
}

/// The client of the documentation, with other steps: a part of its last lines is replaced.
fn playing(dir: &Path, steps: &str) {
    let client = documented();
    let (head, _) = client.split_once("pressed = set()").unwrap();
    write(dir.join("client.py"), format!("{head}{steps}"));
}

fn eval(dir: &Path, task: &str, out: &str, more: &str) -> Value {
    let command = "python3 client.py {mcp_url} {goal} {mcp_config}";
    let args = format!("eval {more} --agent mcp --command '{command}' --json --out {out} --task {task}");
    let said = waldo(dir, &args).run();
    assert!([0, 10].contains(&said.code), "{}: {}", said.code, said.stderr);
    json_in(dir.join(out).join("episodes/mcp").join(task).join("r0/result.json"))
}

#[test]
fn the_documented_client_solves_its_task_and_only_what_acts_is_a_step() {
    let dir = tempdir();
    write(dir.join("client.py"), documented());
    let result = eval(&dir, "confirm-dialog", "run", "l3-web");
    has(&result, json!({ "success": 1.0, "steps": 5 }));
    let all = events_of(&dir.join("run/episodes/mcp/confirm-dialog/r0"), "decided");
    let calls: Vec<&str> = all.iter().map(|event| event["decision"]["call"].as_str().unwrap()).collect();
    let names = ["tap", "dialog", "tap", "dialog", "{\"choice\":\"finish\""];
    assert_eq!(calls.len(), 5, "{calls:?}");
    assert!(calls.iter().zip(names).all(|(call, name)| call.starts_with(name)), "{calls:?}");
}

#[test]
fn phones_and_desktops_are_played_by_the_same_tools() {
    let dir = tempdir();
    let steps = "print(call('observe'))\nassert 'element' in json.dumps(ask('tools/list'))\n";
    playing(&dir, &format!("{steps}call('infeasible', reason='by script')\n"));
    let phone = eval(&dir, "infeasible-network", "phone", "l3-android --device simphone");
    assert_eq!(phone["success"], 1.0, "{phone}");
    let steps = "door = re.search('the (\\\\w+) door', goal).group(1)\n\
                 call('finish', answer=re.search(door + ' door: ([\\\\w-]+)', call('observe')).group(1))\n";
    playing(&dir, steps);
    let desktop = eval(&dir, "note-code-answer", "desktop", "l3-desktop --device desktop");
    assert_eq!(desktop["success"], 1.0, "{desktop}");
}

#[test]
fn programs_that_end_hang_and_call_wrongly_have_a_clear_end() {
    let dir = tempdir();
    let ended = |steps: &str, more: &str| {
        playing(&dir, steps);
        std::fs::remove_dir_all(dir.join("run")).ok();
        eval(&dir, "confirm-dialog", "run", &format!("l3-web {more}"))
    };
    // Of itself it finishes, without an answer; it is the state that is judged.
    let quiet = ended("", "");
    has(&quiet, json!({ "outcome": "finished", "success": 0.0 }));
    let broken = ended("call('observe')\nprint('out of', 'ideas')\nsys.exit(3)\n", "");
    let claim = broken["claim"].as_str().unwrap();
    assert!(broken["outcome"] == "agent_failed" && claim.contains("out of ideas"), "{broken}");
    let hung = ended("import time\ntime.sleep(3600)\n", "--agent-timeout 2");
    assert!(hung["claim"].as_str().unwrap().contains("no call within"), "{hung}");
    // A wrong call is told of, and no step; who lacks the token is not served, nor a goal that is an option.
    let steps = "
told = [call('tap', element=9999), json.dumps(ask('tools/call', name='fly', arguments={}))]
assert 'observe lists' in told[0] and 'there is no tool' in told[1], told
assert json.load(open(sys.argv[3]))['mcpServers']['waldo']['url'] == url
assert os.stat(sys.argv[3]).st_mode & 0o77 == 0
os.environ['WALDO_MCP_TOKEN'] = 'another'
try:
    ask('tools/list')
except urllib.error.HTTPError as error:
    assert error.code == 401, error
    os._exit(0)
os._exit(4)
";
    has(&ended(steps, ""), json!({ "outcome": "finished", "steps": 1 }));
}

#[test]
fn what_a_program_started_ends_with_its_episode() {
    let dir = tempdir();
    let pid = dir.join("pid");
    let steps = format!(
        "import subprocess\nchild = subprocess.Popen(['sleep', '3600'])\nopen({:?}, 'w').write(str(child.pid))\n\
         call('give_up', reason='tired')\n",
        pid.display().to_string()
    );
    playing(&dir, &steps);
    let result = eval(&dir, "confirm-dialog", "run", "l3-web");
    assert_eq!(result["outcome"], "gave_up", "{result}");
    let left = format!("/proc/{}/stat", text_in(pid));
    let has_ended = || std::fs::read_to_string(&left).map_or(true, |stat| stat.contains(") Z "));
    until("the child to end", 10, has_ended);
}
