# Settings that hold for everybody, the folders of an instance, and compiled programs. What an instance does not use is
# taken away: other languages, and maps of the scripts.
set -e
lab=/app/venv/share/jupyter/lab
mkdir -p "$lab/settings" work settings
cp /app/def/files/overrides.json "$lab/settings/"
find "$lab/static" -name '*.map' -delete
# Checks of addresses by a grammar, which takes longer to read than all the rest to start; without it they are not checked.
find /app/venv/lib -maxdepth 3 -name rfc3987_syntax -exec rm -rf {} +
/app/venv/bin/python -m compileall -q /app/venv/lib >/dev/null || true
