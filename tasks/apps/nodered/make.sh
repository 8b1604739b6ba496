# Leaves out the languages of the editor that are not used, and makes the folder of flows.
set -e
mkdir -p /data/red/node_modules /data/red/lib/flows
cp /app/def/user-package.json /data/red/package.json
cd /app/node_modules/@node-red
rm -rf */locales/de */locales/es-ES */locales/fr */locales/ja */locales/ko */locales/pt-BR */locales/ru */locales/zh-CN */locales/zh-TW
