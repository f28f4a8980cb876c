#!/usr/bin/env bash
# The Python package: in the tree, type-checked, and once more from a wheel in an empty environment; then the command
# end to end. usage: test_python.sh REPORT_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

reports=$1
python=.venv/bin/python
scripts/build_python.sh "$reports/python-build.log"
python3 scripts/check_symbols.py build/lib/libkeysieve.so build/lib/libkeysieve_cpu.so build/lib/libkeysieve_ffi.so

status=0
export PYTHONPATH=python KEYSIEVE_LIBRARY_DIR=$PWD/build/lib
$python -m pytest -q -p no:cacheprovider --junitxml="$reports/python.xml" tests/python || status=1
for example in examples/*.py; do
  $python "$example" || { echo "$example failed"; status=1; }
done
MYPYPATH=python $python -m mypy --strict -p keysieve || status=1
unset PYTHONPATH KEYSIEVE_LIBRARY_DIR

# The wheel sees neither the tree nor its build.
wheel_env=build/wheel-env
rm -rf "$wheel_env"
/usr/bin/python3 -m venv "$wheel_env"
"$wheel_env/bin/python" -m pip install --quiet --disable-pip-version-check . pytest==9.2.0 hypothesis==6.170.17
cp -r tests/python "$wheel_env/tests"
(cd "$wheel_env" && bin/python -m pytest -q -p no:cacheprovider --junitxml="$reports/wheel.xml" tests) || status=1

KEYSIEVE_CLI=$PWD/build/bin/keysieve $python -m pytest -q -p no:cacheprovider --junitxml="$reports/cli.xml" tests/tools ||
  status=1
exit "$status"
