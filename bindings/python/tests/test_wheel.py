"""What the wheel promises by itself: examples, errors, threads, memory."""

from __future__ import annotations

import doctest
import gc
import resource
import threading
from pathlib import Path

import pytest
from conftest import WORDS, random_bytes

import isaglot
import isaglot._isa

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.parametrize(
    "module", [isaglot, isaglot._isa, isaglot.spirv, isaglot.tablegen, isaglot.xe], ids=lambda module: module.__name__
)
def test_examples(module: object) -> None:
    found = doctest.testmod(module, optionflags=FLAGS, extraglobs={"isaglot": isaglot})  # type: ignore[arg-type]
    assert found.attempted > 0 and found.failed == 0


def test_problems_are_data() -> None:
    with pytest.raises(isaglot.Error) as caught:
        isaglot.load("minnow").assemble("li r2, 10\nli r99, 1\nfrob\n")
    problems = caught.value.problems
    assert [(p.severity, p.file, p.line, p.column) for p in problems] == [
        ("error", "<text>", 2, 4),
        ("error", "<text>", 3, 1),
    ]
    assert all(p.code.startswith("asm-") and p.message and p.text for p in problems)
    assert str(caught.value).count("error[") == 2


def test_nothing_is_guessed() -> None:
    for source, choices in [
        ("minnow", {"gen": "v9"}),
        ("minnow", {"features": ["+nothing"]}),
        ("minnow", {"triple": "riscv64"}),
        ("xehpc", {"cpu": "x"}),
        ("./not-there.xml", {}),
        ("nothing", {}),
    ]:
        with pytest.raises(isaglot.Error) as caught:
            isaglot.load(source, **choices)  # type: ignore[arg-type]
        assert caught.value.problems
    minnow = isaglot.load("minnow")
    for data, code in [(b"", "decode-short"), (b"\xff" * 8, "decode-none")]:
        with pytest.raises(isaglot.Error) as caught:
            minnow.decode(data)
        assert [p.code for p in caught.value.problems] == [code]
    with pytest.raises(isaglot.Error):
        isaglot.load("spirv").decode(b"1234")
    with pytest.raises(isaglot.Error):
        isaglot.spirv.disassemble(b"1234")
    with pytest.raises(isaglot.Error):
        isaglot.tablegen.records("def A : Nothing;")
    with pytest.raises(TypeError):
        minnow.decode("4814")  # type: ignore[arg-type]


def test_buffers_of_any_kind() -> None:
    minnow = isaglot.load("minnow")
    data = bytes.fromhex("48142408")
    texts = minnow.decode_many(data).texts()
    assert minnow.decode_many(bytearray(data)).texts() == texts
    assert minnow.decode_many(memoryview(data)).texts() == texts
    assert minnow.decode_many(b"").texts() == []
    assert minnow.decode_many(data[:3]).used == 2


@pytest.mark.parametrize("name", ["rv64gc", "xehpc", "trio"])
def test_threads_share_one(name: str) -> None:
    isa = isaglot.load(name)
    data = random_bytes(1, 16 * 500)
    expected = (isa.disassemble(data), isa.list(data).json, isa.decode_many(data).texts())
    columns = isa.decode_many(data)
    at = next(at for at, encoding in zip(columns.offset, columns.encoding) if encoding >= 0)
    question = hex(isa.decode(data[at:]).word)
    explained = isa.explain(question).text
    wrong: list[str] = []

    def work() -> None:
        for _ in range(5):
            if (isa.disassemble(data), isa.list(data).json, isa.decode_many(data).texts()) != expected:
                wrong.append("texts")
            if isa.explain(question).text != explained:
                wrong.append("explanation")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def kilobytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() // 1024


def test_memory_is_released() -> None:
    """A fiftieth of the calls of the measurement in `bench.py`, which does a million; fewer where fewer words are asked for."""
    count = min(20 * WORDS, 20_000)
    isa = isaglot.load("rv64gc")
    word = bytes.fromhex("3385c500")

    def calls(count: int) -> None:
        for n in range(count):
            isa.decode(word)
            if n % 50 == 0:
                isa.assemble("add a0, a1, a2")
                isa.explain("0x00c58533")
                isa.list(word * 8)
                isa.decode_many(word * 100)
                isaglot.load("minnow")
                with pytest.raises(isaglot.Error):
                    isa.assemble("frob")

    calls(count // 4)
    gc.collect()
    before = kilobytes()
    calls(count)
    gc.collect()
    assert kilobytes() - before < 4_096


def test_the_first_example_of_the_page() -> None:
    page = (Path(__file__).resolve().parents[1] / "README.md").read_text()
    program = page.split("```python\n", 1)[1].split("```", 1)[0]
    exec(compile(program, "README.md", "exec"), {})
