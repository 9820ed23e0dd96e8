"""TableGen: records with typed values, without LLVM.

>>> found = isaglot.tablegen.records('''
... class Enc<bits<3> op> { bits<3> Opcode = op; list<string> Names = ["a", "b"]; int Size = 4; }
... def A : Enc<5>;
... ''')
>>> a = found["A"]
>>> a["Size"], a["Names"], a["Opcode"], a.superclasses, a.place
(4, ['a', 'b'], [True, False, True], ['Enc'], '<text>:3:5')
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Optional, Union

from . import _isaglot
from ._isaglot import Record, Records, Unresolved, Unset

__all__ = ["Record", "Records", "Unresolved", "Unset", "records"]


def records(
    source: Union[str, "os.PathLike[str]"],
    *,
    include: Sequence[Union[str, "os.PathLike[str]"]] = (),
    macros: Sequence[str] = (),
    files: Optional[Mapping[str, Union[str, bytes]]] = None,
) -> Records:
    """The records of a file, or of a text: a string with a line break or without the end ``.td`` is a text.

    :param include: folders in which included files are looked for.
    :param macros: macros that count as defined.
    :param files: texts of included files by path; they stand before files on disk.
    :raises isaglot.Error: what is wrong with it, worded as ``llvm-tblgen`` words it, with line and column.

    A value is ``Unset`` (``?``), a bool, an int, a str, a list, or a ``Record``. Of ``bits`` it is a list, bit 0 first, of bools,
    ``Unset``, pairs of a field and a bit of it (an operand's bit in an encoding), or ``Unresolved``. Of a dag it is the operator and a
    list of pairs of argument and name, or None.

    >>> isaglot.tablegen.records("def A { int x = y; }")
    Traceback (most recent call last):
        ...
    isaglot.Error: ...
    """
    name = os.fspath(source)
    is_text = isinstance(source, str) and ("\n" in name or not name.endswith(".td"))
    encoded = [(path, text.encode() if isinstance(text, str) else bytes(text)) for path, text in (files or {}).items()]
    return _isaglot.records(
        "<text>" if is_text else name,
        name.encode() if is_text else None,
        [os.fspath(folder) for folder in include],
        list(macros),
        encoded,
    )
