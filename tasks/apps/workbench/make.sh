# Makes the database that every instance is a copy of.
set -e
python3 -c 'import sqlite3; sqlite3.connect("/data/office.db").executescript(open("/app/def/schema.sql").read())'
