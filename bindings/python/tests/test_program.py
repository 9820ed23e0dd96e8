"""What the wheel answers is what the program prints, on words of six instruction sets."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import CORPUS, ROOT, WORDS, Program, random_bytes

import isaglot


@dataclass
class Case:
    """An instruction set, as the wheel and as the program are asked for it."""

    name: str
    options: list[str]
    load: dict[str, object] = field(default_factory=dict)
    source: str = ""
    size: int = 4

    def isa(self) -> isaglot.Isa:
        return isaglot.load(self.source or self.name, **self.load)  # type: ignore[arg-type]


def cases() -> list[Case]:
    found = [
        Case("minnow", ["--isa", "minnow"], size=2),
        Case("trio", ["--isa", "trio"], size=16),
        Case("rv64gc", ["--isa", "rv64gc"]),
        Case("xehpc", ["--isa", "xehpc"], size=16),
    ]
    ir3 = CORPUS / "isaspec" / "xml" / "ir3" / "ir3.xml"
    found.append(Case("ir3", ["--spec", str(ir3), "--gen", "600"], {"gen": 600}, str(ir3), 8))
    # An LLVM target, compiled once: the program would read its records again for every answer.
    found.append(Case("loongarch", ["--triple", "loongarch64"], {"triple": "loongarch64"}))
    return found


CASES = cases()


@pytest.fixture(scope="session")
def loongarch(program: Program, llvm: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("compiled") / "loongarch.isa"
    folders = [f"-I{folder}" for folder in target_folders(llvm)]
    program.run("compile", str(target_file(llvm)), *folders, "-o", str(path))
    return str(path)


def target_file(llvm: Path) -> Path:
    return llvm / "lib" / "Target" / "LoongArch" / "LoongArch.td"


def target_folders(llvm: Path) -> list[Path]:
    return [llvm / "include", target_file(llvm).parent]


@pytest.fixture(params=CASES, ids=[case.name for case in CASES])
def case(request: pytest.FixtureRequest) -> Case:
    one: Case = request.param
    if one.name == "loongarch":
        path: str = request.getfixturevalue("loongarch")
        return Case(one.name, ["--spec", path, *one.options], one.load, path, one.size)
    if one.source and not Path(one.source).exists():
        pytest.skip("no corpus")
    return one


def valid(isa: isaglot.Isa, case: Case) -> list[bytes]:
    """As many words that are instructions, of random words and of those near them."""
    found: list[bytes] = []
    seed = 0
    while len(found) < WORDS:
        seed += 1
        assert seed < 500, "too few words are instructions"
        data = random_bytes(seed, case.size * 20_000)
        columns = isa.decode_many(data)
        assert columns.used > len(data) - 16
        rows = zip(columns.offset, columns.size, columns.encoding)
        found += [data[at : at + size] for at, size, encoding in rows if encoding >= 0]
    return found[:WORDS]


def test_answers(program: Program, case: Case) -> None:
    isa = case.isa()
    words = valid(isa, case)
    data = b"".join(words)
    # Disassembly, plain and with labels.
    plain = program.run("disasm", *case.options, "--binary", "-", data=data).decode()
    assert isa.disassemble(data, labels=False) == plain
    labelled = program.run("disasm", *case.options, "--labels", "--binary", "-", data=data).decode()
    assert isa.disassemble(data) == labelled
    # Listing.
    listed = program.run("list", *case.options, "--json", "--pc", "--defs", "--binary", "-", data=data).decode()
    assert isa.list(data).json == listed
    # Batch and single decoding; the texts are those of the disassembly (Intel Xe aligns those).
    columns = isa.decode_many(data)
    assert len(columns) == len(words) and columns.used == len(data)
    texts, mnemonics = columns.texts(), columns.mnemonics()
    one_by_one = [isa.decode(word) for word in words]
    assert [one.text for one in one_by_one] == texts
    assert [one.mnemonic for one in one_by_one] == mnemonics
    assert [one.size for one in one_by_one] == list(columns.size)
    if case.name != "xehpc":
        lines = [line.split("\t; ")[0] for line in plain.splitlines()]
        assert lines == texts
    # Explanations, of all words in a few runs of the program.
    questions = [hex(one.word) for one in one_by_one]
    for at in range(0, len(questions), 500):
        part = questions[at : at + 500]
        theirs = program.run("explain", *case.options, "--json", *part).decode()
        ours = [word for question in part for word in isa.explain(question).words]
        assert ours == json.loads(theirs)
        text = program.run("explain", *case.options, *part[:20]).decode()
        assert "\n".join(isa.explain(question).text for question in part[:20]) == text
    # Assembly of the text with labels.
    try:
        whole = isa.assemble(labelled)
    except isaglot.Error as error:
        theirs = program.run("asm", *case.options, "-", data=labelled.encode(), fails=True).decode()
        shown = [problem.message for problem in error.problems]
        assert shown and all(message in theirs for message in shown)
    else:
        assert whole == program.run("asm", *case.options, "-", data=labelled.encode())
    # Assembly line by line, as far as lines stand alone.
    good = []
    for text in texts:
        try:
            good.append((text, isa.assemble(text)))
        except isaglot.Error as error:
            assert error.problems
    # Random bundles of trio have texts that do not read back; `test_programs_of_the_project` has some that do.
    assert len(good) > len(texts) // 4 or case.name == "trio"
    if not good:
        return
    source = "\n".join(text for text, _ in good) + "\n"
    made = program.run("asm", *case.options, "-", data=source.encode())
    assert isa.assemble(source) == made
    # A line alone has as many bytes as in a program.
    assert len(made) == sum(len(one) for _, one in good)


def test_programs_of_the_project() -> None:
    for name, file in [("minnow", "sum"), ("trio", "dot")]:
        folder = ROOT / "specs" / name
        isa = isaglot.load(name)
        binary = (folder / f"{file}.bin").read_bytes()
        assert isa.assemble((folder / f"{file}.txt").read_text()) == binary
        assert isa.assemble(isa.disassemble(binary)) == binary


def test_check(program: Program) -> None:
    for name in ("minnow", "trio"):
        theirs = program.run("check", "--isa", name, "--json").decode()
        assert isaglot.load(name).check().json == theirs


def test_spirv(program: Program) -> None:
    text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%f = OpTypeFloat 32\n"
    module = program.run("spirv", "as", "-o", "-", "-", data=text.encode())
    assert isaglot.spirv.assemble(text) == module
    assert isaglot.spirv.disassemble(module) == program.run("spirv", "dis", "-", data=module).decode()
    theirs = program.run("list", "--isa", "spirv", "--defs", "--pc", "--json", "-", data=module).decode()
    assert isaglot.spirv.list(module).json == theirs


def test_tablegen(llvm: Path, loongarch: str) -> None:
    include = target_folders(llvm)
    found = isaglot.tablegen.records(target_file(llvm), include=include)
    assert len(found.defs("Instruction")) > 500
    add = found["ADD_W"]
    assert add.is_a("Instruction") and add["Size"] == 4
    bits = add["Inst"]
    assert isinstance(bits, list) and len(bits) == 32 and ("rd", 0) in bits and False in bits
    dag = add["InOperandList"]
    assert isinstance(dag, tuple)
    operator, arguments = dag
    assert operator == found["ins"] and arguments[0] == (found["GPR"], "rj")
    # The target itself, and what was compiled of it.
    target = isaglot.load(target_file(llvm), include=include, triple="loongarch64")
    compiled = isaglot.load(loongarch, triple="loongarch64")
    data = random_bytes(9, 4 * 2_000)
    assert target.disassemble(data) == compiled.disassemble(data)
    again = isaglot.load_compiled(Path(loongarch).read_bytes(), triple="loongarch64")
    assert again.disassemble(data) == compiled.disassemble(data)


def test_text_without_files() -> None:
    folder = CORPUS / "isaspec" / "xml" / "ir3"
    if not folder.exists():
        pytest.skip("no corpus")
    texts = {path.name: path.read_bytes() for path in folder.glob("*.xml")}
    by_text = isaglot.load_text(texts["ir3.xml"], texts, name="ir3.xml", gen=600)
    by_path = isaglot.load(folder / "ir3.xml", gen=600)
    data = random_bytes(11, 8 * 2_000)
    assert by_text.disassemble(data) == by_path.disassemble(data)
    assert by_text.list(data).json == by_path.list(data).json
