//! Sets of records, as LLVM's register classes use them: a dag of operators over records and lists, expanded to the
//! records in order, each once.

use std::io::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Records;
use crate::limits;
use crate::loc::Loc;
use crate::natural;
use crate::record::RecId;
use crate::store::Store;
use crate::value::{Val, ValueKind, dag_args, dag_op};

/// Records in order of insertion, each once.
#[derive(Clone, Default)]
struct Set {
    list: Vec<RecId>,
    has: FxHashSet<RecId>,
}

impl Set {
    fn add(&mut self, id: RecId) {
        if self.has.insert(id) {
            self.list.push(id);
        }
    }

    fn add_all(&mut self, ids: &[RecId]) {
        ids.iter().for_each(|&id| self.add(id));
    }
}

type Problem = (Loc, Vec<u8>);

struct Sets<'a> {
    store: &'a Store,
    class: RecId,
    field: crate::names::Sym,
    done: FxHashMap<RecId, Vec<RecId>>,
    depth: u32,
    max_depth: u32,
    steps: usize,
}

impl Sets<'_> {
    fn problem(&self, loc: Loc, text: &str, v: Val) -> Problem {
        (loc, [text.as_bytes(), &self.store.val_text(v)].concat())
    }

    /// The members of a record that is a set.
    fn expand(&mut self, id: RecId) -> Result<Option<Vec<RecId>>, Problem> {
        if let Some(done) = self.done.get(&id) {
            return Ok(Some(done.clone()));
        }
        if !self.store.is_subclass(id, self.class) {
            return Ok(None);
        }
        let rec = self.store.rec(id);
        let mut set = Set::default();
        if let Some(at) = self.store.shapes.look(rec.shape, self.field) {
            self.evaluate(rec.values[at], &mut set, rec.loc())?;
        }
        self.done.insert(id, set.list.clone());
        Ok(Some(set.list))
    }

    fn evaluate(&mut self, v: Val, set: &mut Set, loc: Loc) -> Result<(), Problem> {
        self.depth += 1;
        self.steps += 1;
        if self.depth > self.max_depth || self.steps > limits::MAX_LIST {
            return Err(self.problem(loc, "the set refers to itself or is too large: ", Val::UNSET));
        }
        let result = self.evaluate_inner(v, set, loc);
        self.depth -= 1;
        result
    }

    fn evaluate_inner(&mut self, v: Val, set: &mut Set, loc: Loc) -> Result<(), Problem> {
        if let Some(id) = self.store.as_def(v) {
            match self.expand(id)? {
                Some(members) => set.add_all(&members),
                None => set.add(id),
            }
            return Ok(());
        }
        if let Some(parts) = self.store.vals.as_list(v) {
            return parts.iter().try_for_each(|&p| self.evaluate(Val(p), set, loc));
        }
        let Some(run) = self.store.vals.as_dag(v) else {
            return Err(self.problem(loc, "Invalid set element: ", v));
        };
        let Some(op) = self.store.as_def(dag_op(run)) else {
            return Err(self.problem(loc, "Bad set expression: ", v));
        };
        let args: Vec<Val> = dag_args(run).map(|a| a.0).collect();
        match self.store.rec_name(op).as_slice() {
            b"add" => args.iter().try_for_each(|&a| self.evaluate(a, set, loc)),
            b"sub" => {
                let [first, rest @ ..] = args.as_slice() else {
                    return Err(self.problem(loc, "Set difference needs at least two arguments: ", v));
                };
                if rest.is_empty() {
                    return Err(self.problem(loc, "Set difference needs at least two arguments: ", v));
                }
                let (mut all, mut without) = (Set::default(), Set::default());
                self.evaluate(*first, &mut all, loc)?;
                rest.iter().try_for_each(|&a| self.evaluate(a, &mut without, loc))?;
                all.list.iter().filter(|id| !without.has.contains(id)).for_each(|&id| set.add(id));
                Ok(())
            }
            b"and" => {
                let [a, b] = args[..] else {
                    return Err(self.problem(loc, "Set intersection requires two arguments: ", v));
                };
                let (mut x, mut y) = (Set::default(), Set::default());
                self.evaluate(a, &mut x, loc)?;
                self.evaluate(b, &mut y, loc)?;
                x.list.iter().filter(|id| y.has.contains(id)).for_each(|&id| set.add(id));
                Ok(())
            }
            b"interleave" => {
                let mut all = Vec::new();
                for &a in &args {
                    let mut one = Set::default();
                    self.evaluate(a, &mut one, loc)?;
                    all.push(one.list);
                }
                for i in 0..all.iter().map(Vec::len).max().unwrap_or(0) {
                    all.iter().filter_map(|l| l.get(i)).for_each(|&id| set.add(id));
                }
                Ok(())
            }
            b"sequence" => self.sequence(v, &args, set, loc),
            name @ (b"shl" | b"trunc" | b"rotl" | b"rotr" | b"decimate") => self.counted(name, v, &args, set, loc),
            _ => Err(self.problem(loc, "Unknown set operator: ", v)),
        }
    }

    /// Operators of a set and a number.
    fn counted(&mut self, op: &[u8], v: Val, args: &[Val], set: &mut Set, loc: Loc) -> Result<(), Problem> {
        let &[of, count] = args else {
            return Err(self.problem(loc, "Operator requires (Op Set, Int) arguments: ", v));
        };
        let mut all = Set::default();
        self.evaluate(of, &mut all, loc)?;
        let Some(count) = self.store.vals.as_int(count) else {
            return Err(self.problem(loc, "Second argument must be an integer: ", v));
        };
        let list = &all.list;
        let positive = usize::try_from(count);
        match op {
            b"shl" => match positive {
                Ok(n) => set.add_all(list.get(n..).unwrap_or(&[])),
                Err(_) => return Err(self.problem(loc, "Positive shift required: ", v)),
            },
            b"trunc" => match positive {
                Ok(n) => set.add_all(&list[..n.min(list.len())]),
                Err(_) => return Err(self.problem(loc, "Positive length required: ", v)),
            },
            b"decimate" => match positive {
                Ok(n) if n > 0 => list.iter().step_by(n).for_each(|&id| set.add(id)),
                _ => return Err(self.problem(loc, "Positive stride required: ", v)),
            },
            _ if list.is_empty() => {}
            _ => {
                let count = if op == b"rotr" { count.wrapping_neg() } else { count };
                let (back, front) = list.split_at(count.rem_euclid(list.len() as i64) as usize);
                set.add_all(front);
                set.add_all(back);
            }
        }
        Ok(())
    }

    /// `(sequence "R%u", 0, 3)`
    fn sequence(&mut self, v: Val, args: &[Val], set: &mut Set, loc: Loc) -> Result<(), Problem> {
        let (&[format, from, to], step) = match args {
            [a, b, c] => (&[*a, *b, *c], None),
            [a, b, c, d] => (&[*a, *b, *c], Some(*d)),
            _ => return Err(self.problem(loc, "Bad args to (sequence \"Format\", From, To): ", v)),
        };
        let vals = &self.store.vals;
        let step = match step.map(|s| vals.as_int(s)) {
            None => 1,
            Some(Some(step)) => step,
            Some(None) => return Err(self.problem(loc, "Stride must be an integer: ", v)),
        };
        let Some(format) = vals.as_str(format) else {
            return Err(self.problem(loc, "Format must be a string: ", v));
        };
        let bound = |value: Val, name: &str| match vals.as_int(value) {
            None => Err(self.problem(loc, &format!("{name} must be an integer: "), v)),
            Some(n) if (0..1 << 30).contains(&n) => Ok(n),
            Some(_) => Err((loc, format!("{name} out of range").into_bytes())),
        };
        let (from, to) = (bound(from, "From")?, bound(to, "To")?);
        let step = if from <= to { step } else { step.wrapping_neg() };
        let mut at = from;
        while step != 0 && (if step > 0 { at <= to } else { at >= to }) {
            let name = formatted(self.store.names.get(format), at);
            let Some(id) = self.store.names.find(&name).and_then(|n| self.store.def(n)) else {
                let text = [b"No def named '", name.as_slice(), b"': ", &self.store.val_text(v)].concat();
                return Err((loc, text));
            };
            match self.expand(id)? {
                Some(members) => set.add_all(&members),
                None => set.add(id),
            }
            at = at.saturating_add(step);
        }
        Ok(())
    }
}

/// `printf` of one number: `%u`, `%d`, `%x`, with a width.
fn formatted(format: &[u8], number: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(&c) = format.get(i) {
        i += 1;
        if c != b'%' {
            out.push(c);
            continue;
        }
        let from = i;
        while format.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        let width = format.get(from..i).unwrap_or(&[]);
        let zero = width.first() == Some(&b'0');
        let width = std::str::from_utf8(width).ok().and_then(|w| w.parse::<usize>().ok()).unwrap_or(0).min(64);
        let text = match format.get(i) {
            Some(b'x') => format!("{number:x}"),
            Some(b'X') => format!("{number:X}"),
            Some(b'%') => "%".to_owned(),
            _ => number.to_string(),
        };
        i += 1;
        let fill = if zero { b'0' } else { b' ' };
        out.resize(out.len() + width.saturating_sub(text.len()), fill);
        out.extend(text.as_bytes());
    }
    out
}

fn expand_all(store: &Store, max_depth: u32) -> Result<Vec<u8>, Problem> {
    let mut out = Vec::new();
    let named = |name: &[u8]| store.names.find(name);
    let class = named(b"Set").and_then(|n| store.class_by_name.get(&n).copied());
    let Some(class) = class else { return Err((Loc::NONE, b"The class 'Set' is not defined\n".to_vec())) };
    let field = named(b"Elements").unwrap_or(crate::names::Sym::NONE);
    let mut sets = Sets { store, class, field, done: FxHashMap::default(), depth: 0, max_depth, steps: 0 };
    let mut defs: Vec<RecId> = store.defs.iter().copied().filter(|&d| store.is_subclass(d, class)).collect();
    defs.sort_by(|&a, &b| natural::compare(&store.rec_name(a), &store.rec_name(b)));
    for def in defs {
        out.extend(store.rec_name(def));
        out.extend(b" = [");
        for member in sets.expand(def)?.unwrap_or_default() {
            out.push(b' ');
            out.extend(store.rec_name(member));
        }
        out.extend(b" ]\n");
    }
    debug_assert!(store.vals.kind(Val::UNSET) == ValueKind::Unset);
    Ok(out)
}

/// Prints the members of every record of class `Set`, as `llvm-tblgen --print-sets` does.
///
/// # Errors
///
/// Those of the output.
pub fn print_sets(records: &mut Records, out: &mut dyn Write) -> io::Result<()> {
    let store = records.store();
    let expanded = crate::on_large_stack(|| expand_all(store, limits::MAX_SET_DEPTH))
        .unwrap_or_else(|| expand_all(store, limits::SMALL_STACK_DEPTH));
    match expanded {
        Ok(text) => out.write_all(&text),
        Err((loc, text)) => {
            records.fail_at(loc, "tblgen-set", &text);
            Ok(())
        }
    }
}
