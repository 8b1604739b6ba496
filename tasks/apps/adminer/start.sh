php /app/site/index.php
exec php -d session.save_path=/tmp -d session.gc_probability=0 -d upload_tmp_dir=/tmp -d display_errors=0 -d opcache.enable_cli=1 -S 127.0.0.1:8000 -t /app/site /app/def/files/router.php
