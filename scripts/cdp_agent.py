"""Agents that are not ours, for `waldo eval --agent cdp`; called by scripts/cdp-clients, in whose folder they are installed (CDP_CLIENTS).

    cdp_agent.py browser-use URL GOAL ANSWER       browser-use, whose model is an endpoint of this process that decides by a script
    cdp_agent.py stagehand URL GOAL ANSWER         the same with Stagehand (cdp_agent.mjs)
    cdp_agent.py playwright-mcp URL GOAL ANSWER    Playwright's MCP server, whose client is this process
"""

import asyncio
import http.server
import json
import os
import re
import subprocess
import sys
import threading

who, url, goal, answer_file = sys.argv[1:5]
made = os.path.abspath(os.environ["CDP_CLIENTS"])


def planned():
    """The buttons that the goal asks to press, and the text to type after the first; None where nothing on the page does it."""
    if found := re.match("Delete the project (.*) and confirm it", goal):
        return ["Delete " + found[1], "Delete project"], found[1]
    if found := re.match("Delete (.*) and (.*) from the contacts", goal):
        return ["Delete " + person for person in found.groups()], None
    return None


def steps():
    """What is done, one after the other: press and type."""
    press, text = planned()
    yield "press", press[0]
    if text:
        yield "type", text
    for name in press[1:]:
        yield "press", name


class Model(http.server.BaseHTTPRequestHandler):
    """An endpoint of OpenAI's chat completions and responses, which acts on what it is shown."""

    protocol_version = "HTTP/1.1"
    done = 0

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if os.environ.get("CDP_TRACE"):
            with open(os.environ["CDP_TRACE"], "a") as trace:
                trace.write(json.dumps(asked, indent=1) + "\n")
        said = json.dumps(self.decide(json.dumps(asked, ensure_ascii=False)))
        if self.path.endswith("/responses"):
            reply = {"id": "1", "object": "response", "created_at": 0, "model": "scripted", "status": "completed",
                     "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed",
                                 "content": [{"type": "output_text", "text": said, "annotations": []}]}],
                     "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                               "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}}
        else:
            reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted",
                     "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
                     "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def decide(self, asked):
        raise NotImplementedError

    def log_message(self, *_):
        pass


def serving(decide):
    model = type("Scripted", (Model,), {"decide": decide})
    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), model)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{endpoint.server_port}/v1"


def finish(end):
    if end:
        with open(answer_file, "w") as file:
            json.dump(end, file)


async def browser_use():
    plan = list(steps()) if planned() else []
    state = {"at": 0}

    def decide(self, asked):
        # Elements are listed as [12]<button aria-label=Delete Anna Weber />.
        shown = asked[asked.rfind("<browser_state>"):]

        def number(kind, name):
            found = [int(at) for at, line in re.findall(r"\[(\d+)\]<(" + kind + r"\b[^\[]*)", shown) if name in line]
            return found[-1] if found else None

        if state["at"] == len(plan):
            action = {"done": {"text": "done" if plan else "infeasible", "success": bool(plan)}}
        else:
            what, name = plan[state["at"]]
            at = number("button", name) if what == "press" else number("input", "")
            action = {"wait": {"seconds": 1}}
            if at is not None:
                state["at"] += 1
                action = {"click": {"index": at}} if what == "press" else {"input": {"index": at, "text": name, "clear": True}}
        return {"evaluation_previous_goal": "", "memory": "", "next_goal": "", "action": [action]}

    from browser_use import Agent, Browser, ChatOpenAI

    model = ChatOpenAI(model="scripted", base_url=serving(decide), api_key="none")
    agent = Agent(task=goal, llm=model, browser=Browser(cdp_url=url), use_vision=False, use_judge=False, use_thinking=False,
                  enable_planning=False, directly_open_url=False)
    history = await agent.run(max_steps=15)
    assert history.is_done(), history.errors()
    finish(None if plan else {"infeasible": history.final_result()})


def stagehand():
    def decide(self, asked):
        # act asks for one element; the tree lists it as [0-12] button: Delete Anna Weber.
        press = re.findall(r'click \\*"([^"\\]*)', asked)
        text = re.findall(r'type \\*"([^"\\]*)', asked)
        name, kind = (press[-1], "button") if press else ("", "textbox")
        named = re.escape(": " + name) + r"(?=\\n|\s|\")" if name else ""
        found = re.findall(r"\[(\d+-\d+)\] " + kind + named, asked)
        element = {"elementId": found[0] if found else "0-0", "description": name or kind,
                   "method": "click" if press else "type", "arguments": [] if press else text[-1:]}
        return {**element, "action": element if found else None, "twoStep": False, "elements": [element]}

    command = ["node", os.path.join(os.path.dirname(__file__), "cdp_agent.mjs"), "stagehand", url, goal, answer_file]
    sys.exit(subprocess.run([*command, serving(decide)]).returncode)


def playwright_mcp():
    plan = planned()
    if not plan:
        return finish({"infeasible": "nothing on the page does that"})
    command = ["node", f"{made}/node_modules/@playwright/mcp/cli.js", "--cdp-endpoint", url, "--output-dir", f"{made}/output"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(method, params, number=[0]):
        number[0] += 1
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number[0], "method": method, "params": params}) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            if (said := json.loads(line)).get("id") == number[0]:
                return said["result"]
        sys.exit("the server ended")

    def call(tool, **arguments):
        said = ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in said["content"])
        assert not said.get("isError"), text
        return text

    client = {"name": "scripted", "version": "1"}
    ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in ask("tools/list", {})["tools"]}
    named = "target" if "target" in tools["browser_click"] else "ref"
    for what, name in steps():
        shown = call("browser_snapshot")
        kind = f'button "{re.escape(name)}"' if what == "press" else "textbox"
        found = re.search(kind + r".*?\[ref=(\w+)\]", shown)
        assert found, f"no {kind} in {shown}"
        if what == "type":
            call("browser_type", element="the field", text=name, slowly=True, **{named: found[1]})
        elif "### Modal state" in call("browser_click", element=name, **{named: found[1]}):
            call("browser_handle_dialog", accept=True)
    server.stdin.close()
    server.wait(10)


{"browser-use": lambda: asyncio.run(browser_use()), "stagehand": stagehand, "playwright-mcp": playwright_mcp}[who]()
