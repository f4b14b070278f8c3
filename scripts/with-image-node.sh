#!/usr/bin/env bash
# Runs a command on the Node version of the image (Dockerfile): `bash scripts/with-image-node.sh npm run bench -- token`. npm's package
# `node-<platform>` contains the binary of that version; both versions share node_modules, because the binaries in our packages do not depend on it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^FROM node:\([0-9.]*\)-.*/\1/p' "$root/Dockerfile" | head -n 1)
package="node-$(node -p '`${process.platform}-${process.arch}`')"
folder=$root/node_modules/.cache/node-$version
bin=$folder/node_modules/$package/bin
[ -x "$bin/node" ] || npm install --loglevel=error --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" "$package@$version" >&2
PATH="$bin:$PATH" exec "$@"
