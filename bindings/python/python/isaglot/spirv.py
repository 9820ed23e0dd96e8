"""SPIR-V: text to modules and back.

>>> module = isaglot.spirv.assemble("%f = OpTypeFloat 32")
>>> print(isaglot.spirv.disassemble(module, header=False), end="")
      %float = OpTypeFloat 32
"""

from __future__ import annotations

from typing import Optional

from ._isa import Buffer, Listing, _bytes
from ._isaglot import open as _open
from ._isaglot import spirv_assemble, spirv_disassemble

__all__ = ["assemble", "disassemble", "list"]


def assemble(text: str, *, version: Optional[int] = None, preserve_numeric_ids: bool = False) -> bytes:
    """The module that a text makes, as ``isaglot spirv as`` does.

    :param version: the minor of the core version 1.n; by default what the leading comments say, else the newest.
    :raises isaglot.Error: what is wrong with the text, with line and column.

    >>> isaglot.spirv.assemble("%f = OpTypeFloot 32")
    Traceback (most recent call last):
        ...
    isaglot.Error: ...
    """
    return spirv_assemble(text, version, preserve_numeric_ids)


def disassemble(
    data: Buffer,
    *,
    raw_id: bool = False,
    indent: bool = True,
    header: bool = True,
    offsets: bool = False,
    comment: bool = False,
) -> str:
    """The text of a module, as ``isaglot spirv dis`` prints it.

    :raises isaglot.Error: what is wrong with the module.
    """
    return spirv_disassemble(_bytes(data), raw_id, indent, header, offsets, comment)


def list(data: Buffer, *, defs: bool = True, pc: bool = True, bits: bool = False) -> Listing:
    """The listing of a module: blocks, definitions and uses.

    >>> isaglot.spirv.list(isaglot.spirv.assemble("%f = OpTypeFloat 32")).instructions[0]["op"]
    'OpTypeFloat'
    """
    engine = _open("spirv", None, [], [], None, None, None, "", "", None, None, False)
    return Listing(*engine.list(_bytes(data), defs, pc, bits))
