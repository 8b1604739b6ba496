#!/bin/sh
whole=$PATH
PATH=${PATH#*:}
if real=$(command -v gnome-terminal); then
  PATH=$whole exec "$real" "$@"
fi
title=Terminal geometry=80x24 large=''
while [ $# -gt 0 ]; do
  name=$1 value=''
  case $1 in
    -t | -e | --title | --command | --geometry | --working-directory)
      value=${2-}
      [ $# -gt 1 ] && shift ;;
    --*=*) name=${1%%=*} value=${1#*=} ;;
  esac
  shift
  case $name in
    -t | --title) title=$value ;;
    --geometry) geometry=$value ;;
    --maximize) large=1 ;;
    --working-directory) cd "$value" || exit 1 ;;
    -e | --command) set -- sh -c "$value" && break ;;
    -- | -x | --execute) break ;;
  esac
done
if command -v xfce4-terminal >/dev/null; then
  set -- xfce4-terminal --disable-server --title="$title" --dynamic-title-mode=none \
    --geometry="$geometry" ${large:+--maximize} ${1:+-x} "$@"
elif command -v xterm >/dev/null; then
  set -- xterm -T "$title" -xrm '*allowTitleOps: false' -fa Monospace -fs 11 \
    -geometry "$geometry" ${large:+-maximized} ${1:+-e} "$@"
else
  echo "no terminal here" >&2
  exit 127
fi
PATH=$whole setsid "$@" >/dev/null 2>&1 </dev/null &
