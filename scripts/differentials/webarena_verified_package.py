"""The package webarena-verified (PyPI) in an environment of its own, for the differentials that compare with it."""

import logging
import os
import pathlib
import subprocess
import sys
import venv
import warnings

PACKAGE = "webarena-verified==1.2.3"


def enter():
    """Runs this program again in an environment that has the package, unless it is there already.

    The package is installed beside the user's other caches at the first run; WALDO_WEBARENA_VERIFIED_VENV names another place.
    """
    if os.environ.get("WALDO_WEBARENA_VERIFIED") == "inside":
        return
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    place = pathlib.Path(os.environ.get("WALDO_WEBARENA_VERIFIED_VENV", cache / "waldo" / "webarena-verified"))
    python = place / "bin" / "python"
    if not (place / "complete").exists():
        venv.create(place, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", PACKAGE], check=True)
        (place / "complete").touch()
    os.environ["WALDO_WEBARENA_VERIFIED"] = "inside"
    os.execv(python, [str(python), *sys.argv])


def config(sites):
    """The package's configuration with the addresses of these sites; what it logs and warns of is left out."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    from webarena_verified.types.config import WebArenaVerifiedConfig
    return WebArenaVerifiedConfig(environments={f"__{name.upper()}__": {"urls": [url]} for name, url in sites.items()})
