"""keysieve select --backend cuda: the outputs of the CPU backend, byte for byte; without a GPU, a clear refusal."""

from __future__ import annotations

import functools
import json
import os

import numpy as np
import pytest

from cli_helpers import CLI, run, snapshot, to_bfloat16, write_safetensors


@functools.cache
def doctor() -> dict:
    return json.loads(run("doctor", "--json").stdout)


def devices() -> list:
    return doctor()["system"]["cuda"].get("devices") or []


@functools.cache
def why_no_gpu() -> str:
    """Empty where the GPU can select."""
    if not CLI:
        return "KEYSIEVE_CLI: expected the path of the keysieve command"
    if not devices():
        return "no CUDA device: " + str(doctor()["system"]["cuda"].get("problem"))
    plan = run("plan", "--rows", 4, "--width", 1000, "-k", 16, "--device", "cuda")
    return "" if plan.returncode == 0 else plan.stderr.strip()


@pytest.fixture
def gpu():
    if why_no_gpu():
        if os.environ.get("KEYSIEVE_TEST_REQUIRE_GPU", "0") == "1":
            pytest.fail("KEYSIEVE_TEST_REQUIRE_GPU: " + why_no_gpu(), pytrace=False)
        pytest.skip(why_no_gpu())


def outputs(files, *arguments) -> dict[str, object]:
    """What a run wrote, warnings included."""
    result = run("select", *arguments, "--counts", "counts.npy", "--values", "values.npy", "-o", "out.npy", cwd=files)
    assert result.returncode == 0, result
    written = {name: (files / name).read_bytes() for name in ("out.npy", "counts.npy", "values.npy")}
    written["stderr"] = result.stderr
    if (files / "raw.npy").exists():
        written["raw.npy"] = (files / "raw.npy").read_bytes()
    return written


def same_on_the_gpu(files, *arguments) -> None:
    expected = outputs(files, *arguments, "--backend", "cpu")
    got = outputs(files, *arguments, "--backend", "cuda", "--check")
    for name, content in expected.items():
        assert got[name] == content, name


def test_without_a_gpu_the_refusal_says_so(files):
    if devices():
        pytest.skip("this machine has a GPU")
    before = snapshot(files)
    for device in ([], ["--device", 0], ["--device", 3]):
        result = run("select", "scores.npy", "-k", 4, "--backend", "cuda", *device, "-o", "out.npy", cwd=files)
        assert (result.returncode, result.stdout) == (2, "")
        assert len(result.stderr.splitlines()) == 1
        assert result.stderr.startswith("keysieve: error: backend: ") and "no CUDA device" in result.stderr
    assert snapshot(files) == before


def test_without_a_gpu_its_plan_is_refused():
    if devices():
        pytest.skip("this machine has a GPU")
    shape = ["plan", "--rows", 8, "--width", 1000, "-k", 4]
    for arguments in (["--backend", "cuda"], ["--device", "cuda"], ["--device", "cuda:1"]):
        result = run(*shape, *arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert len(result.stderr.splitlines()) == 1 and "backend" in result.stderr


@pytest.mark.parametrize("order", ["index", "score"])
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_windows_and_orders(gpu, files, order, index_dtype):
    same_on_the_gpu(files, "scores.npy", "-k", 20, "--lengths", "lengths.npy", "--row-starts", "starts.npy",
                    "--order", order, "--index-dtype", index_dtype)


@pytest.mark.parametrize("options", [["--ties", "largest"], ["--nan", "highest"], ["--mask-neg-inf"],
                                     ["--out-offsets", "offsets.npy"],
                                     ["--page-table", "pages.npy", "--page-size", 16, "--num-pages", 50],
                                     ["--page-table", "pages.npy", "--page-size", 16, "--mode", "dual",
                                      "--raw-out", "raw.npy"]], ids=lambda options: options[0] + str(len(options)))
def test_options_and_modes(gpu, files, options):
    same_on_the_gpu(files, "scores.npy", "-k", 33, *options)
    same_on_the_gpu(files, "scores.npy", "-k", 330, *options)


def test_order_any_passes_the_check(gpu, files):
    result = run("select", "scores.npy", "-k", 20, "--order", "any", "--backend", "cuda", "--check", "-o", "out.npy",
                 cwd=files)
    assert result.returncode == 0 and "check ok" in result.stdout


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_types(gpu, files, dtype):
    scores = np.random.default_rng(2).standard_normal((7, 9001)).astype(np.float32)
    content = to_bfloat16(scores) if dtype == "BF16" else scores.astype({"F32": np.float32, "F16": np.float16}[dtype])
    for pad in range(2):  # an odd header puts the scores at an odd address
        write_safetensors(files / "s.safetensors", {"scores": (dtype, [7, 9001], content.tobytes())}, pad)
        same_on_the_gpu(files, "s.safetensors", "-k", 512)


@pytest.mark.parametrize("route", ["tile", "sieve", "split", "wide", "trivial"])
def test_routes_threads_and_split(gpu, files, route):
    rows, width, k = (6, 300, 512) if route == "trivial" else (6, 12000, 512)
    np.save(files / "s.npy", np.random.default_rng(2).integers(-99, 99, (rows, width)).astype(np.float32))
    shape = ["--rows", rows, "--width", width, "-k", k]
    tuning = ["--route", route, "--threads", 256, *(["--split", 2] if route in ("split", "wide") else [])]
    refused = run("plan", *shape, "--device", "cuda", *tuning)
    if refused.returncode != 0:
        pytest.skip(refused.stderr.strip())
    result = run("select", "s.npy", "-k", k, "--backend", "cuda", *tuning, "--check", "--json", "-o", "out.npy",
                 cwd=files)
    assert result.returncode == 0, result
    report = json.loads(result.stdout)
    assert (report["device"], report["backend"], report["route"], report["threads"]) == ("cuda:0", "cuda", route, 256)
    assert report["seconds"] > 0 and report["check"]["ok"]
    outputs(files, "s.npy", "-k", k, "--backend", "cpu")
    cpu = (files / "out.npy").read_bytes()
    outputs(files, "s.npy", "-k", k, "--backend", "cuda", *tuning)
    assert (files / "out.npy").read_bytes() == cpu


def test_many_batches_agree_with_one(gpu, files):
    # 600 MB of scores: three batches, the last one short, with a table line for every two rows.
    rows, width = 50, 3_000_000
    scores = np.lib.format.open_memmap(files / "big.npy", "w+", np.float32, (rows, width))
    scores[:, ::1000] = np.random.default_rng(3).integers(1, 90, (rows, width // 1000))
    scores.flush()
    np.save(files / "lengths2.npy", np.full((rows // 2, 2), width, np.int32))
    np.save(files / "pages2.npy", np.arange(rows // 2, dtype=np.int32)[:, None])
    result = run("select", "big.npy", "-k", 5, "--lengths", "lengths2.npy", "--page-table", "pages2.npy",
                 "--page-size", width, "--backend", "cuda", "-o", "out.npy", "--json", cwd=files)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["batches"] == 3
    expected = np.sort(np.argsort(-scores[:, ::1000], axis=1, kind="stable")[:, :5]) * 1000
    expected = expected + np.arange(rows)[:, None] // 2 * width
    np.testing.assert_array_equal(np.load(files / "out.npy"), expected)


@pytest.mark.parametrize("shape", [(0, 300), (5, 0)])
def test_empty_batches(gpu, files, shape):
    np.save(files / "empty.npy", np.zeros(shape, np.float32))
    same_on_the_gpu(files, "empty.npy", "-k", 4)


def test_refusals_write_nothing(gpu, files):
    before = snapshot(files)
    for arguments, words in [(["-k", 4, "--device", 99], ["--device", "'99'"]),
                             (["-k", 4, "--route", "cpu_rows"], ["route", "cpu_rows"]),
                             (["-k", 4, "--threads", 33], ["threads"])]:
        result = run("select", "scores.npy", *arguments, "--backend", "cuda", "-o", "out.npy", cwd=files)
        assert (result.returncode, result.stdout) == (2, "")
        assert len(result.stderr.splitlines()) == 1 and all(word in result.stderr for word in words), result.stderr
    assert snapshot(files) == before


def test_doctor_tests_the_gpu(gpu):
    tested = {entry["route"]: entry for entry in doctor()["self_test"] if entry["backend"] == "cuda"}
    assert tested["tile"]["cases"] > 0 and tested["sieve"]["cases"] > 0
    assert all(entry["failed"] == 0 for entry in tested.values())
    groups = {entry["route"]: {group["name"]: group for group in entry["groups"]} for entry in tested.values()}
    for route in ("trivial", "tile", "sieve", "split", "wide"):
        if "unavailable" in tested[route]:
            continue
        for name, cases in (("large rows", 6), ("graph", 3), ("hint", 4)):
            assert groups[route][name]["cases"] == cases, (route, name)
    for route, name in (("split", "clusters of 8"), ("split", "clusters of 16"), ("wide", "a million columns")):
        assert groups[route][name]["cases"] > 0 or groups[route][name]["unavailable"], (route, name)


def test_doctor_is_quick_and_sees_the_gpu(gpu):
    report = doctor()
    assert report["self_test_seconds"] < 5
    assert sum(entry["left_out"] for entry in report["self_test"]) == 0
    loaded = [entry["name"] for entry in report["libraries"]["loaded"]]
    assert any(name.startswith("libcuda.so") for name in loaded), loaded
    if not report["nvml"]["problem"]:
        seen = {entry["pci_bus_id"] for entry in report["nvml"]["gpus"]}
        assert {device["pci_bus_id"] for device in report["system"]["cuda"]["devices"]} <= seen


def test_doctor_conforms_to_its_schema(gpu):
    pytest.importorskip("jsonschema")
    from schema_support import validate
    validate(doctor(), "doctor-1", closed=True)
