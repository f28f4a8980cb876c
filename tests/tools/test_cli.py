"""The keysieve command from end to end, against an oracle in NumPy.

    KEYSIEVE_CLI=build/bin/keysieve pytest tests/tools
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cli_helpers import CLI, from_bfloat16, oracle, run, snapshot, sparse_scores, to_bfloat16, write_safetensors


def test_raw_and_summary_line(files):
    result = run("select", "scores.npy", "-k", 9, "-o", "out.npy", cwd=files)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("rows 6, columns 300, k 9, backend ")
    assert result.stdout.count("\n") == 1 and "GB/s" in result.stdout and "route" in result.stdout
    out = np.load(files / "out.npy")
    assert out.dtype == np.int32
    np.testing.assert_array_equal(out, oracle(np.load(files / "scores.npy"), 9))


@pytest.mark.parametrize("order", ["index", "score", "any"])
@pytest.mark.parametrize("ties", ["smallest", "largest"])
@pytest.mark.parametrize("nan", ["lowest", "highest"])
@pytest.mark.parametrize("mask", [False, True])
def test_options(files, order, ties, nan, mask):
    scores = np.load(files / "scores.npy")
    lengths, starts = np.load(files / "lengths.npy"), np.load(files / "starts.npy")
    result = run("select", "scores.npy", "-k", 20, "--lengths", "lengths.npy", "--row-starts", "starts.npy",
                 "--order", order, "--ties", ties, "--nan", nan, *(["--mask-neg-inf"] if mask else []),
                 "--index-dtype", "int64", "--counts", "counts.npy", "-o", "out.npy", "--check", "--json", cwd=files)
    assert result.returncode == 0
    assert json.loads(result.stdout)["check"] == {"ok": True, "rows": 6, "rows_wrong": 0}
    expected = oracle(scores, 20, lengths, starts, order, nan == "highest", ties, mask)
    out = np.load(files / "out.npy")
    assert out.dtype == np.int64
    if order == "any":
        out, expected = np.sort(out), np.sort(expected)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.load(files / "counts.npy"), (expected != -1).sum(axis=1))


def test_dual_slots_follow_positions(files):
    result = run("select", "scores.npy", "-k", 12, "--page-table", "pages.npy", "--page-size", 16, "--mode", "dual",
                 "--raw-out", "raw.npy", "--values", "values.npy", "-o", "out.npy", "--check", cwd=files)
    assert result.returncode == 0 and ", check ok" in result.stdout
    scores, pages = np.load(files / "scores.npy"), np.load(files / "pages.npy")
    raw = np.load(files / "raw.npy")
    np.testing.assert_array_equal(raw, oracle(scores, 12))
    np.testing.assert_array_equal(np.load(files / "out.npy"),
                                  np.take_along_axis(pages, raw // 16, axis=1) * 16 + raw % 16)
    np.testing.assert_array_equal(np.load(files / "values.npy"), np.take_along_axis(scores, raw, axis=1))


def test_page_table_makes_paged_the_default_and_offsets_offset(files):
    paged = run("select", "scores.npy", "-k", 4, "--page-table", "pages.npy", "--page-size", 16, "-o", "o", "--json",
                cwd=files)
    assert json.loads(paged.stdout)["mode"] == "paged"
    offset = run("select", "scores.npy", "-k", 4, "--out-offsets", "offsets.npy", "-o", "o", "--json", cwd=files)
    assert json.loads(offset.stdout)["mode"] == "offset"
    expected = oracle(np.load(files / "scores.npy"), 4) + np.load(files / "offsets.npy")[:, None]
    np.testing.assert_array_equal(np.load(files / "o"), expected)


def test_row_starts_serve_as_offsets(files):
    starts = np.load(files / "starts.npy")
    assert run("select", "scores.npy", "-k", 4, "--row-starts", "starts.npy", "--mode", "offset", "-o", "out.npy",
               cwd=files).returncode == 0
    raw = oracle(np.load(files / "scores.npy"), 4, starts=starts)
    np.testing.assert_array_equal(np.load(files / "out.npy"), np.where(raw < 0, -1, raw + starts[:, None]))


def test_lengths_by_request_share_a_table_line(files):
    np.save(files / "lengths2.npy", np.array([[300, 200, 100], [5, 0, 77]], np.int64))
    np.save(files / "pages2.npy", np.arange(38, dtype=np.int64)[::-1].reshape(2, 19).copy())
    assert run("select", "scores.npy", "-k", 8, "--lengths", "lengths2.npy", "--page-table", "pages2.npy",
               "--page-size", 16, "-o", "out.npy", "--check", cwd=files).returncode == 0
    raw = oracle(np.load(files / "scores.npy"), 8, [300, 200, 100, 5, 0, 77])
    pages = np.repeat(np.load(files / "pages2.npy"), 3, axis=0)
    slots = np.take_along_axis(pages, np.maximum(raw, 0) // 16, axis=1) * 16 + raw % 16
    np.testing.assert_array_equal(np.load(files / "out.npy"), np.where(raw < 0, -1, slots))


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_safetensors_types(files, dtype):
    scores = np.load(files / "scores.npy") / 3
    if dtype == "BF16":
        bits = to_bfloat16(scores)
        content, exact, value_type = bits.tobytes(), from_bfloat16(bits), np.float32
    else:
        typed = scores.astype({"F32": np.float32, "F16": np.float16}[dtype])
        content, exact, value_type = typed.tobytes(), typed, typed.dtype
    # An odd header puts the scores at an odd address.
    for pad in range(2):
        write_safetensors(files / "s.safetensors", {"note": ("U8", [3], b"abc"), "scores": (dtype, [6, 300], content)},
                          pad)
        result = run("select", "s.safetensors", "-k", 310, "--values", "values.npy", "-o", "out.npy", "--check",
                     "--json", cwd=files)
        assert result.returncode == 0, result.stderr
        raw = oracle(exact, 310)
        np.testing.assert_array_equal(np.load(files / "out.npy"), raw)
        values = np.load(files / "values.npy")
        assert values.dtype == value_type
        expected = np.where(raw < 0, -np.inf, np.take_along_axis(exact, np.maximum(raw, 0), axis=1))
        np.testing.assert_array_equal(values, expected.astype(value_type))


def test_tensor_is_picked_by_name(files):
    one, two = np.zeros((2, 4), np.float32), np.arange(8, dtype=np.float32).reshape(2, 4)
    write_safetensors(files / "two.safetensors", {"one": ("F32", [2, 4], one.tobytes()),
                                                  "two": ("F32", [2, 4], two.tobytes())})
    assert run("select", "two.safetensors", "--tensor", "two", "-k", 1, "-o", "out.npy", cwd=files).returncode == 0
    np.testing.assert_array_equal(np.load(files / "out.npy"), [[3], [3]])


def test_float16_npy_one_dimension_and_wide_k(files):
    scores = np.array([1, 5, 5, 2], np.float16)
    np.save(files / "row.npy", scores)
    assert run("select", "row.npy", "-k", 300000, "--values", "v.npy", "--order", "score", "-o", "out.npy", "--check",
               cwd=files).returncode == 0
    out, values = np.load(files / "out.npy"), np.load(files / "v.npy")
    assert out.shape == (1, 300000) and values.dtype == np.float16
    np.testing.assert_array_equal(out[0, :5], [1, 2, 3, 0, -1])
    assert (out[0, 4:] == -1).all() and (values[0, 4:] == -np.inf).all()


@pytest.mark.parametrize("shape", [(0, 300), (0, 0), (5, 0)])
def test_empty_batches(files, shape):
    np.save(files / "empty.npy", np.zeros(shape, np.float32))
    result = run("select", "empty.npy", "-k", 4, "--counts", "c.npy", "--values", "v.npy", "-o", "out.npy", "--check",
                 cwd=files)
    assert result.returncode == 0, result.stderr
    out = np.load(files / "out.npy")
    assert out.shape == (shape[0], 4) and (out == -1).all()
    assert np.load(files / "c.npy").tolist() == [0] * shape[0]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_npy_version(files, version):
    with open(files / "v.npy", "wb") as file:
        np.lib.format.write_array(file, np.load(files / "scores.npy"), version=version)
    assert run("select", "v.npy", "-k", 2, "-o", "out.npy", cwd=files).returncode == 0


def test_many_batches_agree_with_one(files):
    # 600 MB of scores: three batches, the last one short, with a table line for every two rows.
    rows, width = 50, 3_000_000
    scores = np.lib.format.open_memmap(files / "big.npy", "w+", np.float32, (rows, width))
    scores[:, ::1000] = np.random.default_rng(3).integers(1, 90, (rows, width // 1000))
    scores.flush()
    np.save(files / "lengths2.npy", np.full((rows // 2, 2), width, np.int32))
    np.save(files / "pages2.npy", np.arange(rows // 2, dtype=np.int32)[:, None])
    result = run("select", "big.npy", "-k", 5, "--lengths", "lengths2.npy", "--page-table", "pages2.npy",
                 "--page-size", width, "-o", "out.npy", "--json", cwd=files)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["batches"] == 3
    expected = np.sort(np.argsort(-scores[:, ::1000], axis=1, kind="stable")[:, :5]) * 1000
    expected = expected + np.arange(rows)[:, None] // 2 * width
    np.testing.assert_array_equal(np.load(files / "out.npy"), expected)


def test_bad_page_is_a_warning(files):
    pages = np.load(files / "pages.npy")
    pages[0, 0] = -5
    np.save(files / "pages.npy", pages)
    result = run("select", "scores.npy", "-k", 300, "--page-table", "pages.npy", "--page-size", 16, "-o", "out.npy",
                 "--json", cwd=files)
    assert result.returncode == 0
    assert result.stderr.count("\n") == 1 and "0x1" in result.stderr and "warning" in result.stderr
    assert json.loads(result.stdout)["error_bits"] == ["bad_page"]
    assert (np.load(files / "out.npy")[0, :16] == -1).all()
    counted = run("select", "scores.npy", "-k", 3, "--page-table", "pages.npy", "--page-size", 16, "--num-pages", 50,
                  "-o", "out.npy", cwd=files)
    assert counted.returncode == 0 and "0x1" in counted.stderr


def run_on_terminal(*arguments, cwd) -> tuple[int, str]:
    master, slave = pty.openpty()
    process = subprocess.Popen([str(Path(CLI).resolve()), *map(str, arguments)], cwd=cwd, stdout=subprocess.DEVNULL,
                               stderr=slave)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # how Linux reports the end of a terminal
            break
        if not piece:
            break
        text += piece
    os.close(master)
    return process.wait(timeout=60), text.decode()


def test_progress_only_on_a_terminal_and_only_for_long_work(files):
    assert run_on_terminal("select", "scores.npy", "-k", 4, "-o", "out.npy", cwd=files) == (0, "")
    sparse_scores(files / "big.npy", 80, 16_000_000)  # 5 GB
    code, text = run_on_terminal("select", "big.npy", "-k", 4, "--threads", 1, "-o", "out.npy", cwd=files)
    assert code == 0
    if text:  # a machine that does 5 GB within a second shows nothing, and rightly so
        assert "%" in text and "GB" in text and "\n" not in text and text.endswith("\x1b[K")
    assert run("select", "scores.npy", "-k", 4, "-o", "out.npy", cwd=files).stderr == ""


WRONG_LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include "keysieve/c_api.h"
/* Spoils slot 0 of the last row of every selection that is not the reference's. */
typedef keysieve_status (*run_function)(const keysieve_select_plan*, const keysieve_select_args*, void*);
keysieve_status keysieve_select_run(const keysieve_select_plan* plan, const keysieve_select_args* args, void* stream) {
  run_function real = (run_function)dlsym(RTLD_NEXT, "keysieve_select_run");
  keysieve_status status = real(plan, args, stream);
  int64_t last = (plan->problem.rows - 1) * plan->problem.k * (plan->problem.index_type ? 8 : 4);
  /* On a GPU the outputs are not this process's memory. */
  int host = plan->problem.device_type == KEYSIEVE_DEVICE_CPU;
  if (status == KEYSIEVE_OK && plan->backend != KEYSIEVE_BACKEND_REFERENCE && host && last >= 0)
    ((unsigned char*)args->indices)[last] ^= 1;
  return status;
}
"""


@pytest.fixture
def wrong_library(tmp_path):
    """An environment in which the library gives wrong answers."""
    include = Path(__file__).resolve().parents[2] / "include"
    (tmp_path / "wrong.c").write_text(WRONG_LIBRARY)
    try:
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{include}", str(tmp_path / "wrong.c"), "-ldl", "-o",
                        str(tmp_path / "wrong.so")], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no C compiler to build a wrong library with")
    return {**os.environ, "LD_PRELOAD": str(tmp_path / "wrong.so"),
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


@pytest.mark.parametrize("backend", ["cpu", "auto"])
def test_check_finds_a_wrong_answer(files, wrong_library, backend):
    before = snapshot(files)
    result = run("select", "scores.npy", "-k", 4, "--backend", backend, "-o", "out.npy", "--check", "--json", cwd=files,
                 env=wrong_library)
    assert result.returncode == 1, result
    check = json.loads(result.stdout)["check"]
    assert (check["ok"], check["rows"], check["rows_wrong"], check["first_row"]) == (False, 6, 1, 5)
    assert len(result.stderr.splitlines()) == 1 and "first row 5" in result.stderr and "1 of 6" in result.stderr
    assert snapshot(files) == before


def test_doctor_finds_a_wrong_answer(wrong_library):
    result = run("doctor", "--json", env=wrong_library)
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert not report["ok"] and any("self-test" in problem for problem in report["problems"])


def test_doctor_on_a_healthy_machine():
    result = run("doctor")
    assert (result.returncode, result.stderr) == (0, ""), result
    assert "simd target" in result.stdout and "healthy" in result.stdout
    report = json.loads(run("doctor", "--json").stdout)
    assert report["ok"] and report["problems"] == []
    routes = {entry["route"]: entry for entry in report["self_test"]}
    assert routes["cpu_rows"]["cases"] >= 24 and routes["cpu_chunks"]["failed"] == 0
    assert "cpu" in report["system"]


def test_doctor_without_the_cpu_library(tmp_path):
    library = Path(CLI).resolve().parent.parent / "lib"
    found = list(library.glob("libkeysieve.so.?"))
    if not found:
        pytest.skip(f"no libkeysieve.so in {library}")
    (tmp_path / found[0].name).write_bytes(found[0].read_bytes())
    result = run("doctor", env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert result.returncode == 1
    assert "not loaded" in result.stdout and "problem" in result.stdout


def test_plan_text_and_json():
    shape = ["--rows", 8, "--width", 131072, "-k", 2048]
    text = run("plan", *shape)
    assert text.returncode == 0 and "route" in text.stdout and "workspace" in text.stdout
    plan = json.loads(run("plan", *shape, "--json", "--threads", 3, "--dtype", "bfloat16").stdout)
    assert plan["threads"] == 3 and plan["problem"]["score_type"] == "bfloat16"
    asked = json.loads(run("plan", *shape, "--json", "--device", "h200", "--route", "split", "--split", 4).stdout)
    assert asked["automatic"]["split"] is False and plan["automatic"]["split"] is True
    for device in ("h200", "a100"):
        profile = json.loads(run("plan", *shape, "--device", device, "--json").stdout)
        assert profile["backend"] == "cuda" and profile["runnable"] is False


def test_plan_names_every_unmet_condition():
    arguments = ["plan", "--rows", 8, "--width", 131072, "-k", 9000, "--device", "h200", "--route", "cpu_rows"]
    result = run(*arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1 and "route" in result.stderr and "8192" in result.stderr
    refused = json.loads(run(*arguments, "--json").stdout)
    assert refused["supported"] is False and len(refused["unmet"]) == 2


def test_plan_of_a_model():
    step = ["plan", "--model", "v4.1-flash", "--context", "1M", "--batch", 64, "--device", "h200"]
    text = run(*step)
    assert text.returncode == 0 and text.stdout.count("route: ") == 3 and "64 rows of 524288 scores" in text.stdout
    asked = json.loads(run(*step, "--json", "--next-n", 2, "--order", "any").stdout)
    assert (asked["schema"], asked["context"], asked["next_n"]) == ("keysieve.model_plan/1", 1 << 20, 2)
    plans = [part["plan"]["problem"] for part in asked["parts"]]
    assert [problem["width"] for problem in plans] == [1 << 19, 1 << 20, 16384]
    assert {(problem["rows"], problem["k"], problem["order"]) for problem in plans} == {(128, 512, "any")}
    assert [problem["score_type"] for problem in plans] == ["float32", "float32", "bfloat16"]
    assert [part["score_bytes"] for part in asked["parts"]] == [128 << 21, 128 << 22, 128 << 15]
    half = json.loads(run(*step, "--json", "--dtype", "float16").stdout)
    assert {part["plan"]["problem"]["score_type"] for part in half["parts"]} == {"float16"}


def test_models_lists_what_plan_knows():
    parts = json.loads(run("models", "--json").stdout)["parts"]
    text = run("models").stdout
    for part in parts:
        assert part["model"] in text
        shape = ["plan", "--model", part["model"], "--context", "8k", "--device", "h200", "--json"]
        assert json.loads(run(*shape).stdout)["model"] == part["model"]


@pytest.mark.parametrize(("arguments", "words"), [
    (["--model", "v3", "--context", "4K"], ["--model", "v3.2, glm-5", "'v3'"]),
    (["--model", "v3.2"], ["--context", "found none"]),
    (["--model", "v3.2", "--context", "1M"], ["--context", "1..163840", "1048576"]),
    (["--model", "v3.2", "--context", "4X"], ["--context", "K or M", "'4X'"]),
    (["--model", "v3.2", "--context", "K"], ["--context", "K or M", "'K'"]),
    (["--model", "v3.2", "--context", "9999999M"], ["--context", "K or M"]),
    (["--model", "v3.2", "--context", "4K", "--rows", 3], ["--rows", "--model", "'3'"]),
    (["--model", "v3.2", "--context", "4K", "-k", 3], ["-k", "--model", "'3'"]),
    (["--rows", 3, "--width", 5, "-k", 2, "--batch", 2], ["--batch", "--model", "'2'"]),
    (["--rows", 3, "--width", 5], ["-k"]),
])
def test_plan_of_a_model_refuses(arguments, words):
    result = run("plan", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    for word in words:
        assert word in result.stderr


def test_plan_knows_every_route():
    """Each name passes the command line; whether it serves the shape is the library's answer."""
    for route in ("tile", "sieve", "split", "wide", "trivial"):
        result = run("plan", "--rows", 8, "--width", 400, "-k", 512, "--device", "h200", "--route", route, "--json")
        answer = json.loads(result.stdout)
        assert answer["route"] == route if result.returncode == 0 else answer["unmet"], result
        assert "expected one of" not in result.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["select", "--help"], ["plan", "--help"], ["models", "--help"], ["doctor", "--help"],
                                       ["--version"], ["select", "--version"], ["plan", "--version"],
                                       ["doctor", "--version"]])
def test_help_and_version(arguments):
    result = run(*arguments)
    assert (result.returncode, result.stderr) == (0, "")
    assert ("keysieve 0." if "--version" in arguments else "Usage: keysieve") in result.stdout
