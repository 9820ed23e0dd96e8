"""What tests share: the program beside the wheel, and the corpus."""

from __future__ import annotations

import os
import random
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def _corpus() -> Path:
    return Path(os.environ.get("ISAGLOT_CORPUS", ROOT.parent / "shared" / "corpus"))


CORPUS = _corpus()

#: Words of each instruction set that are compared; `ISAGLOT_FULL=1` for all, `ISAGLOT_WORDS` for another number.
WORDS = 10_000 if os.environ.get("ISAGLOT_FULL") else int(os.environ.get("ISAGLOT_WORDS", "1000"))


class Program:
    """The program `isaglot`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def run(self, *args: str, data: bytes = b"", fails: bool = False) -> bytes:
        done = subprocess.run([self.path, *args], input=data, capture_output=True)
        assert fails or done.returncode == 0, done.stderr.decode()
        return done.stderr if fails else done.stdout


@pytest.fixture(scope="session")
def program() -> Program:
    path = os.environ.get("ISAGLOT_PROGRAM")
    if not path:
        pytest.skip("ISAGLOT_PROGRAM does not name the program")
    return Program(path)


@pytest.fixture(scope="session")
def llvm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of LLVM's targets, of which only what LoongArch needs is unpacked."""
    archive = CORPUS / "tablegen" / "td.tar.xz"
    if not archive.exists():
        pytest.skip("no corpus")
    folder = tmp_path_factory.mktemp("llvm")
    with tarfile.open(archive) as files:
        wanted = ("llvm/include/", "llvm/lib/Target/LoongArch/")
        members = [member for member in files if member.isfile() and member.name.startswith(wanted)]
        for member in members:
            # Names of an archive of ours; nothing leads out of the folder.
            assert ".." not in member.name
            target = folder / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            content = files.extractfile(member)
            assert content is not None
            target.write_bytes(content.read())
    return folder / "llvm"


def random_bytes(seed: int, count: int) -> bytes:
    return random.Random(seed).randbytes(count)
