"""The page of keysieve report as a browser draws it: charts, colors, contrast, narrow screens."""

from __future__ import annotations

import re

import pytest

import browser
import report_fixtures as made
from cli_helpers import run

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="chromium: expected the Debian package, found none")

# Tall enough for the whole page.
DESKTOP, PHONE = (1280, 14000), (360, 14000)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    paths = made.write(folder, grid=made.grid(), routes=made.routes(), scores=made.scores(), peers=made.peers(),
                       audit=made.audit())
    baseline = folder / "baseline.csv"
    lines = [f"{rows},{width},{k},warm,{made.floor_us(rows, width)},{made.floor_us(rows, width) * 2},them,"
             for rows in made.ROWS for width in made.WIDTHS for k in made.ALL_K]
    baseline.write_text(made.BASELINE_HEADER + "\n".join(lines) + "\n")
    result = run("report", *paths, "-o", folder / "page.html", "--baseline", baseline)
    assert result.returncode == 0, result.stderr
    return folder / "page.html"


@pytest.fixture(scope="module")
def desktop(page):
    return browser.render(page, page.parent, *DESKTOP)


@pytest.fixture(scope="module")
def desktop_dark(page):
    return browser.render(page, page.parent, *DESKTOP, dark=True)


@pytest.fixture(scope="module")
def phone(page):
    return browser.render(page, page.parent, *PHONE)


def palette(page, dark):
    """The style sheet's variables in one scheme."""
    light_text, dark_text = re.search(r"<style>(.*?)</style>", page.read_text(), re.S)[1].split("@media (prefers", 1)
    colors = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", light_text))
    if dark:
        colors.update(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", dark_text))
    return colors


def contrast(one, other):
    def luminance(color):
        parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def step_of(ratio):
    return sum(ratio > edge for edge in (1.1, 1.25, 1.5, 2, 3, 5))


def label_of(columns):
    return f"{columns // 1024}K"


def corner(shot, box, dx=3, dy=3):
    """Inside the cell's corner, where no text is."""
    return shot.color(box[0] + dx, box[1] + dy)


def ink(shot, box):
    """Pixels of the box that differ from its corner: text, when there is any."""
    left, top, right, bottom = (int(v) for v in box)
    region = shot.image.crop((left + 2, top + 2, right - 2, bottom - 2))
    base = region.getpixel((0, 0))
    return sum(count for count, color in region.getcolors(1 << 20) if color != base)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_heat_maps_hold_the_colors_of_their_ratios(page, desktop, desktop_dark, scheme):
    shot, colors = (desktop, palette(page, False)) if scheme == "light" else (desktop_dark, palette(page, True))
    assert shot.color(2, 2) == colors["page"]
    seen = set()
    for k in made.ALL_K:
        chart = shot.chart("floor", k)
        assert len(chart["cells"]) == len(made.ROWS) * len(made.WIDTHS)
        for rows in made.ROWS:
            for width in made.WIDTHS:
                ratio = made.ratio_of(rows, width, k) * (1.25 if (rows, width) == made.SLOW_CHOICE else 1)
                drawn = browser.cell_of(chart, rows, label_of(width))
                assert drawn["texts"][0]["text"] == f"{ratio:.2f}"
                assert corner(shot, drawn["box"]) == colors[f"h{step_of(ratio)}"], (rows, width, k)
                assert ink(shot, drawn["box"]) > 20, "the value is printed"
                seen.add(step_of(ratio))
    assert seen == set(range(7)), "the fixture has every color"


def test_crossover_has_the_route_of_each_cell(page, desktop):
    colors, chart = palette(page, False), desktop.chart("envelope", 512)
    for rows in made.ROWS:
        for width in made.WIDTHS:
            best = made.best_route(rows, width)
            drawn = browser.cell_of(chart, rows, label_of(width))
            assert corner(desktop, drawn["box"]) == colors[best]
            slow = (rows, width) == made.SLOW_CHOICE
            texts = [t["text"] for t in drawn["texts"]]
            assert texts == ["split 8" if best == "split" else best, "auto +25%" if slow else "auto"]
            left, top, right, bottom = drawn["dot"]
            assert desktop.color((left + right) / 2, (top + bottom) / 2) == colors["tile" if slow else best]


def test_other_scores(page, desktop):
    colors, chart = palette(page, False), desktop.chart("robustness", 512)
    for name, ratio in made.ROBUST.items():
        drawn = browser.cell_of(chart, name, "1024 x 128K")
        assert drawn["texts"][0]["text"] == f"{ratio:.2f}"
        assert corner(desktop, drawn["box"]) == colors[f"h{step_of(ratio)}"]


def test_speed_up_bars(page, desktop):
    colors, chart = palette(page, False), desktop.chart("speed-up", 1024, group=2)
    assert len(chart["bars"]) == 60
    widths = [bar["box"][2] - bar["box"][0] for bar in chart["bars"]]
    for i, bar in enumerate(chart["bars"]):
        assert bar["texts"][1]["text"] == ("0.80x" if i == 7 else "2.00x")
        assert corner(desktop, bar["box"]) == colors["slower" if i == 7 else "faster"]
        # A logarithmic axis: 0.8 is log2(1.25) = 0.32 of a doubling.
        assert widths[i] == pytest.approx(widths[0] * (0.3219 if i == 7 else 1), rel=0.01)
    assert chart["bars"][7]["box"][2] == pytest.approx(chart["bars"][0]["box"][0], abs=0.5), "both begin at 1x"
    names = [bar["name"] for bar in desktop.chart("peer-means", group=2)["bars"]]
    assert names == [*made.PEERS, "best peer"]


def test_texts_stay_inside_their_cells(desktop):
    for chart in desktop.probe["charts"]:
        for drawn in chart["cells"]:
            left, top, right, bottom = drawn["box"]
            for text in drawn["texts"]:
                box = text["box"]
                assert left <= box[0] and box[2] <= right and top - 1 <= box[1] and box[3] <= bottom + 1, (chart, text)
            if drawn["dot"]:
                first = drawn["texts"][0]["box"]
                assert first[2] <= drawn["dot"][0], "the mark does not cover the route's name"
        for bar in chart["bars"]:
            for text in bar["texts"]:
                assert chart["box"][0] - 0.5 <= text["box"][0] and text["box"][2] <= chart["box"][2] + 0.5, text


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_no_sideways_scrolling(request, screen):
    shot = request.getfixturevalue(screen)
    assert shot.probe["scroll_width"] <= shot.probe["width"]
    assert 1000 < shot.probe["height"] < DESKTOP[1], "the whole page is in the picture"
    for chart in shot.probe["charts"]:
        left, _, right, _ = chart["holder"]
        assert left >= 0 and right <= shot.probe["width"]
    if screen == "phone":
        wide = [c for c in shot.probe["charts"] if c["scroll"] > c["shown"]]
        assert wide, "wide charts scroll inside their own container"


def test_charts_are_drawn_on_a_phone_too(page, phone):
    colors, chart = palette(page, False), phone.chart("floor", 512)
    for rows in made.ROWS:
        drawn = browser.cell_of(chart, rows, "8K")
        assert corner(phone, drawn["box"]) == colors[f"h{step_of(made.ratio_of(rows, 8192, 512))}"]


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (360, 800)])
def test_first_screen(page, width, height):
    shot = browser.render(page, page.parent, width, height)
    assert shot.probe["headings"][0] == "keysieve on NVIDIA H200"
    assert ink(shot, (0, 0, width, height)) > width * height / 100
    assert shot.probe["scroll_width"] <= width


def test_nothing_is_fetched(desktop):
    assert desktop.probe["fetched"] == []


@pytest.mark.parametrize("dark", [False, True])
def test_contrast(page, dark):
    colors = palette(page, dark)
    pairs = [(f"h{i}", f"t{i}") for i in range(7)]
    pairs += [(route, "route-ink") for route in
              ("trivial", "tile", "sieve", "split", "wide", "cpu-rows", "cpu-chunks", "other")]
    pairs += [("page", name) for name in ("ink", "muted", "link", "bad", "noisy")] + [("bad-page", "bad")]
    for ground, text in pairs:
        assert contrast(colors[ground], colors[text]) >= 4.5, (ground, text)
    # The steps of the scale differ in lightness alone and go one way, for readers who see no hues.
    steps = [contrast(colors[f"h{i}"], "#000000") for i in range(7)]
    assert steps == sorted(steps, reverse=not dark)
    assert all(contrast(colors[f"h{i}"], colors[f"h{i + 1}"]) > 1.12 for i in range(6))


def test_wrong_cells_are_red_and_first(tmp_path):
    cells = [made.cell(rows, width, wrong_rows=int(rows == 4), fault="row 1: expected 3, got 4")
             for rows in (1, 4) for width in (8192, 16384)]
    made.write(tmp_path, wrong=made.bench(cells))
    page = tmp_path / "page.html"
    assert run("report", tmp_path / "wrong.json", "-o", page).returncode == 1
    shot = browser.render(page, tmp_path, 360, 4000)
    colors = palette(page, False)
    assert shot.probe["headings"][1] == "Not right"
    drawn = browser.cell_of(shot.chart("floor", 512), 4, "8K")
    assert drawn["texts"][0]["text"] == "wrong" and corner(shot, drawn["box"]) == colors["bad-page"]
    assert shot.probe["scroll_width"] <= 360
