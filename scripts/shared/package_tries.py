"""What scripts/package tries: each package in a fresh root as its user installs it, and the program of another processor."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from shared.fresh_root import FreshRoot, TrialError

TASKS = ["register-form", "infinite-list", "modal-confirm"]
LIMIT_WITH_BROWSER, LIMIT = 120, 20
USERS = ["python3-venv", "nodejs", "npm"]
DEVELOPERS = ["gcc", "libc6-dev", "git", "python3-venv", "nodejs", "npm"]


@dataclasses.dataclass
class Kind:
    """How a package is installed, started and taken away, in the words of docs/install.md."""
    files: str
    install: str
    remove: str
    waldo: str = "waldo"
    # What its user has beforehand.
    before: str = ":"
    # Whether each start also installs what is not there.
    at_once: bool = False
    browser: str = "apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null"


WHEEL = "/packages/waldo_gui-*.whl"
# Offline: a registry is not to be asked for the other processor's package, whose name may be somebody else's there.
NPM = "/packages/waldo-gui-*.tgz"
UVX = f"/opt/uv/bin/uvx --from {WHEEL} waldo"
NPX = f"npx --yes --offline $(printf -- '--package=%s ' {NPM}) waldo"
KINDS = {
    "wheel": Kind("*.whl", f"python3 -m venv waldo && waldo/bin/pip install --quiet {WHEEL}", "rm -r waldo", "waldo/bin/waldo"),
    "uvx": Kind("*.whl", f"{UVX} --version", "/opt/uv/bin/uv cache clean --quiet", UVX,
                "python3 -m venv /opt/uv && /opt/uv/bin/pip install --quiet uv", at_once=True),
    "npm": Kind("*.tgz", f"npm install --silent --offline -g {NPM}", "npm uninstall --silent -g $(ls /usr/local/lib/node_modules | grep ^waldo-gui)"),
    "npx": Kind("*.tgz", f"{NPX} --version", "rm -rf .npm", NPX, at_once=True),
    "deb": Kind("*.deb", "apt-get install -y -qq /packages/waldo_*.deb >/dev/null", "apt-get remove -y -qq waldo >/dev/null", browser=":"),
    "archive": Kind("*.tar.gz", "tar xzf /packages/waldo-*.tar.gz", "rm -r waldo-*", "waldo-*/waldo"),
}


def play(waldo, run):
    return f"{waldo} eval l3-web {' '.join(f'--task {task}' for task in TASKS)} --agent reference --out runs/{run}"


def try_packages(out, roots, suites, kinds):
    """Installs, plays, installs again, removes, and installs beside a browser; all that went wrong is one error at the end."""
    print(f"\nseconds from the installation to the table of three tasks, on {os.cpu_count()} processors\n"
          f"{'suite':<10}{'package':<9}{'with browser':>13}{'browser there':>15}{'package MB':>12}{'installed MB':>14}{'browser MB':>12}{'load':>6}   reference")
    wrong = []
    for suite in suites:
        for kind in kinds:
            try:
                found = try_one(roots, suite, kind, sorted(out.glob(KINDS[kind].files)))
            except (TrialError, subprocess.TimeoutExpired) as error:
                print(f"{suite:<10}{kind:<9} failed", flush=True)
                found = [str(error)]
            for what in found:
                print(f"error: {kind} in {suite}: {what}", file=sys.stderr, flush=True)
            wrong += found
    if wrong:
        raise SystemExit(f"error: {len(wrong)} things are not as they should be")


def try_one(roots, suite, name, packages):
    kind = KINDS[name]
    if not packages:
        raise TrialError(f"there is no {kind.files} of this machine's processor: scripts/package makes it")
    wrong = []
    with FreshRoot(roots, suite, USERS) as root:
        (root.path / "packages").mkdir()
        for package in packages:
            shutil.copy(package, root.path / "packages")
        root.run(kind.before)
        sizes = [root.megabytes()]
        install, _ = root.run(kind.install)
        sizes.append(root.megabytes())
        if kind.browser != ":":
            _, words = root.run(play(kind.waldo, "none") + " 2>&1", fails=True)
            if not re.search(r"install chromium", words, re.IGNORECASE):
                wrong.append(f"without a browser it does not say what to install: {words[-500:]}")
        browser, _ = root.run(kind.browser)
        sizes.append(root.megabytes())
        first, words = root.run(play(kind.waldo, "first"))
        root.run(f"{kind.install} && {kind.waldo} --version")
        root.run(kind.remove)
        _, left = root.run("find / -xdev -iname '*waldo*' -not -path '/packages/*' -not -path '/root/runs/*' -not -path '/root/.npm/*' -not -path '/var/lib/dpkg/*'")
        if left.strip():
            wrong.append(f"it leaves behind {left.split()}")
        again = 0 if kind.at_once else root.run(kind.install)[0]
        second, words = root.run(play(kind.waldo, "second"))
    row = next((line.split() for line in words.splitlines() if line.startswith("reference ")), ["no row", "", ""])
    first += install + browser
    second += again
    mine = sum(package.stat().st_size for package in packages) / 1e6
    print(f"{suite:<10}{name:<9}{first:>11.1f} s{second:>13.1f} s{mine:>12.0f}{sizes[1] - sizes[0]:>14}{sizes[2] - sizes[1]:>12}{os.getloadavg()[1]:>6.0f}   {' '.join(row[:3])}", flush=True)
    if row[2] != "100.0%":
        wrong.append(f"not 100 %: {words[-1500:]}")
    if first > LIMIT_WITH_BROWSER or second > LIMIT:
        wrong.append(f"{first:.0f} s with a browser and {second:.0f} s beside one, where {LIMIT_WITH_BROWSER} and {LIMIT} are wanted")
    return wrong


def try_tests(roots, top, suite, minutes):
    """scripts/test on the last commit, in a root with Rust, a C compiler, Python, Node and git."""
    rust = subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True, cwd=top).stdout.strip()
    with FreshRoot(roots, suite, DEVELOPERS, [f"{rust}:/opt/rust"]) as root:
        subprocess.run(["git", "-c", "safe.directory=*", "clone", "--quiet", "--no-hardlinks", top, root.path / "root/waldo"], check=True)
        took, _ = root.run("export PATH=/root/.cargo/bin:/opt/rust/bin:$PATH CARGO_INCREMENTAL=0; cd waldo; scripts/test", seconds=minutes * 60, quiet=False)
    print(f"scripts/test passed in a fresh root of {suite} in {took / 60:.0f} minutes (load {os.getloadavg()[2]:.1f} in the last quarter)")


DUMP = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="org.example" content-desc=""
 checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false"
 password="false" selected="false" bounds="[0,0][1080,1920]"><node index="0" text="Save" resource-id="org.example:id/save"
 class="android.widget.Button" package="org.example" content-desc="" checkable="false" checked="false" clickable="true" enabled="true"
 focusable="true" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[40,300][400,420]"/></node></hierarchy>
"""


def examine(program, processor):
    """Asks another processor's program, emulated, what can be asked without a browser, and has it play two tasks on a simulated phone."""
    emulator = next((path for name in (f"qemu-{processor}", f"qemu-{processor}-static") if (path := shutil.which(name))), None)
    libraries = pathlib.Path(f"/usr/{processor}-linux-gnu")
    if emulator is None or not libraries.exists():
        raise SystemExit(f"error: Debian's packages qemu-user, libc6-{PACKAGES.get(processor, processor)}-cross and libgcc-s1-{PACKAGES.get(processor, processor)}-cross are needed to examine the program")
    with tempfile.TemporaryDirectory() as folder:
        def ask(*words):
            # waldo starts itself anew to hide its environment, which an emulated program cannot: it gets the end of that, an empty pipe.
            handed, empty = os.pipe()
            os.close(empty)
            done = subprocess.run([emulator, "-L", libraries, program, *words], cwd=folder, capture_output=True, text=True, timeout=600,
                                  pass_fds=[handed], env=os.environ | {"WALDO_HANDED": str(handed)})
            os.close(handed)
            if done.returncode != 0:
                raise SystemExit(f"error: 'waldo {' '.join(words)}' ended with {done.returncode} by {emulator}:\n{done.stderr[-2000:]}")
            return done.stdout
        pathlib.Path(folder, "dump.xml").write_text(DUMP)
        pathlib.Path(folder, "results.json").write_text('{"max_steps": 15, "episodes": [{"success": 1, "steps": 5}, {"success": 0, "steps": 15}]}')
        print(ask("--version").strip())
        listed = ask("elements", "--xml", "dump.xml")
        if "save" not in listed:
            raise SystemExit(f"error: the button of the dump is not listed:\n{listed}")
        print(listed.strip())
        scored = ask("score", "results.json", "--json")
        if json.loads(scored)["sr"] != 0.5:
            raise SystemExit(f"error: one success of two is not a half:\n{scored}")
        table = ask("eval", "l3-android", "--device", "simphone", "--task", "contact-create", "--task", "dark-theme", "--agent", "reference", "--out", "run")
        print(table.strip())
        if "100.0%" not in table:
            raise SystemExit("error: the reference does not solve two tasks on a simulated phone")


PACKAGES = {"aarch64": "arm64", "x86_64": "amd64"}
