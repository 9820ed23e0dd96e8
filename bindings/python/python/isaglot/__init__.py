"""Disassembler, assembler, listings and checks from one description of an instruction set.

>>> import isaglot
>>> minnow = isaglot.load("minnow", gen="v2")
>>> minnow.decode(bytes.fromhex("4814"))
<Instruction li     r2, 10>
>>> minnow.assemble("li r2, 10").hex()
'4814'

A description is a name (``isaglot.names()``, ``rv64gc_zba``, ``xehpc``), or a path: isaspec XML, the TableGen file of an LLVM
target, a folder of the RISC-V Unified Database or of riscv-opcodes, or what ``isaglot compile`` made of one. Answers are those of
the program ``isaglot``. An object can be used from several threads at once; while it works, other threads of Python run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Optional, Union

from . import _isaglot, spirv, tablegen, xe
from ._isaglot import Error, Field, Instruction, Operand, Problem, __version__
from ._isa import Buffer, Check, Columns, Explanation, Isa, Listing

__all__ = [
    "Buffer",
    "Check",
    "Columns",
    "Error",
    "Explanation",
    "Field",
    "Instruction",
    "Isa",
    "Listing",
    "Operand",
    "Problem",
    "__version__",
    "load",
    "load_compiled",
    "load_text",
    "names",
    "spirv",
    "tablegen",
    "xe",
]

Path = Union[str, "os.PathLike[str]"]


def _text(value: Union[int, str, None]) -> Optional[str]:
    return None if value is None else str(value)


def _path(value: Optional[Path]) -> Optional[str]:
    return None if value is None else os.fspath(value)


def names() -> list[str]:
    """The names of the descriptions and machines that are built in.

    Beside them stand the names of RISC-V, such as ``rv32i``, ``rv64gc_zba`` and ``rva23u64``, products of Intel such as ``pvc``,
    ``NAME@GEN`` for the gen of any name, and files in the folders of the environment's ``ISAGLOT_PATH``.

    >>> isaglot.names()
    ['minnow', 'riscv', 'trio', 'xe', 'xelp', 'xehp', 'xehpg', 'xehpc', 'xe2', 'xe3', 'spirv']
    """
    return list(_isaglot.names())


def load(
    source: Path,
    *,
    gen: Union[int, str, None] = None,
    features: Sequence[str] = (),
    include: Sequence[Path] = (),
    operands: Optional[Path] = None,
    overlay: Optional[Path] = None,
    config: Optional[Path] = None,
    triple: str = "",
    cpu: str = "",
    aliases: Optional[bool] = None,
    roles: Optional[Path] = None,
    stale: bool = False,
) -> Isa:
    """The instruction set of a name or path.

    A text is a path if it has a ``/`` or a ``\\\\``, or a dot before any ``@``.

    :param gen: what to decode for, where a description distinguishes gens: a number, or a name that it gives.
    :param features: features to switch on (``+name`` or ``name``) or off (``-name``).
    :param include: folders in which included files are looked for (TableGen).
    :param operands: what operands mean, instead of the table that is built in for a file of this name (TableGen, published formats
        of RISC-V).
    :param overlay: a folder that is put over the description (RISC-V Unified Database).
    :param config: what an implementation has: a file of ``cfgs`` (RISC-V Unified Database).
    :param triple: the target, such as ``riscv64`` (TableGen).
    :param cpu: the processor (TableGen).
    :param aliases: print aliases, or never; by default as is usual for the description.
    :param roles: what fields are to instructions, for a description that does not say it.
    :param stale: take a compiled description although its sources have changed.
    :raises Error: everything that is wrong with the description or a choice.

    >>> isaglot.load("rv64gc").decode(b"\\x13\\x05\\x15\\x00").operands
    [<Operand register a0>, <Operand register a0>, <Operand immediate 1>]
    >>> isaglot.load("rv65")
    Traceback (most recent call last):
        ...
    isaglot.Error: error[cli-isa]: no description called `rv65` comes with isaglot
    ...
    """
    engine = _isaglot.open(
        os.fspath(source),
        _text(gen),
        list(features),
        [os.fspath(folder) for folder in include],
        _path(operands),
        _path(overlay),
        _path(config),
        triple,
        cpu,
        aliases,
        _path(roles),
        stale,
    )
    return Isa(engine)


def load_text(
    text: Union[str, bytes],
    imports: Optional[Mapping[str, Union[str, bytes]]] = None,
    *,
    name: str = "<text>",
    gen: Union[int, str, None] = None,
    features: Sequence[str] = (),
) -> Isa:
    """The instruction set that isaspec XML describes, without files.

    :param imports: the texts of files that it imports, by name.

    >>> xml = '''<isa name="one" format="16">
    ...   <bitset name="#instruction" size="16"/>
    ... </isa>'''
    >>> isaglot.load_text("<isa>")
    Traceback (most recent call last):
        ...
    isaglot.Error: ...
    """
    files = [(name, text)] + list((imports or {}).items())
    encoded = [(key, value.encode() if isinstance(value, str) else bytes(value)) for key, value in files]
    return Isa(_isaglot.read(encoded, _text(gen), list(features)))


def load_compiled(
    data: Buffer,
    *,
    name: str = "<bytes>",
    gen: Union[int, str, None] = None,
    features: Sequence[str] = (),
    triple: str = "",
    cpu: str = "",
    aliases: Optional[bool] = None,
) -> Isa:
    """The instruction set in bytes that ``isaglot compile`` made. Whether its sources have changed is not looked at.

    >>> isaglot.load_compiled(b"nothing")
    Traceback (most recent call last):
        ...
    isaglot.Error: error[compiled-foreign]: <bytes>: no compiled description
    """
    engine = _isaglot.compiled(name, bytes(data), _text(gen), list(features), triple, cpu, aliases)
    return Isa(engine)
