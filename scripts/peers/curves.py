"""How waldo grows: with the controls of a page (from the rows of the table), with episodes, steps and workers (runs of its own)."""
import http.server
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from shared.figures import at

from . import draw, install
from .child import PEERS
from .rounds import say
from .table import quartiles
from .tree import Tree

WAITS = "Observation: a page\nThought: nothing to do\nAction: wait(0)\nSummary: waited"
STEPS, SUITE = 120, "l3-web"
WORKERS, EPISODES = (1, 2, 4, 8), (30, 120, 480, 1920)


class Waits(http.server.BaseHTTPRequestHandler):
    """A model that always waits."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": WAITS}}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def milliseconds(took):
    return took["secs"] * 1e3 + took["nanos"] / 1e6


def controls(rows):
    """Lines of the table's first pages: a line a tool, its quartiles with it."""
    series = {}
    for row in rows:
        if row.page.isdigit() and row.ms and row.peer != "waldo-loop":
            low, middle, high = quartiles(row.ms)
            series.setdefault(PEERS[row.peer].title.replace("`", ""), []).append((int(row.page), middle, low, high))
    return series


def steps(waldo, url, folder):
    """One long episode on 1,000 controls: what a step takes, and waldo's own share of it, ten steps a point."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Waits)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    subprocess.run([waldo, "run", "--agent", "appagent", "--model", "m", "--base-url", f"http://127.0.0.1:{server.server_port}/v1",
                    "--url", url, "--browser", install.chromium(), "--picture", "webp", "--max-steps", str(STEPS), "--out", folder, "wait"],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    server.shutdown()
    seen, whole, share = None, [], []
    looked = asked = did = 0.0
    for event in map(json.loads, next(folder.glob("episodes/*/*/r0/events.jsonl")).read_text().splitlines()):
        if event["event"] == "observed":
            if seen is not None:
                looked = milliseconds(event["timings"]["settle"]) + milliseconds(event["timings"]["total"])
                whole.append(at(event) - seen)
                share.append(at(event) - seen - looked - asked - did)
            seen = at(event)
        elif event["event"] == "decided":
            asked = sum(milliseconds(x["took"]) for x in event["decision"].get("exchanges", []))
        elif event["event"] == "acted":
            did = milliseconds(event["report"]["took"]) if event["report"] else 0.0
    tens = range(0, len(whole) - 9, 10)
    return {"whole step": [(n + 10, statistics.median(whole[n:n + 10])) for n in tens],
            "of it waldo itself": [(n + 10, statistics.median(share[n:n + 10])) for n in tens]}


def watched(command):
    """Seconds of a command, and the most memory of its own process in MB."""
    began = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0.0
    status = pathlib.Path(f"/proc/{child.pid}/status")
    while child.poll() is None:
        try:
            most = max([most, *(int(line.split()[1]) * 1024 / 1e6 for line in status.read_text().splitlines() if line.startswith("VmHWM"))])
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    if child.returncode:
        raise install.Missing(f"{' '.join(map(str, command[:4]))} ended with exit code {child.returncode}")
    return time.monotonic() - began, most


def workers(waldo, folder):
    """Steps a second, and memory of waldo's process, by the number of workers; the runs serve the episodes' curve too."""
    speed, memory = [], []
    for count in WORKERS:
        out = folder / f"workers-{count}"
        took, most = watched([waldo, "eval", SUITE, "--agent", "reference", "--workers", str(count), "--repeats", "1",
                              "--browser", install.chromium(), "--no-report", "--out", out])
        played = [json.loads(path.read_text())["steps"] for path in out.glob("episodes/*/*/*/result.json")]
        speed.append((count, sum(played) / took))
        memory.append((count, most))
        say(f"{count} workers: {sum(played)} steps in {took:.1f} s, {most:.0f} MB")
    return {"steps a second": speed}, {"memory of waldo": memory}


def episodes(waldo, folder):
    """Seconds and memory of the report, by the number of episodes in the run folder."""
    seconds, memory = [], []
    many = pathlib.Path(__file__).resolve().parents[1] / "benches/multiply"
    for count in EPISODES:
        out = folder / f"episodes-{count}"
        subprocess.run([sys.executable, many, folder / f"workers-{WORKERS[-1]}", out, str(count)], check=True, stdout=subprocess.DEVNULL)
        took, most = watched([waldo, "report", out])
        seconds.append((count, took))
        memory.append((count, most))
        say(f"{count} episodes: report in {took:.2f} s, {most:.0f} MB")
    return {"seconds": seconds}, {"memory": memory}


def draw_all(rows, pages, options):
    """Writes the pictures; names to (file, words), and the numbers behind them."""
    to, waldo = options.curves, options.waldo
    to.mkdir(parents=True, exist_ok=True)
    charts = {}
    if any(row.page.isdigit() for row in rows):
        charts["controls"] = (draw.chart("An observation by the controls of the page (median, quartiles)", "controls", "ms", controls(rows), True, True),
                              "An observation, its own settling included, by the controls of the page; both axes are logarithmic.", controls(rows))
    with tempfile.TemporaryDirectory(prefix="bench-peers-curves-") as work:
        folder = pathlib.Path(work)
        say("curve: steps")
        found = steps(waldo, pages.base + "/controls/1000", folder / "steps")
        charts["steps"] = (draw.chart("A step, as an episode grows longer", "steps played", "ms", found),
                           f"One episode of {STEPS} steps on 1,000 controls with a model that waits: median of ten steps each; waldo itself is what "
                           "neither device nor model took.", found)
        say("curve: workers")
        speed, memory = workers(waldo, folder)
        charts["workers"] = (draw.chart(f"Speed by workers ({SUITE}, {os.cpu_count()} processors)", "workers", "steps a second", speed),
                             f"`waldo eval {SUITE} --agent reference`, once through, start and resets included.", speed)
        charts["workers-memory"] = (draw.chart("Memory by workers", "workers", "MB", memory),
                                    "The same runs: the most resident memory of waldo's own process, browsers left out.", memory)
        say("curve: episodes")
        seconds, memory = episodes(waldo, folder)
        charts["episodes"] = (draw.chart("The report by episodes", "episodes in the run folder", "seconds", seconds),
                              "`waldo report` on run folders that `scripts/bench multiply` made.", seconds)
        charts["episodes-memory"] = (draw.chart("Memory of the report by episodes", "episodes in the run folder", "MB", memory),
                                     "The same: the most resident memory.", memory)
    pictures, numbers = {}, {}
    for name, (svg, words, found) in charts.items():
        if svg:
            (to / f"growth-{name}.svg").write_text(svg)
            pictures[name] = (f"{options.curves_link}/growth-{name}.svg", words)
            numbers[name] = found
    return pictures, numbers
