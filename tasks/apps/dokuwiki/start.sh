# Pages that nobody has opened yet are found, too, once they are in the index.
php -d memory_limit=256M /app/site/bin/indexer.php -q >/dev/null 2>&1
exec php -d session.save_path=/tmp -d display_errors=0 -d opcache.enable_cli=1 -S 127.0.0.1:8000 -t /app/site
