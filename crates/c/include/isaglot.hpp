// The C library of Isaglot for C++11: handles that free themselves, problems as exceptions, texts as std::string.
//
// Everything is inline over isaglot.h, so there is no ABI of C++. What isaglot.h says of threads holds here: an object that is `const` may
// be used by several threads at once. Functions of the caller may throw: the exception is kept while the library returns, and goes on
// from there.
#ifndef ISAGLOT_HPP
#define ISAGLOT_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "isaglot.h"

namespace isaglot {

using Bytes = std::vector<std::uint8_t>;

namespace detail {

struct Free {
    void operator()(isaglot_buffer *p) const { isaglot_buffer_free(p); }
    void operator()(isaglot_choice *p) const { isaglot_choice_free(p); }
    void operator()(isaglot_columns *p) const { isaglot_columns_free(p); }
    void operator()(isaglot_engine *p) const { isaglot_engine_free(p); }
    void operator()(isaglot_instruction *p) const { isaglot_instruction_free(p); }
    void operator()(isaglot_print *p) const { isaglot_print_free(p); }
    void operator()(isaglot_problems *p) const { isaglot_problems_free(p); }
};

template <typename T>
using Handle = std::unique_ptr<T, Free>;

inline std::string text(isaglot_str s) { return std::string(s.data, s.len); }

// A number of `width` bits at `data`, little-endian.
inline Bytes number(const std::uint8_t *data, std::uint32_t width) {
    return data ? Bytes(data, data + (width + 7) / 8) : Bytes();
}

}  // namespace detail

// What is wrong, and where. `line` and `column` count from 1 and are 0 where there is no place; `offset` and `length` are bytes.
struct Problem {
    isaglot_severity severity;
    std::string code, message, file;
    std::uint32_t line, column;
    std::uint64_t offset, length;
    std::vector<std::string> notes;
    // As the program `isaglot` prints it.
    std::string text;
};

// All problems of a list, which may be NULL.
inline std::vector<Problem> problems_of(const isaglot_problems *list) {
    std::vector<Problem> all;
    for (std::size_t i = 0; i < isaglot_problems_count(list); ++i) {
        Problem p{isaglot_problem_severity(list, i), detail::text(isaglot_problem_code(list, i)),
                  detail::text(isaglot_problem_message(list, i)), detail::text(isaglot_problem_file(list, i)),
                  isaglot_problem_line(list, i), isaglot_problem_column(list, i), isaglot_problem_offset(list, i),
                  isaglot_problem_length(list, i), {}, detail::text(isaglot_problem_text(list, i))};
        for (std::size_t n = 0; n < isaglot_problem_note_count(list, i); ++n) {
            p.notes.push_back(detail::text(isaglot_problem_note(list, i, n)));
        }
        all.push_back(std::move(p));
    }
    return all;
}

// A call that failed. `what()` has all problems as the program `isaglot` prints them.
class Error : public std::runtime_error {
public:
    explicit Error(const isaglot_problems *list)
        : std::runtime_error(detail::text(isaglot_problems_text(list))),
          problems_(std::make_shared<const std::vector<Problem>>(problems_of(list))) {}

    const std::vector<Problem> &problems() const { return *problems_; }

private:
    // Shared, since copying an exception must not throw.
    std::shared_ptr<const std::vector<Problem>> problems_;
};

namespace detail {

// Where a call puts its problems.
class Failure {
public:
    ~Failure() { isaglot_problems_free(list_); }
    Failure() = default;
    Failure(const Failure &) = delete;
    Failure &operator=(const Failure &) = delete;

    isaglot_problems **out() { return &list_; }
    [[noreturn]] void raise() const { throw Error(list_); }

    template <typename T>
    Handle<T> checked(T *made) const {
        if (!made) raise();
        return Handle<T>(made);
    }

private:
    isaglot_problems *list_ = nullptr;
};

// Calls a function of the caller and keeps what it throws.
struct Kept {
    std::exception_ptr thrown;

    template <typename F>
    bool call(F f) {
        try {
            f();
            return true;
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    }
    void rethrow() const {
        if (thrown) std::rethrow_exception(thrown);
    }
};

inline std::string text(const Handle<isaglot_buffer> &b) {
    return std::string(reinterpret_cast<const char *>(isaglot_buffer_data(b.get())), isaglot_buffer_length(b.get()));
}

inline Bytes bytes(const Handle<isaglot_buffer> &b) {
    const std::uint8_t *data = isaglot_buffer_data(b.get());
    return Bytes(data, data + isaglot_buffer_length(b.get()));
}

}  // namespace detail

// What is chosen of a description.
class Choice {
public:
    Choice() : handle_(isaglot_choice_new()) {}

    Choice &gen(const std::string &v) { return set(isaglot_choice_gen, v); }
    Choice &feature(const std::string &v) { return set(isaglot_choice_feature, v); }
    Choice &include(const std::string &v) { return set(isaglot_choice_include, v); }
    Choice &operands(const std::string &v) { return set(isaglot_choice_operands, v); }
    Choice &overlay(const std::string &v) { return set(isaglot_choice_overlay, v); }
    Choice &config(const std::string &v) { return set(isaglot_choice_config, v); }
    Choice &triple(const std::string &v) { return set(isaglot_choice_triple, v); }
    Choice &cpu(const std::string &v) { return set(isaglot_choice_cpu, v); }
    Choice &aliases(bool on) { return isaglot_choice_aliases(handle_.get(), on), *this; }
    Choice &stale(bool on) { return isaglot_choice_stale(handle_.get(), on), *this; }

    const isaglot_choice *get() const { return handle_.get(); }

private:
    Choice &set(void (*f)(isaglot_choice *, const char *), const std::string &v) {
        return f(handle_.get(), v.c_str()), *this;
    }
    detail::Handle<isaglot_choice> handle_;
};

// How a program is printed.
class Print {
public:
    Print() : handle_(isaglot_print_new()) {}

    Print &labels(bool on) { return isaglot_print_labels(handle_.get(), on), *this; }
    Print &errors(bool on) { return isaglot_print_errors(handle_.get(), on), *this; }
    Print &max_errors(std::uint64_t most) { return isaglot_print_max_errors(handle_.get(), most), *this; }
    Print &entry(std::uint64_t offset, const std::string &name) {
        return isaglot_print_entry(handle_.get(), offset, name.c_str()), *this;
    }

    // For the functions that take part: isaglot_print_on_field and the like. They must not throw.
    isaglot_print *get() { return handle_.get(); }
    const isaglot_print *get() const { return handle_.get(); }

private:
    detail::Handle<isaglot_print> handle_;
};

// A field of an instruction.
struct Field {
    std::string name, text;
    // The raw value in bits, and its bytes, little-endian.
    std::uint32_t width;
    Bytes value;
    std::vector<isaglot_range> ranges;
    // The expression that it is derived by; empty if it has bits of its own.
    std::string derived;
    // The encoding that the value is, and its fields; empty if it is a number.
    std::string encoding;
    std::vector<Field> fields;

    static Field of(const isaglot_field *f) {
        std::uint32_t width = isaglot_field_width(f);
        Field made{detail::text(isaglot_field_name(f)), detail::text(isaglot_field_text(f)), width,
                   detail::number(isaglot_field_value(f), width), {}, detail::text(isaglot_field_derived(f)),
                   detail::text(isaglot_field_encoding(f)), {}};
        for (std::size_t i = 0; i < isaglot_field_range_count(f); ++i) made.ranges.push_back(isaglot_field_range(f, i));
        for (std::size_t i = 0; i < isaglot_field_field_count(f); ++i) made.fields.push_back(of(isaglot_field_field(f, i)));
        return made;
    }
};

// Something that an instruction reads or writes.
struct Operand {
    isaglot_operand_kind kind;
    bool is_written;
    std::string text;
};

// An instruction, taken apart.
struct Instruction {
    // In bytes; and the word, little-endian.
    std::size_t size;
    Bytes word;
    std::string mnemonic, encoding, text;
    // What is wrong with the word although it is an instruction.
    std::string problem;
    std::vector<Operand> operands;
    std::vector<Field> fields;

    static Instruction of(const isaglot_instruction *i) {
        std::size_t size = isaglot_instruction_size(i);
        Instruction made{size,
                         detail::number(isaglot_instruction_word(i), static_cast<std::uint32_t>(size * 8)),
                         detail::text(isaglot_instruction_mnemonic(i)),
                         detail::text(isaglot_instruction_encoding(i)),
                         detail::text(isaglot_instruction_text(i)),
                         detail::text(isaglot_instruction_problem(i)),
                         {},
                         {}};
        for (std::size_t n = 0; n < isaglot_instruction_operand_count(i); ++n) {
            made.operands.push_back(Operand{isaglot_instruction_operand_kind(i, n),
                                            isaglot_instruction_operand_is_written(i, n),
                                            detail::text(isaglot_instruction_operand_text(i, n))});
        }
        for (std::size_t n = 0; n < isaglot_instruction_field_count(i); ++n) {
            made.fields.push_back(Field::of(isaglot_instruction_field(i, n)));
        }
        return made;
    }
};

// What a check found: the findings, and all of it as JSON.
struct Checked {
    std::vector<Problem> findings;
    std::string json;
};

// Gives the bytes of a file, or throws; an exception goes on from the call that was given the function.
using Read = std::function<std::string(const std::string &name)>;

namespace detail {

struct Reading : Kept {
    const Read &read;
    explicit Reading(const Read &r) : read(r) {}

    static void give(void *user, const char *name, isaglot_input *into) {
        Reading &self = *static_cast<Reading *>(user);
        bool done = self.call([&] {
            std::string bytes = self.read(name);
            isaglot_input_give(into, bytes.data(), bytes.size());
        });
        if (!done) isaglot_input_fail(into, "the function that reads it threw an exception");
    }
};

}  // namespace detail

// A description with a gen and features, ready for questions. A copy is another handle of the same description.
class Engine {
public:
    // By name or by path.
    explicit Engine(const std::string &source, const Choice &choice = Choice()) {
        detail::Failure f;
        handle_ = f.checked(isaglot_open(source.c_str(), choice.get(), f.out()));
    }

    // In isaspec XML, from files that `read` gives.
    static Engine from_xml(const std::string &top, const Read &read, const Choice &choice = Choice()) {
        detail::Failure f;
        detail::Reading reading(read);
        isaglot_engine *made = isaglot_open_xml(top.c_str(), detail::Reading::give, &reading, choice.get(), f.out());
        detail::Handle<isaglot_engine> handle(made);
        reading.rethrow();
        if (!handle) f.raise();
        return Engine(std::move(handle));
    }

    // What `isaglot compile` made, from memory.
    static Engine from_compiled(const std::string &name, const Bytes &bytes, const Choice &choice = Choice()) {
        detail::Failure f;
        return Engine(f.checked(isaglot_open_compiled(name.c_str(), bytes.data(), bytes.size(), choice.get(), f.out())));
    }

    Engine(const Engine &other) : handle_(isaglot_engine_share(other.get())) {}
    Engine &operator=(const Engine &other) {
        handle_.reset(isaglot_engine_share(other.get()));
        return *this;
    }
    Engine(Engine &&) = default;
    Engine &operator=(Engine &&) = default;

    std::string name() const { return detail::text(isaglot_engine_name(get())); }
    std::int64_t gen() const { return isaglot_engine_gen(get()); }
    std::vector<Problem> warnings() const { return problems_of(isaglot_engine_warnings(get())); }

    Instruction decode(const std::uint8_t *data, std::size_t length) const {
        detail::Failure f;
        return Instruction::of(f.checked(isaglot_decode(get(), data, length, f.out())).get());
    }
    Instruction decode(const Bytes &bytes) const { return decode(bytes.data(), bytes.size()); }

    std::string disassemble(const Bytes &bytes, const Print &print = Print()) const {
        detail::Failure f;
        return detail::text(
            f.checked(isaglot_disassemble(get(), bytes.data(), bytes.size(), print.get(), f.out())));
    }

    // Piece by piece. Gives how many bytes the text is of; what is left is less than an instruction.
    std::size_t disassemble_to(const Bytes &bytes, const std::function<void(const char *, std::size_t)> &write,
                               const Print &print = Print()) const {
        detail::Failure f;
        struct Writing : detail::Kept {
            const std::function<void(const char *, std::size_t)> *write;
            static int piece(void *user, const char *data, std::size_t length) {
                Writing &self = *static_cast<Writing *>(user);
                return self.call([&] { (*self.write)(data, length); }) ? 0 : 1;
            }
        } writing;
        writing.write = &write;
        std::size_t used = 0;
        bool done = isaglot_disassemble_to(get(), bytes.data(), bytes.size(), print.get(), Writing::piece, &writing,
                                           &used, f.out());
        writing.rethrow();
        if (!done) f.raise();
        return used;
    }

    Bytes assemble(const std::string &text) const {
        detail::Failure f;
        return detail::bytes(f.checked(isaglot_assemble(get(), text.data(), text.size(), f.out())));
    }

    std::string explain(const std::string &question) const {
        detail::Failure f;
        return detail::text(f.checked(isaglot_explain(get(), question.data(), question.size(), f.out())));
    }
    std::string explain_json(const std::string &question) const {
        detail::Failure f;
        return detail::text(f.checked(isaglot_explain_json(get(), question.data(), question.size(), f.out())));
    }

    Checked check() const {
        detail::Failure f;
        detail::Handle<isaglot_buffer> made = f.checked(isaglot_check(get(), f.out()));
        return Checked{problems_of(isaglot_buffer_problems(made.get())), detail::text(made)};
    }

    // The listing as JSON; `flags` are ISAGLOT_LIST_….
    std::string list(const Bytes &bytes, std::uint32_t flags = 0) const {
        detail::Failure f;
        return detail::text(f.checked(isaglot_list(get(), bytes.data(), bytes.size(), flags, f.out())));
    }

    const isaglot_engine *get() const { return handle_.get(); }

private:
    explicit Engine(detail::Handle<isaglot_engine> handle) : handle_(std::move(handle)) {}
    detail::Handle<isaglot_engine> handle_;
};

namespace spirv {

// `minor` and `flags` as of isaglot_spirv_assemble; the words are little-endian.
inline Bytes assemble(const std::string &text, int minor = -1, std::uint32_t flags = 0) {
    detail::Failure f;
    return detail::bytes(f.checked(isaglot_spirv_assemble(text.data(), text.size(), minor, flags, f.out())));
}

inline std::string disassemble(const Bytes &bytes, std::uint32_t flags = 0) {
    detail::Failure f;
    return detail::text(f.checked(isaglot_spirv_disassemble(bytes.data(), bytes.size(), flags, f.out())));
}

}  // namespace spirv

namespace tablegen {

// The records of a file as JSON.
inline std::string json(const std::string &path, const std::vector<std::string> &include = {}) {
    detail::Failure f;
    std::vector<const char *> folders;
    for (const std::string &folder : include) folders.push_back(folder.c_str());
    return detail::text(f.checked(isaglot_tablegen_json(path.c_str(), folders.data(), folders.size(), f.out())));
}

}  // namespace tablegen
}  // namespace isaglot

#endif  // ISAGLOT_HPP
