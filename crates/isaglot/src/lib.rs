//! The library: every part of Isaglot under one name, each behind a feature, and a short road for the common case.
#![doc = include_str!("../README.md")]
//!
//! # The parts themselves
//!
//! A description comes through a callback, so that it can come from anywhere. A [`codec::Plan`] is a description
//! together with a gen and features; several plans, of several descriptions, live side by side in one process.
//!
//! ```
//! use isaglot::{asm, codec, isaspec, source};
//!
//! let minnow = isaglot::shipped::find("minnow").and_then(|spec| spec.file("minnow.xml")).unwrap();
//! let (mut files, mut problems) = (source::SourceMap::new(), source::Diagnostics::new());
//! let mut read = |_: &str| Ok(minnow.as_bytes().to_vec());
//! let isa = isaspec::load(&mut files, "minnow.xml", &mut read, &mut problems).expect("a sound description");
//! let plan = codec::Plan::new(&isa, 0);
//!
//! let program = [0x48, 0x14, 0x24, 0x08, 0x98, 0xfc];
//! let options = asm::Options { labels: true, ..asm::Options::default() };
//! let mut text = Vec::new();
//! let mut stream = asm::Stream::new(&plan, options, program.len() as u64);
//! stream.mark(&program); // looks for labels; without labels it can be left out
//! stream.feed(&program, &mut asm::Plain, &mut text);
//! assert!(text.starts_with(b"li     r2, 10\ninc    r1, 4\n"));
//! ```
//!
//! # Take a word apart and put it together
//!
//! ```
//! # use isaglot::{codec, isaspec, source};
//! # let minnow = isaglot::shipped::find("minnow").and_then(|spec| spec.file("minnow.xml")).unwrap();
//! # let (mut files, mut problems) = (source::SourceMap::new(), source::Diagnostics::new());
//! # let mut read = |_: &str| Ok(minnow.as_bytes().to_vec());
//! # let isa = isaspec::load(&mut files, "minnow.xml", &mut read, &mut problems).expect("a sound description");
//! use isaglot::bits::Word;
//! use isaglot::codec::operands::{OperandValue, decode, encode};
//!
//! let plan = codec::Plan::new(&isa, 0);
//! let word = Word::from_u64(0x1448, 16); // li r2, 10
//! let mut li = decode(&plan, &word).expect("an instruction");
//! assert_eq!(&*isa[li.encoding].display_name, "li");
//!
//! let imm = isa.names().get("IMM").expect("a field of minnow");
//! for field in &mut li.fields {
//!     if field.name == imm {
//!         field.value = OperandValue::Number(Word::from_u64(11, 7));
//!     }
//! }
//! assert_eq!(encode(&plan, &li), Ok(Word::from_u64(0x1648, 16)));
//!
//! // A value that does not fit is an error that says which field and why, never cut off.
//! li.fields.retain(|f| f.name == imm);
//! li.fields[0].value = OperandValue::Number(Word::from_u64(1000, 10));
//! assert_eq!(encode(&plan, &li).unwrap_err().to_string(), "1000 does not fit field `IMM` of 7 bits");
//! ```
//!
//! # Take part in printing
//!
//! [`asm::Hooks`] is called before every field, for fields of type `custom`, before and after every instruction, and for
//! words that are not valid instructions. Named places are [`asm::Entry`]s of the options.
//!
//! ```
//! # use isaglot::{asm, codec, isaspec, source};
//! # let minnow = isaglot::shipped::find("minnow").and_then(|spec| spec.file("minnow.xml")).unwrap();
//! # let (mut files, mut problems) = (source::SourceMap::new(), source::Diagnostics::new());
//! # let mut read = |_: &str| Ok(minnow.as_bytes().to_vec());
//! # let isa = isaspec::load(&mut files, "minnow.xml", &mut read, &mut problems).expect("a sound description");
//! # let plan = codec::Plan::new(&isa, 0);
//! use isaglot::bits::Word;
//!
//! #[derive(Default)]
//! struct Watch {
//!     fields: Vec<String>,
//! }
//!
//! impl asm::Hooks for Watch {
//!     fn wants_fields(&self) -> bool {
//!         true
//!     }
//!     fn field(&mut self, reference: &str, value: asm::Value<'_>, _: &mut Vec<u8>) {
//!         if let asm::Value::Number(n) = value {
//!             self.fields.push(format!("{reference} = {}", n.decimal()));
//!         }
//!     }
//!     fn no_match(&mut self, word: &Word, out: &mut Vec<u8>) {
//!         out.extend_from_slice(format!(".word 0x{}\n", word.hex()).as_bytes());
//!     }
//! }
//!
//! let entries = vec![asm::Entry { offset: 0, name: b"start".to_vec() }];
//! let options = asm::Options { labels: true, entries, ..asm::Options::default() };
//! let (mut watch, mut text) = (Watch::default(), Vec::new());
//! let program = [0x48, 0x14, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
//! asm::Stream::new(&plan, options, 8).feed(&program, &mut watch, &mut text);
//! assert!(text.starts_with(b"start:\nli     r2, 10\n.word 0x"));
//! assert_eq!(watch.fields, ["RD:align=7 = 2", "IMM = 10"]);
//! ```

#[cfg(feature = "asm")]
pub mod choice;
#[cfg(feature = "asm")]
mod description;
#[cfg(feature = "asm")]
pub mod engine;
mod error;
#[cfg(feature = "asm")]
pub mod explain;
#[cfg(feature = "explore")]
pub mod explore;
#[cfg(feature = "fs")]
pub mod fs;
#[cfg(feature = "codec")]
pub mod hint;
#[cfg(feature = "shipped")]
mod packed;
mod problem;
#[cfg(feature = "programs")]
pub mod program;
#[cfg(feature = "asm")]
pub mod question;
#[cfg(feature = "tablegen")]
pub mod records;
#[cfg(feature = "shipped")]
pub mod shipped;
#[cfg(feature = "asm")]
pub mod spec;
#[cfg(feature = "asm")]
pub mod text;

#[cfg(feature = "asm")]
pub use description::Description;
#[cfg(feature = "asm")]
pub use engine::Engine;
pub use error::Error;
pub use isaglot_source as source;
pub use problem::{Place, Problem};

#[cfg(feature = "asm")]
pub use isaglot_asm as asm;
#[cfg(any(feature = "model", feature = "semantics"))]
pub use isaglot_bits as bits;
#[cfg(feature = "codec")]
pub use isaglot_codec as codec;
#[cfg(feature = "conform")]
pub use isaglot_conform as conform;
#[cfg(feature = "emit")]
pub use isaglot_emit as emit;
#[cfg(feature = "hart")]
pub use isaglot_hart as hart;
#[cfg(feature = "isaspec")]
pub use isaglot_isaspec as isaspec;
#[cfg(any(feature = "listing", feature = "spirv-listing", feature = "xe"))]
pub use isaglot_listing as listing;
#[cfg(feature = "listing")]
pub use isaglot_listing_build as listing_build;
#[cfg(feature = "llvm")]
pub use isaglot_llvm as llvm;
#[cfg(feature = "model")]
pub use isaglot_model as model;
#[cfg(feature = "prove")]
pub use isaglot_prove as prove;
#[cfg(feature = "riscv")]
pub use isaglot_riscv as riscv;
#[cfg(feature = "semantics")]
pub use isaglot_semantics as semantics;
#[cfg(feature = "site")]
pub use isaglot_site as site;
#[cfg(feature = "spirv")]
pub use isaglot_spirv as spirv;
#[cfg(feature = "tablegen")]
pub use isaglot_tablegen as tablegen;
#[cfg(feature = "triage")]
pub use isaglot_triage as triage;
#[cfg(feature = "verify")]
pub use isaglot_verify as verify;
#[cfg(feature = "xe")]
pub use isaglot_xe as xe;
#[cfg(feature = "xintf")]
pub use isaglot_xintf as xintf;
