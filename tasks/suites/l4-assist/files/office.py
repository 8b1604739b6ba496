"""Tools of an office, as a server of the Model Context Protocol over its standard streams.

Its argument is a JSON object: the tools that it offers, each with what it knows.
"""
import json
import pathlib
import sys

KNOWN = json.loads(sys.argv[1])
DATA = pathlib.Path("/data")
TOOLS = {
    "find_person": ("Finds the telephone number of somebody in the company's directory.", {"name": "first and last name"}),
    "departure": ("Tells when the train to a place leaves, as hour:minute.", {"to": "the place"}),
    "price": ("Tells what a product costs in the other shop.", {"product": "its name"}),
    "find_event": ("Tells the day and the hour of the next event of the club.", {"title": "what it is called"}),
    "phone_name": ("Tells the name that the inventory has for a phone.", {"asset": "its asset number"}),
    "report_name": ("Notes in the inventory which name a phone has.", {"asset": "its asset number", "name": "its name"}),
    "book_room": ("Books a room for an hour, and answers with the code of its door.",
                  {"room": "its name", "day": "day of the month", "hour": "from 0 to 23"}),
}


def keep(folder, name, text):
    (DATA / folder).mkdir(exist_ok=True)
    (DATA / folder / name.replace("/", "-")).write_text(text)


def use(tool, given):
    """What a tool answers, and whether that is an error."""
    missing = [name for name in TOOLS[tool][1] if not str(given.get(name, "")).strip()]
    if missing:
        return f"{tool} needs {', '.join(missing)}", True
    given = {name: str(given[name]).strip() for name in TOOLS[tool][1]}
    if tool == "report_name":
        keep("inventory", given["asset"], given["name"])
        return "noted", False
    wanted = next(iter(given.values()))
    found = {name.casefold(): said for name, said in KNOWN[tool].items()}.get(wanted.casefold())
    if found is None:
        return f"nothing is known of {wanted}", True
    if tool == "book_room":
        keep("bookings", f"{wanted}, {given['day']}, {given['hour']}", "booked")
        return f"{wanted} is booked; the code of its door is {found}", False
    return found, False


def listed(name):
    what, parameters = TOOLS[name]
    properties = {key: {"type": ["string", "number"], "description": about} for key, about in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return {"name": name, "description": what, "inputSchema": schema}


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "office", "version": "1"}}
    if method == "tools/list":
        return {"tools": [listed(name) for name in KNOWN]}
    if method == "tools/call" and params["name"] in KNOWN:
        text, failed = use(params["name"], params.get("arguments") or {})
        return {"content": [{"type": "text", "text": text}], "isError": failed}
    return None


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = answer(asked["method"], asked.get("params") or {})
    error = {"error": {"code": -32601, "message": f"there is no {asked['method']} of this kind"}}
    said = {"jsonrpc": "2.0", "id": asked["id"]} | (error if result is None else {"result": result})
    print(json.dumps(said), flush=True)
