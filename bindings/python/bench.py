"""Measures the wheel: instructions a second through the batch call, and memory over a million calls. Not a test.

With `ISAGLOT_CORPUS`, the kernels of Intel Xe there are decoded too: random words repeat nothing, which no program does.
"""

from __future__ import annotations

import gc
import gzip
import os
import pathlib
import random
import resource
import time

import isaglot

COUNT = 1_000_000


def kilobytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() // 1024


def valid(isa: isaglot.Isa, data: bytes) -> list[bytes]:
    columns = isa.decode_many(data)
    rows = zip(columns.offset, columns.size, columns.encoding)
    return [data[at : at + n] for at, n, encoding in rows if encoding >= 0]


def repeated(found: list[bytes]) -> bytes:
    return b"".join(found * (COUNT // len(found) + 1))


def cases() -> list[tuple[str, isaglot.Isa, bytes]]:
    """Names, and a million valid instructions each."""
    found = []
    for name, size in [("rv64gc", 4), ("minnow", 2), ("trio", 16), ("xehpc", 16)]:
        isa = isaglot.load(name)
        found.append((name, isa, repeated(valid(isa, random.Random(1).randbytes(size * 400_000)))))
    corpus = os.environ.get("ISAGLOT_CORPUS")
    if corpus:
        isa = isaglot.load("xehpc")
        kernels = sorted(pathlib.Path(corpus).glob("xe/kernels/*.krn.gz"))
        code = [word for file in kernels for word in valid(isa, gzip.decompress(file.read_bytes()))]
        found.append(("kernels", isa, repeated(code)))
    return found


def speed() -> None:
    for name, isa, data in cases():
        best = []
        for _ in range(5):
            start = time.process_time()
            columns = isa.decode_many(data)
            best.append((time.process_time() - start) / len(columns))
        start = time.process_time()
        columns.texts()
        texts = (time.process_time() - start) / len(columns)
        print(f"{name:8} {len(columns)} decodes: {1e-6 / min(best):.2f} M/s of CPU time; texts() {1e-6 / texts:.2f} M/s")


def memory() -> None:
    isa = isaglot.load("rv64gc")
    word = bytes.fromhex("3385c500")

    def calls(count: int) -> None:
        for n in range(count // 5):
            isa.decode(word)
            isa.assemble("add a0, a1, a2")
            isa.explain("0x00c58533")
            isa.decode_many(word * 10)
            try:
                isa.assemble("frob")
            except isaglot.Error:
                pass

    calls(20_000)
    gc.collect()
    before = kilobytes()
    for part in range(5):
        calls(COUNT // 5)
        gc.collect()
        print(f"{(part + 1) * COUNT // 5} calls: {kilobytes() - before:+} KiB of {before}")


if __name__ == "__main__":
    speed()
    memory()
