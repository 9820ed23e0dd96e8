// tour: what the library does, once each, in C++: minnow is a small machine that ships with it.

#include <iostream>
#include <isaglot.hpp>

int main() {
    try {
        isaglot::Engine minnow("minnow", isaglot::Choice().gen("v2"));
        std::cout << "# " << minnow.name() << ", gen " << minnow.gen() << "\n";

        isaglot::Bytes program = minnow.assemble("start: li r2, 10\n inc r1, 4\n j start\n");
        std::cout << minnow.disassemble(program, isaglot::Print().labels(true).entry(0, "start"));

        isaglot::Instruction li = minnow.decode(program);
        std::cout << "# " << li.mnemonic << " has " << li.size << " bytes:";
        for (const isaglot::Field &field : li.fields) std::cout << " " << field.name << "=" << field.text;
        std::cout << "\n" << minnow.explain("0x1448");

        std::cout << "# listed:\n" << minnow.list(program, ISAGLOT_LIST_DEFS | ISAGLOT_LIST_PC);

        isaglot::Checked checked = minnow.check();
        std::cout << "# " << checked.findings.size() << " findings";
        for (const isaglot::Problem &finding : checked.findings) std::cout << "\n" << finding.code << ": " << finding.message;
        std::cout << "\n";

        // The same calls for a GPU.
        isaglot::Engine xehpc("xehpc");
        isaglot::Bytes kernel = xehpc.assemble("(W) mov (8|M0) r10.0<1>:ud r11.0<1;1,0>:ud\n");
        std::cout << "# " << kernel.size() << " bytes of xehpc\n" << xehpc.disassemble(kernel);

        isaglot::Bytes module = isaglot::spirv::assemble("%float = OpTypeFloat 32\n");
        std::cout << isaglot::spirv::disassemble(module, ISAGLOT_SPIRV_NO_HEADER);

        // What is wrong comes as an exception, all of it at once.
        minnow.assemble("li r99, 1\nnosuch r1\n");
    } catch (const isaglot::Error &error) {
        for (const isaglot::Problem &p : error.problems()) {
            std::cout << p.file << ":" << p.line << ":" << p.column << ": " << p.code << ": " << p.message << "\n";
        }
    }
}
