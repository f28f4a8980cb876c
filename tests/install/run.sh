#!/usr/bin/env bash
# Installs a build into a prefix and uses it from there, by find_package and by pkg-config, as another project would.
# usage: run.sh BUILD_FOLDER SCRATCH_FOLDER
set -euo pipefail

build=$1
scratch=$2
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples
rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" > "$scratch.log"

expect() {  # expect TEXT COMMAND...
  local expected=$1 found
  shift
  found=$("$@")
  if [ "$found" != "$expected" ]; then
    printf '%s: expected\n%s\nfound\n%s\n' "$1" "$expected" "$found" >&2
    exit 1
  fi
}

cmake -S "$here/consumer_cmake" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DEXAMPLES="$examples" \
  > "$scratch.log"
cmake --build "$scratch/consumer" > "$scratch.log"
expect $'1 3 5\n0 1 -1' "$scratch/consumer/from_c"
expect $'4 selected: 41 43 45 46\n3 selected: 80 81 82 -1' "$scratch/consumer/from_cpp"

pc_folder=$(dirname "$(find "$scratch/prefix" -name keysieve.pc)")
flags=$(PKG_CONFIG_PATH=$pc_folder pkg-config --define-variable=prefix="$scratch/prefix" --cflags --libs keysieve)
lib_folder=$(dirname "$pc_folder")
# shellcheck disable=SC2086  # the flags are several words
cc -std=c11 "$examples/select.c" -o "$scratch/from_pkg_config" $flags -Wl,-rpath,"$lib_folder"
expect $'1 3 5\n0 1 -1' "$scratch/from_pkg_config"

# The command finds its libraries from the prefix alone.
if [ -x "$scratch/prefix/bin/keysieve" ]; then
  env -i "$scratch/prefix/bin/keysieve" --version
fi
echo "install test passed"
