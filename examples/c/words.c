/* words: says everything about words. Each line of the input is an instruction as hexadecimal bytes in memory order; what is printed
 * for it is its text, its parts, the bytes that its text assembles to, why it decodes so, and its listing.
 *
 *   words NAME [-g GEN] [-f FEATURE]... [-I FOLDER]... [-t TRIPLE] < FILE
 */

#include <isaglot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 64, MAX_LINE = 1024 };

static void print_str(isaglot_str s) { fwrite(s.data, 1, s.len, stdout); }

static void print_buffer(const isaglot_buffer *buffer) {
    fwrite(isaglot_buffer_data(buffer), 1, isaglot_buffer_length(buffer), stdout);
}

/* Bytes as hexadecimal digits, the first one first. */
static void print_bytes(const uint8_t *data, size_t length) {
    for (size_t i = 0; i < length; i++) printf("%02x", data[i]);
}

/* The codes of what is wrong; the list is not needed after that. */
static void print_codes(isaglot_problems *problems) {
    for (size_t i = 0; i < isaglot_problems_count(problems); i++) {
        putchar(' ');
        print_str(isaglot_problem_code(problems, i));
    }
    putchar('\n');
    isaglot_problems_free(problems);
}

/* A field, and those of the encoding that its value is. */
static void print_field(const isaglot_field *field, int depth) {
    printf("%*s", 2 * depth, "");
    print_str(isaglot_field_name(field));
    for (size_t i = 0; i < isaglot_field_range_count(field); i++) {
        isaglot_range range = isaglot_field_range(field, i);
        printf(" [%u +%u]", range.low, range.width);
    }
    printf(" = ");
    print_bytes(isaglot_field_value(field), (isaglot_field_width(field) + 7) / 8);
    printf(" `");
    print_str(isaglot_field_text(field));
    printf("` ");
    print_str(isaglot_field_derived(field));
    printf(" ");
    print_str(isaglot_field_encoding(field));
    putchar('\n');
    for (size_t i = 0; i < isaglot_field_field_count(field); i++) print_field(isaglot_field_field(field, i), depth + 1);
}

static void print_instruction(const isaglot_instruction *instruction) {
    static const char *const kinds[] = {"register", "immediate", "label", "address", "data"};
    printf("text: ");
    print_str(isaglot_instruction_text(instruction));
    printf("\nproblem: ");
    print_str(isaglot_instruction_problem(instruction));
    printf("\nencoding: ");
    print_str(isaglot_instruction_mnemonic(instruction));
    putchar(' ');
    print_str(isaglot_instruction_encoding(instruction));
    printf("\nword: ");
    print_bytes(isaglot_instruction_word(instruction), isaglot_instruction_size(instruction));
    putchar('\n');
    for (size_t i = 0; i < isaglot_instruction_operand_count(instruction); i++) {
        isaglot_operand_kind kind = isaglot_instruction_operand_kind(instruction, i);
        printf("  %s %s ", isaglot_instruction_operand_is_written(instruction, i) ? "writes" : "reads", kinds[kind]);
        print_str(isaglot_instruction_operand_text(instruction, i));
        putchar('\n');
    }
    for (size_t i = 0; i < isaglot_instruction_field_count(instruction); i++) {
        print_field(isaglot_instruction_field(instruction, i), 1);
    }
}

/* Everything about one word. */
static void say(const isaglot_engine *engine, const uint8_t *data, size_t length, const char *question) {
    isaglot_problems *problems = NULL;
    isaglot_instruction *instruction = isaglot_decode(engine, data, length, &problems);
    if (instruction) {
        print_instruction(instruction);
        isaglot_str text = isaglot_instruction_text(instruction);
        isaglot_buffer *made = isaglot_assemble(engine, text.data, text.len, &problems);
        printf("assembles to:");
        if (made) {
            putchar(' ');
            print_bytes(isaglot_buffer_data(made), isaglot_buffer_length(made));
            putchar('\n');
            isaglot_buffer_free(made);
        } else {
            print_codes(problems);
        }
        isaglot_instruction_free(instruction);
    } else {
        printf("not an instruction:");
        print_codes(problems);
    }

    isaglot_buffer *why = isaglot_explain(engine, question, ISAGLOT_NUL, &problems);
    if (why) {
        print_buffer(why);
        isaglot_buffer_free(why);
    } else {
        printf("no explanation:");
        print_codes(problems);
    }

    isaglot_buffer *listing = isaglot_list(engine, data, length, ISAGLOT_LIST_DEFS | ISAGLOT_LIST_PC, &problems);
    if (listing) {
        print_buffer(listing);
        isaglot_buffer_free(listing);
    } else {
        printf("no listing:");
        print_codes(problems);
    }
}

/* The bytes of a line of hexadecimal digits. */
static size_t parse(const char *line, uint8_t *data) {
    size_t length = 0;
    for (unsigned byte; length < MAX_BYTES && sscanf(line, "%2x", &byte) == 1; line += 2) data[length++] = (uint8_t)byte;
    return length;
}

static isaglot_choice *choose(int argc, char **argv) {
    isaglot_choice *choice = isaglot_choice_new();
    for (int i = 2; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-g")) isaglot_choice_gen(choice, argv[i + 1]);
        if (!strcmp(argv[i], "-f")) isaglot_choice_feature(choice, argv[i + 1]);
        if (!strcmp(argv[i], "-I")) isaglot_choice_include(choice, argv[i + 1]);
        if (!strcmp(argv[i], "-t")) isaglot_choice_triple(choice, argv[i + 1]);
    }
    return choice;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: words NAME [-g GEN] [-f FEATURE]... [-I FOLDER]... [-t TRIPLE] < FILE\n");
        return 2;
    }
    isaglot_problems *problems = NULL;
    isaglot_choice *choice = choose(argc, argv);
    isaglot_engine *engine = isaglot_open(argv[1], choice, &problems);
    isaglot_choice_free(choice);
    if (!engine) {
        fputs(isaglot_problems_text(problems).data, stderr);
        isaglot_problems_free(problems);
        return 1;
    }
    char line[MAX_LINE];
    uint8_t data[MAX_BYTES];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        /* Bytes in memory order, as `explain` takes them. */
        char question[MAX_BYTES * 3 + 1] = "";
        size_t length = parse(line, data);
        for (size_t i = 0; i < length; i++) snprintf(question + 3 * i, 4, "%02x%s", data[i], i + 1 < length ? ":" : "");
        printf("== %s\n", line);
        say(engine, data, length, question);
    }
    isaglot_engine_free(engine);
    return 0;
}
