#!/usr/bin/env bash
# Installs what a fresh Debian 12 machine lacks: packages (as root or through sudo) and a virtual environment in
# .venv. Says what it installs; does nothing where nothing is missing.
# usage: setup.sh demo|test
set -euo pipefail
cd "$(dirname "$0")/.."

level=${1:-demo}
packages=(g++ cmake ninja-build make git ccache pkg-config python3 python3-venv
  libhwy-dev libcli11-dev nlohmann-json3-dev libfmt-dev libtomlplusplus-dev)
case $level in
  demo) ;;
  test) packages+=(libboost-context-dev libgtest-dev libgmock-dev librapidcheck-dev clang libclang-rt-14-dev binutils shellcheck codespell
    clang-format-14 python3-torch libtorch-dev chromium fonts-dejavu-core) ;;
  *) echo "usage: setup.sh demo|test" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "setup: expected root or sudo to install: ${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo)
  fi
  echo "setup: installing Debian packages: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >/dev/null
fi

# Debian's own interpreter: its venv module is the one that was just installed.
python=/usr/bin/python3
venv() {  # venv FOLDER REQUIREMENTS [VENV_OPTION...]
  local folder=$1 requirements=$2 stamp
  shift 2
  stamp=$folder/.requirements
  if ! cmp -s "$requirements" "$stamp"; then
    echo "setup: making $folder from $requirements"
    rm -rf "$folder"
    "$python" -m venv "$@" "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$stamp"
  fi
}
venv .venv-demo scripts/requirements-demo.txt
if [ "$level" = test ]; then
  venv .venv scripts/requirements-test.txt
  venv .venv-torch scripts/requirements-torch.txt --system-site-packages
fi
echo "setup: ready"
