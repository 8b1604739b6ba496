# Makes the museum's database and what its pages load, and takes away the translations, of which there are many.
set -e
find /app/venv/lib -path '*/locale/*' -type d -prune ! -name en ! -name en_GB -exec rm -rf {} +
mkdir -p media/documents media/original_images media/images
/app/venv/bin/python /app/def/files/make.py
/app/venv/bin/python -m compileall -q /app/venv/lib /app/def/files >/dev/null || true
