"""waldo as a backend of cua-auto-harness: each of the harness's actions is the reply of a model that waldo plays.

The model is a small server here, which holds every request back until the harness has its next action.
"""

import base64
import http.server
import io
import json
import os
import pathlib
import queue
import subprocess
import tempfile
import threading

from autoharness.adapters import UnsupportedActionError
from autoharness.backend import Backend, register_backend
from autoharness.contracts import ButtonPress, ButtonRelease, Click, Drag, KeyChord, Move, Scroll, TypeText
from PIL import Image

HERE = pathlib.Path(__file__).parent
CLICKS = {1: "single", 2: "double", 3: "triple"}
PATIENCE = 60
GOAL = "Do what is asked."


class Model(http.server.ThreadingHTTPServer):
    """An endpoint of chat completions with one answer at a time."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Request)
        self.asked, self.answers = queue.Queue(), queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def next(self, *calls):
        """Answers with calls, one after the other, and gives the request that follows the last."""
        for call in calls:
            self.answers.put("Next.\n" + json.dumps(call))
            request = self.asked.get(timeout=PATIENCE)
        return request


class Request(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, body):
        body = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "hands"}]})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = "ok"
        # waldo asks a model first whether it answers and sees; only the task's turns wait for the harness.
        if GOAL in json.dumps(asked):
            self.server.asked.put(asked)
            text = self.server.answers.get()
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self.answer({"id": "1", "object": "chat.completion", "model": "hands", "choices": [choice], "usage": usage})


@register_backend("waldo")
class Waldo(Backend):
    """A desktop whose pointer and keyboard are waldo's."""

    guest_display = os.environ["DISPLAY"]
    supports_raw_tap = True

    def __init__(self, *_, **__):
        self.child = self.seen = None

    def boot(self):
        self.model = Model()

    def start(self):
        folder = tempfile.mkdtemp(prefix="waldo-harness-")
        line = [os.environ["WALDO"], "run", "--device", f"desktop:{self.guest_display}", "--allow-app", "*",
                "--agent", "native", "--profile", str(HERE), "--model", "hands", "--countdown", "0",
                "--base-url", f"http://127.0.0.1:{self.model.server_address[1]}/v1", "--model-timeout", "1700",
                "--max-steps", "5000", "--text-recognition", "off", "-o", folder + "/run", GOAL]
        log = open(folder + "/log", "wb")
        self.child = subprocess.Popen(line, stdout=log, stderr=log)
        self.seen = self.model.asked.get(timeout=PATIENCE)

    def do(self, **call):
        if self.child is None:
            self.start()
        self.seen = self.model.next(call)

    def inject(self, action):
        held = list(getattr(action, "modifiers", []))
        at = {"x": getattr(action, "x", 0), "y": getattr(action, "y", 0)}
        match action:
            case Click():
                self.do(do="click", button=action.button, clicks=CLICKS[action.count], held=held, **at)
            case ButtonPress():
                self.do(do="press", button=action.button, **at)
            case ButtonRelease():
                self.do(do="release", **at)
            case Move():
                self.do(do="move", **at)
            case Drag():
                path = [{"x": x, "y": y} for x, y in action.path]
                self.do(do="drag", path=path, button=action.button, held=held)
            case Scroll():
                self.do(do="wheel", down=action.dy_ticks, right=action.dx_ticks, held=held, **at)
            case KeyChord():
                self.do(do="chord", keys=list(action.keys))
            case TypeText():
                self.do(do="type", text=action.text)
            case _:
                raise UnsupportedActionError(type(action).__name__)

    def supports(self, action):
        return None

    def exec(self, command, timeout=120):
        # The probe runs beside this script: nothing of the host is ended by its name.
        if "pkill" in command:
            return 0, ""
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=timeout)
        return done.returncode, done.stdout

    def screenshot(self, path):
        self.do(do="wait", seconds=0)
        parts = [part for message in self.seen["messages"] for part in message["content"] if isinstance(part, dict)]
        url = [part["image_url"]["url"] for part in parts if part.get("type") == "image_url"][-1]
        Image.open(io.BytesIO(base64.b64decode(url.split(",", 1)[1]))).convert("RGB").save(path, "PNG")

    def teardown(self):
        if self.child and self.child.poll() is None:
            self.model.answers.put('Done.\n{"do": "done"}')
            try:
                self.child.wait(15)
            except subprocess.TimeoutExpired:
                self.child.kill()
