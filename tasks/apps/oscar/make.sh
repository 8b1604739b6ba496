# Makes the shop's database and what its pages load, and takes away what an instance does not use: translations, and a
# script that would be asked for outside.
set -e
find /app/venv/lib -path '*/locale/*' -type d -prune ! -name en ! -name en_GB -exec rm -rf {} +
find /app/venv/lib -path '*/faker/providers/*/*_*' -type d -prune ! -name en_US -exec rm -rf {} +
find /app/venv/lib -name base.html -path '*/oscar/templates/oscar/base.html' -exec sed -i '/ajax\.googleapis\.com/d' {} +
mkdir -p media
/app/venv/bin/python /app/def/files/make.py
/app/venv/bin/python -m compileall -q /app/venv/lib /app/def/files >/dev/null || true
