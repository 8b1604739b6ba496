python3 /app/def/files/post.py &
while [ ! -e /tmp/open ]; do sleep 0.03; kill -0 $! || exit 1; done
exec php -d session.save_path=/tmp -d display_errors=0 -d opcache.enable_cli=1 -d memory_limit=192M -d upload_max_filesize=10M \
  -d post_max_size=12M -S 127.0.0.1:8000 -t /app/site /app/def/files/router.php
