cd /data/books
LD_LIBRARY_PATH=/app/lib /app/bin/hledger-web -f house.journal --serve --host 127.0.0.1 --port 8001 --base-url '' --capabilities view,add,manage &
exec python3 /app/def/files/front.py
