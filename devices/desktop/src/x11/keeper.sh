trap '' INT TERM HUP QUIT
read -r folder || exit
server=0
while read -r line; do server=$line; done
set -- "$folder" "$server"
inodes() {
  for e in /proc/[0-9]*/environ; do
    p=${e#/proc/}; p=${p%/environ}
    grep -qsaF "WALDO_DESKTOP=$1" "$e" && ls -l "/proc/$p/fd" 2>/dev/null
  done | sed -n 's/.*socket:\[\([0-9]*\)\]$/\1/p'
}
sockets=$(inodes "$1" | awk 'NR==FNR { i[$1]; next } $7 in i && index($8, "/tmp/OSL_PIPE_") == 1 { print $8 }' - /proc/net/unix)
left() {
  found=
  for e in /proc/[0-9]*/environ; do
    p=${e#/proc/}; p=${p%/environ}
    [ "$p" != "$3" ] && { grep -qsaF "WALDO_DESKTOP=$1" "$e" || grep -qsaF "=$1/" "/proc/$p/cmdline"; } && { kill -"$2" "$p" 2>/dev/null; found=1; }
  done
  [ -n "$found" ]
}
n=0; while left "$1" KILL "$2" && [ $n -lt 50 ]; do n=$((n+1)); done
n=0; while left "$1" TERM 0 && [ $n -lt 50 ]; do n=$((n+1)); sleep 0.02; done
left "$1" KILL 0
[ -n "$sockets" ] && rm -f $sockets
mounts() {
  while read -r _ _ _ _ at _; do
    at=$(printf %b "$at")
    case $at in "$1"/*) printf '%s\n' "$at" ;; esac
  done </proc/self/mountinfo
}
mounts "$1" | while IFS= read -r at; do
  umount -l "$at" || fusermount3 -u -z "$at" || fusermount -u -z "$at"
done 2>/dev/null
# What is still mounted there must not go with it.
n=0; while [ -z "$(mounts "$1")" ] && [ -e "$1" ] && ! rm -rf "$1" && [ $n -lt 50 ]; do n=$((n+1)); left "$1" KILL 0; sleep 0.02; done
