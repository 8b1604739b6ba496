#!/usr/bin/env python3
"""A stand-in for `adb` and the emulator behind it, for scripts/mobileworld-check: not Android, and no emulator.

It answers those commands of adb that MobileWorld's own server and some of its tasks give (the screen, its tree, taps, lines, text, keys,
apps, snapshots, settings, messages, alarms), for a phone that has three apps of one screen each. Its state is a file, which the
snapshot `init_state` makes anew, with the messages of inbox.json. What it does not know fails, as a command does that a phone does not have.
"""
import base64
import fcntl
import json
import os
import pathlib
import re
import struct
import sys
import xml.sax.saxutils
import zlib

WIDTH, HEIGHT = 540, 1200
HOME = "com.google.android.apps.nexuslauncher"
SETTINGS, CLOCK, MESSAGES = "com.android.settings", "com.google.android.deskclock", "com.google.android.apps.messaging"
ICONS = {"Settings": SETTINGS, "Clock": CLOCK, "Messages": MESSAGES}
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
FOLDER = pathlib.Path(os.environ["MOBILEWORLD_STAND_IN"])


def snapshot():
    inbox = FOLDER / "inbox.json"
    inbox = json.loads(inbox.read_text()) if inbox.is_file() else []
    return {"app": HOME, "focus": None, "fields": {}, "days": [], "airplane": "0", "brightness": "100", "alarms": [], "sent": [],
            "inbox": inbox}


def widgets(state):
    """What the screen shows: a class, its words, left, top, width and height, and what it is."""
    app, field = state["app"], state["fields"].get
    if app == HOME:
        return [("TextView", name, 20 + 170 * at, 900, 150, 150, "click") for at, name in enumerate(ICONS)]
    if app == SETTINGS:
        return [("TextView", "Settings", 20, 40, 500, 60, ""), ("Switch", "Airplane mode", 20, 140, 500, 80, "check"),
                ("SeekBar", "Brightness", 20, 300, 500, 60, "click")]
    if app == CLOCK:
        boxes = [("CheckBox", day, 20 + 70 * at, 240, 60, 60, "check") for at, day in enumerate(DAYS)]
        return [("EditText", field("Time", ""), 20, 140, 500, 70, "Time"), *boxes, ("Button", "Save", 20, 340, 200, 70, "click")]
    if app == MESSAGES:
        rows = [("TextView", f"{who}: {what}", 20, 420 + 90 * at, 500, 80, "long") for at, (who, what) in enumerate(state["inbox"])]
        return [("EditText", field("To", ""), 20, 60, 500, 70, "To"), ("EditText", field("Text", ""), 20, 150, 500, 70, "Text"),
                ("Button", "Send", 20, 240, 200, 70, "click"), *rows]
    return []


def checked(state, words):
    return words in state["days"] or words == "Airplane mode" and state["airplane"] == "1"


def tree(state):
    lines = []
    for kind, words, x, y, w, h, can in widgets(state):
        quoted = xml.sax.saxutils.quoteattr(words)
        named = f'text="" content-desc={quoted}' if kind == "SeekBar" else f"text={quoted}"
        if kind == "EditText":
            named += f' content-desc="{can}"'
        ways = {"click": can in ("click", "long"), "long-click": can == "long", "check": can == "check", "focus": state["focus"] == can}
        flags = f'clickable="{ways["click"]}" long-clickable="{ways["long-click"]}" checkable="{ways["check"]}"'
        flags += f' checked="{checked(state, words)}" focused="{ways["focus"]}" enabled="True" scrollable="False" selected="False"'
        lines.append(f'<node class="android.widget.{kind}" {named} {flags.lower()} bounds="[{x},{y}][{x + w},{y + h}]"/>')
    return (f'<?xml version="1.0"?><hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][{WIDTH},{HEIGHT}]">'
            + "".join(lines) + "</node></hierarchy>")


def png(state):
    rows = [bytearray(b"\xff" * 3 * WIDTH) for _ in range(HEIGHT)]
    for _, words, x, y, w, h, can in widgets(state):
        colour = bytes((40, 160, 60) if checked(state, words) else (80, 90, 200) if can else (180, 180, 180)) * w
        for row in rows[y:y + h]:
            row[3 * x:3 * (x + w)] = colour
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def press(state, x, y, long=False):
    hit = next((one for one in widgets(state) if one[2] <= x < one[2] + one[4] and one[3] <= y < one[3] + one[5]), None)
    if hit is None:
        return
    kind, words, left, _, width, _, can = hit
    if kind == "EditText":
        state["focus"] = can
    elif words in ICONS and state["app"] == HOME:
        state["app"] = ICONS[words]
    elif words == "Airplane mode":
        state["airplane"] = "0" if state["airplane"] == "1" else "1"
    elif words == "Brightness":
        state["brightness"] = str(round(255 * (x - left) / (width - 1)))
    elif words in DAYS and state["app"] == CLOCK:
        state["days"] = [day for day in DAYS if (day in state["days"]) != (day == words)]
    elif words == "Save" and re.fullmatch(r"\d?\d:\d\d", state["fields"].get("Time", "")):
        hour, minute = map(int, state["fields"]["Time"].split(":"))
        state["alarms"].append([hour, minute, 1, sum(1 << DAYS.index(day) for day in state["days"])])
    elif words == "Send" and state["fields"].get("To"):
        state["sent"].append([state["fields"].pop("To"), state["fields"].pop("Text", "")])
    elif long and can == "long":
        state["inbox"] = [row for row in state["inbox"] if f"{row[0]}: {row[1]}" != words]


def shell(state, line):
    """A command in the phone: what it prints, or None where it is not known."""
    words = line.split()
    if line.startswith("input "):
        numbers = [int(one) for one in words[2:]] if words[1] in ("tap", "swipe") else []
        if words[1] == "tap":
            press(state, *numbers)
        elif words[1] == "swipe":
            press(state, *numbers[2:4], long=numbers[:2] == numbers[2:4])
        elif words[1] == "keyevent" and words[2] in ("KEYCODE_HOME", "KEYCODE_BACK"):
            state["app"], state["focus"] = HOME, None
        return ""
    if line.startswith("am broadcast -a ADB_INPUT_B64"):
        if state["focus"]:
            typed = base64.b64decode(words[-1].strip("'")).decode()
            state["fields"][state["focus"]] = state["fields"].get(state["focus"], "") + typed
        return "Broadcast completed: result=0"
    if words[0] == "monkey":
        if words[2] not in ICONS.values():
            return None
        state["app"], state["focus"] = words[2], None
        return "Events injected: 1"
    if line.startswith("uiautomator dump"):
        at = FOLDER / words[2].strip("/").replace("/", "_")
        at.write_text(tree(state))
        return f"UI hierchary dumped to: {words[2]}"
    if line.startswith("cmd connectivity airplane-mode"):
        state["airplane"] = "1" if words[3] == "enable" else "0"
        return ""
    if line.startswith("content query --uri content://sms/"):
        which = line.rsplit("/", 1)[1]
        rows = {"sent": state["sent"], "inbox": state["inbox"]}.get(which, state["inbox"] + state["sent"])
        return "\n".join(f"Row: {at} _id={at}, address={who}, body={what}, seen=1" for at, (who, what) in enumerate(rows))
    if "sqlite3" in words and "alarm_templates" in line:
        wanted = [int(one) for one in re.search(r"hour=(\d+) AND minutes=(\d+)", line).groups()]
        return "\n".join("|".join(map(str, [*one, 1, "", "", ""])) for one in state["alarms"] if one[:2] == wanted)
    if words[0] == "cat":
        at = FOLDER / words[1].strip("/").replace("/", "_")
        return at.read_text() if at.is_file() else None
    known = {"wm size": f"Physical size: {WIDTH}x{HEIGHT}", "getprop sys.boot_completed": "1", "whoami": "root",
             "dumpsys window": f"  mCurrentFocus=Window{{1 u0 {state['app']}/.Main}}",
             "settings get global airplane_mode_on": state["airplane"], "settings get system screen_brightness": state["brightness"]}
    quiet = ("su root date", "am force-stop", "am start", "pm clear", "settings put", "rm ", "ime set")
    return known.get(line, "" if line.startswith(quiet) else None)


def main():
    words = sys.argv[1:]
    if words[:1] == ["-s"]:
        words = words[2:]
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = FOLDER / "state.json"
        state = json.loads(kept.read_text()) if kept.is_file() else snapshot()
        said = None
        if words[:1] == ["exec-out"]:
            sys.stdout.buffer.write(png(state))
            return 0
        if words[:4] == ["emu", "avd", "snapshot", "load"]:
            state, said = (snapshot(), "OK") if words[4] == "init_state" else (state, None)
        elif words == ["root"]:
            said = "adbd is already running as root"
        elif words[:1] == ["pull"]:
            at = FOLDER / words[1].strip("/").replace("/", "_")
            if at.is_file():
                pathlib.Path(words[2]).write_bytes(at.read_bytes())
                said = "1 file pulled"
        elif words[:1] == ["push"] and len(words) == 3:
            (FOLDER / words[2].strip("/").replace("/", "_")).write_bytes(pathlib.Path(words[1]).read_bytes())
            said = "1 file pushed"
        elif words[:1] == ["shell"]:
            said = shell(state, " ".join(words[1:]))
        kept.write_text(json.dumps(state))
    if said is None:
        print(f"a stand-in for a phone, not one: it does not know {' '.join(words)[:200]}", file=sys.stderr)
        return 1
    print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
