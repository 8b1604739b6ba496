"""Agents that are not ours, for `waldo eval --agent mcp`; called by scripts/mcp-clients.

    mcp_agent.py sdk URL GOAL            the Python SDK alone, which decides by a script
    mcp_agent.py pydantic-ai URL GOAL    an agent of pydantic-ai, whose model is an endpoint of this process that decides by the script
    mcp_agent.py fast-agent URL GOAL     the same with fast-agent
"""

import asyncio
import http.server
import json
import os
import re
import sys
import tempfile
import threading

HEADERS = {"authorization": "Bearer " + os.environ["WALDO_MCP_TOKEN"]}


def decided(goal, screen):
    """The tool and arguments that the goal asks for on a screen that observe listed."""
    listed = {name: int(number) for number, name in re.findall(r'^(\d+) .*?"(.*?)"', screen, re.MULTILINE)}
    has_dialog = "a dialog holds up the page" in screen
    if found := re.match("Delete (.*) and (.*) from", goal):
        rows = [listed[name] for name in ("Delete " + person for person in found.groups()) if name in listed]
        if has_dialog:
            return "dialog", {"reply": "accept"}
        return ("tap", {"element": rows[0]}) if rows else ("finish", {})
    if found := re.match(r"Create a new folder named .(.*). in (.*)\.", goal):
        name, place = found.groups()
        if has_dialog:
            return "dialog", {"reply": "accept", "text": name}
        return ("finish", {}) if name in screen else ("tap", {"element": listed["New folder in " + place]})
    return "infeasible", {"reason": "nothing on the page does that"}


async def by_sdk(url, goal):
    import httpx2
    import mcp
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers=HEADERS, timeout=60) as http_client:
        async with mcp.Client(streamable_http_client(url, http_client=http_client)) as client:
            tool = ""
            while tool not in ("finish", "infeasible"):
                seen = await client.call_tool("observe", {})
                tool, arguments = decided(goal, seen.content[0].text)
                await client.call_tool(tool, arguments)


class Model(http.server.BaseHTTPRequestHandler):
    """An endpoint of OpenAI's chat completions, which looks at the screen and acts on it in turn."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        messages = asked["messages"]
        goal = next(message["content"] for message in messages if message["role"] == "user")
        # Some put the server's name before those of its tools.
        names = {tool["function"]["name"].rpartition("__")[2]: tool["function"]["name"] for tool in asked["tools"]}
        calls = [call["function"]["name"].rpartition("__")[2] for message in messages for call in message.get("tool_calls") or []]
        reply = {"role": "assistant", "content": "done"}
        if calls[-1:] not in (["finish"], ["infeasible"]):
            tool, arguments = decided(goal, str(messages[-1]["content"])) if calls[-1:] == ["observe"] else ("observe", {})
            function = {"name": names[tool], "arguments": json.dumps(arguments)}
            reply = {"role": "assistant", "content": None,
                     "tool_calls": [{"id": f"call_{len(messages)}", "type": "function", "function": function}]}
        ended = "tool_calls" if "tool_calls" in reply else "stop"
        said = {"id": "1", "created": 0, "model": "scripted", "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
        if asked.get("stream"):
            parts = [{**call, "index": n} for n, call in enumerate(reply.pop("tool_calls", ()))]
            delta = {**reply, **({"tool_calls": parts} if parts else {})}
            chunk = {**said, "object": "chat.completion.chunk", "choices": [{"index": 0, "finish_reason": ended, "delta": delta}]}
            body, mime = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode(), "text/event-stream"
        else:
            whole = {**said, "object": "chat.completion", "choices": [{"index": 0, "finish_reason": ended, "message": reply}]}
            body, mime = json.dumps(whole).encode(), "application/json"
        self.send_response(200)
        self.send_header("content-type", mime)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serving():
    """The address of the endpoint."""
    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{endpoint.server_port}/v1"


async def by_fast_agent(url, goal):
    from fast_agent import FastAgent

    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "fastagent.config.yaml")
        with open(place, "w") as file:
            server = {"transport": "http", "url": url, "headers": HEADERS}
            json.dump({"mcp": {"servers": {"waldo": server}}, "generic": {"api_key": "none", "base_url": serving()}}, file)
        fast = FastAgent("scripted", config_path=place, parse_cli_args=False, quiet=True, workspace=folder, isolated=True)

        @fast.agent("player", "You play tasks.", servers=["waldo"], model="generic.scripted")
        async def play():
            async with fast.run() as agent:
                await agent.player.send(goal)

        await play()


async def by_pydantic_ai(url, goal):
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=serving(), api_key="none")
    agent = Agent(OpenAIChatModel("scripted", provider=provider), toolsets=[MCPToolset(url, headers=HEADERS)])
    async with agent:
        await agent.run(goal)


asyncio.run({"sdk": by_sdk, "pydantic-ai": by_pydantic_ai, "fast-agent": by_fast_agent}[sys.argv[1]](*sys.argv[2:4]))
