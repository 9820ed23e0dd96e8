/* What a description becomes: plain tables, written once and never changed. There are two halves. Exact: the
 * description itself, flattened, which answers every question by the rules of the language, errors included. Quick: one
 * straight program per instruction, which prints it if nothing is wrong with it. */

#define NONE UINT32_MAX
#define LIST (UINT32_C(1) << 31)
#define ONE (UINT32_C(1) << 30)
#define LIMBS ISAGLOT_LIMBS

typedef struct isaglot_word word_t;

/* A range of another table: first, and one past the last. */
struct range {
   uint32_t from, to;
};

struct str {
   const char *text;
   uint32_t size;
};

/* A set of encodings: where its tree begins, its first encoding, how matches count. */
struct space {
   uint32_t root, first;
   bool first_wins, refuses;
};

/* A node of a decision tree: looks at "mask" bits of a limb from "shift" on. */
struct node {
   uint8_t limb, shift;
   uint32_t mask, base;
};

/* An encoding. "pattern" is the place of care, value and don't-care limbs; "except" is what is cut out of it. The text
 * of an instruction contains one of its "needs", if there are any. "knotted": fields alone do not say which word they are
 * of. */
struct leaf {
   struct str name, display;
   uint32_t width, pattern;
   struct range except, cases, needs;
   uint32_t program;
   bool dont_care, knotted, branches;
};

/* Definitions that hold under a guard. */
struct lcase {
   uint32_t guard, template_;
   struct range fields, asserts;
   struct str owner;
};

enum kind {
   KIND_INT,
   KIND_UINT,
   KIND_HEX,
   KIND_OFFSET,
   KIND_UOFFSET,
   KIND_FLOAT,
   KIND_BOOL,
   KIND_BOOL_INV,
   KIND_FLAG,
   KIND_FLAG_INV,
   KIND_BRANCH,
   KIND_CUSTOM,
   KIND_ENUM,
   KIND_REGISTER,
   KIND_SUB
};

/* How a value reads. "arg" is an enum, a space, or the bytes per unit of a code address. */
struct type {
   uint8_t kind;
   bool absolute, call;
   uint32_t arg;
};

/* A field as one case defines it. */
struct field {
   uint32_t name, width, derived;
   struct type type;
   struct range pieces, params;
};

/* A part of a field: bits of the word, or constant bits where "lo" is NONE. */
struct piece {
   uint32_t lo, width;
   uint64_t implied;
};

/* A field that a nested encoding sees. */
struct param {
   uint32_t outer, inner;
};

/* Bits that must have a value. */
struct assertion {
   uint32_t lo, width, value;
};

/* Bits that are so unless a text says otherwise. */
struct preference {
   uint32_t leaf, limb;
   uint64_t bits, value;
};

struct expr {
   struct range fields, nodes;
};

enum calc_kind {
   CALC_CONST,
   CALC_FIELD,
   CALC_GEN,
   CALC_BITS,
   CALC_NEGATE,
   CALC_NOT,
   CALC_LOGICAL_NOT,
   CALC_SELECT,
   CALC_CAST,
   CALC_ADD,
   CALC_SUB,
   CALC_MUL,
   CALC_DIV,
   CALC_REM,
   CALC_AND,
   CALC_OR,
   CALC_XOR,
   CALC_SHL,
   CALC_SHR,
   CALC_EQ,
   CALC_NE,
   CALC_LT,
   CALC_LE,
   CALC_GT,
   CALC_GE,
   CALC_LOGICAL_AND,
   CALC_LOGICAL_OR
};

/* A node of an expression: computes in "bits" bits. A constant is x + 2^32 y. */
struct calc {
   uint8_t kind, bits;
   bool is_signed;
   uint32_t x, y, z;
};

enum part_kind {
   PART_LITERAL,
   PART_ALIGN,
   PART_MNEMONIC,
   PART_FIELD
};

/* A part of a template. "text" is the literal, or what it is called in the template. */
struct part {
   uint8_t kind;
   uint32_t name, align;
   struct str text;
};

struct value {
   uint64_t value;
   struct str text;
};

/* Steps of quick programs; what they do stands where they are run. */
enum code {
   OP_END,
   OP_BAIL,
   OP_TEXT,
   OP_PICK,
   OP_PICK_MANY,
   OP_CALL,
   OP_CALL_MANY,
   OP_JUMP,
   OP_JUMP_MANY,
   OP_GOTO,
   OP_BITS,
   OP_SCALAR,
   OP_BRANCH,
   OP_CUSTOM,
   OP_ALIGN,
   OP_IF,
   OP_SUB,
   OP_EXPECT
};

/* Neighbouring bits of a limb, put where they belong in an index. */
struct bits {
   uint8_t limb, rotation;
   uint16_t mask;
};

/* A step: its bits are those of two runs; for many runs, the first says how many, and has their place for a mask. */
struct op {
   uint8_t code;
   struct bits first, second;
   uint32_t n;
};

/* What is printed as a number: a value, and the place of a way or a reference. */
struct scalar {
   uint32_t value, how;
};

struct way {
   struct type type;
   uint32_t width;
};

struct choice {
   uint32_t value, then, other;
};

struct sub {
   uint32_t value, width, space, targets;
};

struct target {
   uint32_t at;
   uint64_t dont_care;
};

struct expectation {
   uint32_t value;
   uint64_t wanted;
};

/* A first parcel that says how many bits an instruction has. */
struct length_rule {
   uint64_t care, value;
   uint32_t bits;
};

/* All tables of an instruction set for one gen. */
struct isa {
   uint32_t generation, max_bits, parcel_bits, value_bits, root;
   bool little, refuses;
   uint32_t length_count, leaf_count, name_count, preferred_count, space_count;
   const struct length_rule *lengths;
   const struct space *spaces;
   const struct node *tree;
   const uint32_t *entries;
   const struct range *lists;
   const uint32_t *listed;
   const struct leaf *leaves;
   const uint32_t *excepts;
   const uint32_t *needs;
   const uint64_t *limbs;
   const uint32_t *case_lists;
   const struct preference *preferred;
   const struct lcase *cases;
   const struct field *fields;
   const struct piece *pieces;
   const struct param *params;
   const struct assertion *asserts;
   const struct expr *exprs;
   const uint32_t *expr_fields;
   const struct calc *expr_nodes;
   const struct range *templates;
   const struct part *parts;
   const struct range *enums;
   const struct value *values;
   const struct str *names;
   const struct op *ops;
   const uint32_t *picks;
   const uint32_t *jumps;
   const struct bits *runs;
   const struct scalar *scalars;
   const struct way *ways;
   const char *const *references;
   const struct choice *ifs;
   const struct sub *subs;
   const struct target *targets;
   const struct expectation *expects;
   const struct calc *calcs;
   const char *text;
};
