"""A minimal Debian, fresh for each trial, with processes, devices and packages of its own. Needs root, mmdebstrap and overlayfs."""
import pathlib
import shutil
import subprocess
import tempfile
import time

# Lists of packages that are older name versions that the archive no longer has.
FRESH_SECONDS = 24 * 3600
PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
TRUSTED = pathlib.Path("/usr/local/share/ca-certificates")
# $1 what all trials share, $2 the folder of this one, $3 the script, $4... what is shown inside, as OUTSIDE:INSIDE.
ENTER = """
lower=$1; trial=$2; script=$3; root=$2/root; shift 3
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$trial/changes,workdir=$trial/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
for shown; do
  mkdir -p "$root${shown#*:}"
  mount --bind "${shown%%:*}" "$root${shown#*:}"
  mount -o remount,bind,ro "$root${shown#*:}"
done
mkdir -p "$root/.outside"
cd "$root"
pivot_root . .outside
exec env -i PATH="$PLACES" HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \\
  chroot . sh -ec "umount -l /.outside; cd; $script"
"""


class TrialError(RuntimeError):
    """A script that ended otherwise than it should."""


class FreshRoot:
    """`with FreshRoot(folder, "bookworm", ["python3"]) as root: root.run("python3 --version")`"""

    def __init__(self, folder, suite, packages, shown=()):
        self.folder, self.suite, self.packages, self.shown = folder, suite, packages, list(shown)

    def __enter__(self):
        self.shared = self._shared()
        self.trial = pathlib.Path(tempfile.mkdtemp(prefix=f"trial-{self.suite}-", dir=self.folder))
        # What differs from the shared root; files may be laid there before and between scripts.
        self.path = self.trial / "changes"
        for part in ("root", "work", "changes/etc"):
            (self.trial / part).mkdir(mode=0o755, parents=True)
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        # Registries may stand behind a proxy whose certificate this machine trusts.
        if TRUSTED.is_dir() and any(TRUSTED.iterdir()):
            shutil.copytree(TRUSTED, self.path / TRUSTED.relative_to("/"))
            self.run("update-ca-certificates >/dev/null 2>&1")
        return self

    def __exit__(self, *_):
        subprocess.run(["rm", "-rf", "--one-file-system", self.trial], check=True)

    def _shared(self):
        """The root that no trial changes, made once a day for each set of packages."""
        made = self.folder / f"{self.suite}-{'-'.join(self.packages)[:60]}"
        if made.exists() and time.time() - made.stat().st_mtime < FRESH_SECONDS:
            return made
        begun = made.with_suffix(".part")
        for old in (made, begun):
            subprocess.run(["rm", "-rf", "--one-file-system", old], check=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        print(f"making a root of {self.suite} ...", flush=True)
        done = subprocess.run(
            ["mmdebstrap", "--quiet", "--format=directory", "--variant=apt", "--skip=cleanup/apt",
             f"--include={','.join(['ca-certificates', 'mount', *self.packages])}", self.suite, begun], capture_output=True, text=True)
        if done.returncode != 0:
            raise TrialError(f"mmdebstrap could not make a root of {self.suite}:\n{done.stderr[-3000:]}")
        begun.touch()
        begun.rename(made)
        return made

    def run(self, script, fails=False, seconds=900, quiet=True):
        """Seconds that a script takes in the root, and what it prints; one that ends otherwise than `fails` says is an error."""
        begin = time.monotonic()
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", f"PLACES={PLACES}{ENTER}", "sh", self.shared, self.trial, script, *self.shown],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if quiet else None, stderr=subprocess.STDOUT if quiet else None,
            text=True, timeout=seconds)
        took = time.monotonic() - begin
        if (done.returncode != 0) != fails:
            raise TrialError(f"'{script}' ended with {done.returncode} in {self.suite} after {took:.0f} s:\n{(done.stdout or '')[-4000:]}")
        return took, done.stdout or ""

    def megabytes(self):
        """What was added to the root, without packages that apt keeps."""
        done = subprocess.run(["du", "--summarize", "--block-size=1000000", f"--exclude={self.path}/var/cache/apt", self.path],
                              check=True, capture_output=True, text=True)
        return int(done.stdout.split()[0])
