#!/usr/bin/env bash
# Builds the container with buildah, from the Debian packages of this checkout.
#
#   packaging/container/build.sh [--tag berth] [--base IMAGE] [--archive FILE] [--fast]
#
# The base is Debian bookworm as mmdebstrap makes it, which needs root and a mirror of Debian and no registry; --base names
# an image instead, such as debian:bookworm-slim. --archive keeps the base for the next run. --fast compresses the packages less.
set -euo pipefail
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tag=berth
base=
archive=
fast=()
while [ $# -gt 0 ]; do
  case $1 in
    --tag) tag=$2 && shift 2 ;;
    --base) base=$2 && shift 2 ;;
    --archive) archive=$2 && shift 2 ;;
    --fast) fast=(--fast) && shift ;;
    *)
      echo "build.sh: unknown argument $1: see the head of this file" >&2
      exit 64
      ;;
  esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/../deb/build.sh" "${fast[@]}" --out "$work/context" >/dev/null
cp -r "$here/programs" "$here/kolla" "$here/sudoers" "$work/context/"
rm -f "$work"/context/kolla/*.test.ts

if [ -z "$base" ]; then
  base=localhost/berth-debian:bookworm
  [ -n "$archive" ] || archive=$work/bookworm.tar
  [ -f "$archive" ] || mmdebstrap --quiet --variant=apt bookworm "$archive"
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$archive" / >/dev/null
  buildah commit --quiet --rm "$container" "$base" >/dev/null
fi
# Without namespaces of its own, so that it builds within a container too. Only Docker's format knows health checks.
buildah bud --quiet --isolation chroot --format docker --build-arg "BASE=$base" --tag "$tag" --file "$here/Containerfile" "$work/context"
