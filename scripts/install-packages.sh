# Installs the missing ones of the given Debian packages in one run; sourced by the scripts that name the packages.
#   install_packages COMMAND PACKAGE…   COMMAND is what users without root are told to run with sudo
# With FOR_IMAGE=yes the package lists are deleted, so that an image does not contain them.

install_packages() {
  local command=$1 name policy=/usr/sbin/policy-rc.d
  shift
  [ $# -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "This is no Debian: install what these packages hold by hand: $*" >&2
    return 1
  fi
  local missing=()
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" -ne 0 ]; then
      echo "Missing: ${missing[*]}. Only root can install them: sudo $command" >&2
      return 1
    fi
    # Packages must not start their daemons: nothing here needs them, and a container has no init.
    if [ ! -e "$policy" ]; then
      trap "rm -f $policy" EXIT
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod 755 "$policy"
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o Acquire::Retries=3 -q update
    apt-get -o Acquire::Retries=3 -q -y --no-install-recommends install "${missing[@]}"
    [ "${FOR_IMAGE:-}" != yes ] || rm -rf /var/lib/apt/lists/*
  fi
  dpkg-query -W -f='${Package} ${Version}\n' "$@"
}
