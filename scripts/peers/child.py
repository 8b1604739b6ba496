"""One adapter: a process that drives one tool and speaks the same lines as all others.

Lines of JSON, on standard input and from descriptor 3 back; what tools print goes to a log:

    (started)                          {"ready": VERSION, "own": whether the adapter is the tool itself}
    {"open": URL}                      {"done": true}           loaded, by the tool's own means
    {"observe": "whole" | "list", "save": FOLDER}
                                       {"ms": .., "settle_ms": .. or null, "text": bytes, "picture": bytes}
    {"act": {"do": "click" | "fill" | "drag", "on": NAME, "to": NAME, "text": TEXT, "list": whether to list afterwards}}
                                       {"ms": .., "said": TEXT}; after a look that is not timed (scripts/bench acts)
    {"close": true}                    (ends)

An error is {"error": TEXT}. With `save`, the text and the picture that a model would get are written to that folder.
"""
import json
import os
import pathlib
import select
import subprocess
import uuid

from . import install
from .tree import Tree


class Failed(Exception):
    """What a tool said instead of an answer."""


class TooLong(Exception):
    """No answer in time."""


class Child:
    def __init__(self, name, command, env, folder):
        self.name, self.log = name, folder / f"{name}.log"
        folder.mkdir(parents=True, exist_ok=True)
        mark = f"BENCH_PEER={uuid.uuid4()}"
        key, _, value = mark.partition("=")
        ours, theirs = os.pipe()
        # The adapter writes to descriptor 3 whatever number the pipe has here.
        shell = ["bash", "-c", f'exec 3>&{theirs}; {f"exec {theirs}>&-;" if theirs != 3 else ""} exec "$@"', "bash"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*shell, *[str(part) for part in command]], stdin=subprocess.PIPE, stdout=log, stderr=log, pass_fds=[theirs],
                env={**os.environ, **env, key: value}, cwd=folder, start_new_session=True)
        os.close(theirs)
        self.answers, self.rest = ours, b""
        self.tree = Tree(self.process.pid, mark, own=True)
        try:
            hello = self.answer(90)
        except (Failed, TooLong):
            self.close()
            raise
        self.version, self.tree.own = hello["ready"], hello["own"]

    def ask(self, message, seconds):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Failed(self.last_words()) from None
        return self.answer(seconds)

    def answer(self, seconds):
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], seconds)
            if not ready:
                raise TooLong(f"over {seconds:.0f} s")
            more = os.read(self.answers, 65536)
            if not more:
                raise Failed(self.last_words())
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"].strip().splitlines()[0][:160] if answer["error"].strip() else "failed without a word")
        return answer

    def last_words(self):
        try:
            lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        except OSError:
            lines = []
        telling = [line for line in lines if "Error" in line] or lines
        return f"ended: {telling[-1].strip()[:160]}" if lines else "ended without a word"

    def close(self):
        try:
            self.process.stdin.write(b'{"close": true}\n')
            self.process.stdin.close()
            self.process.wait(timeout=10)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            pass
        self.tree.kill()
        self.process.wait()
        os.close(self.answers)


ADAPTERS = pathlib.Path(__file__).parent / "adapters"


class Peer:
    """A tool of the table: how its adapter is started, and what its row says about it."""

    def __init__(self, title, gives, start, lists=True, note=""):
        self.title, self.gives, self.start, self.lists, self.note = title, gives, start, lists, note


def by_node(group, script, *arguments):
    def start(options):
        env = {"MODULES": str(install.npm(group)), "CHROMIUM": install.chromium()}
        return [install.node(), ADAPTERS / script, *[str(a) for a in arguments]], env
    return start


def by_python(group, script):
    def start(options):
        return [install.python(group), ADAPTERS / script], {"CHROMIUM": install.chromium()}
    return start


def by_waldo(script, *arguments):
    def start(options):
        if not options.waldo.exists():
            raise install.Missing(f"no {options.waldo}: cargo build --release --locked --bin waldo")
        runner = install.node() if script.endswith(".mjs") else "python3"
        return [runner, ADAPTERS / script, *arguments], {"WALDO": str(options.waldo), "CHROMIUM": install.chromium(), "ORIGINS": " ".join(options.origins),
                                                          "BLANK": options.blank}
    return start


def by_loop(options):
    if not options.observe or not options.observe.exists():
        raise install.Missing("its benchmark was not built: name it with --observe, or leave out --waldo")
    return ["python3", ADAPTERS / "waldo_loop.py"], {"OBSERVE": str(options.observe)}


def bare(options):
    return [install.node(), ADAPTERS / "screenshot.mjs"], {"CHROMIUM": install.chromium()}


PEERS = {
    "waldo": Peer("waldo, records of a run", "numbered picture, list of what is in view", by_waldo("waldo_run.py"), lists=False,
                  note="`waldo run --agent appagent` with a stand-in for the model that waits; settling, picture, elements "
                       "and labels as `events.jsonl` has them"),
    "waldo-loop": Peer("waldo, loop", "the same", by_loop, lists=False,
                       note="`cargo bench --bench observe`, settling included; each figure is the median of three in a row"),
    "waldo-mcp": Peer("waldo, MCP", "the same, as a client gets it", by_waldo("mcp.mjs", "waldo"),
                      note="`observe` with `picture`; the list alone is `observe`"),
    "screenshot": Peer("bare `Page.captureScreenshot`", "picture", bare, lists=False, note="PNG, as the protocol sends it"),
    "playwright": Peer("Playwright MCP", "accessibility tree of the page, picture", by_node("playwright-mcp", "mcp.mjs", "playwright"),
                       note="`browser_snapshot` and `browser_take_screenshot`; the list alone is `browser_snapshot`"),
    "agent-browser": Peer("agent-browser", "interactive elements of the page, picture", by_node("agent-browser", "agent_browser.mjs"),
                          note="`batch \"snapshot -i\" \"screenshot\"`; the list alone is `snapshot -i`; the program is started each time"),
    "stagehand": Peer("Stagehand", "accessibility tree of the page, picture", by_node("stagehand", "stagehand.mjs"),
                      note="`page.snapshot()` and `page.screenshot()`; the list alone is the former"),
    "browser-use": Peer("browser-use", "list of the page, picture", by_python("browser-use", "browser_use_state.py"),
                        note="`get_browser_state_summary` and the text for the model, cut at 40,000 characters as its agent cuts it"),
    "browsergym": Peer("BrowserGym", "accessibility tree, DOM snapshot, marked picture", by_python("browsergym", "browsergym_step.py"),
                       lists=False, note="`step(\"noop(0)\")` with its wait of 0.5 s and `slow_mo=0`, `overlay_som`, `flatten_axtree_to_str`"),
    "midscene": Peer("Midscene", "picture", by_node("midscene", "midscene.mjs"), lists=False,
                     note="`getUIContext` of its agent for Playwright"),
}
