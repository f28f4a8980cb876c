#!/usr/bin/env bash
# Style: formatting, spelling, shell scripts, ASCII sources, file length.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

status=0
complain() { echo "lint: $1"; status=1; }

mapfile -t cpp < <(git ls-files --cached --others --exclude-standard '*.hpp' '*.cpp' '*.h' '*.c' '*.cu' '*.cuh')
mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.hpp' '*.cpp' '*.h' '*.c' '*.cu' '*.cuh' \
  '*.py' '*.pyi' '*.sh' '*.cmake' '*.md' '*CMakeLists.txt' Makefile .ci/run)
mapfile -t shell < <(git ls-files --cached --others --exclude-standard '*.sh' .ci/run)

clang-format-14 --dry-run --Werror "${cpp[@]}" || complain "formatting differs; run scripts/format.sh"
shellcheck "${shell[@]}" || complain "shellcheck found something"
codespell --ignore-words-list=fo,ot "${sources[@]}" || complain "spelling"
if LC_ALL=C grep -nP '[^\x00-\x7F]' "${sources[@]}"; then complain "expected ASCII only"; fi
for file in "${cpp[@]}"; do
  lines=$(wc -l < "$file")
  if [ "$lines" -gt 400 ]; then complain "$file: expected at most 400 lines, found $lines"; fi
done
exit "$status"
