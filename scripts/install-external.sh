#!/usr/bin/env bash
# Installs the programs from Debian's packages that the rings `browser` and `external` need, all at once, only what is missing.
#   npm run test:install                      everything
#   SKIP_GROUPS=browser npm run test:install  without a group (its tests then fail and name the program)
set -euo pipefail

# A group is one line: its name, then its packages.
groups='
browser chromium fonts-dejavu-core
clients python3 python3-authlib python3-requests openssl
saml simplesamlphp php-cli php-xml php-mbstring
radosgw radosgw ceph-mon ceph-osd ceph-common
s3clients awscli rclone s3cmd python3-boto3 curl
media ffmpeg imagemagick libimage-exiftool-perl exiv2 libreoffice-writer-nogui poppler-utils fonts-dejavu-core
'

skip=",${SKIP_GROUPS:-},"
packages=()
missing=()
while read -r group names; do
  [ -n "$group" ] || continue
  case "$skip" in *",$group,"*) echo "skipping $group"; continue ;; esac
  for name in $names; do
    packages+=("$name")
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
done <<<"$groups"

if ! command -v apt-get >/dev/null; then
  echo "This is no Debian: install what these packages hold by hand: ${packages[*]}" >&2
  exit 1
fi

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "Missing: ${missing[*]}. Only root can install them: sudo npm run test:install" >&2
    exit 1
  fi
  # Packages must not start their daemons: nothing here needs them, and a container has no init.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o Acquire::Retries=3 -q update
  apt-get -o Acquire::Retries=3 -q -y --no-install-recommends install "${missing[@]}"
fi

[ ${#packages[@]} -eq 0 ] || dpkg-query -W -f='${Package} ${Version}\n' "${packages[@]}"
