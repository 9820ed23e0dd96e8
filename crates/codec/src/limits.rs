//! Every bound of the engines, by name.

/// The deepest nesting of scopes while one instruction is decoded. Descriptions cannot nest deeper by their types
/// (the model refuses it), but a parameter may refer to a sub-encoded field of the scope around it, and so to itself.
pub const MAX_SCOPES: usize = 20;

/// The deepest chain of expressions that need each other. The reference keeps 8 and does not check.
pub const MAX_EXPR_DEPTH: usize = 64;

/// Expression evaluations for one instruction. Mutually recursive guards can ask for exponentially many; beyond this
/// they give 0.
pub const MAX_EVALUATIONS: usize = 10_000;

/// Messages kept for one line; further ones are dropped.
pub const MAX_LINE_ERRORS: usize = 4;

/// The widest bit group that a node of a decision tree looks at.
pub const TREE_GROUP_BITS: u32 = 8;

/// The most table entries of one decision tree; beyond it, candidates are tried one by one.
pub const TREE_MAX_ENTRIES: usize = 1 << 18;

/// The deepest nesting of a compiled value; deeper ones are left to the exact engine.
pub const MAX_GRAPH_DEPTH: u32 = 200;

/// The most contexts that are compiled for one plan; what lies beyond is left to the exact engine.
pub const MAX_CONTEXTS: usize = 1 << 17;

/// The most contexts that are compiled for one instruction; what lies beyond is left to the exact engine.
pub const MAX_LEAF_CONTEXTS: usize = 4_000;

/// The most scopes that are opened while one instruction is printed. Fields nested through parameters can multiply;
/// beyond this they are an error and print nothing.
pub const MAX_OPENED: usize = 1_000;

/// The most field names of a space whose fields are read all at once.
pub const MAX_SLOTS: usize = 128;

/// Up to this many guard bits, the shapes of an encoding are in a table; beyond, in a map.
pub const SHAPE_TABLE_BITS: u32 = 12;

/// The most shapes kept for one space. A description has a few hundred; further ones replace the last.
pub const MAX_SHAPES: usize = 1 << 16;

/// Rounds in which guards and the fields they depend on must settle while a word is written.
pub const MAX_WRITE_ROUNDS: usize = 8;

/// Steps that following the reference's order of evaluation may take ahead of time, for one expression.
pub const MAX_SIMULATION: usize = 10_000;

/// How often an encoder writes all fields anew because one moved another: more than any chain of guards is long.
pub const MAX_ENCODE_ROUNDS: usize = 32;

/// Up to this many bits of a short form, what a step makes of each value is in a table.
pub const EXPANDED_BITS: u32 = 8;

/// Kinds of short forms whose steps are at hand; a power of two.
pub const RECENT_SHORT_FORMS: usize = 256;

/// Steps at hand, for one layout of short forms, before they are forgotten and looked up anew.
pub const MAX_QUICK_STEPS: usize = 1 << 14;

/// The most features of a set that would switch an encoding on.
pub const MAX_MISSING_FEATURES: usize = 3;

/// The most sets of features of one size that are tried.
pub const MAX_MISSING_SETS: usize = 5000;
