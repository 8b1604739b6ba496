"""A Chromium of a program's own, driven over a pipe by the DevTools protocol: nothing but Python's own library."""
import json
import os
import select
import subprocess
import tempfile
import time

SWITCHES = [
    "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
    "--force-color-profile=srgb", "--window-size=1280,800", "--site-per-process", "--mute-audio",
    "--disable-features=Translate,HttpsUpgrades",
]


class Failed(Exception):
    """The browser refused a call."""


class Chromium:
    def __init__(self, program="/usr/bin/chromium", switches=()):
        self.profile = tempfile.TemporaryDirectory(prefix="reach-", ignore_cleanup_errors=True)
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # The browser reads at 3 and writes at 4.
        ends = [os.dup(theirs_in), os.dup(theirs_out)]
        os.close(theirs_in)
        os.close(theirs_out)

        def place():
            high = [os.dup2(end, 100 + at) for at, end in enumerate(ends)]
            for at, end in enumerate(high):
                os.dup2(end, 3 + at)

        self.child = subprocess.Popen(
            [program, *SWITCHES, *switches, f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        for end in ends:
            os.close(end)
        self.out, self.inn = ours_out, ours_in
        self.rest, self.number, self.events = b"", 0, []

    def read(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.inn], [], [], left)[0]:
                return None
            piece = os.read(self.inn, 1 << 20)
            if not piece:
                raise Failed("the browser is gone")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, params=None, session=None, within=20):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        until = time.monotonic() + within
        while True:
            answer = self.read(until)
            if answer is None:
                raise Failed(f"{method}: no answer")
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait(self, method, session, within=10):
        until = time.monotonic() + within
        while True:
            for at, event in enumerate(self.events):
                if event["method"] == method and event.get("sessionId") == session:
                    return self.events.pop(at)
            event = self.read(until)
            if event is None:
                return None
            self.events.append(event)

    def close(self):
        try:
            self.call("Browser.close", within=3)
            self.child.wait(3)
        except Exception:
            self.child.kill()
        self.profile.cleanup()
