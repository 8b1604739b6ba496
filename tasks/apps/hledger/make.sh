# Of the packages, the program and what it is linked against; the journal comes with each instance.
set -e
mkdir /app/bin /app/lib
mv /app/root/usr/bin/hledger-web /app/bin/
find /app/root -name 'lib*.so.*' -exec mv {} /app/lib/ \;
rm -rf /app/root
mkdir /data/books
