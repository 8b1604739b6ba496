# Leaves out what is not served, and makes the database that every instance is a copy of.
set -e
cd /app/node_modules/@excalidraw/excalidraw
rm -rf dist/excalidraw-assets-dev dist/*.development.js dist/*preact* types
python3 -c 'import sqlite3; sqlite3.connect("/data/scene.db").executescript(open("/app/def/schema.sql").read())'
