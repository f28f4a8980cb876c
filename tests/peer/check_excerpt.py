"""The page on peers shows the tested peer, character by character. usage: check_excerpt.py PAGE SOURCE"""

import pathlib
import sys


def main() -> int:
    page, source = (pathlib.Path(argument) for argument in sys.argv[1:3])
    _, line, excerpt = source.read_text(encoding="utf-8").partition("/* --- */\n")
    if not line:
        print(f"{source}: expected a line /* --- */ above the excerpt, found none")
        return 1
    if f"```c\n{excerpt.strip()}\n```" not in page.read_text(encoding="utf-8"):
        print(f"{page}: expected the text of {source.name} below its line, found something else")
        return 1
    return 0


sys.exit(main())
