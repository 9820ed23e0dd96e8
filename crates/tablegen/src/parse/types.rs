//! Types, class names and ranges.

use super::{Parser, Stop};
use crate::lex::token::Tok;
use crate::limits;
use crate::loc::Loc;
use crate::record::RecId;
use crate::ty::Ty;
use crate::value::Val;

impl Parser<'_> {
    /// A type.
    pub(super) fn ty(&mut self) -> Option<Ty> {
        if !self.deeper() {
            return None;
        }
        let ty = self.ty_inner();
        self.depth -= 1;
        ty
    }

    fn ty_inner(&mut self) -> Option<Ty> {
        let simple = match self.tok {
            Tok::StringType | Tok::CodeType => Ty::STRING,
            Tok::Bit => Ty::BIT,
            Tok::IntType => Ty::INT,
            Tok::Dag => Ty::DAG,
            Tok::Id => {
                if let Some(&ty) = self.aliases.get(&self.text()) {
                    self.next();
                    return Some(ty);
                }
                return match self.class_id() {
                    Some(class) => Some(self.ctx.store.types.record(&[class])),
                    None => self.none("unknown class name"),
                };
            }
            Tok::Bits => {
                self.need_next(Tok::Less, "expected '<' after bits type")?;
                self.need_next(Tok::Int, "expected integer in bits<n> type")?;
                let loc = self.loc();
                let width = self.lex.value.int;
                self.need_next(Tok::Greater, "expected '>' at end of bits<n> type")?;
                self.next();
                return match u32::try_from(width).ok().filter(|&w| u64::from(w) <= limits::MAX_BITS) {
                    Some(width) => Some(Ty::bits(width)),
                    None => {
                        let most = format!("bits<{width}>: the width must be 0 to {}", limits::MAX_BITS);
                        self.none_at(loc, "tblgen-limit", &[most.as_bytes()])
                    }
                };
            }
            Tok::List => {
                self.need_next(Tok::Less, "expected '<' after list type")?;
                self.next();
                let element = self.ty()?;
                self.need(Tok::Greater, "expected '>' at end of list<ty> type")?;
                return Some(self.ctx.store.types.list(element));
            }
            _ => return self.none("Unknown token when expecting a type"),
        };
        self.next();
        Some(simple)
    }

    /// `<type>` after an operator.
    pub(super) fn operator_ty(&mut self) -> Option<Ty> {
        const EXPECTED: &str = "expected type name for operator";
        self.need(Tok::Less, EXPECTED)?;
        if self.tok == Tok::CodeType {
            self.token_error("tblgen-type", b"the 'code' type is not allowed in bang operators; use 'string'");
        }
        let Some(ty) = self.ty() else { return self.none(EXPECTED) };
        self.need(Tok::Greater, EXPECTED)?;
        Some(ty)
    }

    /// The name of a class.
    pub(super) fn class_id(&mut self) -> Option<RecId> {
        if self.tok != Tok::Id {
            return self.none("expected name for ClassID");
        }
        let name = self.text();
        let found = self.ctx.store.class_by_name.get(&name).copied();
        if found.is_none() {
            let word = self.name_of(name);
            let mut text = [b"Couldn't find class '", word.as_slice(), b"'"].concat();
            if self.multiclasses.contains_key(&name) {
                text.extend([b". Use 'defm' if you meant to use multiclass '", word.as_slice(), b"'"].concat());
            }
            self.token_error("tblgen-undefined", &text);
            self.suggest_class(&word);
        }
        self.next();
        found
    }

    fn suggest_class(&mut self, word: &[u8]) {
        let ctx = &self.ctx;
        let mut names: Vec<String> = ctx
            .store
            .class_by_name
            .keys()
            .map(|&n| String::from_utf8_lossy(ctx.store.names.get(n)).into_owned())
            .collect();
        names.sort_unstable();
        let word = String::from_utf8_lossy(word);
        if let Some(near) = isaglot_source::closest(&word, names.iter().map(String::as_str)) {
            self.ctx.messages.help(&self.ctx.store.places, Loc::NONE, format!("did you mean class '{near}'?"));
        }
    }

    /// The name of a multiclass, as its number.
    pub(super) fn multiclass_id(&mut self) -> Option<usize> {
        if self.tok != Tok::Id {
            return self.none("expected name for MultiClassID");
        }
        let name = self.text();
        let found = self.multiclasses.get(&name).copied();
        if found.is_none() {
            let text = [b"Couldn't find multiclass '", self.ctx.store.names.get(name), b"'"].concat();
            self.token_error("tblgen-undefined", &text);
            if self.ctx.store.class_by_name.contains_key(&name) {
                self.ctx.messages.help(&self.ctx.store.places, Loc::NONE, "it is a class: use 'def'");
            }
        }
        self.next();
        found
    }

    // ---- Ranges --------------------------------------------------------------------------------------------------

    /// One number or range; `first` is its first number if that is read already.
    pub(super) fn range_piece(&mut self, first: Option<Val>, out: &mut Vec<u32>) -> Result<(), Stop> {
        let first = match first {
            Some(v) => Some(v),
            None => self.value(None, None),
        };
        let Some(start) = first.and_then(|v| self.ctx.store.vals.as_int(v)) else {
            return self.fail("tblgen-range", "expected integer or bitrange");
        };
        if start < 0 {
            return self.fail("tblgen-range", "invalid range, cannot be negative");
        }
        let end = match self.tok {
            Tok::DotDotDot | Tok::Minus => {
                self.next();
                let end = self.value(None, None);
                match end.and_then(|v| self.ctx.store.vals.as_int(v)) {
                    Some(end) => end,
                    None => return self.fail("tblgen-range", "expected integer value as end of range"),
                }
            }
            Tok::Int => {
                let end = self.lex.value.int.wrapping_neg();
                self.next();
                end
            }
            _ => start,
        };
        if end < 0 {
            return self.fail("tblgen-range", "invalid range, cannot be negative");
        }
        let fits = |n: i64| u32::try_from(n).ok();
        let (Some(start), Some(end)) = (fits(start), fits(end)) else {
            return self.fail("tblgen-range", "the range is too large");
        };
        if out.len() + start.abs_diff(end) as usize >= limits::MAX_LIST {
            return self.fail("tblgen-range", "the range is too large");
        }
        if start <= end {
            out.extend(start..=end);
        } else {
            out.extend((end..=start).rev());
        }
        Ok(())
    }

    /// Numbers and ranges with commas between; empty after an error.
    pub(super) fn range_list(&mut self) -> Vec<u32> {
        let mut out = Vec::new();
        loop {
            if self.range_piece(None, &mut out).is_err() {
                return Vec::new();
            }
            if !self.eat(Tok::Comma) {
                return out;
            }
        }
    }

    /// `{ranges}` or `<ranges>`, or nothing.
    pub(super) fn optional_ranges(&mut self, braces: bool) -> Result<Vec<u32>, Stop> {
        let (open, close) = if braces { (Tok::LBrace, Tok::RBrace) } else { (Tok::Less, Tok::Greater) };
        let start = self.loc();
        if !self.eat(open) {
            return Ok(Vec::new());
        }
        let ranges = self.range_list();
        if ranges.is_empty() {
            return Err(Stop);
        }
        if !self.eat(close) {
            let (end, this) = if braces {
                ("expected '}' at end of bit list", "to match this '{'")
            } else {
                ("expected '>' at end of range list", "to match this '<'")
            };
            self.token_error("tblgen-syntax", end.as_bytes());
            return self.fail_at(start, "tblgen-syntax", this.as_bytes());
        }
        Ok(ranges)
    }
}
