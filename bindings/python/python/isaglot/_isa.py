"""An instruction set, and its answers that are more than one value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Optional, Union

from ._isaglot import Engine, Instruction, Problem

#: What holds bytes.
Buffer = Union[bytes, bytearray, memoryview]


def _bytes(data: Buffer) -> bytes:
    return data if isinstance(data, bytes) else bytes(data)


class Isa:
    """A description of an instruction set with a gen and features. ``isaglot.load`` makes one."""

    __slots__ = ("_engine", "_encodings")

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._encodings: Optional[list[tuple[str, str]]] = None

    @property
    def name(self) -> str:
        """What it was asked for by."""
        return self._engine.name

    @property
    def kind(self) -> str:
        """``descriptions``, ``RISC-V``, ``Intel Xe`` or ``SPIR-V``."""
        return self._engine.kind

    @property
    def gen(self) -> Optional[int]:
        """The gen that is decoded for; None of SPIR-V."""
        return self._engine.generation

    @property
    def features(self) -> list[str]:
        """The features that are on, with those that they imply.

        >>> "zca" in isaglot.load("rv64gc").features
        True
        """
        return self._engine.features

    @property
    def warnings(self) -> list[Problem]:
        """What is to be said of the description and the choices, although it can be used."""
        return self._engine.warnings

    @property
    def encodings(self) -> list[tuple[str, str]]:
        """The mnemonic and the name of each encoding, by the numbers of ``Columns.encoding``."""
        if self._encodings is None:
            self._encodings = self._engine.encodings()
        return self._encodings

    def decode(self, data: Buffer) -> Instruction:
        """The instruction that the bytes begin with, in memory order; further bytes are not looked at.

        :raises Error: ``decode-short``, ``decode-none`` or ``decode-conflict``.

        >>> add = isaglot.load("rv64gc").decode(bytes.fromhex("3385c500"))
        >>> add.mnemonic, add.text, add.size, hex(add.word)
        ('add', 'add a0,a1,a2', 4, '0xc58533')
        >>> [(f.name, f.ranges, f.value, f.text) for f in add.fields]
        [('RD', [(7, 5)], 10, 'a0'), ('RS1', [(15, 5)], 11, 'a1'), ('RS2', [(20, 5)], 12, 'a2')]
        """
        return self._engine.decode(_bytes(data))

    def decode_many(self, data: Buffer) -> Columns:
        """All instructions of a run of bytes, as columns. Bytes at the end that are less than an instruction are left out.

        >>> rv64 = isaglot.load("rv64gc")
        >>> columns = rv64.decode_many(rv64.assemble("addi a0, a0, 1\\nret"))
        >>> len(columns), list(columns.offset), list(columns.size), columns.texts(), columns.mnemonics()
        (2, [0, 2], [2, 2], ['c.addi a0,1', 'c.jr ra'], ['c.addi', 'c.jr'])
        """
        return Columns(self, *self._engine.decode_many(_bytes(data)))

    def disassemble(self, data: Buffer, *, labels: bool = True) -> str:
        """The text of a program, with labels where its branches lead. What is not a valid instruction is a line of the text.

        >>> print(isaglot.load("minnow").disassemble(bytes.fromhex("48142408")), end="")
        li     r2, 10
        inc    r1, 4
        """
        return self._engine.disassemble(_bytes(data), labels)[0]

    def assemble(self, text: str) -> bytes:
        """The bytes of a program.

        :raises Error: everything that is wrong with the text, each problem with line and column.

        >>> try:
        ...     isaglot.load("rv64gc").assemble("add a0, a1\\nnop\\nfrob\\n")
        ... except isaglot.Error as error:
        ...     [(p.line, p.column, p.code) for p in error.problems]
        [(1, 11, 'asm-syntax'), (3, 1, 'asm-unknown-mnemonic')]
        """
        return self._engine.assemble(text)

    def explain(self, question: Union[str, int, Buffer]) -> Explanation:
        """Why a word decodes as it does, or what comes nearest.

        :param question: a number; bytes in memory order; or a text: hex (``0x…``), binary (``0b…``), bytes with separators
            (``04:00``), or assembly, of which each word is explained.

        >>> why = isaglot.load("minnow").explain("li r2, 10")
        >>> why.words[0]["match"]["encoding"]["name"]
        'li'
        """
        if isinstance(question, int):
            question = hex(question)
        elif not isinstance(question, str):
            question = bytes(question).hex(":")
        return Explanation(*self._engine.explain(question))

    def check(self) -> Check:
        """What is wrong with the description, with words that show it.

        >>> found = isaglot.load("minnow").check()
        >>> found.ok, found.report["coverage"][0]["encodings"]
        (True, 18)
        """
        return Check(*self._engine.check())

    def list(self, data: Buffer, *, defs: bool = True, pc: bool = True, bits: bool = False) -> Listing:
        """The listing of a program: instructions taken apart, blocks and their edges.

        :param defs: definitions, uses and live registers too.
        :param pc: byte offsets too.
        :param bits: the words too.

        >>> rv64 = isaglot.load("rv64gc")
        >>> listing = rv64.list(rv64.assemble("li a0, 1\\naddi a1, a0, 2\\nret"))
        >>> [(i["op"], i["dst"]["reg"]["rn"], i["dst"]["uses"]) for i in listing.instructions[:1]]
        [('c.li', 'a0', [1])]
        """
        return Listing(*self._engine.list(_bytes(data), defs, pc, bits))

    def __repr__(self) -> str:
        return f"<Isa {self.name}>"


class Columns:
    """Many instructions as columns.

    ``offset``, ``size``, ``encoding`` and ``text_offset`` are views of memory: ``list(c.offset)``, ``numpy.asarray(c.offset)`` and
    ``pyarrow.py_buffer(c.text)`` take them without a copy.
    """

    __slots__ = ("isa", "offset", "size", "encoding", "text_offset", "text", "used")

    def __init__(
        self, isa: Isa, offset: bytes, size: bytes, encoding: bytes, text_offset: bytes, text: bytes, used: int
    ) -> None:
        self.isa = isa
        #: The byte offset of each instruction.
        self.offset: memoryview = memoryview(offset).cast("Q")
        #: How many bytes each has.
        self.size: memoryview = memoryview(size).cast("I")
        #: The row of ``isa.encodings`` of each; -1 for a word that is not a valid instruction.
        self.encoding: memoryview = memoryview(encoding).cast("i")
        #: Where each text begins in ``text``; the last row is where the last one ends.
        self.text_offset: memoryview = memoryview(text_offset).cast("I")
        #: The texts, UTF-8, one after the other.
        self.text: bytes = text
        #: How many bytes of the input were used.
        self.used: int = used

    def __len__(self) -> int:
        return len(self.offset)

    def texts(self) -> list[str]:
        """The texts. A word that is not a valid instruction has an empty one."""
        ends = list(self.text_offset)
        text = self.text
        if text.isascii():
            whole = text.decode("ascii")
            return [whole[a:b] for a, b in zip(ends, ends[1:])]
        return [text[a:b].decode() for a, b in zip(ends, ends[1:])]

    def mnemonics(self) -> list[Optional[str]]:
        """The mnemonics; None for a word that is not a valid instruction."""
        known = [mnemonic for mnemonic, _ in self.isa.encodings]
        return [known[n] if n >= 0 else None for n in self.encoding]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns ``offset``, ``size``, ``mnemonic`` and ``text`` as lists."""
        return {
            "offset": list(self.offset),
            "size": list(self.size),
            "mnemonic": self.mnemonics(),
            "text": self.texts(),
        }

    def to_pandas(self) -> Any:
        """The columns as a pandas data frame. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_arrow(self) -> Any:
        """The columns as an Arrow table, mnemonics as a dictionary, numbers and texts without a copy. Needs pyarrow."""
        import pyarrow

        rows = len(self)

        def numbers(kind: Any, view: memoryview) -> Any:
            return pyarrow.Array.from_buffers(kind, rows, [None, pyarrow.py_buffer(view)])

        texts = pyarrow.Array.from_buffers(
            pyarrow.utf8(), rows, [None, pyarrow.py_buffer(self.text_offset), pyarrow.py_buffer(self.text)]
        )
        return pyarrow.table(
            {
                "offset": numbers(pyarrow.uint64(), self.offset),
                "size": numbers(pyarrow.uint32(), self.size),
                "mnemonic": pyarrow.array(self.mnemonics(), pyarrow.utf8()).dictionary_encode(),
                "text": texts,
            }
        )

    def __repr__(self) -> str:
        return f"<Columns {len(self)}>"


class Explanation:
    """Why words decode as they do."""

    __slots__ = ("text", "json")

    def __init__(self, text: str, json: str) -> None:
        #: For people, as ``isaglot explain`` prints it.
        self.text: str = text
        #: As ``isaglot explain --json`` prints it.
        self.json: str = json

    @property
    def words(self) -> list[dict[str, Any]]:
        """An object for each word."""
        words: list[dict[str, Any]] = json.loads(self.json)
        return words

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Explanation {self.text.splitlines()[0]}>"


class Check:
    """What is wrong with a description, and what is known of it."""

    __slots__ = ("findings", "json")

    def __init__(self, findings: list[Problem], json: str) -> None:
        #: Errors, warnings and notes.
        self.findings: list[Problem] = findings
        #: As ``isaglot check --json`` prints it.
        self.json: str = json

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return all(problem.severity != "error" for problem in self.findings)

    @property
    def report(self) -> dict[str, Any]:
        """Overlaps, counts of words, and the rest of what is known."""
        report: dict[str, Any] = json.loads(self.json)["report"]
        return report

    def __repr__(self) -> str:
        return f"<Check {len(self.findings)} findings>"


class Listing:
    """The listing of a program."""

    __slots__ = ("json", "problems", "_tree")

    def __init__(self, json: str, problems: list[Problem]) -> None:
        #: As ``isaglot list --json`` prints it.
        self.json: str = json
        #: What is to be said of the program: bad words of Intel Xe and SPIR-V.
        self.problems: list[Problem] = problems
        self._tree: Optional[dict[str, Any]] = None

    @property
    def tree(self) -> dict[str, Any]:
        """All of it as plain objects; ``isaglot list --print-schema`` says what they hold."""
        if self._tree is None:
            self._tree = json.loads(self.json)
        return self._tree

    @property
    def elems(self) -> list[dict[str, Any]]:
        """Labels (``kind`` is ``L``) and instructions (``I``) in program order."""
        elems: list[dict[str, Any]] = self.tree["elems"]
        return elems

    @property
    def instructions(self) -> list[dict[str, Any]]:
        """The instructions in program order."""
        return [elem for elem in self.elems if elem["kind"] == "I"]

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """The labels in program order: each begins a block, with the blocks before and after it."""
        return [elem for elem in self.elems if elem["kind"] == "L"]

    def columns(self) -> dict[str, list[Any]]:
        """A row for each instruction: ``id``, ``pc``, ``block`` (the number of its label), ``op``, ``subop``, ``dst``, ``srcs`` (as
        texts), ``defs`` (the instructions that define what it reads), ``text``. pandas and pyarrow take this as it is.
        """
        names = ("id", "pc", "block", "op", "subop", "dst", "srcs", "defs", "text")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        block = None
        for elem in self.elems:
            if elem["kind"] == "L":
                block = elem["id"]
                continue
            sources = elem["srcs"]
            columns["id"].append(elem["id"])
            columns["pc"].append(elem.get("pc"))
            columns["block"].append(block)
            columns["op"].append(elem["op"])
            columns["subop"].append(elem.get("subop"))
            columns["dst"].append(_operand(elem["dst"]) if "dst" in elem else None)
            columns["srcs"].append([_operand(source) for source in sources])
            columns["defs"].append(sorted(_defs(elem)))
            columns["text"].append(elem.get("comment"))
        return columns

    def to_pandas(self) -> Any:
        """``columns()`` as a pandas data frame. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.columns())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.instructions)

    def __repr__(self) -> str:
        return f"<Listing {self.tree['platform']} {len(self.elems)}>"


def _register(reg: dict[str, Any]) -> str:
    number = str(reg["r"]) if reg.get("r") else ""
    sub = f".{reg['sr']}" if reg.get("sr") else ""
    return f"{reg['rn']}{number}{sub}"


def _operand(operand: dict[str, Any]) -> str:
    """An operand as one text."""
    kind = operand["kind"]
    if kind == "LB":
        return str(operand["target"])
    if kind == "IM":
        return str(operand["value"])
    if kind == "RI":
        return f"[{_register(operand['areg'])}]"
    return _register(operand["areg"] if kind == "AD" else operand["reg"])


def _defs(instruction: dict[str, Any]) -> set[int]:
    """The instructions that define what an instruction reads."""
    found: set[int] = set()
    for key in ("pred", "implicit"):
        found.update(instruction.get(key, {}).get("defs", ()))
    for source in instruction["srcs"]:
        for key in ("defs", "adefs", "sdefs", "sdefs2"):
            found.update(source.get(key, ()))
    return found
