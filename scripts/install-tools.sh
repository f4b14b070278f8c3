#!/usr/bin/env bash
# Installs the missing ones of the Debian packages with the programs that make renditions, in one run.
#   npm run install:tools
# A format whose program is missing is unavailable; everything else works.
set -euo pipefail
source "$(dirname "$0")/install-packages.sh"
source "$(dirname "$0")/tool-packages.sh"

install_packages 'npm run install:tools' "${tool_packages[@]}"
