# Puts the packages' parts together, and makes the mail box that every instance is a copy of.
set -e
mv /app/root/usr/share/roundcube /app/site
cp -rL /app/root/usr/share/javascript /app/javascript
# The packages name each other by where they lie in a system.
cd /app/site
find . -type l | while read -r link; do
  target=$(readlink "$link")
  case "$target" in
    */javascript/*) rm "$link"; [ ! -e "/app/javascript/${target#*/javascript/}" ] || cp -r "/app/javascript/${target#*/javascript/}" "$link";;
    *) rm "$link";;
  esac
done
mv /app/root/usr/share/php /app/php
mkdir -p config plugins/seat
cp /app/root/etc/roundcube/defaults.inc.php /app/root/etc/roundcube/mimetypes.php config/
sed -i -E 's#/(usr/share|etc)/roundcube#/app/site#g' config/*.php
cp /app/def/files/config.inc.php config/
cp /app/def/files/seat/seat.php plugins/seat/
grep -rlE '/(var/lib|usr/share|etc)/roundcube' . --include='*.php' | xargs -r sed -i -E 's#/(var/lib|usr/share|etc)/roundcube#/app/site#g'
rm -rf installer
grep -rlE '/usr/share/php' /app/php /app/site --include='*.php' | xargs -r sed -i 's#/usr/share/php#/app/php#g'
# Of Dovecot, the programs that speak for one connection. They find each other by paths that are as long below /app as below /usr.
mkdir /app/bin /app/lib
mv /app/root/usr/bin/doveconf /app/bin/
mv /app/root/usr/lib/dovecot /app/lib/dovecot
cd /app/lib/dovecot
ls | grep -vE '^(imap|lib.*|modules)$' | xargs rm -rf
rm -rf modules/doveadm modules/auth
mv /app/root/usr/lib/x86_64-linux-gnu/libunwind*.so* /app/lib/dovecot/
grep -rlE '/usr/(lib/dovecot|bin/doveconf)' /app/lib /app/bin | xargs sed -i -E 's#/usr/(lib/dovecot|bin/doveconf)#/app/\1#g'
rm -rf /app/root
cd /data
python3 - <<'P'
import sqlite3
base = sqlite3.connect("/data/roundcube.sqlite")
base.executescript(open("/app/site/SQL/sqlite.initial.sql").read())
base.executescript("""
insert into users (user_id, username, mail_host, created, last_login, language, preferences)
  values (1, 'robin', 'localhost', '2026-01-02 09:00:00', '2026-01-02 09:00:00', 'en_US', null);
insert into identities (identity_id, user_id, changed, standard, name, organization, email)
  values (1, 1, '2026-01-02 09:00:00', 1, 'Robin Vale', '', 'robin@vale.example');
""")
P
