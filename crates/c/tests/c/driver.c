/* Every function of isaglot.h, as a careless caller, a careful one and eight at once call them. `driver CASE` prints what it finds,
 * and fails with the line of the first thing that is not so.
 */

#include <isaglot.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) ((what) ? (void)0 : fail(#what, __LINE__))

static void fail(const char *what, int line) {
    fprintf(stderr, "driver.c:%d: not so: %s\n", line, what);
    exit(1);
}

static int is(isaglot_str s, const char *text) {
    return s.len == strlen(text) && !memcmp(s.data, text, s.len) && s.data[s.len] == '\0';
}

static int has(isaglot_str s, const char *text) { return strstr(s.data, text) != NULL; }

/* A call failed with one problem of this code; the list is freed. */
static int failed_with(isaglot_problems *problems, const char *code) {
    int so = isaglot_problems_count(problems) == 1 && is(isaglot_problem_code(problems, 0), code) &&
             isaglot_problem_severity(problems, 0) == ISAGLOT_ERROR;
    if (!so) fputs(isaglot_problems_text(problems).data, stderr);
    isaglot_problems_free(problems);
    return so;
}

/* NULL instead of everything: nothing crashes, what can fail says so, and a list of problems is always written. */
static void null(void) {
    isaglot_problems *const junk = (isaglot_problems *)(void *)&junk;
    isaglot_problems *p = junk;
    const uint8_t byte[1] = {0};

    CHECK(isaglot_buffer_data(NULL) == NULL && isaglot_buffer_length(NULL) == 0 && !isaglot_buffer_problems(NULL));
    isaglot_buffer_free(NULL);
    isaglot_input_give(NULL, "x", 1);
    isaglot_input_fail(NULL, NULL);
    isaglot_output_write(NULL, NULL, 1);

    CHECK(isaglot_problems_count(NULL) == 0 && isaglot_problems_dropped(NULL) == 0);
    CHECK(isaglot_problem_severity(NULL, 0) == ISAGLOT_NOTE && is(isaglot_problem_code(NULL, 0), ""));
    CHECK(is(isaglot_problem_message(NULL, 0), "") && is(isaglot_problem_file(NULL, 0), ""));
    CHECK(isaglot_problem_line(NULL, 0) == 0 && isaglot_problem_column(NULL, 0) == 0);
    CHECK(isaglot_problem_offset(NULL, 0) == 0 && isaglot_problem_length(NULL, 0) == 0);
    CHECK(isaglot_problem_note_count(NULL, 0) == 0 && is(isaglot_problem_note(NULL, 0, 0), ""));
    CHECK(is(isaglot_problem_text(NULL, 0), "") && is(isaglot_problems_text(NULL), "") && is(isaglot_problems_json(NULL), ""));
    isaglot_problems_free(NULL);

    isaglot_choice_gen(NULL, "1");
    isaglot_choice_feature(NULL, "x");
    isaglot_choice_include(NULL, "x");
    isaglot_choice_operands(NULL, "x");
    isaglot_choice_overlay(NULL, "x");
    isaglot_choice_config(NULL, "x");
    isaglot_choice_triple(NULL, "x");
    isaglot_choice_cpu(NULL, "x");
    isaglot_choice_aliases(NULL, true);
    isaglot_choice_stale(NULL, true);
    isaglot_choice_free(NULL);

    CHECK(!isaglot_open(NULL, NULL, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_open(NULL, NULL, NULL));
    CHECK(!isaglot_open_xml("x.xml", NULL, NULL, NULL, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_open_compiled("x.isa", NULL, 5, NULL, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_open_compiled("x.isa", NULL, 0, NULL, &p) && isaglot_problems_count(p) > 0);
    isaglot_problems_free(p);
    CHECK(!isaglot_engine_share(NULL) && is(isaglot_engine_name(NULL), "") && isaglot_engine_gen(NULL) == -1);
    CHECK(!isaglot_engine_warnings(NULL) && isaglot_engine_encoding_count(NULL) == 0);
    CHECK(is(isaglot_engine_encoding_name(NULL, 0), "") && is(isaglot_engine_encoding_mnemonic(NULL, 0), ""));
    isaglot_engine_free(NULL);

    CHECK(!isaglot_decode(NULL, byte, 1, &p) && failed_with(p, "c-null"));
    CHECK(isaglot_instruction_size(NULL) == 0 && !isaglot_instruction_word(NULL));
    CHECK(is(isaglot_instruction_mnemonic(NULL), "") && is(isaglot_instruction_encoding(NULL), ""));
    CHECK(is(isaglot_instruction_text(NULL), "") && is(isaglot_instruction_problem(NULL), ""));
    CHECK(isaglot_instruction_operand_count(NULL) == 0 && !isaglot_instruction_operand_is_written(NULL, 0));
    CHECK(isaglot_instruction_operand_kind(NULL, 0) == ISAGLOT_DATA && is(isaglot_instruction_operand_text(NULL, 0), ""));
    CHECK(isaglot_instruction_field_count(NULL) == 0 && !isaglot_instruction_field(NULL, 0));
    CHECK(is(isaglot_field_name(NULL), "") && is(isaglot_field_text(NULL), "") && isaglot_field_width(NULL) == 0);
    CHECK(!isaglot_field_value(NULL) && isaglot_field_range_count(NULL) == 0 && isaglot_field_range(NULL, 0).width == 0);
    CHECK(is(isaglot_field_derived(NULL), "") && is(isaglot_field_encoding(NULL), ""));
    CHECK(isaglot_field_field_count(NULL) == 0 && !isaglot_field_field(NULL, 0));
    isaglot_instruction_free(NULL);

    isaglot_columns *columns = isaglot_columns_new();
    size_t used = 7;
    CHECK(!isaglot_decode_many(NULL, byte, 1, columns, &used, &p) && failed_with(p, "c-null") && used == 0);
    isaglot_columns_free(columns);
    isaglot_columns_clear(NULL);
    CHECK(isaglot_columns_count(NULL) == 0 && !isaglot_columns_offset(NULL) && !isaglot_columns_size(NULL));
    CHECK(!isaglot_columns_encoding(NULL) && !isaglot_columns_text_offset(NULL) && !isaglot_columns_text(NULL));
    isaglot_columns_free(NULL);

    isaglot_print_labels(NULL, true);
    isaglot_print_errors(NULL, true);
    isaglot_print_max_errors(NULL, 1);
    isaglot_print_entry(NULL, 0, NULL);
    isaglot_print_on_field(NULL, NULL, NULL);
    isaglot_print_on_custom(NULL, NULL, NULL);
    isaglot_print_before(NULL, NULL, NULL);
    isaglot_print_after(NULL, NULL, NULL);
    isaglot_print_no_match(NULL, NULL, NULL);
    isaglot_print_free(NULL);

    CHECK(!isaglot_disassemble(NULL, byte, 1, NULL, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_disassemble_to(NULL, byte, 1, NULL, NULL, NULL, &used, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_assemble(NULL, "", 0, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_explain(NULL, "0", 1, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_explain_json(NULL, "0", 1, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_check(NULL, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_list(NULL, byte, 1, 0, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_spirv_assemble(NULL, 1, -1, 0, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_spirv_disassemble(NULL, 1, 0, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_tablegen_json(NULL, NULL, 0, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_tablegen_json("x.td", NULL, 1, &p) && failed_with(p, "c-null"));
    CHECK(!isaglot_tablegen_json_text("x.td", NULL, 1, NULL, 0, NULL, NULL, &p) && failed_with(p, "c-null"));
}

/* Arguments that are there and wrong. */
static void wrong(void) {
    isaglot_problems *p = NULL;
    CHECK(!isaglot_open("nosuch", NULL, &p));
    CHECK(is(isaglot_problem_code(p, 0), "cli-isa") && has(isaglot_problem_message(p, 0), "nosuch"));
    CHECK(isaglot_problem_note_count(p, 0) > 0 && has(isaglot_problem_note(p, 0, 0), "minnow"));
    CHECK(isaglot_problem_line(p, 0) == 0 && is(isaglot_problem_file(p, 0), ""));
    CHECK(is(isaglot_problem_note(p, 0, 99), "") && is(isaglot_problem_message(p, 99), ""));
    CHECK(has(isaglot_problems_json(p), "\"code\": \"cli-isa\"") && has(isaglot_problems_text(p), "error[cli-isa]"));
    CHECK(isaglot_problems_dropped(p) == 0);
    isaglot_problems_free(p);

    CHECK(!isaglot_open("no/such/file.xml", NULL, &p));
    isaglot_problems_free(p);
    CHECK(!isaglot_open("\xff\xfe", NULL, &p) && failed_with(p, "c-utf8"));

    isaglot_choice *choice = isaglot_choice_new();
    isaglot_choice_gen(choice, NULL);
    isaglot_choice_feature(choice, "\xff");
    CHECK(!isaglot_open("minnow", choice, &p) && isaglot_problems_count(p) == 2);
    CHECK(is(isaglot_problem_code(p, 0), "c-null") && is(isaglot_problem_code(p, 1), "c-utf8"));
    isaglot_problems_free(p);
    isaglot_choice_free(choice);

    choice = isaglot_choice_new();
    isaglot_choice_triple(choice, "riscv64");
    CHECK(!isaglot_open("minnow", choice, &p));
    isaglot_problems_free(p);
    isaglot_choice_free(choice);

    isaglot_engine *minnow = isaglot_open("minnow@v2", NULL, &p);
    CHECK(minnow && !p && is(isaglot_engine_name(minnow), "minnow@v2") && isaglot_engine_gen(minnow) == 1);
    CHECK(!isaglot_decode(minnow, (const uint8_t *)"\x48", 1, &p) && failed_with(p, "decode-short"));
    CHECK(!isaglot_decode(minnow, NULL, 0, &p) && failed_with(p, "decode-short"));
    CHECK(!isaglot_decode(minnow, (const uint8_t *)"\xff\xff\xff\xff\xff\xff", 6, &p) && failed_with(p, "decode-none"));
    CHECK(!isaglot_decode(minnow, (const uint8_t *)"x", SIZE_MAX, &p) && failed_with(p, "c-length"));

    /* All problems of a text at once, each with its place. */
    CHECK(!isaglot_assemble(minnow, "li r2, 10\nnosuch r1\n li r99, 1\n", ISAGLOT_NUL, &p));
    CHECK(isaglot_problems_count(p) == 2 && is(isaglot_problem_file(p, 0), "<text>"));
    CHECK(isaglot_problem_line(p, 0) == 2 && isaglot_problem_column(p, 0) == 1);
    CHECK(isaglot_problem_offset(p, 0) == 10 && isaglot_problem_length(p, 0) == 6);
    CHECK(isaglot_problem_line(p, 1) == 3 && has(isaglot_problem_text(p, 1), "<text>:3:"));
    isaglot_problems_free(p);
    CHECK(!isaglot_assemble(minnow, "\xff", 1, &p) && failed_with(p, "c-utf8"));
    CHECK(!isaglot_explain(minnow, "0xzz", ISAGLOT_NUL, &p) && isaglot_problems_count(p) > 0);
    isaglot_problems_free(p);
    CHECK(!isaglot_list(minnow, NULL, 0, 0x80, &p) && failed_with(p, "c-value"));
    isaglot_columns *columns = NULL;
    CHECK(!isaglot_decode_many(minnow, NULL, 0, columns, NULL, &p) && failed_with(p, "c-null"));

    isaglot_print *print = isaglot_print_new();
    isaglot_print_entry(print, 0, "no good");
    CHECK(!isaglot_disassemble(minnow, NULL, 0, print, &p) && failed_with(p, "c-value"));
    isaglot_print_free(print);

    /* What means nothing for a machine is refused. */
    isaglot_engine *xehpc = isaglot_open("xehpc", NULL, &p), *spirv = isaglot_open("spirv", NULL, NULL);
    CHECK(xehpc && spirv && isaglot_engine_gen(xehpc) == 1272 && isaglot_engine_gen(spirv) == -1);
    print = isaglot_print_new();
    isaglot_print_max_errors(print, 3);
    CHECK(!isaglot_disassemble(xehpc, NULL, 0, print, &p) && failed_with(p, "cli-subject"));
    isaglot_print_free(print);
    CHECK(!isaglot_decode(spirv, NULL, 0, &p) && failed_with(p, "cli-subject"));
    CHECK(!isaglot_explain(spirv, "0", 1, &p) && failed_with(p, "cli-subject"));
    CHECK(!isaglot_check(spirv, &p) && failed_with(p, "cli-subject"));
    isaglot_engine_free(xehpc);
    isaglot_engine_free(spirv);
    isaglot_engine_free(minnow);

    CHECK(!isaglot_spirv_assemble("x", 1, 99, 0, &p) && failed_with(p, "c-value"));
    CHECK(!isaglot_spirv_assemble("x", 1, -1, 128, &p) && failed_with(p, "c-value"));
    CHECK(!isaglot_spirv_assemble("OpNoSuch\nOpNop 3\n", ISAGLOT_NUL, -1, 0, &p) && isaglot_problems_count(p) == 2);
    isaglot_problems_free(p);
    CHECK(!isaglot_spirv_disassemble((const uint8_t *)"abc", 3, 0, &p) && failed_with(p, "spirv-input"));
    CHECK(!isaglot_spirv_disassemble((const uint8_t *)"abcd", 4, 1 << 20, &p) && failed_with(p, "c-value"));
    CHECK(!isaglot_tablegen_json("no/such.td", NULL, 0, &p) && failed_with(p, "io-read"));
}

/* Gives the two files of a description, and a third that there is no reason for. */
struct files {
    const char *top, *part;
    int asked;
};

static void give(void *user, const char *name, isaglot_input *into) {
    struct files *files = user;
    files->asked++;
    if (!strcmp(name, "top.xml") || !strcmp(name, "top.td")) isaglot_input_give(into, files->top, ISAGLOT_NUL);
    if (!strcmp(name, "part.xml") || !strcmp(name, "part.td")) isaglot_input_give(into, files->part, strlen(files->part));
    if (!strcmp(name, "denied.xml")) isaglot_input_fail(into, "the moon is full");
}

static int collect(void *user, const char *data, size_t length) {
    char *text = user;
    strncat(text, data, length);
    return 0;
}

static int refuse(void *user, const char *data, size_t length) {
    (void)data;
    (void)length;
    ++*(int *)user;
    return 1;
}

static void on_field(void *user, const char *reference, size_t length, const uint8_t *value, size_t value_length,
                     uint32_t width, isaglot_output *output) {
    (void)user;
    char text[64];
    int n = width ? snprintf(text, sizeof text, "<%.*s:%u=%u>", (int)length, reference, width, value[0])
                  : snprintf(text, sizeof text, "<%.*s=%.*s>", (int)length, reference, (int)value_length, (const char *)value);
    isaglot_output_write(output, text, (size_t)n);
}

static void on_custom(void *user, const char *reference, size_t length, uint64_t value, isaglot_output *output) {
    (void)user;
    char text[64];
    int n = snprintf(text, sizeof text, "%.*s(%llu)", (int)length, reference, (unsigned long long)value);
    isaglot_output_write(output, text, (size_t)n);
}

static void on_word(void *user, uint64_t position, const uint8_t *word, size_t length, uint32_t width, isaglot_output *output) {
    char text[64];
    int n = snprintf(text, sizeof text, "%s%llu:%02x/%zu/%u", (const char *)user, (unsigned long long)position, word[0], length, width);
    isaglot_output_write(output, text, (size_t)n);
    if (*(const char *)user == '!') isaglot_output_write(output, "\n", ISAGLOT_NUL);
}

static const char TOP[] =
    "<isa dialect=\"isaglot\"><import file=\"part.xml\"/><bitset name=\"#instruction\" size=\"16\"/>"
    "<bitset name=\"set\" extends=\"#instruction\"><display>{NAME} {Q}, {C}</display><pattern low=\"8\" high=\"15\">00000001</pattern>"
    "<field name=\"Q\" low=\"0\" high=\"3\" type=\"#number\"/><field name=\"C\" low=\"4\" high=\"7\" type=\"custom\"/></bitset></isa>";
static const char PART[] =
    "<isa dialect=\"isaglot\"><bitset name=\"#number\" size=\"4\"><display>n{V}</display><field name=\"V\" low=\"0\" high=\"3\" type=\"uint\"/></bitset></isa>";

/* Everything that works, once. */
static void right(const char *compiled) {
    isaglot_problems *p = NULL;
    CHECK(strchr(isaglot_version(), '.'));
    isaglot_buffer *names = isaglot_names(&p);
    CHECK(names && !p && strstr((const char *)isaglot_buffer_data(names), "minnow"));
    isaglot_buffer_free(names);

    /* From memory, through a function. */
    struct files files = {TOP, PART, 0};
    isaglot_engine *engine = isaglot_open_xml("top.xml", give, &files, NULL, &p);
    if (p) fputs(isaglot_problems_text(p).data, stderr);
    CHECK(engine && !p && files.asked == 2 && isaglot_problems_count(isaglot_engine_warnings(engine)) == 0);
    files.part = "<isa dialect=\"isaglot\"><import file=\"denied.xml\"/></isa>";
    CHECK(!isaglot_open_xml("top.xml", give, &files, NULL, &p) && has(isaglot_problems_text(p), "the moon is full"));
    isaglot_problems_free(p);
    CHECK(!isaglot_open_xml("none.xml", give, &files, NULL, &p) && has(isaglot_problems_text(p), "there is no such file"));
    isaglot_problems_free(p);

    /* A field in a field, with ranges and values. */
    isaglot_instruction *set = isaglot_decode(engine, (const uint8_t *)"\x57\x01", 2, &p);
    CHECK(set && is(isaglot_instruction_text(set), "set n7, ") && isaglot_instruction_size(set) == 2);
    CHECK(is(isaglot_instruction_mnemonic(set), "set") && is(isaglot_instruction_encoding(set), "set"));
    CHECK(!memcmp(isaglot_instruction_word(set), "\x57\x01", 2) && isaglot_instruction_field_count(set) == 2);
    const isaglot_field *n = isaglot_instruction_field(set, 0), *c = isaglot_instruction_field(set, 1);
    CHECK(is(isaglot_field_name(n), "Q") && isaglot_field_width(n) == 4 && isaglot_field_value(n)[0] == 7);
    CHECK(is(isaglot_field_encoding(n), "#number") && isaglot_field_field_count(n) == 1);
    CHECK(is(isaglot_field_name(isaglot_field_field(n, 0)), "V") && is(isaglot_field_text(isaglot_field_field(n, 0)), "7"));
    CHECK(isaglot_field_range_count(c) == 1 && isaglot_field_range(c, 0).low == 4 && isaglot_field_range(c, 0).width == 4);
    CHECK(isaglot_field_range(c, 1).width == 0 && !isaglot_instruction_field(set, 2) && !isaglot_field_field(n, 1));
    isaglot_instruction_free(set);

    /* Functions that take part in printing. */
    isaglot_print *print = isaglot_print_new();
    isaglot_print_on_field(print, on_field, NULL);
    isaglot_print_on_custom(print, on_custom, NULL);
    isaglot_print_before(print, on_word, (void *)(uintptr_t) "[");
    isaglot_print_after(print, on_word, (void *)(uintptr_t) "]");
    isaglot_print_no_match(print, on_word, (void *)(uintptr_t) "!");
    isaglot_print_errors(print, false);
    isaglot_print_entry(print, 1, "here");
    isaglot_print_labels(print, true);
    char text[1024] = "";
    size_t used = 0;
    CHECK(isaglot_disassemble_to(engine, (const uint8_t *)"\x57\x01\x10\x01\xff\xff\x01", 7, print, collect, text, &used, &p) && !p);
    CHECK(used == 6);
    puts(text);
    isaglot_buffer *whole = isaglot_disassemble(engine, (const uint8_t *)"\x57\x01\x10\x01\xff\xff\x01", 7, print, &p);
    CHECK(whole && !strcmp((const char *)isaglot_buffer_data(whole), text) && isaglot_buffer_length(whole) == strlen(text));
    isaglot_buffer_free(whole);
    int calls = 0;
    CHECK(!isaglot_disassemble_to(engine, (const uint8_t *)"\x57\x01", 2, print, refuse, &calls, &used, &p));
    CHECK(failed_with(p, "c-stopped") && calls == 1);
    isaglot_print_free(print);
    isaglot_engine_free(engine);

    /* Choices, a second handle that outlives the first, columns. */
    isaglot_choice *choice = isaglot_choice_new();
    isaglot_choice_gen(choice, "64");
    isaglot_choice_feature(choice, "+zba");
    isaglot_choice_feature(choice, "-c");
    isaglot_choice_aliases(choice, false);
    isaglot_choice_stale(choice, false);
    engine = isaglot_open("riscv", choice, &p);
    CHECK(engine && !p && isaglot_engine_gen(engine) == 64);
    isaglot_choice_free(choice);
    isaglot_engine *other = isaglot_engine_share(engine);
    isaglot_engine_free(engine);
    CHECK(is(isaglot_engine_name(other), "riscv"));
    isaglot_buffer *code = isaglot_assemble(other, "add a0, a1, a2\nsh1add a0, a1, a2\n", ISAGLOT_NUL, &p);
    CHECK(code && isaglot_buffer_length(code) == 8 && isaglot_problems_count(isaglot_buffer_problems(code)) == 0);
    isaglot_columns *columns = isaglot_columns_new();
    for (int round = 0; round < 2; round++) {
        CHECK(isaglot_decode_many(other, isaglot_buffer_data(code), 7, columns, &used, &p) && used == 4);
        CHECK(isaglot_decode_many(other, isaglot_buffer_data(code) + 4, 4, columns, NULL, &p));
        CHECK(isaglot_columns_count(columns) == 2 && isaglot_columns_size(columns)[1] == 4);
        const uint32_t *at = isaglot_columns_text_offset(columns);
        int32_t encoding = isaglot_columns_encoding(columns)[1];
        CHECK(encoding >= 0 && (size_t)encoding < isaglot_engine_encoding_count(other));
        printf("row at %llu: %.*s, %s %s\n", (unsigned long long)isaglot_columns_offset(columns)[1], (int)(at[2] - at[1]),
               isaglot_columns_text(columns) + at[1], isaglot_engine_encoding_mnemonic(other, (size_t)encoding).data,
               isaglot_engine_encoding_name(other, (size_t)encoding).data);
        isaglot_columns_clear(columns);
        CHECK(isaglot_columns_count(columns) == 0);
    }
    isaglot_columns_free(columns);
    isaglot_buffer_free(code);
    isaglot_engine_free(other);

    isaglot_engine *minnow = isaglot_open("minnow", NULL, &p);
    isaglot_instruction *add = isaglot_decode(minnow, (const uint8_t *)"\x20\x00", 2, &p);
    CHECK(add && isaglot_instruction_operand_count(add) == 3 && isaglot_instruction_operand_is_written(add, 0));
    CHECK(isaglot_instruction_operand_kind(add, 1) == ISAGLOT_REGISTER && is(isaglot_instruction_problem(add), ""));
    CHECK(is(isaglot_instruction_operand_text(add, 0), "r1") && is(isaglot_field_derived(isaglot_instruction_field(add, 0)), ""));
    isaglot_instruction_free(add);
    isaglot_buffer *why = isaglot_explain_json(minnow, "li r2, 10", ISAGLOT_NUL, &p);
    CHECK(why && strstr((const char *)isaglot_buffer_data(why), "\"li\""));
    isaglot_buffer_free(why);
    isaglot_buffer *found = isaglot_check(minnow, &p);
    CHECK(found && !p && strstr((const char *)isaglot_buffer_data(found), "\"report\""));
    isaglot_buffer_free(found);
    isaglot_buffer *listing = isaglot_list(minnow, (const uint8_t *)"\x48\x14", 2, ISAGLOT_LIST_BITS, &p);
    CHECK(listing && strstr((const char *)isaglot_buffer_data(listing), "\"li\""));
    isaglot_buffer_free(listing);
    isaglot_engine_free(minnow);

    /* A compiled description from memory. */
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(compiled, "rb");
    CHECK(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    engine = isaglot_open_compiled("minnow.isa", bytes, length, NULL, &p);
    if (p) fputs(isaglot_problems_text(p).data, stderr);
    CHECK(engine && !p);
    isaglot_engine_free(engine);
    CHECK(!isaglot_open_compiled("minnow.isa", bytes, length / 2, NULL, &p) && isaglot_problems_count(p) > 0);
    isaglot_problems_free(p);

    /* SPIR-V and TableGen. */
    isaglot_buffer *module = isaglot_spirv_assemble("%1 = OpTypeFloat 32\n", ISAGLOT_NUL, 5, ISAGLOT_SPIRV_PRESERVE_NUMERIC_IDS, &p);
    CHECK(module && isaglot_buffer_length(module) == 32);
    isaglot_buffer *shown = isaglot_spirv_disassemble(isaglot_buffer_data(module), 32, ISAGLOT_SPIRV_RAW_ID | ISAGLOT_SPIRV_NO_HEADER | ISAGLOT_SPIRV_NO_INDENT, &p);
    CHECK(shown && !strcmp((const char *)isaglot_buffer_data(shown), "%1 = OpTypeFloat 32\n"));
    isaglot_buffer_free(shown);
    isaglot_buffer_free(module);
    files.top = "include \"part.td\"\ndef b : A<2>;\n";
    files.part = "class A<int n> { int N = n; }\n";
    isaglot_buffer *records = isaglot_tablegen_json_text("t.td", files.top, ISAGLOT_NUL, NULL, 0, give, &files, &p);
    if (p) fputs(isaglot_problems_text(p).data, stderr);
    CHECK(records && strstr((const char *)isaglot_buffer_data(records), "\"N\""));
    isaglot_buffer_free(records);
    CHECK(!isaglot_tablegen_json_text("t.td", "def x : Nosuch;\n", ISAGLOT_NUL, NULL, 0, NULL, NULL, &p));
    CHECK(is(isaglot_problem_file(p, 0), "t.td") && isaglot_problem_line(p, 0) == 1 && isaglot_problem_column(p, 0) == 9);
    isaglot_problems_free(p);
}

/* What one thread does with a handle that all have. */
struct work {
    const isaglot_engine *engine;
    unsigned seed;
    int rounds;
    unsigned long long sum;
};

static unsigned long long mixed(unsigned long long sum, const void *data, size_t length) {
    for (size_t i = 0; i < length; i++) sum = (sum ^ ((const uint8_t *)data)[i]) * 1099511628211u;
    return sum;
}

static void *work(void *user) {
    struct work *w = user;
    unsigned state = w->seed;
    isaglot_columns *columns = isaglot_columns_new();
    for (int i = 0; i < w->rounds; i++) {
        uint8_t word[4];
        for (int b = 0; b < 4; b++) word[b] = (uint8_t)((state = state * 1103515245u + 12345u) >> 16);
        isaglot_problems *problems = NULL;
        isaglot_instruction *found = isaglot_decode(w->engine, word, 4, &problems);
        if (found) {
            isaglot_str text = isaglot_instruction_text(found);
            w->sum = mixed(w->sum, text.data, text.len);
            isaglot_buffer *made = isaglot_assemble(w->engine, text.data, text.len, &problems);
            w->sum = mixed(w->sum, isaglot_buffer_data(made), isaglot_buffer_length(made));
            isaglot_buffer_free(made);
            isaglot_instruction_free(found);
        }
        isaglot_problems_free(problems);
        isaglot_columns_clear(columns);
        CHECK(isaglot_decode_many(w->engine, word, 4, columns, NULL, NULL));
        if (i % 16 == 0) {
            char question[16];
            snprintf(question, sizeof question, "%02x:%02x:%02x:%02x", word[0], word[1], word[2], word[3]);
            isaglot_buffer *why = isaglot_explain(w->engine, question, ISAGLOT_NUL, NULL);
            w->sum = mixed(w->sum, isaglot_buffer_data(why), isaglot_buffer_length(why));
            isaglot_buffer_free(why);
            isaglot_buffer *listing = isaglot_list(w->engine, word, 4, ISAGLOT_LIST_DEFS, NULL);
            w->sum = mixed(w->sum, isaglot_buffer_data(listing), isaglot_buffer_length(listing));
            isaglot_buffer_free(listing);
        }
    }
    isaglot_columns_free(columns);
    return NULL;
}

enum { THREADS = 8 };

/* Eight threads on one handle say what each says alone. */
static void threads(const char *name, int rounds) {
    isaglot_engine *engine = isaglot_open(name, NULL, NULL);
    CHECK(engine);
    struct work all[THREADS], alone[THREADS];
    pthread_t ids[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        all[i] = alone[i] = (struct work){engine, i + 1, rounds, 14695981039346656037u};
        CHECK(!pthread_create(&ids[i], NULL, work, &all[i]));
    }
    for (unsigned i = 0; i < THREADS; i++) CHECK(!pthread_join(ids[i], NULL));
    for (unsigned i = 0; i < THREADS; i++) {
        work(&alone[i]);
        CHECK(all[i].sum == alone[i].sum);
    }
    isaglot_engine_free(engine);
}

/* How much memory the process has, in KiB. */
static long resident(void) {
    char line[256];
    long found = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &found);
    if (file) fclose(file);
    return found;
}

/* So many calls of each kind grow the process by no more than some KiB. */
static void calls(const char *name, int rounds, long most) {
    isaglot_engine *engine = isaglot_open(name, NULL, NULL);
    CHECK(engine);
    struct work w = {engine, 1, rounds / 10 + 100, 0};
    work(&w);
    long before = resident();
    w.rounds = rounds;
    work(&w);
    long grown = resident() - before;
    fprintf(stderr, "%s: %d rounds, %ld KiB more\n", name, rounds, grown);
    CHECK(grown <= most);
    isaglot_engine_free(engine);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "null")) null();
    else if (!strcmp(what, "wrong")) wrong();
    else if (!strcmp(what, "right") && argc > 2) right(argv[2]);
    else if (!strcmp(what, "threads") && argc > 3) threads(argv[2], atoi(argv[3]));
    else if (!strcmp(what, "calls") && argc > 4) calls(argv[2], atoi(argv[3]), atol(argv[4]));
    else return 2;
    puts("done");
    return 0;
}
