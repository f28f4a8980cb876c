"""Turns reports of gpu_select_bench into the speed table and holds them against the goals.

usage: speed_table.py RESULT.json [RESULT.json ...] --baseline h200-select.csv [-o table.md]

A ratio to the floor is the median over the read floor of the same run. A ratio to the best public time is the median
over best_public_us * our_floor / their_floor: the two were measured on different machines of one kind, and the floors
say how the machines compare. The exit code is 1 when a cell has wrong rows or an automatic cell could not be measured,
2 when the input cannot be read, and with --strict 1 when a goal is missed or not measured.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import sys
from typing import Any, NamedTuple

SCHEMA = "keysieve.gpu_bench/1"
ROBUST_ROWS, ROBUST_WIDTH = 1024, 131072
ROBUST_GOAL = 2.0
ROBUST_GOALS = {"defeats_sample": 4.0}
ROBUST_DISTRIBUTIONS = [
    "constant", "ascending", "descending", "relu", "relu_deep", "low_bits", "shifted", "scaled", "all_nan",
    "mostly_minus_inf", "hidden_peaks", "defeats_sample",
]  # fmt: skip

Cell = dict[str, Any]


class Shape(NamedTuple):
    rows: int
    width: int
    k: int


class Failure(Exception):
    """Input that cannot be used; the message is for people."""


def floor_goal(shape: Shape) -> float | None:
    """The largest ratio to the floor that this stage allows; None where it sets no goal."""
    if shape.rows >= 1024:
        return {262144: 1.20, 131072: 1.35}.get(shape.width)
    if 128 <= shape.rows <= 256 and 131072 <= shape.width <= 262144:
        return 1.6
    return None


def robust_goal(distribution: str) -> float:
    return ROBUST_GOALS.get(distribution, ROBUST_GOAL)


def read_report(path: pathlib.Path) -> dict[str, Any]:
    try:
        report: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"{path}: {error}") from error
    schema = report.get("schema") if isinstance(report, dict) else None
    if not isinstance(report, dict) or schema != SCHEMA:
        raise Failure(f"{path}: expected schema {SCHEMA}, got {schema}")
    return report


def read_baseline(path: pathlib.Path, mode: str) -> dict[Shape, tuple[float, float, str]]:
    """Shape -> floor, best public time, its name. Shapes without a right public answer are left out."""
    baseline = {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                if line["mode"] != mode or not line["best_us"]:
                    continue
                shape = Shape(int(line["rows"]), int(line["width"]), int(line["k"]))
                baseline[shape] = (float(line["read_floor_us"]), float(line["best_us"]), line["best_impl"])
    except (OSError, KeyError, ValueError) as error:
        raise Failure(f"{path}: cannot be read as a baseline: {error!r}") from error
    if not baseline:
        raise Failure(f"{path}: no line of mode {mode}")
    return baseline


def is_wanted(cell: Cell, options: argparse.Namespace) -> bool:
    """The cells of the table: one combination of options, with every tuning value automatic."""
    return bool(
        cell["route_asked"] == options.route
        and cell["order"] == options.order
        and cell["dtype"] == options.dtype
        and cell["mode"] == options.mode
        and cell["lengths"] == options.lengths
        and cell["split_asked"] == "auto"
        and cell["threads_asked"] == "auto"
    )


def shape_of(cell: Cell) -> Shape:
    return Shape(cell["rows"], cell["width"], cell["k"])


def ratio_to_floor(cell: Cell) -> float:
    return float(cell["median_us"] / cell["floor_us"])


def ratio_to_public(cell: Cell, baseline: dict[Shape, tuple[float, float, str]]) -> float | None:
    if shape_of(cell) not in baseline:
        return None
    their_floor, best_us, _ = baseline[shape_of(cell)]
    return float(cell["median_us"] / (best_us * cell["floor_us"] / their_floor))


def noise(cell: Cell) -> float:
    return float(abs(cell["second_median_us"] - cell["median_us"]) / cell["median_us"])


def grid_section(
    cells: dict[Shape, Cell], baseline: dict[Shape, tuple[float, float, str]]
) -> tuple[list[str], list[str]]:
    """Markdown lines, and the goals that are missed or not measured."""
    lines = [
        "| rows | width | k | route | split | floor us | floor+write us | median us | x floor | x public | noise | goal |",
        "|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    misses = []
    for shape, cell in sorted(cells.items()):
        ratio, public, goal = ratio_to_floor(cell), ratio_to_public(cell, baseline), floor_goal(shape)
        verdict = ""
        if goal is not None:
            verdict = "met" if ratio <= goal else f"**MISS** {goal:.2f}"
            if ratio > goal:
                misses.append(f"{shape.rows} x {shape.width} k={shape.k}: {ratio:.3f}x the floor, goal {goal:.2f}x")
        if cell["wrong_rows"]:
            verdict = f"**WRONG** {cell['wrong_rows']} of {cell['checked_rows']} rows"
        lines.append(
            f"| {shape.rows} | {shape.width} | {shape.k} | {cell['route_taken']} | {cell['split']} "
            f"| {cell['floor_us']:.2f} | {cell['floor_rw_us']:.2f} | {cell['median_us']:.2f} | {ratio:.2f} "
            f"| {'-' if public is None else f'{public:.2f}'} | {noise(cell):.1%} | {verdict} |"
        )
    for shape in sorted(baseline):
        if floor_goal(shape) is not None and shape not in cells:
            misses.append(f"{shape.rows} x {shape.width} k={shape.k}: not measured")
    return lines, misses


def robust_section(cells: dict[tuple[str, Shape], Cell], all_k: list[int]) -> tuple[list[str], list[str]]:
    """Each distribution against N(0,1) of the same report."""
    lines = [
        "| distribution | k | route | median us | N(0,1) us | x N(0,1) | second reads | compactions | goal |",
        "|---|---:|---|---:|---:|---:|---:|---:|---|",
    ]
    misses = []
    for distribution in ROBUST_DISTRIBUTIONS:
        goal = robust_goal(distribution)
        for k in all_k:
            shape = Shape(ROBUST_ROWS, ROBUST_WIDTH, k)
            cell, normal = cells.get((distribution, shape)), cells.get(("normal", shape))
            if cell is None or normal is None:
                misses.append(f"{distribution} k={k}: {'not measured' if cell is None else 'N(0,1) not measured'}")
                continue
            ratio = cell["median_us"] / normal["median_us"]
            verdict = "met" if ratio <= goal else f"**MISS** {goal:.2f}"
            if ratio > goal:
                misses.append(f"{distribution} k={k}: {ratio:.3f}x N(0,1), goal {goal:.2f}x")
            if cell["wrong_rows"]:
                verdict = f"**WRONG** {cell['wrong_rows']} of {cell['checked_rows']} rows"
            reads, compactions = cell["max_second_reads"], cell["mean_compactions"]
            lines.append(
                f"| {distribution} | {k} | {cell['route_taken']} | {cell['median_us']:.2f} | {normal['median_us']:.2f} "
                f"| {ratio:.2f} | {'-' if reads is None else reads} "
                f"| {'-' if compactions is None else f'{compactions:.2f}'} | {verdict} |"
            )
    return lines, misses


def fingerprint_lines(reports: list[tuple[pathlib.Path, dict[str, Any]]]) -> list[str]:
    lines = []
    for path, report in reports:
        machine = report["fingerprint"]
        lines.append(
            f"- `{path.name}`: revision {machine['revision'] or 'not given'}, {machine['gpu']}, driver "
            f"{machine['driver']}, toolkit {machine['toolkit']}; {len(report['cells'])} cells, "
            f"{report['wrong_cells']} wrong, {len(report['refused'])} refused, {len(report['failed'])} failed, "
            f"{len(report['missing'])} missing" + (f"; error: {report['error']}" if report["error"] else "")
        )
    return lines


def goal_lines(title: str, misses: list[str]) -> list[str]:
    if not misses:
        return [f"{title}: all met.", ""]
    return [f"{title}: {len(misses)} missed or not measured.", "", *(f"- {miss}" for miss in misses), ""]


def make_table(
    reports: list[tuple[pathlib.Path, dict[str, Any]]], options: argparse.Namespace
) -> tuple[str, bool, bool]:
    """The text, whether every result is right, and whether every goal is met."""
    baseline = read_baseline(options.baseline, options.mode)
    grid: dict[Shape, Cell] = {}
    robust: dict[tuple[str, Shape], Cell] = {}
    robust_k: set[int] = set()
    problems = []
    for path, report in reports:
        of_report: dict[tuple[str, Shape], Cell] = {}
        for cell in report["cells"]:
            if cell["wrong_rows"]:
                problems.append(
                    f"{cell['rows']} x {cell['width']} k={cell['k']} {cell['dtype']} {cell['distribution']} order "
                    f"{cell['order']} route {cell['route_taken']}: {cell['wrong_rows']} of {cell['checked_rows']} rows "
                    f"wrong; {cell.get('fault', '')}"
                )
            if not is_wanted(cell, options):
                continue
            key = (cell["distribution"], shape_of(cell))
            if key in of_report:
                raise Failure(f"{path}: {key[0]} {key[1].rows} x {key[1].width} k={key[1].k} is there twice")
            of_report[key] = cell
        for unmeasured in report["refused"] + report["failed"]:
            if is_wanted(unmeasured, options):
                problems.append(
                    f"{unmeasured['rows']} x {unmeasured['width']} k={unmeasured['k']} {unmeasured['distribution']}: "
                    f"no result; {unmeasured['reason']}"
                )
        if report["error"]:
            problems.append(f"{path.name}: {report['error']}")
        for (distribution, shape), cell in of_report.items():
            if distribution == "normal":
                grid.setdefault(shape, cell)
        # N(0,1) of the same run: another run may be of another machine.
        if any(distribution != "normal" for distribution, _ in of_report):
            for key, cell in of_report.items():
                if key[1][:2] == (ROBUST_ROWS, ROBUST_WIDTH):
                    robust_k.add(key[1].k)
                    robust.setdefault(key, cell)
    if not grid:
        raise Failure(
            f"no N(0,1) cell of route {options.route}, order {options.order}, {options.dtype}, {options.mode}, lengths "
            f"{options.lengths} in the reports"
        )

    grid_lines, grid_misses = grid_section(grid, baseline)
    text = [
        f"Selection of {options.dtype}, order {options.order}, route {options.route}, lengths {options.lengths}, "
        f"{options.mode}.",
        "",
        *fingerprint_lines(reports),
        "",
    ]
    if problems:
        text += ["**Not right:**", "", *(f"- {problem}" for problem in problems), ""]
    text += goal_lines("Goals against the read floor", grid_misses)
    robust_misses: list[str] = []
    robust_lines: list[str] = []
    if robust:
        robust_lines, robust_misses = robust_section(robust, sorted(robust_k))
        text += goal_lines(f"Goals against N(0,1) at {ROBUST_ROWS} x {ROBUST_WIDTH}", robust_misses)
    else:
        robust_misses = ["no distribution but N(0,1) was measured"]
        text += [f"Goals against N(0,1): {robust_misses[0]}.", ""]
    text += grid_lines
    if robust_lines:
        text += ["", *robust_lines]
    return "\n".join(text) + "\n", not problems, not grid_misses and not robust_misses


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed table of gpu_select_bench reports.")
    parser.add_argument("results", nargs="+", type=pathlib.Path, metavar="RESULT.json")
    parser.add_argument("--baseline", required=True, type=pathlib.Path, metavar="CSV")
    parser.add_argument("-o", dest="output", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--route", default="auto")
    parser.add_argument("--order", default="any")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--mode", default="warm", choices=["warm", "cold"])
    parser.add_argument("--lengths", default="ragged")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a goal is missed or not measured")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse_arguments(arguments)
    try:
        reports = [(path, read_report(path)) for path in options.results]
        text, right, goals_met = make_table(reports, options)
        if options.output:
            options.output.write_text(text, encoding="utf-8")
    except (Failure, OSError) as error:
        print(f"speed_table.py: {error}", file=sys.stderr)
        return 2
    except KeyError as error:
        print(f"speed_table.py: a report has no field {error}", file=sys.stderr)
        return 2
    if not options.output:
        print(text, end="")
    return 0 if right and (goals_met or not options.strict) else 1


if __name__ == "__main__":
    sys.exit(main())
