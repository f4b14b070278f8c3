#!/usr/bin/env bash
# Installs the programs from Debian's packages that make renditions, all at once, only what is missing.
#   npm run install:tools
# A format whose program is missing is unavailable; everything else works.
set -euo pipefail
source "$(dirname "$0")/install-packages.sh"
source "$(dirname "$0")/tool-packages.sh"

install_packages 'npm run install:tools' "${tool_packages[@]}"
