"""Runs a program of a folder by its name, or lists them with the first sentence of each."""
import os
import pathlib
import re
import subprocess
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]


def about(program):
    """The first sentence of what a program says of itself."""
    lines = [line for line in program.read_text().splitlines()[1:] if line.strip()]
    if lines[0].startswith('"""'):
        words = " ".join(lines).split('"""')[1]
    else:
        comment = []
        for line in lines:
            if not re.match(r"(#|//) ?", line):
                break
            comment.append(re.sub(r"^(#|//) ?", "", line))
        words = " ".join(comment)
    return re.split(r"(?<=\.)\s|: scripts/|\susage:", " ".join(words.split()))[0].rstrip(".")


def main(words, folder, cargo=None):
    """Runs what is named on the command line. `cargo` holds benchmarks of crates: name to crate and sentence."""
    cargo = cargo or {}
    programs = {path.name: path for path in folder.iterdir() if path.is_file() and not path.suffix}
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(words.strip() + "\n")
        told = {name: about(path) for name, path in programs.items()} | {name: what for name, (_, what) in cargo.items()}
        for name in sorted(told):
            print(f"    {name:<12} {told[name]}")
        return
    name, rest = arguments[0], arguments[1:]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS), "PYTHONDONTWRITEBYTECODE": "1"}
    if name in cargo:
        os.chdir(SCRIPTS.parent)
        subprocess.run(["scripts/setup", "tests"], check=True)
        os.execvp("cargo", ["cargo", "bench", "--locked", "-p", cargo[name][0], "--bench", name, "--", *rest])
    if name not in programs:
        sys.exit(f"there is no '{name}' in {folder.name}: {', '.join(sorted([*programs, *cargo]))}")
    os.execve(programs[name], [str(programs[name]), *rest], environment)
