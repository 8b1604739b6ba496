"""Controls of the attacks: what shows that an attack was made, and that it would have been seen to work.

Each takes the arena, after its attack, and returns what it missed, as a list of sentences."""
import contextlib
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

from .arena import Model
from .waldo import forms


def unguarded(page, replies):
    """The same page, where every origin is allowed, is heard by the listeners: it really tries."""
    def control(arena):
        arena.forbidden.taken()
        model = Model([reply.replace("FORBIDDEN", str(arena.forbidden.port)) if isinstance(reply, str) else reply
                       for reply in replies])
        ended = arena.waldo.play(
            model, "--url", arena.site.url(page), "--max-steps", len(replies) + 1, "--allow", "*")
        model.close()
        arena.site.taken()
        heard = [kind for kind, _, _ in arena.forbidden.taken()]
        return [] if "tcp" in heard else [f"{page}: nothing is heard where all is allowed: {ended.out[-300:]!r}"]
    return control


def bare_browser(page, kind):
    """The same page in a browser that waldo did not start is heard by the listeners."""
    def control(arena):
        arena.forbidden.taken()
        profile = arena.waldo.root / "bare-profile"
        with subprocess.Popen(
            [arena.browser, "--headless=new", "--no-sandbox", "--no-first-run", f"--user-data-dir={profile}",
             "--remote-debugging-port=0", arena.site.url(page)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        ) as browser:
            heard, end = set(), time.monotonic() + 60
            while kind not in heard and time.monotonic() < end:
                heard |= {found for found, _, _ in arena.forbidden.taken()}
                time.sleep(0.1)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(browser.pid, 9)
        shutil.rmtree(profile, ignore_errors=True)
        arena.site.taken()
        return [] if kind in heard else [f"{page}: no {kind} is heard of a browser without a guard"]
    return control


def recorded(*words):
    """The record of the attack tells what the page did: one of these."""
    def control(arena):
        texts = [file.read_text(errors="replace") for ended in arena.waldo.ended
                 for file in ended.folder.rglob("events.jsonl")]
        if texts and all(any(word in text for word in words) for text in texts):
            return []
        return [f"no record tells of what the page did: none of {', '.join(map(repr, words))}"]
    return control


def said(word):
    """What the attack says is printed, in a form that does no harm."""
    def control(arena):
        return [] if any(word.encode() in ended.out for ended in arena.waldo.ended) else [f"{word!r} was not printed"]
    return control


def unlisted_value(page, field, button):
    """A value that nobody declared to be a secret, typed and shown in the same way, is found in the record and at the model."""
    value = "canary Kx7! uW+pq"

    def control(arena):
        replies = [(field, "tap(TAG)"), f'text("{value}")', *([(f'"{button}', "tap(TAG)")] if button else []), "wait()", "FINISH"]
        model = Model(replies)
        place = ["--url", arena.site.url(page)] if page else ["--device", "simphone", "--open", "com.android.settings"]
        ended = arena.waldo.play(model, *place, "--max-steps", len(replies) + 1)
        model.close()
        arena.site.taken()
        wanted = [form.decode() for form in forms(value)]
        wrong = [] if ended.holding([value]) else ["a value that is no secret is not found in the record"]
        if not any(form in asked.split('"role":', 1)[-1] for asked in model.asked[-2:] for form in wanted):
            wrong.append("a value that is no secret is not found at the model")
        return wrong
    return control


def open_display(knock):
    """A display that asks for no cookie is found to serve anybody."""
    def control(_arena):
        read, write = os.pipe()
        with subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-ac", "-screen", "0", "320x200x24", "-nolisten", "tcp"], pass_fds=[write],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as display:
            os.close(write)
            with os.fdopen(read) as told:
                number = told.readline().strip()
            found = knock(f"/tmp/.X11-unix/X{number}")
            display.terminate()
        return [] if found else ["a display without a cookie is not found to serve anybody"]
    return control


def open_folder(look):
    """A folder that others may look into is found."""
    def control(arena):
        canary = arena.waldo.temporary / "waldo-canary"
        canary.mkdir()
        canary.chmod(0o755)
        found = look(arena.waldo.temporary)
        canary.rmdir()
        return [] if any("waldo-canary" in line for line in found) else ["a folder that is open to others is not found"]
    return control


def waiting_pipe(arena):
    """Whoever opens one of the pipes waits, and whoever empties a folder through the link is seen to."""
    pipe = arena.waldo.root / "traps/waldo-web-trap/owner"
    pipe = pipe if pipe.exists() else next((arena.waldo.root / "traps").rglob("*owner"), pipe)
    if not pipe.exists():
        os.mkfifo(pipe := arena.waldo.root / "canary-pipe")
    opened = threading.Thread(target=lambda: open(pipe, "rb").close(), daemon=True)
    opened.start()
    opened.join(1)
    wrong = [] if opened.is_alive() else ["a pipe in the way holds nobody up"]
    # Somebody to write, so that who waits goes on.
    with contextlib.suppress(OSError):
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    outside = arena.waldo.root / "outside-canary"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    link = arena.waldo.root / "link-canary"
    link.symlink_to(outside)
    for path in Path(link).iterdir():
        path.unlink()
    return wrong if not (outside / "kept").exists() else [*wrong, "a folder that is emptied through a link is not seen"]


@contextlib.contextmanager
def running(environment):
    """A process with this environment. Popen returns before the environment can be read in /proc; what the program prints comes
    after that."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(["/bin/sh", "-c", "echo runs; read -r _"], env=environment, **pipes) as held:
        held.stdout.readline()
        try:
            yield held
        finally:
            held.kill()


def canaries_left(look):
    """A process and a folder that are left are found."""
    def control(arena):
        folder = arena.waldo.temporary / "waldo-left-canary"
        folder.mkdir()
        environment = {**os.environ, "TMPDIR": str(arena.waldo.temporary)}
        with running(environment) as held:
            found = look(arena)
        folder.rmdir()
        wanted = {"a folder": folder.name, "a process": f"process {held.pid} "}
        return [f"{what} that is left is not found" for what, word in wanted.items() if not any(word in line for line in found)]
    return control
