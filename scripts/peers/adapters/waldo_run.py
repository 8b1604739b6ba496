"""waldo: `waldo run` with an agent that waits, and the times that its own record holds of every observation.

The stand-in for the model holds each request back until the next observation is asked for. The picture and the text
are those of the request. What is timed is in events.jsonl: settling, picture and elements, labels and packing.
"""
import base64
import http.server
import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading

from line import CHROMIUM, serve

WALDO = os.environ["WALDO"]
SCREEN = "screen-text"


def milliseconds(took):
    return took["secs"] * 1e3 + took["nanos"] / 1e6


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked, answers = queue.Queue(), queue.Queue()
    over = False

    def log_message(self, *_):
        pass

    def do_POST(self):
        request = self.rfile.read(int(self.headers["content-length"]))
        if b"image_url" in request and b"# Task" in request:
            self.asked.put(request)
            said = self.answers.get()
        else:
            said = "white"  # The question whether this endpoint reads WebP.
        body = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": said}}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass


class Tool:
    own = False

    def __init__(self):
        self.ready = subprocess.run([WALDO, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-peers-waldo-"))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.run, self.count, self.first = None, 0, None

    def open(self, url):
        self.end()
        if url.endswith("/blank"):
            return  # It rests between its runs.
        self.count += 1
        out = self.folder / str(self.count)
        base = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.run = subprocess.Popen(
            [WALDO, "run", "--agent", "appagent", "--model", "m", "--base-url", base, "--url", url, "--browser", CHROMIUM,
             "--picture", "webp", "--max-steps", "1000", "--out", out, "wait"],
            stdin=subprocess.DEVNULL)
        self.out, self.steps = out, 0
        self.wait()

    def wait(self):
        while True:
            try:
                self.request = Model.asked.get(timeout=0.5)
                self.steps += 1
                return
            except queue.Empty:
                if self.run.poll() is not None:
                    raise RuntimeError(f"waldo run ended with exit code {self.run.returncode}") from None

    def observe(self, what):
        self.say("wait(0)")
        self.wait()
        seen = None
        for line in next(self.out.glob("episodes/*/*/r0/events.jsonl")).read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "observed":
                seen = event
        timings, settle = seen["timings"], milliseconds(seen["timings"]["settle"])
        whole = settle + milliseconds(timings["total"]) + milliseconds(seen["label_time"])
        text, picture = "", b""
        for message in json.loads(self.request)["messages"]:
            for part in message["content"] if isinstance(message["content"], list) else []:
                if part["type"] == "image_url":
                    picture = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                elif SCREEN in part["text"]:
                    text += part["text"][part["text"].index(f"<{SCREEN}"):].partition(f"</{SCREEN}>")[0]
        return {"ms": whole, "settle_ms": settle, "text": text, "picture": picture}

    def say(self, action):
        Model.answers.put(f"Observation: a page\nThought: nothing to do\nAction: {action}\nSummary: waited")

    def end(self):
        if self.run and self.run.poll() is None:
            self.say("FINISH")
            try:
                self.run.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.run.kill()
                self.run.wait()
        self.run = None

    def close(self):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)


serve(Tool)
