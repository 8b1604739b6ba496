"""What the peers need, from PyPI and npm, in pinned versions, below target/bench/peers; installed once."""
import os
import pathlib
import platform
import shutil
import subprocess
import sys

HOME = pathlib.Path(__file__).resolve().parents[2] / "target" / "bench" / "peers"

# Of a group, everything is installed in one environment of its own: peers want different versions of the same libraries.
PYTHON = {
    "browsergym": ["browsergym-core==0.14.3", "browsergym-miniwob==0.14.3"],
    "browser-use": ["browser-use==0.13.14"],
    "jupyterlab": ["jupyterlab==4.6.6"],
}
NPM = {
    "playwright-mcp": ["@playwright/mcp@0.0.83"],
    "stagehand": ["@browserbasehq/stagehand@4.4.0"],
    "agent-browser": ["agent-browser@0.41.2"],
    "midscene": ["@midscene/web@1.13.1", "@playwright/test@1.65.1"],
    "tiddlywiki": ["tiddlywiki@5.4.1"],
    "tokens": ["js-tiktoken@1.0.21"],
}
NODE = "24.21.0"


class Missing(Exception):
    """What could not be obtained, and why."""


def chromium():
    for path in (os.environ.get("CHROMIUM"), "/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/google-chrome"):
        if path and os.path.exists(path):
            return path
    raise Missing("no Chromium: scripts/setup installs it")


def run(command, folder):
    """Runs an installer; the last line of what it said is the reason when it fails."""
    env = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "PUPPETEER_SKIP_DOWNLOAD": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=1200)
    except subprocess.TimeoutExpired:
        raise Missing(f"{command[0]} took longer than 20 minutes") from None
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise Missing((said or [f"{command[0]} failed"])[-1].strip()[:200])


def installed(folder, wanted):
    """Whether exactly this was installed there before; else the folder is emptied."""
    note = folder / "installed"
    if note.exists() and note.read_text() == "\n".join(wanted):
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"installing {' '.join(wanted)}", file=sys.stderr, flush=True)
    return False


def python(group):
    """The interpreter of a group's environment."""
    folder = HOME / f"python-{group}"
    if not installed(folder, PYTHON[group]):
        run([sys.executable, "-m", "venv", folder], HOME)
        run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON[group]], HOME)
        (folder / "installed").write_text("\n".join(PYTHON[group]))
    return folder / "bin" / "python"


def node():
    """Node.js as npm has it: some peers want a newer one than systems bring."""
    kind = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    package = f"node-linux-{kind}"
    wanted = [f"{package}@{NODE}"]
    folder = HOME / "node"
    if not installed(folder, wanted):
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, *wanted], HOME)
        (folder / "installed").write_text("\n".join(wanted))
    return folder / "node_modules" / package / "bin" / "node"


def npm(group):
    """The node_modules of a group."""
    folder = HOME / f"npm-{group}"
    if not installed(folder, NPM[group]):
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, *NPM[group]], HOME)
        (folder / "installed").write_text("\n".join(NPM[group]))
    return folder / "node_modules"
