#!/usr/bin/env python3
"""Writes a MiniWoB++ run as Markdown: scripts/shared/miniwob_table.py RUN_FOLDER PACKAGE_FOLDER."""
import collections
import json
import pathlib
import re
import statistics
import sys

run, package = map(pathlib.Path, sys.argv[1:3])
manifest = json.loads((run / "manifest.json").read_text())
agents = [c["name"] for c in manifest["contestants"]]
repeats = manifest["repeats"]
tasks = sorted(task["id"] for task in manifest["tasks"])
results = collections.defaultdict(dict)
for path in run.glob("episodes/*/*/r*/result.json"):
    result = json.loads(path.read_text())
    results[result["contestant"], result["task"]][result["repeat"]] = result


def invalid(result):
    return result["outcome"] == "invalid"


def reward(result):
    for check in result["checks"]:
        found = re.search(r"raw reward (-?[0-9.eE+-]+)", check["found"])
        if found:
            return float(found[1])
    return None


def wall(result):
    return result["wall"]["secs"] + result["wall"]["nanos"] / 1e9


def of(agent, task=None):
    found = [results[agent, t] for t in ([task] if task else tasks)]
    return [r for by_repeat in found for r in by_repeat.values()]


def line(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |")


commit = f" ({manifest['commit']})" if manifest.get("commit") else ""
timer = manifest["parameters"]["miniwob_timer"]
width, height = manifest["parameters"]["viewport"]
html = package / "miniwob/html"
pages = {p.relative_to(html).as_posix() for folder in ("miniwob", "flight") for p in (html / folder).rglob("*.html")}
played = {t.replace("flight.", "flight/") + "/wrapper.html" if t.startswith("flight.") else f"miniwob/{t}.html" for t in tasks}
frames = sorted(pages - played)
known = set()
for source in (package / "miniwob/envs").glob("*.py"):
    known |= set(re.findall(r'subdomain = "([^"]+)"', source.read_text()))
unknown = [f"`{t}`" for t in tasks if t not in known]

print(f"""# MiniWoB++

The {len(tasks)} task pages of the PyPI package `miniwob` 1.1.0 (MIT), played by waldo's stand-ins. No model is
involved: these rows are what a model's score has to rise above. Written by `scripts/miniwob`; no file of the
package is part of this repository.

    waldo eval miniwob --miniwob-dir target/miniwob {' '.join('--agent ' + a for a in agents)} \\
        --repeats {repeats} --workers 4 --seed {manifest['seed']}

waldo {manifest['waldo']}{commit}, {manifest['device']['product']}, {width}x{height}, page timer {timer},
{manifest['tasks'][0]['max_steps']} steps, run seed {manifest['seed']}, {repeats} instances a task, suite hash
`{manifest['suite_hash'][:16]}`.
""")
line("agent", "episodes", "solved", "SR %", "invalid", "missing", "mean steps", "median s")
line("---", "--:", "--:", "--:", "--:", "--:", "--:", "--:")
for agent in agents:
    everything = of(agent)
    valid = [r for r in everything if not invalid(r)]
    solved = sum(r["success"] for r in valid)
    line(f"`{agent}`", len(valid), f"{solved:g}", f"{100 * solved / max(1, len(valid)):.1f}", len(everything) - len(valid),
         len(tasks) * repeats - len(everything), f"{statistics.mean([r['steps'] for r in valid] or [0]):.1f}",
         f"{statistics.median([wall(r) for r in valid] or [0]):.1f}")

print("""
## How it is played

- The page is seeded by its own `Math.seedrandom` with the low 32 bits of the episode's seed, then started with
  `core.startEpisodeReal()`. The goal is `core.getUtterance()`. A page that does not start, or that asks nothing,
  makes the episode invalid, with the reason.
- Success is a raw reward above 0 (`WOB_RAW_REWARD_GLOBAL`: without the discount for time), once the page says
  that it is done. What BrowserGym counts is the same.
- The pages' timer is off unless `--miniwob-timer page` (each page's own, 10 s for most) or `--miniwob-timer MS`
  asks for it: an agent that thinks for 10 s would otherwise never finish a step.
- An episode is the one instance that was seeded. The START cover, which comes back at the end, begins no other;
  loading the page again ends the episode without a reward.
- What stands beside the task (reward, countdown, episode counter) is hidden: it is no part of the task.

## What to know of the pages""")
if unknown:
    print(f"""
- {', '.join(unknown)}: the package ships these pages but registers no environment for them, so other harnesses
  leave them out. waldo plays them. `hover-shape` never gives a reward (its code ends an episode only by the
  timer), so nobody can solve it. `chase-circle` and `moving-items` end by themselves after about 10 s and score
  what was done in that time.""")
partial = collections.defaultdict(list)
for agent in agents:
    for result in of(agent):
        got = reward(result)
        if got is not None and 0 < got < 1:
            partial[result["task"]].append(got)
if partial:
    listed = ", ".join(f"`{t}` ({min(v):.2f} to {max(v):.2f})" for t, v in sorted(partial.items()))
    print(f"- Pages that gave a part of the reward, which counts as a success: {listed}.")
print("- Partial rewards are the rule on `flight.*` (the share of right fields), `use-colorwheel*` and `chase-circle`.")
print(f"- Left out: no task page. {len(frames)} other HTML files of the package are no tasks of their own but the contents")
print(f"  of a task's frame, or the originals that they were made from: {', '.join(f'`{f}`' for f in frames)}.")

lost = [r for agent in agents for r in of(agent) if invalid(r)]
print("\n## Invalid episodes\n")
if not lost:
    print("None.")
for r in lost:
    print(f"- `{r['contestant']}/{r['task']}/r{r['repeat']}`: {r.get('reason', '')}")

print("\n## Tasks\n\nSolved of played; the seeds are the pages' own, in the order of the repeats.\n")
line("task", *(f"`{a}`" for a in agents), "invalid", "seeds")
line("---", *("--:" for _ in agents), "--:", "---")
for task in tasks:
    cells = []
    for agent in agents:
        valid = [r for r in of(agent, task) if not invalid(r)]
        cells.append(f"{sum(r['success'] for r in valid):g}/{len(valid)}")
    seeds = {r["repeat"]: r["seed"] & 0xFFFFFFFF for agent in agents for r in of(agent, task)}
    bad = sum(invalid(r) for agent in agents for r in of(agent, task))
    line(f"`{task}`", *cells, bad, " ".join(str(seeds[k]) for k in sorted(seeds)))
