from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import report_fixtures
from cli_helpers import CLI, run


def pytest_collection_modifyitems(items):
    # The hook sees the items of the whole session, other folders' too.
    for item in items:
        if not CLI and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="KEYSIEVE_CLI: expected the path of the keysieve command"))


@pytest.fixture
def files(tmp_path):
    """A folder with good inputs: 6 rows of 300 columns with ties, NaN and infinities."""
    random = np.random.default_rng(7)
    scores = random.integers(-40, 40, (6, 300)).astype(np.float32)
    scores[0, 5] = np.nan
    scores[1, 7] = -np.inf
    scores[1, 9] = np.inf
    np.save(tmp_path / "scores.npy", scores)
    np.save(tmp_path / "lengths.npy", np.array([300, 3, 0, 17, 64, 299], np.int32))
    np.save(tmp_path / "starts.npy", np.array([0, 5, 299, 300, 12, 1], np.int32))
    np.save(tmp_path / "offsets.npy", np.array([0, 1000, 5, 7, -3, 50], np.int32))
    np.save(tmp_path / "pages.npy", random.permutation(6 * 19).astype(np.int32).reshape(6, 19))
    return tmp_path


@pytest.fixture
def report(tmp_path):
    """Runs the command on documents; the answer is (exit code, page, markdown, stderr)."""

    def make(*documents, arguments=(), baseline=None):
        paths = report_fixtures.write(tmp_path, **{f"result{i}": document for i, document in enumerate(documents)})
        page, markdown = tmp_path / "page.html", tmp_path / "tables.md"
        page.unlink(missing_ok=True)
        markdown.unlink(missing_ok=True)
        if baseline is not None:
            (tmp_path / "baseline.csv").write_text(report_fixtures.BASELINE_HEADER + baseline)
            arguments = [*arguments, "--baseline", tmp_path / "baseline.csv"]
        result = run("report", *paths, "-o", page, "--markdown", markdown, *arguments)
        return (result.returncode, page.read_text() if page.exists() else "",
                markdown.read_text() if markdown.exists() else "", result.stderr)

    return make
