"""A JUnit report, as scripts/test_totals.py adds them up."""

import pathlib
import xml.etree.ElementTree as ElementTree


class Suite:
    def __init__(self, name: str) -> None:
        self._root = ElementTree.Element("testsuite", name=name)

    def add(self, group: str, name: str, seconds: float, faults: list[str]) -> list[str]:
        case = ElementTree.SubElement(self._root, "testcase", classname=group, name=name, time=f"{seconds:.3f}")
        if faults:
            ElementTree.SubElement(case, "failure", message=faults[0]).text = "\n".join(faults)
        return faults

    def skip(self, group: str, name: str, reason: str) -> None:
        case = ElementTree.SubElement(self._root, "testcase", classname=group, name=name)
        ElementTree.SubElement(case, "skipped", message=reason)

    def write(self, path: pathlib.Path) -> None:
        cases = list(self._root.iter("testcase"))
        self._root.set("tests", str(len(cases)))
        for attribute, tag in (("failures", "failure"), ("skipped", "skipped")):
            self._root.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
        path.parent.mkdir(parents=True, exist_ok=True)
        ElementTree.ElementTree(self._root).write(path, encoding="utf-8", xml_declaration=True)
