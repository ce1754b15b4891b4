#!/usr/bin/env bash
# Builds the plug-ins for Nova and Manila: a wheel and python3-berth-openstack_VERSION_all.deb. Needs python3-pip, python3-wheel and
# python3-setuptools of Debian, and no network.
#
#   packaging/openstack/build.sh [--out dist/openstack]
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$root/dist/openstack

while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2 && shift 2 ;;
    *)
      echo "build.sh: unknown argument $1: see the head of this file" >&2
      exit 64
      ;;
  esac
done
# One date for all files, so that the same sources give the same packages.
date=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/package.json")}
export SOURCE_DATE_EPOCH=$date
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# A copy, because setuptools writes beside the sources.
cp -r "$root/integrations/openstack" "$work/source"
find "$work/source" -name __pycache__ -prune -exec rm -r {} +
/usr/bin/python3 -m pip wheel --quiet --no-deps --no-index --no-build-isolation --wheel-dir "$work/wheel" "$work/source"
wheel=$(echo "$work"/wheel/*.whl)
version=$(basename "$wheel" | cut -d- -f2)

tree=$work/tree
mkdir -p "$tree/DEBIAN" "$tree/usr/lib/python3/dist-packages" "$tree/usr/share/doc/python3-berth-openstack"
/usr/bin/python3 -m zipfile -e "$wheel" "$tree/usr/lib/python3/dist-packages"
cp "$root/packaging/deb/copyright" "$tree/usr/share/doc/python3-berth-openstack/"
printf '%s (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- %s  %s\n' \
  python3-berth-openstack "$version" 'Berth developers <berth@example.org>' "$(date -u -R -d "@$date")" |
  gzip -9n >"$tree/usr/share/doc/python3-berth-openstack/changelog.gz"
for script in postinst prerm; do install -m 755 "$here/$script" "$tree/DEBIAN/"; done
sed -e "s/@VERSION@/$version/" -e "s/@SIZE@/$(du -sk --exclude DEBIAN "$tree" | cut -f1)/" "$here/control" >"$tree/DEBIAN/control"
(cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$tree" -exec touch -h -d "@$date" {} +
dpkg-deb --root-owner-group --build "$tree" "$out/python3-berth-openstack_${version}_all.deb"
cp "$wheel" "$out/"
echo "$out/$(basename "$wheel")"
