# shellcheck shell=bash
# What the bundles for other machines share; sourced by remote_bundle.sh and remote_gpu_bundle.sh.

# new_bundle BUNDLE BUILD_FOLDER: an empty bundle with the libraries that every program needs
new_bundle() {
  local bundle=$1 build=$2
  rm -rf "$bundle"
  mkdir -p "$bundle/bin" "$bundle/lib"
  cp -L "$build/lib/libkeysieve.so.0" "$build/lib/libkeysieve_cpu.so" "$bundle/lib/"
  ln -s libkeysieve.so.0 "$bundle/lib/libkeysieve.so"
  ldd "$build/bin/keysieve" "$build/lib/libkeysieve_cpu.so" | awk '$1 ~ /^lib(fmt|hwy)\.so/ { print $3 }' | sort -u |
    xargs -I '{}' cp -L '{}' "$bundle/lib/"
}

# add_python BUNDLE BUILD_FOLDER PYTHON_VERSION: the binding's library and the wheel of tvm-ffi
add_python() {
  local bundle=$1 build=$2 python_version=$3
  cp -L "$build/lib/libkeysieve_ffi.so" "$bundle/lib/"
  mkdir -p "$bundle/wheels"
  .venv/bin/python -m pip download --quiet --no-deps --only-binary=:all: --python-version "$python_version" \
    --implementation cp --platform manylinux_2_28_x86_64 --platform manylinux_2_24_x86_64 \
    --platform manylinux_2_17_x86_64 -d "$bundle/wheels" apache-tvm-ffi==0.1.15.post2
}

# seal_bundle BUNDLE: strips the binaries, names the revision, prints the size
seal_bundle() {
  local bundle=$1
  strip --strip-unneeded "$bundle"/bin/* "$bundle"/lib/*.so*
  git rev-parse HEAD > "$bundle/revision"
  git diff --quiet HEAD || echo "with changes" >> "$bundle/revision"
  du -sh "$bundle"
}
