"""keysieve report: the numbers in page and tables."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

import pytest

import report_fixtures as made
from report_fixtures import bench, cell, peer_cell, unmeasured


class Tables(HTMLParser):
    """Every table as lines of fields, and the text outside of tags."""

    def __init__(self, page: str):
        super().__init__()
        self.tables, self.text, self.lists, self.skip = [], "", [], 0
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "style":
            self.skip += 1
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.lists.append(True)

    def handle_endtag(self, tag):
        if tag == "style":
            self.skip -= 1
        elif tag in ("td", "th"):
            self.lists.pop()

    def handle_data(self, data):
        if self.skip:
            return
        self.text += data
        if self.lists:
            self.tables[-1][-1][-1] += data

    def with_column(self, name):
        return [table for table in self.tables if name in table[0]]


def row_of(text, start):
    rows = [line for line in text.splitlines() if line.startswith(start)]
    assert len(rows) == 1, text
    return [field.strip() for field in rows[0].strip("|").split("|")]


def test_cells_of_several_files_are_one_run(report):
    code, page, markdown, errors = report(made.grid(), made.routes(), made.scores(), made.peers(), made.audit())
    assert (code, errors) == (0, "")
    tables = Tables(page)
    assert page.count("<h1>") == 1 and "keysieve on NVIDIA H200" in tables.text
    for title in ("Machine and files", "Ratio to the floor", "Speed", "Crossover between routes", "Other scores",
                  "Peers", "Audits and toolchains"):
        assert f"<h2>{title}</h2>" in page
    assert "no data" not in tables.text
    machine = next(table for table in tables.tables if ["driver", "13.0"] in table)
    assert ["sm_clock_mhz", "1980 (seen 345 to 1980)"] in machine and ["l2_bytes", "60 MiB"] in machine
    files = tables.with_column("refused")[0]
    assert files[1] == ["result0.json", "193", "0", "0", "0", "0"] and files[2][3] == "1"
    assert row_of(markdown, "| 4096 | 131072 | 2048 |")[3] == "sieve"


def test_nothing_comes_from_elsewhere(report):
    _, page, _, _ = report(made.grid(), made.peers())
    assert "http:" not in page and "https:" not in page and "<script" not in page and "url(" not in page
    assert not re.search(r"\bsrc=|<link|@import", page)
    assert 'name="viewport"' in page


def test_sections_without_data_say_which_run_would_give_them(report):
    code, page, _, _ = report(bench([cell()]))
    assert code == 0
    text = Tables(page).text
    assert "Crossover between routes: no data; keysieve bench with routes" in text
    assert "Other scores: no data; keysieve bench with distributions" in text
    assert "Peers: no data; keysieve bench --peers" in text
    assert "<h2>Peers</h2>" not in page


def test_a_run_without_cells_is_no_error(report):
    code, page, _, _ = report(bench([]))
    assert code == 0 and "Speed: no data; keysieve bench gives it." in Tables(page).text


def test_speed_table_holds_time_ratio_and_noise(report):
    noisy = cell(4, 16384, ratio=1.5, floor=2.0, noise=0.0301)
    _, page, markdown, _ = report(bench([cell(4, 8192, ratio=1.25, floor=2.0, noise=0.03), noisy]))
    table = Tables(page).with_column("16K")[0]
    assert table == [["rows", "8K", "16K"], ["4", "2.501.25x", "3.00 ~1.50x"]]
    assert row_of(markdown, "| 4 | 8192 |")[-2:] == ["3.0%", ""]
    assert row_of(markdown, "| 4 | 16384 |")[-2:] == ["3.0%", "noisy"]


def test_optional_keys_may_be_absent_and_unknown_ones_are_ignored(report):
    small = {"rows": 4, "width": 8192, "k": 16, "median_us": 5, "floor_us": 4, "novelty": [{"x": None}]}
    code, page, markdown, _ = report({"schema": "keysieve.bench/1", "cells": [small], "more": {}})
    assert code == 0 and "keysieve on machine not given" in Tables(page).text
    assert row_of(markdown, "| 4 | 8192 |")[5:8] == ["4.00", "5.00", "1.25"]
    assert "warm, float32, ragged lengths, order any" in markdown


def test_machines_are_kept_apart(report):
    other = bench([cell(ratio=1.4)], {"gpu": "NVIDIA A100"})
    code, page, _, _ = report(bench([cell(ratio=1.1)]), other)
    assert code == 0
    assert re.findall(r"<h1>(.*?)</h1>", page) == ["keysieve on NVIDIA H200", "keysieve on NVIDIA A100"]
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_a_value_that_differs_between_files_is_shown_for_each(report):
    _, page, _, _ = report(bench([cell()]), bench([cell(rows=4)], {"driver": "12.8"}))
    machine = Tables(page).tables[0]
    at = machine.index(["driver", "13.0result0.json"])
    assert machine[at + 1] == ["", "12.8result1.json"]


def test_wrong_cells_come_first_and_are_red(report):
    wrong = cell(rows=4, route_asked="split", route_taken="split", wrong_rows=2, median_us=0, noise=None,
                 fault="row 3, slot 1: expected 4, got 5")
    code, page, markdown, _ = report(bench([cell(), wrong]))
    assert code == 1
    assert page.index('class="alarm"') < page.index("<nav>")
    assert 'route split<br>2 of 8 rows wrong; row 3, slot 1: expected 4, got 5</li>' in page
    assert page.index('<ul class="bad">') < page.index("rows wrong") < page.index("<nav>")
    assert '<tr class="bad">' in page, "and in the table of all cells"
    assert "route split: 2 of 8 rows wrong; row 3" in markdown, "cells outside the speed table too"


def test_a_wrong_automatic_cell_shows_no_time(report):
    code, page, markdown, _ = report(bench([cell(), cell(rows=4, wrong_rows=2)]))
    assert code == 1
    assert Tables(page).with_column("256K")[0][1:] == [["4", "wrong"], ["1024", "220.01.10x"]]
    assert row_of(markdown, "| 4 |")[-1] == "WRONG 2 of 8 rows"


def test_more_wrong_cells_than_are_shown(report):
    code, page, _, _ = report(bench([cell()], wrong_cells=2))
    assert code == 1 and "result0.json: counts 2 wrong cells and shows 0" in Tables(page).text


def test_a_wrong_peer_is_shown_and_is_not_our_fault(report):
    code, page, _, _ = report(bench([cell(), peer_cell("raft", wrong_rows=1, fault="row 0")]))
    assert code == 0
    assert "<li>raft: 1024 x 262144 k=512, normal;" in page


@pytest.mark.parametrize("field", ["refused", "failed"])
def test_an_automatic_cell_without_result_is_a_fault(report, field):
    code, page, markdown, _ = report(bench([cell()], **{field: [unmeasured("no such route", rows=4)]}))
    assert code == 1 and "no such route" in page and "no result; no such route" in markdown


def test_a_forced_route_may_refuse_and_a_peer_may_fail(report):
    refused = [unmeasured("too long", rows=4, route_asked="tile")]
    failed = [unmeasured("crashed", rows=4, implementation="raft")]
    assert report(bench([cell()], refused=refused, failed=failed))[0] == 0
    assert report(bench([cell()], failed=refused))[0] == 1, "failing is not refusing"


def test_an_error_of_the_run_is_shown(report):
    code, page, markdown, _ = report(bench([cell()], error="illegal memory access"))
    assert code == 1 and "illegal memory access" in page and "illegal memory access" in markdown


def test_every_setup_has_tables_of_its_own(report):
    others = [cell(order="score"), cell(dtype="float16"), cell(mode="cold"), cell(lengths="full"),
              cell(capacity=300000), cell(busy_sms=16), cell(chain="dependent"), cell(output="paged"),
              cell(values=True), cell(hint="exact")]
    code, page, markdown, _ = report(bench([cell(), *others]))
    assert code == 0
    assert markdown.count("\n## ") == 11 and markdown.count("| 1024 | 262144 | 512 |") == 11
    for text in ("order score", "float16", "cold", "full lengths", "buffer of 300000 columns", "16 SMs busy",
                 "dependent behind a writer", "output paged", "with values", "hint exact"):
        assert len(re.findall(f"\n## .*{text}", markdown)) == 1
        assert text in page
    forced = [cell(split_asked=4, median_us=1.0), cell(threads_asked=512, median_us=2.0),
              cell(route_asked="sieve", median_us=3.0)]
    _, page, markdown, _ = report(bench([*forced, cell()]))
    assert row_of(markdown, "| 1024 |")[6] == "220.0"


def test_a_cell_that_is_there_twice_is_said_so(report):
    code, page, markdown, _ = report(bench([cell(), cell(ratio=9.0)]))
    assert code == 0
    assert "1 cell was measured more than once in one file; the first is shown" in Tables(page).text
    assert row_of(markdown, "| 1024 |")[7] == "1.10"


def test_a_time_behind_a_writer_may_come_out_as_nothing(report):
    code, _, markdown, _ = report(bench([cell(chain="chained", median_us=-0.25, ratio_to_floor=None)]))
    assert code == 0 and row_of(markdown, "| 1024 |")[6] == "-0.25"


def test_crossover_lists_what_the_automatic_choice_loses(report):
    code, page, _, _ = report(made.grid(), made.routes())
    assert code == 0
    losses = Tables(page).with_column("loss")
    assert len(losses) == 1 and len(losses[0]) == 2
    rows, width = made.SLOW_CHOICE
    assert losses[0][1][:4] == [str(rows), str(width), "512", "tile, 256 threads"]
    assert losses[0][1][5] == "sieve, 256 threads" and losses[0][1][7:] == ["+25%", "2.0%"]
    mean = math.exp(math.log(1.25) / 60)
    assert f"takes {mean:.3f}x the time of the fastest way, geometric mean of 60 cells" in Tables(page).text


def test_robustness_against_normal_of_the_same_file(report):
    # The first file has another, faster N(0,1): it must not serve as the yardstick.
    shape = {"rows": 1024, "width": 131072}
    slow = bench([cell(**shape, ratio=1.0), cell(**shape, ratio=3.7, distribution="defeats_sample", max_second_reads=1),
                  cell(**shape, ratio=1.5, distribution="relu", max_second_reads=None, mean_compactions=None)])
    code, page, markdown, _ = report(bench([cell(**shape, ratio=0.5)]), slow)
    assert code == 0
    assert row_of(markdown, "| defeats_sample |")[7:10] == ["3.70", "1", "0.25"]
    assert row_of(markdown, "| relu |")[7:10] == ["1.50", "-", "-"]
    assert ["defeats_sample", "1024", "131072", "512", "sieve", "740.0", "200.0", "3.70", "1", "0.25"] in Tables(
        page).with_column("x N(0,1)")[0]


def test_peers_side_by_side(report):
    code, page, markdown, _ = report(made.peers())
    assert code == 0
    cub = math.exp((59 * math.log(2) + math.log(0.8)) / 60)
    # Raft counts in 59 cells; cub is the better peer in every cell.
    assert row_of(markdown, "| cub_batched_topk |") == ["cub_batched_topk", "60", f"{cub:.2f}", "59"]
    assert row_of(markdown, "| raft_select_k |") == ["raft_select_k", "59", "3.00", "59"]
    assert row_of(markdown, "| best peer |") == ["best peer", "60", f"{cub:.2f}", "59"]
    times = Tables(page).with_column("cub_batched_topk")[0]
    assert times[0][4:] == ["floor us", "keysieve us", "cub_batched_topk", "raft_select_k", "speed-up"]
    assert len(times) == 61 and [line[7] for line in times].count("wrong") == 1
    assert times[8][8] == "0.80x" and times[9][8] == "2.00x"
    assert page.count('class="n best"') == 60


def test_baseline_ratios_are_scaled_by_the_floors(report):
    # Read floor 200 here and 100 there: the best, 150, would be 300 here, and 240 is 0.8 of that.
    ours = cell(ratio=1.2, floor=200.0, read_floor_us=200.0)
    code, page, markdown, _ = report(bench([ours]), baseline="1024,262144,512,warm,100,150,public,160\n")
    assert code == 0
    assert row_of(markdown, "| 1024 | 262144 | 512 ")[8:10] == ["0.80", "0.75"]
    assert row_of(markdown, "| 512 |") == ["512", "1", "0.80", "0", "0.75", "1"]
    assert "No cell is slower than the best." in markdown
    assert ["512", "1", "0.80", "0", "0.75", "1"] in Tables(page).with_column("over the best")[0]


def test_baseline_means_and_slower_cells(report):
    cells = [cell(rows=rows, ratio=ratio, floor=100.0, read_floor_us=100.0) for rows, ratio in ((1, 1.0), (4, 4.0))]
    lines = "".join(f"{rows},262144,512,warm,10,20,them,\n" for rows in (1, 4, 16))
    code, page, markdown, _ = report(bench(cells), baseline=lines)
    assert code == 0, "slower is a finding, not an error"
    assert row_of(markdown, "| 512 |") == ["512", "2", "1.00", "1", "-", "0"]
    assert "- 4 x 262144 k=512: 2.00x them" in markdown
    assert "1 cell slower than the best" in Tables(page).text


def test_modes_use_their_own_baseline(report):
    lines = "1024,262144,512,warm,100,150,p,\n1024,262144,512,cold,100,300,p,\n"
    _, _, markdown, _ = report(bench([cell(ratio=1.2, mode="cold", read_floor_us=200.0)]), baseline=lines)
    assert row_of(markdown, "| 1024 |")[8:10] == ["0.40", "-"]


def test_cells_that_the_baseline_does_not_know(report):
    lines = "1024,262144,512,warm,100,,,\n1024,262144,1024,warm,100,150,p,\n"
    code, page, markdown, _ = report(bench([cell(), cell(k=1024, dtype="float16")]), baseline=lines)
    assert code == 0
    assert row_of(markdown, "| 1024 | 262144 | 512 |")[8] == "-"
    assert row_of(markdown, "| 1024 | 262144 | 1024 |")[8] == "-", "half the bytes: another problem"
    assert "Recorded times: no data; the baseline holds no shape" in Tables(page).text


def test_names_are_escaped(report, tmp_path):
    evil = "<script>alert('1')</script>\"&|`x`\n"
    code, page, markdown, _ = report(
        bench([cell(), cell(distribution=evil), peer_cell(evil),
               cell(rows=4, wrong_rows=1, fault=evil, route_taken=evil, lengths=evil)],
              {"gpu": evil, "driver": evil}, error=evil))
    assert code == 1
    assert "<script" not in page and "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;|`x` " in page
    assert "<script" not in markdown.replace("\\<script", "")
    tables = [line for line in markdown.splitlines() if line.startswith("| normal | 1024 |")]
    assert len(tables) == 1 and tables[0].count("|") == 8


def test_totals_of_audits_and_toolchains(report):
    code, page, _, _ = report(made.audit())
    assert code == 0
    families = Tables(page).with_column("forced_by_route")[0]
    assert families[1][:5] == ["table", "40", "6500", "5000", "tile 3000, sieve 2000"]
    assert "No failure is listed" in page
    failure = {"family": "random", "number": 17, "setup": "sieve", "difference": "row 2: expected 5, got 6",
               "command": "keysieve audit --case x", "minimiser_checks": 3}
    code, page, _, _ = report(made.audit(ok=False, failures=[failure]))
    assert code == 1
    assert "number: 17; setup: sieve; difference: row 2: expected 5, got 6; command: keysieve audit --case x" in page
    # What an audit finds in a peer is shown, and is no fault of keysieve's.
    of_a_peer = {**made.audit()["requested"], "peer_library": "peer.so"}
    code, page, _, _ = report(made.audit(ok=False, failures=[failure], requested=of_a_peer))
    assert code == 0 and "expected 5, got 6" in page
    assert report(made.audit(ok=False))[0] == 1
    code, page, _, _ = report(made.audit(idle_families=["graph"]))
    assert code == 1 and "no case ran in: graph" in page
    leg = {"schema": "keysieve.toolchain/1", "leg": "nvcc-13.1", "machine": {"gpu": "NVIDIA H200"},
           "control": {"volatile": {"static": "right", "device": "right", "said": []},
                       "asm": {"static": "lost", "device": "wrong", "said": ["x"]}},
           "sass": {"kernels": 18, "faults": ["sieve_f32: no 16-byte loads"]}, "faults": [], "passed": True}
    code, page, _, _ = report(leg)
    assert code == 1 and "sass: sieve_f32: no 16-byte loads" in page
    assert ["asm", "lost", "wrong"] in Tables(page).with_column("static")[0]
    leg["sass"]["faults"] = []
    assert report(leg)[0] == 0
    assert report({**leg, "passed": False})[0] == 1
