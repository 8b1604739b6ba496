"""Measures waldo beside BrowserGym; see `scripts/bench peers --miniwob`, which prepares what this needs."""
import argparse
import functools
import http.server
import json
import multiprocessing
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

# Pages that both sides have and that no noop ends before its time.
TASKS = ["click-test", "click-checkboxes", "enter-text", "book-flight", "choose-list", "email-inbox",
         "login-user", "search-engine", "use-slider", "click-tab-2", "social-media", "simple-algebra"]
STEPS = 10
CHROMIUM = next((p for p in ("/usr/lib/chromium/chromium", "/usr/bin/chromium") if os.path.exists(p)), "chromium")


def page():
    """The page of benches/observe.rs."""
    html = ("<!doctype html><meta charset=utf-8><title>1,000 controls</title><style>body{font:12px sans-serif;"
            "margin:4px}.i{display:inline-block;margin:1px}input[type=text]{width:52px}</style>")
    for n in range(250):
        html += (f"<span class=i><button>Go {n}</button></span><span class=i><input type=text aria-label='Field {n}' "
                 f"value={n}></span><span class=i><a href='#{n}'>Link {n}</a></span><span class=i><label>"
                 f"<input type=checkbox>Box {n}</label></span>")
    return html


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def use_chromium():
    """Playwright brings no browser here: every launch, the chat window's too, uses the system's."""
    from playwright.sync_api import BrowserType
    launch = BrowserType.launch
    BrowserType.launch = lambda self, **kw: launch(self, **{**kw, "executable_path": CHROMIUM})


def peer_observation(url, rounds, pipe):
    """BrowserGym's observation of the page and its set-of-marks drawing, one round for each message."""
    use_chromium()
    import browsergym.core  # noqa: F401
    import gymnasium
    from browsergym.utils.obs import overlay_som
    env = gymnasium.make("browsergym/openended", task_kwargs={"start_url": url}, headless=True, slow_mo=0,
                         viewport={"width": 1280, "height": 800}, pre_observation_delay=0)
    env.reset()
    raw = env.unwrapped
    pipe.send("ready")
    while pipe.recv():
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            seen = raw._get_obs()
            overlay_som(seen["screenshot"], extra_properties=seen["extra_element_properties"])
            times.append((time.perf_counter() - start) * 1000)
        pipe.send(times)
    env.close()


def peer_episodes(tasks, waits, result):
    """Noop episodes of some tasks; puts steps and seconds, imports left out."""
    use_chromium()
    import browsergym.miniwob  # noqa: F401
    import gymnasium
    start = time.perf_counter()
    steps = 0
    for task in tasks:
        how = {} if waits else {"slow_mo": 0, "pre_observation_delay": 0}
        env = gymnasium.make(f"browsergym/miniwob.{task}", headless=True, **how)
        env.reset(seed=0)
        for _ in range(STEPS):
            _, _, ended, cut, _ = env.step("noop(0)")
            steps += 1
            if ended or cut:
                break
        env.close()
    result.put((steps, time.perf_counter() - start))


def peer_throughput(workers, waits):
    context = multiprocessing.get_context("spawn")
    result = context.Queue()
    parts = [TASKS[n::workers] for n in range(workers)]
    jobs = [context.Process(target=peer_episodes, args=(part, waits, result)) for part in parts]
    for job in jobs:
        job.start()
    done = [result.get(timeout=900) for _ in jobs]
    for job in jobs:
        job.join()
    return sum(d[0] for d in done) / max(d[1] for d in done)


def waldo_throughput(waldo, miniwob, workers):
    out = tempfile.mkdtemp(prefix="waldo-bench-")
    try:
        command = [waldo, "eval", "miniwob", "--miniwob-dir", miniwob, "--agent", "noop", "--workers", str(workers),
                   "--max-steps", str(STEPS), "--repeats", "1", "--seed", "0", "--out", out + "/run"]
        for task in TASKS:
            command += ["--task", task]
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took = time.perf_counter() - start
        results = [json.loads(p.read_text()) for p in pathlib.Path(out).glob("run/episodes/**/result.json")]
        assert len(results) == len(TASKS) and all(r["outcome"] != "invalid" for r in results), "invalid episodes"
        return sum(r["steps"] for r in results) / took
    finally:
        shutil.rmtree(out, ignore_errors=True)


def waldo_observation(observe, url, rounds, *more):
    out = subprocess.run([observe, "--json", "--rounds", str(rounds), "--url", url, *more], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--waldo", required=True)
    parser.add_argument("--observe", required=True)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--miniwob", default="target/miniwob")
    args = parser.parse_args()
    site = tempfile.mkdtemp(prefix="waldo-bench-site-")
    pathlib.Path(site, "index.html").write_text(page())
    url = serve(site) + "/index.html"
    os.environ["MINIWOB_URL"] = serve(pathlib.Path(args.miniwob, "miniwob/html")) + "/miniwob/"

    # In turn, five times: what disturbs one side disturbs the other as well.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    share = max(3, args.rounds // 5)
    peer = context.Process(target=peer_observation, args=(url, share, theirs), daemon=True)
    peer.start()
    ours.recv()
    peer_times, rounds = [], []
    for _ in range(5):
        ours.send(True)
        peer_times += ours.recv()
        found = waldo_observation(args.observe, url, share)
        # Apart, because asking for the tree turns accessibility on, which slows the page's every change.
        full = waldo_observation(args.observe, url, share, "--full")
        rounds.append({**found, "full_ms": full["full_ms"]})
    ours.send(False)
    peer.join()
    shutil.rmtree(site, ignore_errors=True)
    their = statistics.median(peer_times)
    of = {k: statistics.median(r[k] for r in rounds) for k in rounds[0]}

    print("| figure | BrowserGym 0.14.3 | waldo | ratio |")
    print("| --- | --: | --: | --: |")
    def row(what, a, b, ratio, unit):
        print(f"| {what} | {a:.1f} {unit} | {b:.1f} {unit} | {ratio:.1f} |", flush=True)
    row("observation with tags, 1,000 controls, 1280x800", their, of["observation_ms"], their / of["observation_ms"], "ms")
    row("the same, waldo's settling included", their, of["settled_ms"], their / of["settled_ms"], "ms")
    row("equal content: full AX tree and DOM snapshot on both sides", their, of["full_ms"], their / of["full_ms"], "ms")

    # One kind after the other, twice; the better of two for each.
    kinds = {"waldo": lambda: waldo_throughput(args.waldo, args.miniwob, 4),
             "as it comes": lambda: peer_throughput(1, True),
             "4 processes": lambda: peer_throughput(4, True),
             "4 processes, waits off": lambda: peer_throughput(4, False)}
    speed = {name: [] for name in kinds}
    for _ in range(2):
        for name, run in kinds.items():
            speed[name].append(run())
    mine = max(speed.pop("waldo"))
    for name, found in speed.items():
        row(f"MiniWoB++ noop, {len(TASKS)} tasks of {STEPS} steps, resets included; BrowserGym {name}, waldo 4 workers",
            max(found), mine, mine / max(found), "steps/s")


if __name__ == "__main__":
    main()
