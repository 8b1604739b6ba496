"""Processor time and memory of a whole tree of processes, read from /proc.

A process belongs to a tree when it descends from the root, or carries the tree's mark in its environment (a daemon that
left its parent), or descends from one that does.
"""
import os
import pathlib
import signal
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")


def stat(pid):
    """Parent, own and waited-for processor seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    own, children = int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])
    return int(fields[1]), own / TICK, children / TICK


class Tree:
    def __init__(self, root, mark, own):
        """`own` says whether the root's own work counts: not when it only speaks to a tool that is another process."""
        self.root, self.mark, self.own = root, mark.encode(), own
        self.marked = set()

    def members(self):
        """Processes of the tree, each with its own and waited-for seconds."""
        found = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    found[int(name)] = stat(name)
                except (OSError, IndexError, ValueError):
                    pass  # It ended between two looks.
        inside = {self.root} | {pid for pid in found if self.carries_mark(pid)}
        grown = True
        while grown:
            more = {pid for pid, (parent, _, _) in found.items() if parent in inside} - inside
            inside |= more
            grown = bool(more)
        return {pid: found[pid] for pid in inside if pid in found}

    def carries_mark(self, pid):
        if pid in self.marked:
            return True
        try:
            if self.mark in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                self.marked.add(pid)
                return True
        except OSError:
            pass
        return False

    def seconds(self):
        """Processor time of the tree so far, ended processes included as far as somebody in the tree waited for them."""
        members = self.members()
        return sum((own if self.own or pid != self.root else 0) + children for pid, (_, own, children) in members.items())

    def megabytes(self):
        """Proportional share of memory: what several processes share counts once."""
        whole = 0
        for pid in self.members():
            if pid == self.root and not self.own:
                continue
            try:
                for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        whole += int(line.split()[1])
            except (OSError, ValueError):
                pass
        return whole * 1024 / 1e6

    def kill(self):
        """Ends every process of the tree, by its number."""
        for _ in range(3):
            members = [pid for pid in self.members() if pid != os.getpid()]
            for pid in members:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            if not members:
                return
            time.sleep(0.1)


class Peak:
    """The most memory of a tree while something happens, looked at every 50 ms, and less often the longer it takes."""

    def __init__(self, tree):
        self.tree, self.most, self.over = tree, 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        began = time.monotonic()
        while not self.over.is_set():
            self.most = max(self.most, self.tree.megabytes())
            self.over.wait(max(0.05, (time.monotonic() - began) / 10))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.most = max(self.most, self.tree.megabytes())
