"""The rounds: page by page, every tool in turn, all others idle on an empty page meanwhile."""
import pathlib
import subprocess
import sys
import time

from . import install
from .child import ADAPTERS, PEERS, Child, Failed, TooLong
from .pages import PAGES
from .tree import Peak

LIMIT = 60.0   # Seconds for one observation; a tool that needs longer is cut on that page.
SPENT = 5.0    # Seconds of timed observations a turn; slower tools get fewer of them, one at least.
SLOW = 10.0    # Seconds from which on the first observation is the only one, and counts.


class Row:
    """What was seen of one tool on one page."""

    def __init__(self, peer, page):
        self.peer, self.page, self.error = peer, page, None
        self.ms, self.settle, self.list_ms, self.cpu = [], [], [], []
        self.text = self.tokens = self.picture = self.memory = self.kind = None
        self.slow = False

    def add(self, seen):
        self.ms.append(seen["ms"])
        if seen["settle_ms"] is not None:
            self.settle.append(seen["settle_ms"])

    def as_json(self):
        return dict(vars(self))


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def picture_kind(path):
    """Format and size by the first bytes."""
    head = path.read_bytes()[:4096] if path.exists() else b""
    if head.startswith(b"\x89PNG"):
        return f"{int.from_bytes(head[16:20], 'big')}x{int.from_bytes(head[20:24], 'big')} PNG"
    if head[:4] == b"RIFF" and head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return f"{(bits & 0x3FFF) + 1}x{(bits >> 14 & 0x3FFF) + 1} WebP"
    if head[:2] == b"\xff\xd8":
        at = 2
        while at + 9 < len(head) and head[at] == 0xFF:
            if head[at + 1] in (0xC0, 0xC1, 0xC2):
                return f"{int.from_bytes(head[at + 7:at + 9], 'big')}x{int.from_bytes(head[at + 5:at + 7], 'big')} JPEG"
            at += 2 + int.from_bytes(head[at + 2:at + 4], "big")
        return "JPEG"
    return None


def tokens(path):
    """Tokens by o200k; None where the tokenizer cannot be had."""
    try:
        modules = install.npm("tokens")
        out = subprocess.run([install.node(), ADAPTERS / "tokens.mjs", modules, path], check=True, capture_output=True, text=True, timeout=120)
        return int(out.stdout)
    except (install.Missing, OSError, ValueError, subprocess.SubprocessError):
        return None


class Rounds:
    def __init__(self, options, pages, work):
        self.options, self.pages, self.work = options, pages, pathlib.Path(work)
        self.children, self.gone, self.rows, self.versions = {}, {}, {}, {}
        self.logs = install.HOME / "logs"

    def child(self, peer):
        """The running adapter of a tool, started when it is not."""
        if peer in self.gone:
            raise Failed(self.gone[peer])
        if peer not in self.children:
            try:
                command, env = PEERS[peer].start(self.options)
                self.children[peer] = Child(peer, command, {**env, "TMPDIR": str(self.work)}, self.logs)
                self.versions[peer] = self.children[peer].version
            except (install.Missing, Failed, TooLong) as error:
                if peer in self.versions:
                    raise Failed(f"did not start again: {error}") from None
                self.gone[peer] = str(error)
                raise Failed(str(error)) from None
        return self.children[peer]

    def drop_all(self):
        for peer in list(self.children):
            self.drop(peer)

    def drop(self, peer):
        child = self.children.pop(peer, None)
        if child:
            child.close()

    def turn(self, peer, page, first, count):
        """Opens the page, observes once untimed, then `count` times, and leaves for an empty page."""
        row = self.rows.setdefault((page, peer), Row(peer, page))
        if row.error or row.slow:
            return
        began = time.monotonic()
        try:
            child = self.child(peer)
            child.ask({"open": self.pages.urls[page]}, LIMIT)
            time.sleep(PAGES[page][2])
            self.observe(child, row, first, count)
            say(f"  {PEERS[peer].title}: {row.ms[-1]:.0f} ms, {time.monotonic() - began:.0f} s for all")
            self.rest(child, peer)
        except TooLong as error:
            row.error = str(error)
            say(f"  {PEERS[peer].title} on {PAGES[page][0]}: {error}")
            self.drop(peer)
        except Failed as error:
            row.error = str(error)
            say(f"  {PEERS[peer].title} on {PAGES[page][0]}: {error}")
            if peer not in self.gone:
                self.drop(peer)

    def rest(self, child, peer):
        """Leaves the page; a tool that cannot is started anew for its next turn."""
        try:
            child.ask({"open": self.pages.base + "/blank"}, LIMIT / 4)
        except (TooLong, Failed):
            self.drop(peer)

    def observe(self, child, row, first, count):
        folder = self.work / "seen"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        began, before = time.monotonic(), child.tree.seconds()
        if first:
            with Peak(child.tree) as peak:
                seen = child.ask({"observe": "whole", "save": str(folder)}, LIMIT)
            row.memory, row.text, row.picture = peak.most, seen["text"], seen["picture"]
            row.kind = picture_kind(folder / "picture")
            row.slow = time.monotonic() - began > SLOW
            if row.slow:
                row.cpu.append((child.tree.seconds() - before) * 1e3)
                row.add(seen)
            if seen["text"]:
                row.tokens = tokens(folder / "text")
            if row.slow:
                return
        else:
            child.ask({"observe": "whole"}, LIMIT)
        row.memory = max(row.memory or 0, child.tree.megabytes())
        began, before, done = time.monotonic(), child.tree.seconds(), 0
        while done < count and (not done or time.monotonic() - began < SPENT):
            row.add(child.ask({"observe": "whole"}, LIMIT))
            done += 1
        row.cpu.append(max(0.0, child.tree.seconds() - before) * 1e3 / done)
        row.memory = max(row.memory, child.tree.megabytes())
        if PEERS[row.peer].lists:
            began, done = time.monotonic(), 0
            while done < max(1, count // 2) and (not done or time.monotonic() - began < SPENT):
                row.list_ms.append(child.ask({"observe": "list"}, LIMIT)["ms"])
                done += 1

    def play(self):
        turns = 2 if self.options.rounds >= 4 else 1
        each = -(-self.options.rounds // turns)
        try:
            for page in self.options.pages:
                if page in self.pages.missing:
                    for peer in self.options.peers:
                        row = self.rows.setdefault((page, peer), Row(peer, page))
                        row.error = f"the page could not be obtained: {self.pages.missing[page]}"
                    continue
                for turn in range(turns):
                    say(f"{PAGES[page][0]}, turn {turn + 1} of {turns}, load {open('/proc/loadavg').read().split()[0]}")
                    for peer in self.options.peers:
                        self.turn(peer, page, turn == 0, each)
                # Each page begins with fresh browsers: what one page leaves in memory is no other page's.
                self.drop_all()
        finally:
            self.drop_all()
        return [self.rows[key] for key in self.rows]
