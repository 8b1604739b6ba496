# Puts the packages' parts together, and makes the data that every instance is a copy of.
set -e
cp -r /app/root/usr/share/dokuwiki /app/site
rm /app/site/lib/plugins /app/site/lib/tpl
cp -r /app/root/var/lib/dokuwiki/lib/plugins /app/root/var/lib/dokuwiki/lib/tpl /app/site/lib/
# The packages name each other by where they lie in a system.
grep -rlE '/usr/share/(php|javascript)' /app/site --include='*.php' | xargs sed -i -E 's#/usr/share/(php|javascript)#/app/root/usr/share/\1#g'
cp /app/def/files/preload.php /app/site/inc/preload.php
cp -r /app/def/files/authseat /app/site/lib/plugins/authseat
rm -rf /app/site/lib/plugins/popularity /app/site/lib/plugins/extension /app/site/lib/plugins/testing /app/site/install.php
mkdir conf data
cp -L /app/root/etc/dokuwiki/*.conf /app/root/etc/dokuwiki/*.php /app/root/etc/dokuwiki/*.json conf/ 2>/dev/null || true
cp /app/def/files/conf/* conf/
cd data
mkdir attic cache index locks log media media_attic media_meta meta pages tmp
