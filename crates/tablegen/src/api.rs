//! Looking into records: by name and by class, with typed access to fields. Handles are two words and borrow the
//! [`Records`]; nothing is copied until it is asked for.

use std::borrow::Cow;
use std::fmt;

use isaglot_source::Span;

use isaglot_invariant::Impossible as _;

use crate::Records;
use crate::loc::Loc;
use crate::names::Sym;
use crate::natural;
use crate::record::{RecId, RecKind};
use crate::value::{Val, ValueKind, dag_args, dag_op};

/// A finished record.
#[derive(Clone, Copy)]
pub struct Def<'a> {
    records: &'a Records,
    id: RecId,
}

/// A class.
#[derive(Clone, Copy)]
pub struct Class<'a> {
    records: &'a Records,
    id: RecId,
}

/// A value, taken apart one level.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// `?`
    Unset,
    /// A bit.
    Bit(bool),
    /// A number.
    Int(i64),
    /// A string or a piece of code, as bytes.
    String(&'a [u8]),
    /// `bits<N>`
    Bits(Bits<'a>),
    /// A list.
    List(List<'a>),
    /// A dag.
    Dag(Dag<'a>),
    /// A record.
    Def(Def<'a>),
    /// A reference to a field, or an expression, that was left unresolved.
    Other(Unresolved<'a>),
}

/// A value of a `bits` type.
#[derive(Clone, Copy)]
pub struct Bits<'a> {
    records: &'a Records,
    value: Val,
}

/// One bit of a `bits` value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit<'a> {
    /// 0
    Zero,
    /// 1
    One,
    /// `?`
    Unset,
    /// Bit `index` of field `field` of the same record, which is not set there: an operand's bit in an encoding.
    Field {
        /// The name of the field.
        field: &'a str,
        /// The bit of the field, 0 the least significant.
        index: u32,
    },
    /// Some expression.
    Other,
}

/// A list.
#[derive(Clone, Copy)]
pub struct List<'a> {
    records: &'a Records,
    value: Val,
}

/// A dag: an operator, and arguments that may have names.
#[derive(Clone, Copy)]
pub struct Dag<'a> {
    records: &'a Records,
    value: Val,
}

/// Something unresolved; its text is all there is.
#[derive(Clone, Copy)]
pub struct Unresolved<'a> {
    records: &'a Records,
    value: Val,
}

/// Why a field could not be had: names the record, the field and the place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// The record.
    pub record: String,
    /// The field.
    pub field: String,
    /// What was expected, and what is there.
    pub problem: String,
    /// The place of the field's value, or of the record.
    pub span: Option<Span>,
    /// The same as `file:line:col`.
    pub place: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: record '{}', field '{}': {}", self.place, self.record, self.field, self.problem)
    }
}

impl std::error::Error for FieldError {}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Nearly always it is UTF-8, which is told faster at once than piece by piece.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

impl Records {
    /// The record of that name.
    pub fn def(&self, name: &str) -> Option<Def<'_>> {
        let sym = self.store().names.find(name.as_bytes())?;
        self.store().def(sym).map(|id| Def { records: self, id })
    }

    /// All records in the order in which they were finished.
    pub fn defs(&self) -> impl Iterator<Item = Def<'_>> {
        self.store().defs.iter().map(|&id| Def { records: self, id })
    }

    /// The class of that name.
    pub fn class(&self, name: &str) -> Option<Class<'_>> {
        let sym = self.store().names.find(name.as_bytes())?;
        self.store().class_by_name.get(&sym).map(|&id| Class { records: self, id })
    }

    /// All classes by name.
    pub fn classes(&self) -> impl Iterator<Item = Class<'_>> {
        self.store().sorted_classes().into_iter().map(|id| Class { records: self, id })
    }

    /// All records of a class in the order of LLVM's back ends (see [`natural`]); none if there is no such class.
    pub fn defs_of(&self, class: &str) -> Vec<Def<'_>> {
        self.defs_where(class, |_| true)
    }

    /// The same, of those that are wanted alone: putting a hundred thousand in order costs more than looking at them.
    pub fn defs_where<'a>(&'a self, class: &str, wanted: impl Fn(Def<'a>) -> bool) -> Vec<Def<'a>> {
        let Some(class) = self.class(class) else { return Vec::new() };
        let all = self.families().of(self.store(), class.id).into_iter();
        let mut found: Vec<Def<'_>> = all.map(|id| Def { records: self, id }).filter(|def| wanted(*def)).collect();
        found.sort_by(|a, b| natural::compare(a.raw_name(), b.raw_name()));
        found
    }

    fn view(&self, v: Val) -> Value<'_> {
        let store = self.store();
        let node = store.vals.node(v);
        match node.kind {
            ValueKind::Unset => Value::Unset,
            ValueKind::Bit => Value::Bit(v == Val::TRUE),
            ValueKind::Int => Value::Int(store.vals.as_int(v).or_impossible(0)),
            ValueKind::Str => Value::String(store.names.get(Sym(node.a))),
            ValueKind::Bits => Value::Bits(Bits { records: self, value: v }),
            ValueKind::List => Value::List(List { records: self, value: v }),
            ValueKind::Dag => Value::Dag(Dag { records: self, value: v }),
            ValueKind::Def => Value::Def(Def { records: self, id: RecId(node.a) }),
            _ => Value::Other(Unresolved { records: self, value: v }),
        }
    }

    fn place(&self, loc: Loc) -> String {
        match self.places().line_col(loc) {
            Some((file, line, column)) => format!("{file}:{line}:{column}"),
            None => "<unknown>".to_owned(),
        }
    }
}

impl<'a> Class<'a> {
    /// Its name.
    pub fn name(self) -> Cow<'a, str> {
        text(self.records.store().names.get(self.records.store().class_sym(self.id)))
    }

    /// Where it is defined.
    pub fn span(self) -> Option<Span> {
        self.records.places().span(self.records.store().rec(self.id).loc())
    }
}

impl<'a> Def<'a> {
    fn raw_name(self) -> &'a [u8] {
        let store = self.records.store();
        store.vals.as_str(store.rec(self.id).name).map_or(&[], |s| store.names.get(s))
    }

    /// Its name.
    pub fn name(self) -> Cow<'a, str> {
        text(self.raw_name())
    }

    /// A number that is this record's alone within the [`Records`].
    pub fn index(self) -> usize {
        self.id.index()
    }

    /// Whether it was made without a name.
    pub fn is_anonymous(self) -> bool {
        self.records.store().rec(self.id).kind == RecKind::AnonymousDef
    }

    /// Whether it is of a class, directly or not.
    pub fn is_a(self, class: Class<'_>) -> bool {
        self.records.store().is_subclass(self.id, class.id)
    }

    /// Whether it is of the class of that name.
    pub fn is_of(self, class: &str) -> bool {
        self.records.class(class).is_some_and(|c| self.is_a(c))
    }

    /// Its classes, each after its own superclasses.
    pub fn superclasses(self) -> impl Iterator<Item = Class<'a>> {
        let store = self.records.store();
        store.supers.get(store.rec(self.id).supers).list.iter().map(move |&id| Class { records: self.records, id })
    }

    /// Where it is defined; of a record of a multiclass, the place in the multiclass.
    pub fn span(self) -> Option<Span> {
        self.records.places().span(self.records.store().rec(self.id).loc())
    }

    /// `file:line:col` of that.
    pub fn place(self) -> String {
        self.records.place(self.records.store().rec(self.id).loc())
    }

    /// The places of the `defm`s that made it, innermost first.
    pub fn defm_spans(self) -> Vec<Span> {
        let locs = &self.records.store().rec(self.id).locs;
        locs.iter().skip(1).filter_map(|l| self.records.places().span(l)).collect()
    }

    fn at(self, field: &str) -> Option<usize> {
        let store = self.records.store();
        let sym = store.names.find(field.as_bytes())?;
        store.shapes.look(store.rec(self.id).shape, sym)
    }

    /// A field's value, if it has the field.
    pub fn get(self, field: &str) -> Option<Value<'a>> {
        let at = self.at(field)?;
        Some(self.records.view(self.records.store().rec(self.id).values[at]))
    }

    /// All fields in order.
    pub fn fields(self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        let store = self.records.store();
        let record = store.rec(self.id);
        let fields = &store.shapes.get(record.shape).fields;
        fields.iter().zip(&record.values).map(move |(f, &v)| (text(store.names.get(f.name)), self.records.view(v)))
    }

    /// Whether a field is declared with `field`: its bits may stay unset.
    pub fn may_be_unset(self, field: &str) -> bool {
        let fields = &self.records.store().shapes.get(self.records.store().rec(self.id).shape).fields;
        self.at(field).and_then(|at| fields.get(at)).is_some_and(|f| f.loose)
    }

    /// Where a field got its value.
    pub fn field_span(self, field: &str) -> Option<Span> {
        let at = self.at(field)?;
        self.records.places().span(self.records.store().field_loc(self.id, at)?)
    }

    fn wrong(self, field: &str, problem: String) -> FieldError {
        let record = self.records.store().rec(self.id);
        let loc =
            self.at(field).and_then(|at| self.records.store().field_loc(self.id, at)).unwrap_or_else(|| record.loc());
        FieldError {
            record: self.name().into_owned(),
            field: field.to_owned(),
            problem,
            span: self.records.places().span(loc),
            place: self.records.place(loc),
        }
    }

    /// A field's value.
    ///
    /// # Errors
    ///
    /// If there is no such field.
    pub fn field(self, field: &str) -> Result<Value<'a>, FieldError> {
        self.get(field).ok_or_else(|| self.wrong(field, "there is no such field".to_owned()))
    }

    fn typed<T>(self, field: &str, expected: &str, take: impl FnOnce(Value<'a>) -> Option<T>) -> Result<T, FieldError> {
        let value = self.field(field)?;
        take(value).ok_or_else(|| self.wrong(field, format!("expected {expected}, found {value}")))
    }

    /// A number: an `int`, a `bit`, or `bits` that are all known.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn int(self, field: &str) -> Result<i64, FieldError> {
        self.typed(field, "a number", |v| match v {
            Value::Int(i) => Some(i),
            Value::Bit(b) => Some(i64::from(b)),
            Value::Bits(b) => b.int(),
            _ => None,
        })
    }

    /// A bit.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn bit(self, field: &str) -> Result<bool, FieldError> {
        self.typed(field, "a bit", |v| match v {
            Value::Bit(b) => Some(b),
            _ => None,
        })
    }

    /// A string or code.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn string(self, field: &str) -> Result<Cow<'a, str>, FieldError> {
        self.typed(field, "a string", |v| match v {
            Value::String(s) => Some(text(s)),
            _ => None,
        })
    }

    /// Bits.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn bits(self, field: &str) -> Result<Bits<'a>, FieldError> {
        self.typed(field, "bits", |v| match v {
            Value::Bits(b) => Some(b),
            _ => None,
        })
    }

    /// A list.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn list(self, field: &str) -> Result<List<'a>, FieldError> {
        self.typed(field, "a list", |v| match v {
            Value::List(l) => Some(l),
            _ => None,
        })
    }

    /// A list of records.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn defs(self, field: &str) -> Result<Vec<Def<'a>>, FieldError> {
        self.typed(field, "a list of records", |v| match v {
            Value::List(l) => l.iter().map(|v| if let Value::Def(d) = v { Some(d) } else { None }).collect(),
            _ => None,
        })
    }

    /// A dag.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn dag(self, field: &str) -> Result<Dag<'a>, FieldError> {
        self.typed(field, "a dag", |v| match v {
            Value::Dag(d) => Some(d),
            _ => None,
        })
    }

    /// A record.
    ///
    /// # Errors
    ///
    /// If there is no such field, or its value is something else.
    pub fn def(self, field: &str) -> Result<Def<'a>, FieldError> {
        self.typed(field, "a record", |v| match v {
            Value::Def(d) => Some(d),
            _ => None,
        })
    }
}

impl PartialEq for Def<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.records, other.records)
    }
}

impl Eq for Def<'_> {}

impl<'a> Bits<'a> {
    /// Number of bits.
    pub fn width(self) -> u32 {
        self.records.store().vals.bits_len(self.value)
    }

    /// Bit `index`, 0 the least significant; past the width, unset.
    pub fn bit(self, index: u32) -> Bit<'a> {
        let store = self.records.store();
        if index >= self.width() {
            return Bit::Unset;
        }
        self.seen(store.vals.bits_at(self.value, index), &mut |sym| std::str::from_utf8(store.names.get(sym)).ok())
    }

    /// What a bit is; `name` gives the text of a name.
    #[inline]
    fn seen(self, v: Val, name: &mut impl FnMut(Sym) -> Option<&'a str>) -> Bit<'a> {
        let store = self.records.store();
        let node = store.vals.node(v);
        let mut name = |v: Val| name(Sym(store.vals.node(v).a));
        match node.kind {
            ValueKind::Unset => Bit::Unset,
            ValueKind::Bit if v == Val::TRUE => Bit::One,
            ValueKind::Bit => Bit::Zero,
            ValueKind::VarBit if store.vals.kind(Val(node.a)) == ValueKind::Var => {
                name(Val(node.a)).map_or(Bit::Other, |field| Bit::Field { field, index: node.b })
            }
            ValueKind::Var => name(v).map_or(Bit::Other, |field| Bit::Field { field, index: 0 }),
            _ => Bit::Other,
        }
    }

    /// All bits, the least significant first.
    pub fn iter(self) -> impl Iterator<Item = Bit<'a>> {
        let vals = &self.records.store().vals;
        // Bits of one field follow each other: that its name is a text is looked at once.
        let mut before: Option<(Sym, Option<&'a str>)> = None;
        let mut name = move |sym: Sym| match before {
            Some((known, name)) if known == sym => name,
            _ => {
                let name = std::str::from_utf8(self.records.store().names.get(sym)).ok();
                before = Some((sym, name));
                name
            }
        };
        (0..self.width()).map(move |i| self.seen(vals.bits_at(self.value, i), &mut name))
    }

    /// The number that they are, if all are known.
    pub fn int(self) -> Option<i64> {
        self.records.store().vals.bits_int(self.value)
    }
}

impl<'a> List<'a> {
    fn run(self) -> &'a [u32] {
        self.records.store().vals.run(self.value)
    }

    /// Number of elements.
    pub fn len(self) -> usize {
        self.run().len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.run().is_empty()
    }

    /// The elements.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value<'a>> {
        self.run().iter().map(move |&v| self.records.view(Val(v)))
    }
}

impl<'a> Dag<'a> {
    fn run(self) -> &'a [u32] {
        self.records.store().vals.run(self.value)
    }

    /// The operator.
    pub fn operator(self) -> Value<'a> {
        self.records.view(dag_op(self.run()))
    }

    /// The arguments with their names, which are empty where there is none.
    pub fn args(self) -> impl ExactSizeIterator<Item = (Value<'a>, Cow<'a, str>)> {
        dag_args(self.run()).map(move |(v, name)| (self.records.view(v), text(self.records.store().names.get(name))))
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, v) = match *self {
            Value::Unset => return f.write_str("?"),
            Value::Bit(b) => return f.write_str(if b { "1" } else { "0" }),
            Value::Int(i) => return write!(f, "{i}"),
            Value::String(s) => return write!(f, "\"{}\"", text(s)),
            Value::Def(d) => return f.write_str(&d.name()),
            Value::Bits(b) => (b.records, b.value),
            Value::List(l) => (l.records, l.value),
            Value::Dag(d) => (d.records, d.value),
            Value::Other(u) => (u.records, u.value),
        };
        f.write_str(&text(&records.store().val_text(v)))
    }
}

macro_rules! debug_as {
    ($($name:ident => $text:expr;)*) => {$(
        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let this = *self;
                f.write_str(&$text(this))
            }
        }
    )*};
}

debug_as! {
    Def => |d: Def<'_>| d.name().into_owned();
    Class => |c: Class<'_>| c.name().into_owned();
    Bits => |b: Bits<'_>| Value::Bits(b).to_string();
    List => |l: List<'_>| Value::List(l).to_string();
    Dag => |d: Dag<'_>| Value::Dag(d).to_string();
    Unresolved => |u: Unresolved<'_>| Value::Other(u).to_string();
}
