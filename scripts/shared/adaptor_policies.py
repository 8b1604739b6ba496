"""An endpoint of chat completions that answers the prompts of AgentLab's and OSWorld's agents by rules; for `scripts/adaptor-check`."""
import http.server
import json
import re
import threading


def words(messages):
    """The text of messages, whose content is text or parts."""
    told = []
    for message in messages:
        content = message["content"]
        told += [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
    return "\n".join(told)


class Endpoint:
    """Serves `decide(messages)`, which may be changed meanwhile."""

    def __init__(self):
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                said = {"role": "assistant", "content": endpoint.decide(asked["messages"])}
                body = json.dumps({
                    "id": "1", "object": "chat.completion", "created": 0, "model": asked["model"],
                    "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.decide = None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def browsergym(messages):
    """An action in the answer's form of AgentLab, by goal and tree of its prompt."""
    prompt = words(messages)
    goal = prompt.split("## Goal:", 1)[1].split("# Observation of current step:", 1)[0].strip()
    tree = prompt.split("AXTree:", 1)[1].split("Focused element:", 1)[0]
    lines = re.findall(r"""^\s*\[(\S+)\] (\S+) (['"])(.*?)\3(.*)$""", tree, re.MULTILINE)
    bids = {name: bid for bid, _, _, name, _ in lines}
    rest = {name: more for _, _, _, name, more in lines}
    return f"<think>by rules</think>\n<action>\n{_for_pages(goal, tree, bids, rest)}\n</action>"


def _for_pages(goal, tree, bids, rest):
    if found := re.match("Create a new folder named “(.*)” in (.*)\\.", goal):
        name, area = found.groups()
        if "[dialog-text]" in tree:
            return "click('dialog-ok')" if f"value={name!r}" in tree else f"fill('dialog-text', {name!r})"
        return "send_msg_to_user('It is there.')" if name in tree else f"click({bids['New folder in ' + area]!r})"
    if found := re.match("Create a .* account for (.*): e-mail address (.*), country (.*), password (.*?)\\. Accept", goal):
        name, mail, country, password = found.groups()
        if "Create account" not in bids:
            return "send_msg_to_user('The account is made.')"
        for field, value in [("Full name", name), ("E-mail address", mail), ("Repeat e-mail address", mail),
                             ("Password", password), ("Repeat password", password)]:
            if "value=''" in rest[field]:
                return f"fill({bids[field]!r}, {value!r})"
        if f"value={country!r}" not in rest["Country"]:
            return f"select_option({bids['Country']!r}, {country!r})"
        for box, wanted in [("I accept the terms of use", "true"), ("Send me the monthly newsletter", "false")]:
            if f"checked='{wanted}'" not in rest[box]:
                return f"click({bids[box]!r})"
        return f"click({bids['Create account']!r})"
    return "report_infeasible('Nothing on the page does that.')"


def osworld(messages):
    """The answer to OSWorld's prompt, by task, tree and how many answers there were."""
    prompt = words(messages[:1])
    goal = prompt.split("complete the following task:", 1)[1].strip()
    nth = sum(message["role"] == "assistant" for message in messages)
    seen = words(messages[-1:])
    rows = [line.split("\t") for line in seen.splitlines() if "\t" in line]
    return _for_desktops(goal, nth, rows)


def _middle(rows, what):
    """The middle of the row with this name, or of the first of this tag."""
    row = next(row for row in rows if what in row[:2])
    corner, size = (json.loads(part.replace("(", "[").replace(")", "]")) for part in row[-2:])
    return [corner[n] + size[n] // 2 for n in range(2)]


def _for_desktops(goal, nth, rows):
    if goal.startswith("Agree"):
        # The tagged picture: a line has number, tag, name and text.
        number = next((row[0] for row in rows if row[2] == "Yes"), None)
        return f"```python\npyautogui.click(tag_{number})\n```" if number and nth == 0 else "```\nDONE\n```"
    if found := re.match("Enter the name (.*) into", goal):
        x, y = _middle(rows, "entry" if nth == 0 else "OK")
        more = f"pyautogui.write({found.group(1)!r})" if nth == 0 else "DONE"
        return f"```python\npyautogui.moveTo({x}, {y}, duration=0.2)\npyautogui.click()\n{more}\n```"
    line = re.search("the line '(.*)' at", goal).group(1)
    code = ["pyautogui.hotkey('ctrl', 'end')", "time.sleep(0.5)", f"pyautogui.typewrite({line!r}, interval=0.01)",
            "pyautogui.hotkey('ctrl', 's')", "DONE"]
    return "```python\nimport pyautogui\nimport time\n" + "\n".join(code) + "\n```"
