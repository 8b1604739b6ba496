"""Runs waldo and looks at what is left of it: exit code, output, run folder."""
import base64
import html
import json
import os
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

SECRET = "S3cr!t-Zq9 wXy&Kp+%4"
KEY = "key-Vt83kqLw02xhPz"


def forms(value):
    """A value as it is and in its usual encodings."""
    quoted = urllib.parse.quote(value, safe="")
    found = {
        value, quoted, quoted.lower(), urllib.parse.quote(value), urllib.parse.quote_plus(value), html.escape(value),
        json.dumps(value)[1:-1], base64.b64encode(value.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(value.encode()).decode().rstrip("="), value.encode().hex(),
    }
    return {form.encode() for form in found}


class Ended:
    def __init__(self, code, out, folder):
        self.code, self.out, self.folder = code, out, folder

    @property
    def result(self):
        found = sorted(self.folder.rglob("result.json"))
        return json.loads(found[0].read_text()) if found else None

    @property
    def events(self):
        return [json.loads(line) for file in self.folder.rglob("events.jsonl") for line in file.read_text().splitlines()]

    def ended_well(self):
        """The run came to its own end: an outcome is recorded, and the exit code is one of those of an outcome."""
        return self.code in (0, 8, 9) and self.result is not None

    def holding(self, values):
        """Where one of the values stands: files of the run, or its output."""
        wanted = set().union(*(forms(value) for value in values))
        found = []
        for file in self.folder.rglob("*"):
            if file.is_file() and not file.is_symlink() and any(form in file.read_bytes() for form in wanted):
                found.append(str(file.relative_to(self.folder)))
        if any(form in self.out for form in wanted):
            found.append("output")
        return found


class Waldo:
    def __init__(self, program):
        self.program = program
        self.root = Path(tempfile.mkdtemp(prefix="waldo-attack-"))
        self.root.chmod(0o755)
        self.temporary = self.root / "tmp"
        self.temporary.mkdir(mode=0o700)
        self.count = 0
        # How what was run since the last attack began has ended.
        self.ended = []

    def environment(self, **more):
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return {
            **kept, "TMPDIR": str(self.temporary), "NO_COLOR": "1", "OPENAI_API_KEY": KEY, "ATTACK_PIN": SECRET, **more,
        }

    def __call__(self, *args, seconds=180, **environment):
        """Runs waldo to its end, in a new folder; a run that does not end is a failure of its own."""
        self.count += 1
        folder = self.root / f"run-{self.count}"
        folder.mkdir()
        try:
            ended = subprocess.run(
                [self.program, *map(str, args)], cwd=folder, env=self.environment(**environment), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False,
            )
            self.ended.append(Ended(ended.returncode, ended.stdout, folder))
        except subprocess.TimeoutExpired as late:
            self.ended.append(Ended("did not end", late.stdout or b"", folder))
        return self.ended[-1]

    def start(self, *args, **environment):
        self.count += 1
        folder = self.root / f"run-{self.count}"
        folder.mkdir()
        log = (folder / "output").open("wb")
        return folder, subprocess.Popen(
            [self.program, *map(str, args)], cwd=folder, env=self.environment(**environment), stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT,
        )

    def play(self, model, *args, agent="appagent", goal="look around", seconds=180, **environment):
        return self(
            "run", "--agent", agent, "--model", "m", "--base-url", model.base, "--out", "r", "--settle", "300",
            "--secret", "pin=ATTACK_PIN", *args, goal, seconds=seconds, **environment,
        )
