# Makes the environment that every instance is a copy of.
set -e
/app/venv/bin/python -m trac.admin.console /data initenv --config=/app/def/files/trac.ini "Harbour Works" sqlite:db/trac.db >/dev/null
cp /app/def/files/seat.py plugins/
