# Puts the packages' parts together, and makes the wiki that every instance is a copy of.
set -e
mv /app/root/usr/share/mediawiki /app/site
cd /app/site
# What is not used here: other languages, other skins, the installer's pages, and all extensions but the editor's toolbar.
mv extensions-core/WikiEditor /app/WikiEditor
rm -rf extensions extensions-core images config LocalSettings.php mw-config/overrides skins/MinervaNeue skins/MonoBook
mkdir extensions images
mv /app/WikiEditor extensions/
rm -rf /app/root
find languages extensions skins includes resources -path '*/i18n/*' -name '*.json' ! -name 'en.json' ! -name 'exif' -delete
find languages/messages -name 'Messages*.php' ! -name 'MessagesEn.php' -delete
mkdir /data/db /app/l10n
# The password is nobody's: who sits at the keyboard is logged in.
php -d memory_limit=512M maintenance/install.php --quiet --dbtype=sqlite --dbname=wiki --dbpath=/data/db --confpath=/tmp \
  --server=http://localhost --scriptpath= --lang=en --skins=Vector --pass="$(head -c 24 /dev/urandom | base64)" "Mill Lane Workshop" Caretaker
cp /app/def/files/LocalSettings.php LocalSettings.php
cp -r /app/def/files/Seat extensions/Seat
cp /app/def/files/logo.svg resources/logo.svg
php maintenance/rebuildLocalisationCache.php --quiet --lang=en --force
php maintenance/update.php --quick >/dev/null
php maintenance/createAndPromote.php --quiet --sysop --bureaucrat Robin "$(head -c 24 /dev/urandom | base64)"
php /app/def/files/tables.php
# The first pages fill the caches of scripts and styles.
php /app/def/files/warm.php
rm -rf /data/db/locks
