"""A stand-in for the server in MobileWorld's container: its wire, and behind it one screen with two buttons in place of a phone.

It answers as core/server.py of the benchmark does (paths, methods, parameters, bodies, refusals with `detail`), of the tasks that the
stand-in registry has but LostTask.
"""
import base64
import http.server
import json
import pathlib
import struct
import sys
import urllib.parse
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent / "src"))
from mobile_world.tasks.registry import TaskRegistry  # noqa: E402

WIDTH, HEIGHT = 300, 200
BUTTONS = {"Save": (20, 60), "Discard": (140, 60)}
tasks = {name: task for name, task in TaskRegistry().tasks.items() if name != "LostTask"}
phone = {}


def png():
    rows = b"".join(b"\0" + b"\xff" * 3 * WIDTH for _ in range(HEIGHT))
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def tree():
    nodes = [f'<node class="android.widget.Button" text="{name}" clickable="true" bounds="[{x},{y}][{x + 80},{y + 40}]"/>'
             for name, (x, y) in BUTTONS.items()]
    nodes.append(f'<node class="android.widget.EditText" content-desc="Word" text="{phone.get("text", "")}" bounds="[20,120][220,160]"/>')
    return f'<hierarchy><node bounds="[0,0][{WIDTH},{HEIGHT}]">{"".join(nodes)}</node></hierarchy>'


class Refused(Exception):
    pass


def step(action):
    kind = action["action_type"]
    if kind == "click":
        x, y = action["x"], action["y"]
        phone["pressed"] += [name for name, (left, top) in BUTTONS.items() if left <= x < left + 80 and top <= y < top + 40]
    elif kind == "input_text":
        phone["text"] += action["text"]
    elif kind == "answer":
        phone["answer"] = action["text"]
    elif kind == "ask_user":
        return "I mean Ada"
    elif kind not in ("navigate_home", "drag", "open_app"):
        raise Refused(400, f"unknown action: {kind}")
    return ""


def answer(method, path, query, body):
    name = query.get("task_name") or body.get("task_name")
    if name is not None and name not in tasks:
        raise Refused(500, "Internal Server Error")
    if (method, path) == ("GET", "/health"):
        return {"ok": True, "devices": [], "device_status": {}, "is": "a stand-in for MobileWorld's server and its phone"}
    if (method, path) == ("POST", "/init"):
        return {"device": body["device"], "viewport_size": [WIDTH, HEIGHT]}
    if (method, path) == ("POST", "/suite_family/switch") and query["target_family"] == "mobile_world":
        return {"suite_family": "mobile_world", "switched": False}
    if (method, path) == ("GET", "/state") and query["device"]:
        return {"device": query["device"], "viewport_size": [WIDTH, HEIGHT], "current_activity": "com.android.settings",
                "current_app": "settings"}
    if (method, path) == ("GET", "/screenshot") and query["return_b64"] == "true":
        return {"device": query["device"], "path": "/x.png", "b64_png": base64.b64encode(png()).decode()}
    if (method, path) == ("GET", "/xml") and query["mode"] == "uia" and query["return_content"] == "true":
        return {"device": query["device"], "mode": "uia", "path": "/x.xml", "content": tree()}
    if (method, path) == ("POST", "/step") and body["device"]:
        return {"device": body["device"], "action": body["action"], "result": step(body["action"])}
    if (method, path) == ("GET", "/task/list"):
        return [{"name": name, "tags": list(task.task_tags), "apps": list(task.app_names)} for name, task in tasks.items()]
    if (method, path) == ("GET", "/task/goal"):
        return tasks[name].goal
    if (method, path) == ("POST", "/task/init") and body["req_device"]:
        phone.update(pressed=[], text="", answer=None)
        return "OK"
    if (method, path) == ("GET", "/task/eval") and body["req_device"]:
        found = tasks[name].judge(phone)
        return {"score": found[0], "reason": found[1]} if isinstance(found, tuple) else {"score": found}
    if (method, path) == ("POST", "/task/tear_down") and body["req_device"]:
        return "OK"
    raise Refused(404, "Not Found")


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        at = urllib.parse.urlsplit(self.path)
        try:
            status, said = 200, answer(self.command, at.path, dict(urllib.parse.parse_qsl(at.query)), json.loads(sent or b"{}"))
        except Refused as error:
            status, said = error.args[0], {"detail": error.args[1]}
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
