# Makes the wiki that every instance is a copy of, and leaves out what the package brings besides.
set -e
cd /app/node_modules/tiddlywiki
rm -rf editions languages community bin/* playwright.config.js
mkdir -p /data/wiki/tiddlers
cp /app/def/tiddlywiki.info /data/wiki/
