# The pages of the instance are written through the wiki itself.
set -e
php -d memory_limit=256M /app/def/files/seed.php --conf /app/site/LocalSettings.php
exec php -d memory_limit=256M -d session.save_path=/tmp -d display_errors=0 -d opcache.enable_cli=1 -d opcache.memory_consumption=96 -d opcache.max_accelerated_files=8000 -S 127.0.0.1:8000 -t /app/site
