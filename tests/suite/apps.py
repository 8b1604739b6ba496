import json, os, signal, sys

for line in sys.stdin:
    asked, answer = json.loads(line), {}
    if asked["call"] == "hello":
        answer = {"protocol": 1, "name": "killer", "version": "1"}
    if asked["call"] == "turn":
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                command = open(f"/proc/{pid}/cmdline").read()
            except OSError:
                continue
            if command.startswith("/app/venv/bin/python") and "trac.web.standalone" in command:
                os.kill(int(pid), signal.SIGKILL)
        answer = {"calls": [{"do": "finish"}]}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
