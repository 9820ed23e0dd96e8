//! The syntax tree as XML.
