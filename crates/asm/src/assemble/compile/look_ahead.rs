//! What can come next: which bytes each alternative can begin with, and what every text of a program has.
//!
//! Two uses: the matcher skips alternatives that the next byte rules out, and a line is not tried on a form whose texts
//! all have a byte that the line lacks.
//!
//! Example: of the alternatives `Literal "(sat)"` and `Assign`, after which `Literal " "` comes, the first can begin with
//! `(` only and the second with a blank only. Bytes that all alternatives of a program treat alike form one class, here
//! three: `(`, the blank, and all others. A row of the table has, per class, a bit for every alternative.

use isaglot_invariant::{Impossible as _, impossible};
use rustc_hash::FxHashMap;

use crate::assemble::program::{Bytes, Digits, FieldOp, FieldSyntax, Program, ReadOp};

/// Fills in which bytes can come next, and [`Program::needs`]. Operations refer to later ones only.
pub(super) fn look_ahead(program: &mut Program) {
    let count = program.ops.len();
    let mut first = vec![Bytes::default(); count + 1];
    let mut needs = vec![Bytes::default(); count + 1];
    let mut commas = vec![(0u32, 0u32); count + 1];
    // From the end to the start: what follows an operation is known when it is looked at. `can` is the set of first
    // bytes, `must` the bytes that every text from here on has, `many` its least and greatest number of commas.
    for at in (0..count).rev() {
        let (mut can, mut must) = (Bytes::default(), Bytes::default());
        let next = at + 1;
        let mut many = commas[next];
        match program.ops[at] {
            ReadOp::Accept => (can.end, many) = (true, (0, 0)),
            ReadOp::Literal { from, len } => {
                must = needs[next];
                let here = program.literal(from, len).iter().filter(|&&byte| byte == b',').count() as u32;
                many = (many.0.saturating_add(here), many.1.saturating_add(here));
                for (i, &byte) in program.literal(from, len).iter().enumerate() {
                    must.add(byte);
                    if i == 0 {
                        can.add(byte);
                    }
                }
            }
            ReadOp::Align(_) => {
                (can, must) = (first[next], needs[next]);
                can.add(b' ');
            }
            ReadOp::Jump(to) => {
                (can, must) = (first[to as usize], needs[to as usize]);
                many = commas[to as usize];
            }
            ReadOp::Assign { .. } | ReadOp::Differ { .. } | ReadOp::Check { .. } | ReadOp::Prefer(_) => {
                (can, must) = (first[next], needs[next])
            }
            ReadOp::Alternatives { from, to, .. } => {
                // A byte is needed if every branch needs it.
                must.set = [u64::MAX; 4];
                many = (u32::MAX, 0);
                for branch in &program.branches[from as usize..to as usize] {
                    let (least, most) = commas[branch.at as usize];
                    many = (many.0.min(least), many.1.max(most));
                    can.join(&first[branch.at as usize]);
                    for (all, this) in must.set.iter_mut().zip(needs[branch.at as usize].set) {
                        *all &= this;
                    }
                }
            }
            ReadOp::Field(field) => {
                must = needs[next];
                if may_have_comma(program, &program.fields[field as usize]) {
                    many.1 = u32::MAX;
                }
                program.fields[field as usize].follow = first[next];
                if field_begins(program, &program.fields[field as usize], &mut can) {
                    can.join(&first[next]);
                }
            }
        }
        (first[at], needs[at], commas[at]) = (can, must, many);
    }
    classify(program, &first);
    program.glued = program.fields.iter().any(|field| may_go_on(program, field)) || may_be_either(program, &first);
    let is_number = |field: &&FieldOp| matches!(field.syntax, FieldSyntax::Number(_));
    let is_branch = |field: &FieldOp| matches!(&field.syntax, FieldSyntax::Number(style) if style.branch.is_some());
    let numbers = program.fields.iter().filter(is_number).count();
    program.exact_names = (program.glued || numbers > 1) && program.fields.iter().any(is_branch);
    program.needs = needs.first().copied().or_impossible_default();
    program.commas = commas.first().copied().or_impossible_default();
}

/// Whether a text that is there or not, such as a flag, may be there where what follows begins with the same byte.
fn may_be_either(program: &Program, first: &[Bytes]) -> bool {
    program.ops.iter().any(|op| {
        let ReadOp::Alternatives { from, to, .. } = *op else { return false };
        let branches = program.branches.get(from as usize..to as usize).or_impossible(&[]);
        let begins = |at: u32| program.literals.get(at as usize).copied();
        branches.iter().filter(|branch| branch.literal.1 > 0).any(|branch| {
            let others = branches.iter().filter(|other| other.literal.1 == 0);
            let mut firsts = others.filter_map(|other| first.get(other.at as usize));
            firsts.any(|first| first.has(begins(branch.literal.0)))
        })
    })
}

/// Whether what follows a field may be read as more of it.
fn may_go_on(program: &Program, field: &FieldOp) -> bool {
    let mut more = Bytes::default();
    let digits = |more: &mut Bytes| (b'0'..=b'9').for_each(|byte| more.add(byte));
    match &field.syntax {
        FieldSyntax::Number(style) => {
            digits(&mut more);
            if style.digits == Digits::Hex {
                (b'a'..=b'f').for_each(|byte| more.add(byte));
            }
            if matches!(style.digits, Digits::Offset | Digits::UnsignedOffset) {
                b"+-".iter().for_each(|&byte| more.add(byte));
            }
        }
        FieldSyntax::Float => {
            digits(&mut more);
            b".e".iter().for_each(|&byte| more.add(byte));
        }
        FieldSyntax::Table(table) => {
            digits(&mut more);
            let texts = program.tables.get(*table as usize).map_or(&[][..], |table| &table.shown);
            let skip = usize::from(!texts.iter().any(|text| text.is_empty()));
            texts.iter().flat_map(|text| text.iter().skip(skip)).for_each(|&byte| more.add(byte));
        }
        FieldSyntax::Custom(_) => return true,
        FieldSyntax::Constant(_) => return false,
    }
    more.set.iter().zip(field.follow.set).any(|(more, follow)| more & follow != 0)
}

/// Whether a field may read a text with a comma in it.
fn may_have_comma(program: &Program, field: &FieldOp) -> bool {
    match &field.syntax {
        FieldSyntax::Number(_) | FieldSyntax::Float | FieldSyntax::Constant(_) => false,
        FieldSyntax::Table(table) => {
            program.tables.get(*table as usize).is_none_or(|table| table.shown.iter().any(|text| text.contains(&b',')))
        }
        FieldSyntax::Custom(_) => true,
    }
}

/// Fills [`Program::classes`] and [`Program::viable`].
fn classify(program: &mut Program, first: &[Bytes]) {
    let rows: Vec<(usize, usize)> = program
        .ops
        .iter()
        .filter_map(|op| {
            if let ReadOp::Alternatives { from, to, .. } = op { Some((*from as usize, *to as usize)) } else { None }
        })
        .collect();
    let allows = |&(from, to): &(usize, usize), byte: Option<u8>| -> u64 {
        let branches = program.branches.get(from..to).or_impossible(&[]).iter().take(64);
        branches.enumerate().fold(0, |set, (i, branch)| {
            set | u64::from(first.get(branch.at as usize).is_some_and(|first| first.has(byte))) << i
        })
    };
    // A column has, for one byte, the set of branches of every row. Equal columns are one class.
    let mut columns: Vec<Vec<u64>> = Vec::new();
    let mut known: FxHashMap<Vec<u64>, u8> = FxHashMap::default();
    let mut classes = Vec::with_capacity(257);
    for byte in (0..=255u8).map(Some).chain([None]) {
        let column: Vec<u64> = rows.iter().map(|row| allows(row, byte)).collect();
        // More classes than a byte holds cannot be: bytes that no text has share one.
        let class = *known.entry(column).or_insert_with_key(|column| {
            columns.push(column.clone());
            (columns.len() - 1).min(255) as u8
        });
        classes.push(class);
    }
    columns.truncate(256);
    program.class_count = columns.len() as u32;
    program.viable = (0..rows.len()).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    program.classes = classes;
    let mut row = 0;
    for op in &mut program.ops {
        if let ReadOp::Alternatives { row: number, .. } = op {
            *number = row;
            row += 1;
        }
    }
}

/// Adds the bytes with which a field can begin; whether it can be empty.
fn field_begins(program: &Program, field: &FieldOp, can: &mut Bytes) -> bool {
    let digits = |can: &mut Bytes| (b'0'..=b'9').for_each(|byte| can.add(byte));
    match &field.syntax {
        FieldSyntax::Number(style) => {
            if style.prefix {
                can.add(b'0');
                return false;
            }
            match style.digits {
                Digits::Offset | Digits::UnsignedOffset => {
                    can.add(b'+');
                    can.add(b'-');
                    return true;
                }
                Digits::Hex => (b'a'..=b'f').for_each(|byte| can.add(byte)),
                Digits::Signed => can.add(b'-'),
                Digits::Unsigned => {}
            }
            digits(can);
            false
        }
        FieldSyntax::Float => {
            digits(can);
            b"-in".iter().for_each(|&byte| can.add(byte));
            false
        }
        FieldSyntax::Table(table) => {
            digits(can);
            let Some(table) = program.tables.get(*table as usize) else { return impossible(true) };
            table.texts.first_bytes().for_each(|byte| can.add(byte));
            table.texts.has_empty()
        }
        FieldSyntax::Constant(_) => true,
        FieldSyntax::Custom(_) => {
            can.set = [u64::MAX; 4];
            true
        }
    }
}
