#!/usr/bin/env bash
# Gathers what a GPU machine needs for scripts/remote_toolchains.sh: the command with its libraries, and every leg that
# has been built (toolchains/toolchains.py build all).
# usage: remote_toolchains_bundle.sh [BUILD_FOLDER]     result: build-remote-toolchains/
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
bundle="build-remote-toolchains"
limit_mebibytes=45
# shellcheck source=scripts/bundle_parts.sh
. scripts/bundle_parts.sh
new_bundle "$bundle" "$build"
cp "$build/bin/keysieve" "$bundle/bin/"
seal_bundle "$bundle"
mkdir "$bundle/legs"
legs=0
for folder in build-toolchains/*/; do
  [ -f "$folder/leg.json" ] || continue  # build-toolchains/work
  if ! grep -q '"sass"' "$folder/leg.json"; then
    echo "remote_toolchains_bundle: $folder: its machine code has not been checked; run toolchains.py sass" >&2
    exit 2
  fi
  cp -r "$folder" "$bundle/legs/"
  legs=$((legs + 1))
done
if [ "$legs" -eq 0 ]; then
  echo "remote_toolchains_bundle: expected legs in build-toolchains/, found none; run toolchains.py build all" >&2
  exit 2
fi
echo "$legs legs, $(du -sm "$bundle" | cut -f 1) MiB"
if [ "$(du -sm "$bundle" | cut -f 1)" -gt "$limit_mebibytes" ]; then
  echo "remote_toolchains_bundle: $bundle is larger than $limit_mebibytes MiB" >&2
  exit 1
fi
