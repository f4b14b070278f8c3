#!/usr/bin/env bash
# Installs the missing ones of the Debian packages that the rings `browser` and `external` need, in one run.
#   npm run test:install                      everything
#   SKIP_GROUPS=browser npm run test:install  without a group (its tests then fail and name the program)
set -euo pipefail
source "$(dirname "$0")/install-packages.sh"
source "$(dirname "$0")/tool-packages.sh"

# A group is one line: its name, then its packages.
groups="
browser chromium chromium-headless-shell fonts-dejavu-core
clients python3 python3-authlib python3-requests openssl oathtool
saml simplesamlphp php-cli php-xml php-mbstring
radosgw radosgw ceph-mon ceph-osd ceph-common
s3clients awscli rclone s3cmd python3-boto3 curl
media ${tool_packages[*]} exiv2 libavif-bin mediainfo mpv
container python3 python3-seccomp
cdn nginx-light
archives unzip p7zip-full libarchive-tools python3 curl
backup postgresql postgresql-client rclone
metrics prometheus
"

skip=",${SKIP_GROUPS:-},"
packages=()
while read -r group names; do
  [ -n "$group" ] || continue
  case "$skip" in *",$group,"*) echo "skipping $group"; continue ;; esac
  read -ra of_group <<<"$names"
  packages+=("${of_group[@]}")
done <<<"$groups"

install_packages 'npm run test:install' "${packages[@]}"
