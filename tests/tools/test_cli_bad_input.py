"""Whatever the input: exit code 2, one line that names it, no output and no leftover."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from cli_helpers import CLI, run, snapshot, sparse_scores, write_safetensors


def write_bytes(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def save(name, array, **options):
    return lambda folder: np.save(folder / name, array, **options)


def cut(name, size):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def npy_with_shape(shape):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)


def header_only(text: bytes, length=None, data=b""):
    return struct.pack("<Q", len(text) if length is None else length) + text + data


SCORES = ["scores.npy", "-k", 4]
PAGED = [*SCORES, "--page-table", "pages.npy", "--page-size", 16]
BAD = {
    # name: (preparation, arguments before -o, words that the one line must hold)
    "missing": (None, ["nothing.npy", "-k", 4], ["nothing.npy", "No such file"]),
    "directory": (None, [".", "-k", 4], [".:", "a directory"]),
    "empty": (write_bytes("x.npy", b""), ["x.npy", "-k", 4], ["x.npy", "empty"]),
    "garbage": (write_bytes("x.npy", b"\x00\xff" * 500), ["x.npy", "-k", 4], ["x.npy", "NUMPY"]),
    "garbage safetensors": (write_bytes("x.safetensors", b"\x00\xff" * 500), ["x.safetensors", "-k", 4],
                            ["x.safetensors", "header"]),
    "unknown kind": (write_bytes("x.bin", b"hello world"), ["x.bin", "-k", 4], ["x.bin", ".npy or .safetensors"]),
    "truncated": (cut("scores.npy", 5000), SCORES, ["scores.npy", "expected 7200", "found 4872"]),
    "truncated header": (cut("scores.npy", 40), SCORES, ["scores.npy", "header"]),
    "more rows than bytes": (write_bytes("x.npy", npy_with_shape("(1000000, 1000000)")), ["x.npy", "-k", 4],
                             ["x.npy", "expected 4000000000000", "found 64"]),
    "overflow": (write_bytes("x.npy", npy_with_shape("(4294967296, 4294967296)")), ["x.npy", "-k", 4],
     ["x.npy", "60 bits"]),
    "overflow to zero": (write_bytes("x.npy", npy_with_shape("(4611686018427387904, 16)")), ["x.npy", "-k", 4],
                         ["x.npy", "60 bits"]),
    "too many rows": (write_bytes("x.npy", npy_with_shape("(2147483648, 0)")[:-64]), ["x.npy", "-k", 4],
                      ["x.npy", "at most 2147483647"]),
    "fortran": (save("x.npy", np.asfortranarray(np.ones((3, 4), np.float32))), ["x.npy", "-k", 4],
     ["x.npy", "Fortran"]),
    "big-endian": (save("x.npy", np.ones((3, 4), ">f4")), ["x.npy", "-k", 4], ["x.npy", "big-endian", ">f4"]),
    "object": (save("x.npy", np.array([[None, 1]], object), allow_pickle=True), ["x.npy", "-k", 4],
     ["x.npy", "object"]),
    "float64": (save("x.npy", np.ones((3, 4))), ["x.npy", "-k", 4], ["x.npy", "<f8"]),
    "integer scores": (save("x.npy", np.ones((3, 4), np.int32)), ["x.npy", "-k", 4], ["x.npy", "float32", "int32"]),
    "structured": (save("x.npy", np.zeros(3, [("a", "<f4")])), ["x.npy", "-k", 4], ["x.npy", "structured"]),
    "three dimensions": (save("x.npy", np.ones((2, 3, 4), np.float32)), ["x.npy", "-k", 4], ["x.npy", "(2, 3, 4)"]),
    "scalar": (save("x.npy", np.float32(3)), ["x.npy", "-k", 4], ["x.npy", "()"]),
    "header length": (write_bytes("x.safetensors", header_only(b"{}", 2**40)), ["x.safetensors", "-k", 4],
                      ["x.safetensors", "100000000"]),
    "json bomb": (write_bytes("x.safetensors", header_only(b'{"a":' + b"[" * 1_000_000)), ["x.safetensors", "-k", 4],
                  ["x.safetensors", "an array"]),
    "offsets outside": (write_bytes("x.safetensors", header_only(
        b'{"a":{"dtype":"F32","shape":[1,4],"data_offsets":[0,16]}}', data=b"1234")), ["x.safetensors", "-k", 4],
        ["x.safetensors", "'a'", "[0, 16)"]),
    "offsets negative": (write_bytes("x.safetensors", header_only(
        b'{"a":{"dtype":"F32","shape":[0,4],"data_offsets":[-8,-8]}}')), ["x.safetensors", "-k", 4],
        ["x.safetensors", "-8"]),
    "several tensors": (lambda folder: write_safetensors(folder / "x.safetensors", {
        "a": ("F32", [1, 1], b"1234"), "b": ("F32", [1, 1], b"1234")}), ["x.safetensors", "-k", 4],
        ["x.safetensors", "--tensor", "'a'", "'b'"]),
    "no such tensor": (lambda folder: write_safetensors(folder / "x.safetensors", {"a": ("F32", [1, 1], b"1234")}),
                       ["x.safetensors", "-k", 4, "--tensor", "z"], ["'z'", "'a'"]),
    "no score tensor": (lambda folder: write_safetensors(folder / "x.safetensors", {"a": ("I64", [1, 1], b"12345678")}),
                        ["x.safetensors", "-k", 4], ["x.safetensors", "int64"]),
    "tensor of npy": (None, [*SCORES, "--tensor", "a"], ["--tensor", "scores.npy"]),
    "k zero": (None, ["scores.npy", "-k", 0], ["-k", "'0'"]),
    "k negative": (None, ["scores.npy", "-k", -4], ["-k", "'-4'"]),
    "k too large": (None, ["scores.npy", "-k", 2**31], ["-k", "2147483647", "2147483648"]),
    "k word": (None, ["scores.npy", "-k", "many"], ["-k", "'many'"]),
    "k fraction": (None, ["scores.npy", "-k", "4.0"], ["-k", "'4.0'"]),
    "k missing": (None, ["scores.npy"], ["-k"]),
    "k twice": (None, [*SCORES, "-k", 5], ["-k"]),
    "unknown option": (None, [*SCORES, "--frobnicate"], ["--frobnicate"]),
    "unknown value": (None, [*SCORES, "--order", "best"], ["--order", "index", "'best'"]),
    "threads zero": (None, [*SCORES, "--threads", 0], ["--threads", "'0'"]),
    "split zero": (None, [*SCORES, "--split", 0], ["--split", "'0'"]),
    "split word": (None, [*SCORES, "--split", "all"], ["--split", "'all'"]),
    "gpu of no number": (None, [*SCORES, "--backend", "cuda", "--device", "h200"], ["--device", "'h200'"]),
    "gpu of a negative number": (None, [*SCORES, "--backend", "cuda", "--device", -1], ["--device", "'-1'"]),
    "gpu that is not used": (None, [*SCORES, "--device", 0], ["--device", "backend auto"]),
    "gpu route": (None, [*SCORES, "--backend", "cpu", "--route", "sieve"], ["route", "sieve"]),
    "lengths count": (save("x.npy", np.ones(5, np.int32)), [*SCORES, "--lengths", "x.npy"],
     ["x.npy", "6 rows", "(5,)"]),
    "lengths shape": (save("x.npy", np.ones((2, 2), np.int32)), [*SCORES, "--lengths", "x.npy"], ["x.npy", "(2, 2)"]),
    "lengths type": (save("x.npy", np.ones(6, np.float32)), [*SCORES, "--lengths", "x.npy"],
     ["x.npy", "int32", "float32"]),
    "lengths range": (save("x.npy", np.array([1, 1, 2**31, 1, 1, 1])), [*SCORES, "--lengths", "x.npy"],
                      ["x.npy", "int32", "2147483648 at element 2"]),
    "starts shape": (save("x.npy", np.ones((6, 1), np.int32)), [*SCORES, "--row-starts", "x.npy"], ["x.npy", "(6, 1)"]),
    "offsets count": (save("x.npy", np.ones(7, np.int32)), [*SCORES, "--out-offsets", "x.npy"],
     ["x.npy", "(6,)", "(7,)"]),
    "table lines": (save("x.npy", np.ones((4, 19), np.int32)), [*SCORES, "--page-table", "x.npy", "--page-size", 16],
                    ["x.npy", "(6, pages)", "(4, 19)"]),
    "table narrow": (save("x.npy", np.ones((6, 18), np.int32)), [*SCORES, "--page-table", "x.npy", "--page-size", 16],
                     ["x.npy", "at least 19 pages", "row 0", "300", "found 18"]),
    "table without size": (None, [*SCORES, "--page-table", "pages.npy"], ["--page-size"]),
    "size without table": (None, [*SCORES, "--page-size", 16], ["--page-size"]),
    "page size zero": (None, [*SCORES, "--page-table", "pages.npy", "--page-size", 0], ["--page-size", "'0'"]),
    "paged without table": (None, [*SCORES, "--mode", "paged"], ["--page-table"]),
    "raw with table": (None, [*PAGED, "--mode", "raw"], ["--page-table", "raw"]),
    "offset without offsets": (None, [*SCORES, "--mode", "offset"], ["--out-offsets", "--row-starts"]),
    "dual without raw": (None, [*PAGED, "--mode", "dual"], ["--raw-out"]),
    "raw-out without dual": (None, [*PAGED, "--raw-out", "r.npy"], ["--raw-out"]),
    "output twice": (None, [*SCORES, "--values", "./out.npy"], ["--values", "-o"]),
    "output is input": (None, [*SCORES, "--values", "scores.npy"], ["--values", "scores.npy", "SCORES"]),
    "output folder": (None, [*SCORES, "--values", "nowhere/v.npy"], ["nowhere/v.npy", "folder"]),
    "output is folder": (None, [*SCORES, "--values", "."], [".:", "a directory"]),
    "output is device": (None, [*SCORES, "--values", "/dev/full"], ["/dev/full", "device"]),
    "too large to count": (write_bytes("x.npy", npy_with_shape("(2147483647, 0)")[:-64]),
                           ["x.npy", "-k", 2**31 - 1, "--index-dtype", "int64"], ["out.npy", "60 bits"]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(files, name):
    prepare, arguments, words = BAD[name]
    if prepare:
        prepare(files)
    before = snapshot(files)
    result = run("select", *arguments, "-o", "out.npy", cwd=files)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1 and result.stderr.startswith("keysieve: error: "), result.stderr
    for word in words:
        assert word in result.stderr, result.stderr
    assert snapshot(files) == before


def test_an_old_output_survives_bad_input(files):
    (files / "out.npy").write_bytes(b"old")
    before = snapshot(files)
    assert run("select", "scores.npy", "-k", 4, "--lengths", "pages.npy", "-o", "out.npy", cwd=files).returncode == 2
    assert snapshot(files) == before


def test_names_with_control_characters_stay_on_one_line(files):
    result = run("select", "no\nsuch\x1b[2Jfile.npy", "-k", 4, "-o", "out.npy", cwd=files)
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1 and "\x1b" not in result.stderr


@pytest.mark.parametrize("arguments", [[], ["bogus"], ["--bogus"], ["plan"], ["plan", "--rows", "1", "-k", "1"],
                                       ["plan", "--rows", "-1", "--width", "9", "-k", "1"],
                                       ["plan", "--rows", "1", "--width", "9", "-k", "1", "--device", "h300"],
                                       ["plan", "--rows", "1", "--width", "9", "-k", "1", "--device", "cuda:one"],
                                       ["plan", "--rows", "1", "--width", "9", "-k", "1", "--split", "0"],
                                       ["plan", "--rows", "1", "--width", "9", "-k", "1", "--route", "trivially"],
                                       ["doctor", "extra"]])
def test_bad_usage(arguments):
    result = run(*arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1


def test_full_stdout_is_an_error_and_leaves_nothing(files):
    before = snapshot(files)
    for arguments in (["select", "scores.npy", "-k", 4, "-o", "out.npy"], ["doctor"], ["--help"],
                      ["plan", "--rows", 1, "--width", 9, "-k", 1]):
        with open("/dev/full", "w") as full:
            result = run(*arguments, cwd=files, stdout=full)
        assert result.returncode == 2
        assert len(result.stderr.splitlines()) == 1 and "stdout" in result.stderr
    assert snapshot(files) == before


def test_closed_pipe_is_an_error(files):
    reader, writer = os.pipe()
    os.close(reader)
    result = run("select", "scores.npy", "-k", 4, "-o", "out.npy", cwd=files, stdout=writer)
    os.close(writer)
    assert result.returncode == 2 and "stdout" in result.stderr and not (files / "out.npy").exists()


def test_full_disk(files):
    disk = files / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a tmpfs is not allowed here: " + mounted.stderr.decode().strip())
    try:
        result = run("select", "scores.npy", "-k", 600, "--index-dtype", "int64", "-o", "disk/out.npy",
                     "--counts", "counts.npy", cwd=files)
        assert result.returncode == 2
        assert len(result.stderr.splitlines()) == 1 and "disk/out.npy" in result.stderr
        assert "No space left" in result.stderr
        assert list(disk.iterdir()) == [] and not (files / "counts.npy").exists()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_file_size_limit_is_an_error(files):
    result = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$0" "$@"', str(Path(CLI).resolve()), "select",
                             "scores.npy", "-k", "300", "-o", "out.npy"], cwd=files, capture_output=True, text=True)
    assert result.returncode == 2 and "out.npy" in result.stderr and len(result.stderr.splitlines()) == 1
    assert not (files / "out.npy").exists() and not list(files.glob(".keysieve*"))


def test_interrupt_removes_what_is_unfinished(files):
    sparse_scores(files / "big.npy", 2000, 2_000_000)  # 16 GB of zeros that take no disk
    process = subprocess.Popen([str(Path(CLI).resolve()), "select", "big.npy", "-k", "2048", "--backend", "reference",
                                "-o", "out.npy"], cwd=files, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not list(files.glob(".keysieve*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert not (files / "out.npy").exists() and not list(files.glob(".keysieve*"))


def test_input_that_shrinks_is_an_error(files):
    sparse_scores(files / "big.npy", 2000, 2_000_000)
    process = subprocess.Popen([str(Path(CLI).resolve()), "select", "big.npy", "-k", "2048", "--backend", "reference",
                                "-o", "out.npy"], cwd=files, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not list(files.glob(".keysieve*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.truncate(files / "big.npy", 4096)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert len(stderr.splitlines()) == 1 and "big.npy" in stderr
    assert not (files / "out.npy").exists() and not list(files.glob(".keysieve*"))
