#!/usr/bin/env bash
# Builds the Debian packages and proves them in a fresh chroot of Debian bookworm: install, serve, stop, upgrade to a higher
# version with the data kept, the programs of Placement, remove, purge. Needs root, mmdebstrap and the network.
#
#   packaging/deb/prove.sh [--lintian] [DIRECTORY]
#
# DIRECTORY keeps the archive of the chroot for the next run. --lintian checks the packages with Debian's lintian, too.
# No systemd runs in a chroot: what the units start is started as their user by this script.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "${BERTH_PROVE_INSIDE:-}" ]; then
  # Mounts of its own, which vanish with it.
  exec unshare --mount --propagation private env BERTH_PROVE_INSIDE=1 "$0" "$@"
fi
with_lintian=
if [ "${1:-}" = --lintian ]; then with_lintian=yes && shift; fi
keep=${1:-}
work=$(mktemp -d)
chroot=$work/chroot
server=
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || :
  for mounted in proc dev; do umount -l "$chroot/$mounted" 2>/dev/null || :; done
  rm -rf --one-file-system "$work"
}
trap stop EXIT
began=$SECONDS
step() { printf '%4d s  %s\n' $((SECONDS - began)) "$*"; }
fail() {
  echo "deb: $*" >&2
  exit 1
}
inside() { chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
install_packages() { inside apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1 || { cat "$work/apt.log" && fail "apt-get install $*"; }; }

# Every file and what it is, apart from what apt, dpkg and ld.so write for themselves.
list_files() {
  (cd "$chroot" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./debs -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/log \
    -o -path ./var/cache -o -path ./tmp -o -path ./run -o -path ./etc/ld.so.cache \) -prune -o -printf '%M %U %G %p\n' | grep -v -- '-$' | sort -k4)
}

make_chroot() {
  local archive=${keep:+$keep/bookworm.tar}
  mkdir "$chroot"
  if [ -n "$archive" ] && [ -f "$archive" ]; then
    tar -xpf "$archive" -C "$chroot" --exclude='./dev/*'
  else
    mmdebstrap --quiet --variant=apt bookworm "$work/bookworm.tar"
    tar -xpf "$work/bookworm.tar" -C "$chroot" --exclude='./dev/*'
    [ -z "$archive" ] || { mkdir -p "$keep" && mv "$work/bookworm.tar" "$archive"; }
  fi
  mount -t proc proc "$chroot/proc"
  mount --rbind /dev "$chroot/dev"
  # Nothing may start a service: there is no init.
  printf '#!/bin/sh\nexit 101\n' >"$chroot/usr/sbin/policy-rc.d"
  chmod 755 "$chroot/usr/sbin/policy-rc.d"
  cp /etc/resolv.conf "$chroot/etc/resolv.conf"
}

setting_of() { sed -n "s/^$2=//p" "$chroot/lib/systemd/system/$1"; }

# Starts what a unit starts, as its user, with its variables and umask, and waits for an answer.
start_unit() {
  local unit=$1 port=$2 file variables command
  file=$(setting_of "$unit" EnvironmentFile)
  variables=$(grep -E '^[A-Z_]+=' "$chroot/${file#-}" || :)
  command=$(setting_of "$unit" ExecStart)
  # shellcheck disable=SC2086 # words of a unit's line
  (umask "$(setting_of "$unit" UMask)" && exec chroot --userspec="$(setting_of "$unit" User):$(setting_of "$unit" Group)" "$chroot" \
    env -i PATH=/usr/bin:/bin HOME=/ $variables $command) >"$work/serve.log" 2>&1 &
  server=$!
  for _ in $(seq 300); do
    ! curl -fsS "http://127.0.0.1:$port/" >"$work/answer" 2>/dev/null || return 0
    kill -0 "$server" 2>/dev/null || { cat "$work/serve.log" && fail "$unit ended"; }
    sleep 0.1
  done
  cat "$work/serve.log" && fail "$unit does not answer"
}

stop_unit() {
  kill "$server"
  wait "$server" || fail "exit code $? at the end"
  server=
}

placement() {
  local token
  token=$(cat "$chroot/var/lib/berth/admin-token")
  curl -fsS -H "x-auth-token: $token" -H 'openstack-api-version: placement 1.39' -H 'content-type: application/json' "$@"
}

"$here/build.sh" --fast --out "$work/one" >/dev/null
"$here/build.sh" --fast --out "$work/two" --version 99.0 >/dev/null
step "built: $(cd "$work/one" && du -h --apparent-size -- *.deb | awk '{ printf "%s %s  ", $2, $1 }')"
if [ -n "$with_lintian" ]; then
  lintian --allow-root --fail-on error --suppress-tags groff-message "$work"/one/*.deb || fail 'lintian found errors'
  step 'lintian: no errors'
fi

make_chroot
mkdir "$chroot/debs"
cp "$work"/one/*.deb "$work"/two/*.deb "$chroot/debs/"
inside apt-get update >/dev/null 2>&1
list_files >"$work/before"
step 'a fresh chroot of bookworm'

install_packages "/debs/$(cd "$work/one" && echo berth_*_amd64.deb)"
port=$((20000 + RANDOM % 20000))
inside stat -c '%U:%G %a %n' /var/lib/berth /etc/berth /etc/berth/berth.json /etc/berth/berth.env >"$work/modes"
diff "$work/modes" - <<'END'
berth:berth 700 /var/lib/berth
root:berth 750 /etc/berth
root:berth 640 /etc/berth/berth.json
root:berth 640 /etc/berth/berth.env
END
inside test -L /etc/systemd/system/multi-user.target.wants/berth.service || fail 'the service is not enabled'
inside berth --version >/dev/null
for file in man/man1/berth.1.gz man/man1/berth-serve.1.gz man/man5/berth.json.5.gz bash-completion/completions/berth zsh/vendor-completions/_berth fish/vendor_completions.d/berth.fish; do
  [ -s "$chroot/usr/share/$file" ] || fail "no /usr/share/$file"
done
inside bash -n /usr/share/bash-completion/completions/berth
step 'installed: user, modes, enabled unit, manual, completion'

echo "BERTH_PORT=$port" >>"$chroot/etc/berth/berth.env"
start_unit berth.service "$port"
placement -X POST -d '{"name": "kept-host"}' "http://127.0.0.1:$port/placement/resource_providers" >/dev/null
stop_unit
step 'served as user berth: GET /, a provider made; stopped with exit code 0'

install_packages /debs/berth_99.0_amd64.deb
[ "$(inside dpkg-query -W -f '${Version}' berth)" = 99.0 ] || fail 'not upgraded'
grep -q "BERTH_PORT=$port" "$chroot/etc/berth/berth.env" || fail 'the upgrade lost a changed conffile'
start_unit berth.service "$port"
placement "http://127.0.0.1:$port/placement/resource_providers" | grep -q kept-host || fail 'the upgrade lost the data'
stop_unit
step 'upgraded to 99.0: settings and data kept'

install_packages /debs/berth-placement_99.0_all.deb
mkdir "$chroot/etc/placement"
printf '[placement_database]\nconnection = sqlite:////var/lib/placement/placement.sqlite\n[api]\nauth_strategy = noauth2\n' >"$chroot/etc/placement/placement.conf"
sed -i "s/^BERTH_PORT=.*/BERTH_PORT=$port/; s/^BERTH_HOST=.*/BERTH_HOST=127.0.0.1/" "$chroot/etc/default/placement-api"
chroot --userspec=placement:placement "$chroot" env -i PATH=/usr/bin:/bin placement-manage db sync
start_unit placement-api.service "$port"
grep -q '"max_version"' "$work/answer" || fail 'placement-api does not answer as Placement'
stop_unit
inside placement-status upgrade check >/dev/null || fail "placement-status: exit code $?"
step 'berth-placement: placement-manage db sync, placement-api serves as user placement, placement-status'
rm -r "$chroot/etc/placement"
inside apt-get purge -y berth-placement >/dev/null 2>&1 || fail 'apt-get purge berth-placement'

inside apt-get remove -y berth >/dev/null 2>&1 || fail 'apt-get remove'
[ ! -e "$chroot/usr/lib/berth" ] || fail 'the removal left /usr/lib/berth'
[ -f "$chroot/var/lib/berth/berth.sqlite" ] && [ -f "$chroot/etc/berth/berth.env" ] || fail 'the removal took data or settings along'
step 'removed: data and settings stay'

inside apt-get purge -y berth >"$work/apt.log" 2>&1 || { cat "$work/apt.log" && fail 'apt-get purge'; }
list_files >"$work/after"
diff "$work/before" "$work/after" || fail 'the purge left or took something'
! grep -E '^(berth|placement):' "$chroot/etc/passwd" "$chroot/etc/group" || fail 'the purge left a user'
step 'purged: nothing is left'
