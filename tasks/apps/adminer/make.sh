# Of the package, the program in one file and the plugin that asks nobody for newer versions.
set -e
mkdir /app/site /app/parts
cp /app/root/usr/share/adminer/adminer.php /app/parts/
cp /app/root/usr/share/adminer/plugins/plugin.php /app/root/usr/share/adminer/plugins/version-noverify.php /app/parts/
cp /app/def/files/index.php /app/site/
rm -rf /app/root
mkdir /data/schema
python3 - <<'P'
import sqlite3
with sqlite3.connect("/data/stock.db") as base:
    base.executescript(open("/app/def/files/tables.sql").read())
P
