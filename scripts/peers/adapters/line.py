"""The lines that every adapter speaks (scripts/peers/child.py says which), for adapters in Python."""
import json
import os
import pathlib
import sys
import time
import traceback

CHROMIUM = os.environ.get("CHROMIUM")
WIDTH, HEIGHT = 1280, 800


def say(answer):
    rest = json.dumps(answer).encode() + b"\n"
    while rest:
        rest = rest[os.write(3, rest):]


def serve(start):
    """`start` gives a tool: ready, own, open(url), observe(kind) -> dict with text, picture, settle_ms, ms (its own, or as taken here), close()."""
    try:
        tool = start()
    except BaseException as error:
        traceback.print_exc()
        say({"error": f"{type(error).__name__}: {error}"})
        sys.exit(1)
    say({"ready": tool.ready, "own": tool.own})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("close"):
            break
        try:
            if "open" in message:
                tool.open(message["open"])
                say({"done": True})
                continue
            began = time.perf_counter()
            seen = tool.observe(message["observe"])
            took = (time.perf_counter() - began) * 1e3
            picture = seen.get("picture") or b""
            if callable(picture):
                picture = picture()  # Made into a file after the clock stopped: the tool itself does not do that.
            text = seen.get("text", "").encode("utf-8", "replace")
            if message.get("save"):
                pathlib.Path(message["save"], "text").write_bytes(text)
                if picture:
                    pathlib.Path(message["save"], "picture").write_bytes(picture)
            say({"ms": seen.get("ms", took), "settle_ms": seen.get("settle_ms"), "text": len(text), "picture": len(picture)})
        except Exception as error:
            traceback.print_exc()
            say({"error": str(error) if type(error) is RuntimeError else f"{type(error).__name__}: {error}"})
    tool.close()
    os._exit(0)
