"""An agent for waldo's protocol (docs/agents-protocol.md) that does what its argument says, most of it wrong."""
import json, os, subprocess, sys, time

mode = sys.argv[1]
turns = 0


def put(answer):
    print(json.dumps(answer), flush=True)


CALLS = {
    "unknown-tag": [{"do": "tap", "element": 99}],
    "off-screen": [{"do": "tap", "element": {"x": 720, "y": 5}}],
    "unknown-action": [{"do": "fly"}],
    "unknown-parameter": [{"do": "tap", "element": 1, "force": 3}],
    "no-action": [{"element": 1}],
    "nothing": [],
    "after-the-end": [{"do": "finish"}, {"do": "tap", "element": 1}],
    "describes": [{"do": "tap", "element": "the field 'Name'"}],
    "describes-nothing": [{"do": "tap", "element": "the zeppelin"}],
    "by-place": [{"do": "tap", "element": {"x": 60, "y": 35}}],
    "answers": [{"do": "answer", "text": "42"}],
    "gives-up": [{"do": "give_up", "reason": "tired"}],
    "unasked-several": [{"do": "tap", "element": 1}, {"do": "tap", "element": 2}],
    "several": [{"do": "tap", "element": 1}, {"do": "fill", "element": 2, "text": "Ada"}],
}

for line in sys.stdin:
    asked = json.loads(line)
    answer = {"id": asked["id"]}
    if asked["call"] == "hello":
        if mode == "crashes-at-hello":
            raise ValueError("no weights")
        several = mode in ("several", "after-the-end")
        answer |= {"protocol": 2 if mode == "version" else 1, "name": mode, "version": "1", "several": several}
        if mode == "wants":
            answer["wants"] = {"picture": "labelled", "format": "jpeg", "longest_side": 100, "picture_as": "path",
                               "elements": False, "actions": ["tap"]}
        if mode == "wants-nonsense":
            answer["wants"] = {"actions": ["fly"]}
    elif asked["call"] == "begin":
        begun = asked
    elif asked["call"] == "turn":
        turns += 1
        print("turn", turns, file=sys.stderr, flush=True)
        answer |= {"calls": CALLS.get(mode, [{"do": "tap", "element": 1}]), "usage": {"prompt": 7, "completion": 2}, "cost": 0.5}
        answer["thought"] = json.dumps(asked["last"])
        if mode == "crashes" and (turns == 2 or len(sys.argv) < 3):
            raise ValueError("no weights")
        elif mode == "hangs":
            time.sleep(300)
        elif mode == "floods":
            sys.stdout.write("x" * ((64 << 20) + 1))
            sys.stdout.flush()
        elif mode == "no-json":
            print("thinking", flush=True)
        elif mode == "no-utf8":
            sys.stdout.buffer.write(b'{"id": 3, "thought": "\xff"}\n')
            sys.stdout.buffer.flush()
        elif mode == "twice":
            sys.stdout.write((json.dumps(answer) + "\n") * 2)
            sys.stdout.flush()
            continue
        elif mode == "other-id":
            answer["id"] = 7
        elif mode == "other-field":
            answer["cals"] = answer.pop("calls")
        elif mode == "says-error":
            answer = {"id": asked["id"], "error": "no credit"}
        elif mode == "forks":
            subprocess.Popen(["sleep", "300"])
            sys.exit(0)
        elif mode == "leaves-a-child":
            answer["calls"] = [{"do": "finish"}]
            answer["thought"] = str(subprocess.Popen(["sleep", "300"]).pid)
        elif mode == "environment":
            answer["thought"] = f"{os.environ.get('A_KEY')} {os.environ.get('CARGO_PKG_NAME')}"
            print("my key is", os.environ.get("A_KEY"), file=sys.stderr, flush=True)
        elif mode == "wants":
            untrusted, picture = asked["untrusted"], asked["picture"]
            head = open(picture["path"], "rb").read(3)
            actions = [action["do"] for action in begun["device"]["actions"]]
            answer["thought"] = json.dumps(["elements" in untrusted, "list" in untrusted, picture["media_type"],
                                            max(picture["width"], picture["height"]), head == b"\xff\xd8\xff", actions])
        if mode == "closes-stdin":
            # Closed first: a question that is on its way already would be lost without a sign.
            os.close(0)
            put(answer)
            time.sleep(300)
    elif asked["call"] != "end":
        answer["error"] = f"there is no call {asked['call']}"
    put(answer)
