"""Measures the wheel: instructions a second through the batch call, and memory over a million calls. Not a test."""

from __future__ import annotations

import gc
import random
import resource
import time

import isaglot

COUNT = 1_000_000


def kilobytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() // 1024


def words(isa: isaglot.Isa, size: int, count: int) -> bytes:
    """So many valid instructions, random ones again and again."""
    data = random.Random(1).randbytes(size * 400_000)
    columns = isa.decode_many(data)
    rows = zip(columns.offset, columns.size, columns.encoding)
    valid = [data[at : at + n] for at, n, encoding in rows if encoding >= 0]
    return b"".join(valid * (count // len(valid) + 1))


def speed() -> None:
    for name, size in [("rv64gc", 4), ("minnow", 2), ("trio", 16), ("xehpc", 16)]:
        isa = isaglot.load(name)
        data = words(isa, size, COUNT)
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
