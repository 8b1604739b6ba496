"""What of a program's window reacts where, by accessibility and nothing of waldo's, and what of it waldo numbers.

Runs inside a display and a session bus of its own (scripts/reach --desktop starts it there), with Debian's python3,
which has gir1.2-atspi-2.0. Prints JSON: reach, precision, names and misses, as scripts/reach has them for pages.
"""
import json
import os
import re
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

REACTS = {
    "push button", "toggle button", "check box", "radio button", "menu", "menu item", "check menu item",
    "radio menu item", "combo box", "entry", "password text", "spin button", "slider", "page tab", "link", "list item",
    "table cell", "tree item", "table column header", "icon", "push button menu", "button", "switch", "scroll bar",
}
# Parts of one thing: a press on them is a press on what holds them.
WORDS = {"label", "static", "image", "icon"}
# What GTK 4 calls a thing without a name: its class, which nobody sees.
CLASS = re.compile("(Gtk|Gdk|Adw|Editor)[A-Z][A-Za-z]+")
WIDTH, HEIGHT = 1280, 800


def start(*line, **more):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(line, **{**quiet, **more})


def clients():
    """Place and size of each window that is shown, by the X server; the one in front first."""
    asked = lambda *words: subprocess.run(["xdotool", *words], capture_output=True, text=True).stdout
    ids = asked("getactivewindow").split() + asked("search", "--onlyvisible", "--name", ".").split()
    told = (subprocess.run(["xwininfo", "-id", window], capture_output=True, text=True).stdout for window in dict.fromkeys(ids))
    facts = (dict(line.strip().rsplit(":", 1) for line in text.splitlines() if ":" in line) for text in told)
    keys = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
    return [tuple(int(fact[key]) for key in keys) for fact in facts if all(key in fact for key in keys)]


def client(top):
    """The window of an object that is one, by its size."""
    apart = lambda place: abs(place[2] - top[2]) + abs(place[3] - top[3]) + (abs(place[0] - top[0]) + abs(place[1] - top[1])) / 100
    return min(clients(), key=apart, default=None)


class Thing:
    def __init__(self, node, parent):
        self.node, self.parent, self.children = node, parent, []
        self.role = node.get_role_name()
        self.states = {state.value_nick for state in node.get_state_set().get_states()}
        self.name = (node.get_name() or "").strip()
        if CLASS.fullmatch(self.name):
            self.name = ""
        place = node.get_component_iface()
        box = place.get_extents(Atspi.CoordType.SCREEN) if place else None
        self.box = (box.x, box.y, box.width, box.height) if box else None

    def reacts(self):
        usable = "sensitive" in self.states or "enabled" in self.states
        text = self.role in ("text", "document text", "terminal") and ("editable" in self.states or "focusable" in self.states)
        cell = self.role in ("table cell", "list item") and not {"selectable", "focusable", "editable"} & self.states
        # What scrolls has a number as a whole.
        inner = self.role == "scroll bar" and self.parent and self.parent.role == "scroll pane"
        return usable and not cell and not inner and (self.role in REACTS or text)

    def words(self):
        own = [self.name]
        for child in self.children:
            if child.role in WORDS or not child.reacts():
                own.append(child.words())
        return " ".join(word for word in own if word)


def holds(box, x, y):
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]


def walk(node, parent, quiet, out, depth=0):
    """Objects that are drawn; `quiet` says that the toolkit never tells it of what lies in its windows."""
    if depth > 60 or len(out) > 4000:
        return
    thing = Thing(node, parent)
    shown = "showing" in thing.states or (quiet and parent and "visible" in thing.states)
    if not shown or "defunct" in thing.states:
        return
    if thing.role == "menu bar" and thing.box and thing.box[3] <= 0:
        return  # Drawn by somebody else.
    out.append(thing)
    if parent:
        parent.children.append(thing)
    count = node.get_child_count()
    if "manages-descendants" in thing.states and count > 500:
        return
    for at in range(min(count, 500)):
        child = node.get_child_at_index(at)
        if child:
            walk(child, thing, quiet, out, depth + 1)


def drawn(program):
    """What the program draws, with boxes on the screen, and the part of the screen that shows it."""
    out = []
    quiet = program.get_toolkit_name() == "GTK" and (program.get_toolkit_version() or "").startswith("4.")
    for at in range(program.get_child_count()):
        window = program.get_child_at_index(at)
        if not window:
            continue
        things = []
        walk(window, None, quiet, things)
        if not things or not things[0].box or things[0].box[2] <= 0:
            continue
        top = things[0].box
        place, shift = client(top), (0, 0)
        if quiet and place and top[:2] == (0, 0):
            # Counted from the corner of what the program draws, which its own frame surrounds.
            shift = (place[0] + max(0, place[2] - top[2]) // 2, place[1] + max(0, place[3] - top[3]) // 2)
        for thing in things:
            if thing.box:
                x, y, w, h = thing.box
                thing.box = (x + shift[0], y + shift[1], w, h)
        for thing in things:
            # LibreOffice counts its own part from the window's corner and leaves out the menu bar above it.
            if thing.role == "root pane" and thing.box and place and thing.box[:2] == place[:2]:
                lower(thing, place[1] + place[3] - thing.box[1] - thing.box[3])
        out += things
    return out


def lower(thing, by):
    if thing.box:
        thing.box = (thing.box[0], thing.box[1] + by, *thing.box[2:])
    for child in thing.children:
        # What the native toolkit draws within is told where it is.
        native = child.box and thing.box and child.box == thing.box
        if not native:
            lower(child, by)


def in_view(thing):
    """The middle of what shows of a thing on the screen and in all that holds it; nothing where that is none."""
    x0, y0, x1, y1 = 0, 0, WIDTH, HEIGHT
    at = thing
    while at:
        if at.box and (at is thing or at.role in ("scroll pane", "viewport", "frame", "dialog", "table", "tree table", "list box", "list")):
            x, y, w, h = at.box
            x0, y0, x1, y1 = max(x0, x), max(y0, y), min(x1, x + w), min(y1, y + h)
        at = at.parent
    return ((x0 + x1) / 2, (y0 + y1) / 2) if x1 - x0 >= 4 and y1 - y0 >= 4 else None


def words(text):
    return {w for w in "".join(c.lower() if c.isalnum() else " " for c in text).split()}


def judge(things, tags):
    reacting = [thing for thing in things if thing.box and thing.box[2] > 0 and thing.reacts() and in_view(thing)]
    misses, reached, right, named, with_words = [], set(), 0, 0, 0
    # Of the cells of a table too large to be walked each reacts.
    large = [t.box for t in things if t.box and t.role in ("table", "tree table") and t.node.get_child_count() > 500]
    # Where accessibility tells of nothing, what was found in the picture can be held against nothing.
    told = [tag for tag in tags if tag.get("source", "tree") == "tree"]
    for tag in told:
        x, y = tag["hit"]["x"], tag["hit"]["y"]
        under = sorted((t for t in reacting if holds(t.box, x, y)), key=lambda t: t.box[2] * t.box[3])
        scrolls = set(tag["affordances"]) <= {"scroll"}
        in_large = tag["role"] == "cell" and any(holds(box, x, y) for box in large)
        right += bool(under) or scrolls or in_large
        if not under:
            if not scrolls and not in_large:
                misses.append(f"precision: {tag['tag']} {tag['role']} \"{tag['name'][:60]}\" at {x:.0f},{y:.0f} presses nothing that reacts")
            continue
        # What is pressed is the smallest thing there, and what shares its place with it.
        first = under[0]
        same = [t for t in under if abs(t.box[2] - first.box[2]) <= 12 and abs(t.box[3] - first.box[3]) <= 12]
        reached.update(id(t) for t in same)
        parent = first.parent
        while parent and not parent.reacts():
            parent = parent.parent
        if parent and parent.role == "table cell" and first.role == "table cell":
            # Parts of one cell are pressed with it.
            reached.update(id(t) for t in parent.children)
            reached.add(id(parent))
        if parent and first.role in ("text", "entry", "push button", "toggle button", "menu item") and parent.role in ("combo box", "spin button", "list item", "table cell"):
            reached.add(id(parent))
        there = words(" ".join(t.words() for t in same))
        said = words(f"{tag['name']} {tag.get('value') or ''}")
        if there:
            with_words += 1
            good = bool(said & there) or bool(tag.get("value"))
            named += good
            if not good:
                misses.append(f"names: {tag['tag']} {tag['role']} \"{tag['name'][:60]}\" stands on \"{' '.join(sorted(there))[:60]}\"")
    for thing in reacting:
        if id(thing) not in reached:
            inner = [t for t in reacting if id(t) in reached and t.parent is thing]
            if inner and thing.role in ("combo box", "spin button", "list item", "table cell", "menu item"):
                reached.add(id(thing))
            else:
                misses.append(f"reach: {thing.role} \"{thing.words()[:50]}\" at {thing.box}")
    return {"reach": [len(reached & {id(t) for t in reacting}), len(reacting)], "precision": [right, len(told)], "names": [named, with_words], "misses": misses}


def main():
    waldo, line = sys.argv[1], sys.argv[2]
    start("openbox")
    start("/usr/libexec/at-spi-bus-launcher", "--launch-immediately", "--a11y=1")
    time.sleep(1)
    env = {**os.environ, "GSK_RENDERER": "cairo", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "ACCESSIBILITY_ENABLED": "1", "GTK_USE_PORTAL": "0", "SAL_USE_VCLPLUGIN": "gtk3", "LANG": "C.UTF-8"}
    subprocess.run(["xdotool", "mousemove", str(WIDTH - 1), str(HEIGHT - 1)], check=False)  # No hint under it.
    program = start(*line.split(), env=env)
    until, last = time.time() + 60, None
    while time.time() < until:
        # Started once twice in a row the same is drawn.
        time.sleep(2)
        now = clients(), [a.get_name() for a in applications()]
        if now[0] and now[1] and now == last:
            break
        last = now
    time.sleep(2)
    display = os.environ["DISPLAY"]
    done = subprocess.run([waldo, "elements", "--device", f"desktop:{display}", "--allow-app", "*", "--countdown", "0", "--json"], capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(done.stderr.strip()[-300:])
    told = json.loads(done.stdout)
    numbers = {t["element"]: t["tag"] for t in told["tagged"]}
    tags = [{"name": "", **e, "tag": numbers[at]} for at, e in enumerate(told["elements"]) if at in numbers]
    things = [thing for application in applications() for thing in drawn(application)]
    found = judge(things, tags)
    found["sources"] = sorted({e.get("source", "tree") for e in tags})
    print(json.dumps(found))
    program.terminate()


def applications():
    desktop = Atspi.get_desktop(0)
    all_ = (desktop.get_child_at_index(at) for at in range(desktop.get_child_count()))
    return [a for a in all_ if a and a.get_name() not in ("openbox", "xdg-desktop-portal-gtk") and a.get_child_count()]


main()
