"""Adds up JUnit reports: a line per report and the totals as the last line.

usage: test_totals.py REPORT_FOLDER [--json FILE] [FAILED_STAGE...]
"""

import collections
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def main() -> int:
    folder, arguments = pathlib.Path(sys.argv[1]), sys.argv[2:]
    json_file = pathlib.Path(arguments[1]) if arguments[:1] == ["--json"] else None
    failed_stages = arguments[2:] if json_file else arguments
    suites: dict[str, dict[str, int]] = {}
    totals: collections.Counter[str] = collections.Counter()
    failing_reports = set()
    for report in sorted(folder.glob("*.xml")):
        counts: collections.Counter[str] = collections.Counter()
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
                counts["failed"] += 1
                print(f"  failed: {report.stem}: {case.get('classname', '')} {case.get('name')}")
            elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
                counts["skipped"] += 1
            else:
                counts["passed"] += 1
        if counts["failed"]:
            failing_reports.add(report.stem)
        print(f"  {report.stem}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
        suites[report.stem] = {kind: counts[kind] for kind in ("passed", "failed", "skipped")}
        totals.update(counts)
    # A stage that failed without a failed test (a build error, a crash of the runner) counts as one failure.
    for stage in failed_stages:
        print(f"  stage failed: {stage}")
        if stage not in failing_reports:
            totals["failed"] += 1
    if json_file:
        json_file.write_text(json.dumps({"suites": suites, **totals}, indent=2) + "\n", encoding="ascii")
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    return 1 if totals["failed"] or not totals["passed"] else 0


sys.exit(main())
