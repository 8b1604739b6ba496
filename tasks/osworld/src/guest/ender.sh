#!/bin/sh
PATH=${PATH#*:}
signal=TERM exact='' all=''
case $0 in *killall) exact=-x ;; esac
for word; do
  shift
  case $word in
    -[0-9]* | -[A-Z][A-Z]*) signal=${word#-} ;;
    -q | -e | -w | -I | -v) ;;
    chrome | google-chrome | google-chrome-stable | chromium | chromium-browser)
      all=1 ;;
    *) set -- "$@" "$word" ;;
  esac
done
# A browser writes its title over its environment; where it runs, and its profile, tell.
ours() {
  tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | grep -qxF "WALDO_DESKTOP=$WALDO_DESKTOP" && return
  tr '\0' '\n' 2>/dev/null <"/proc/$1/cmdline" | grep -qF "=$HOME/" && return
  case $(readlink "/proc/$1/cwd" 2>/dev/null) in "$HOME" | "$HOME"/*) return ;; esac
  return 1
}
ended=1
[ -n "$all" ] && set -- "$@" 'chrom(e|ium)'
# Whoever asked for it names the pattern, too.
own=" $$ " above=$PPID
while [ "${above:-0}" -gt 1 ]; do
  own="$own$above " above=$(cut -d' ' -f4 "/proc/$above/stat" 2>/dev/null)
done
for id in $(pgrep $exact "$@"); do
  case $own in *" $id "*) continue ;; esac
  ours "$id" || continue
  kill "-${signal#SIG}" "$id" 2>/dev/null && ended=0
done
exit $ended
