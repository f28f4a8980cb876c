"""The README shows the example files that the tests compile and run, character by character."""

import pathlib
import sys


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    readme = (root / "README.md").read_text(encoding="utf-8")
    failed = 0
    for example in sorted((root / "examples").iterdir()):
        if example.read_text(encoding="utf-8").strip() not in readme:
            print(f"README.md: expected the text of {example.name}, found something else")
            failed += 1
    return 1 if failed else 0


sys.exit(main())
