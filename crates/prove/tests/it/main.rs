//! Terms, formulas and a solver against the definition of the language.

mod proofs;
