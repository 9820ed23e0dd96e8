//! A first operand table of a target, from its records: `isaglot llvm scaffold`.
//!
//! The problem: who describes a new target has to find out which names its records use and what each means. The method: all names that the
//! instructions use are collected with the widths of their fields; what follows from the records needs no statement and is listed as a comment;
//! for every other name there is a statement that a rule over names, types and widths makes ([`guess`]), each marked with the word `guess`.
//!
//! Invariant: the text is an operand table as it stands. What it guesses has a `?` before it in texts until the owner has looked at
//! the statement and taken the word away.

mod guess;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isaglot_bits::{Pattern, Word};
use isaglot_invariant::Impossible as _;
use isaglot_model::{Builder, ByteOrder};

use self::guess::{Guess, Seen, SubOperand};
use crate::table::{OperandTable, RegisterNames};
use crate::target::encodings::{self, Encoded};
use crate::target::features::Features;
use crate::target::inst::{Inst, InstBit, OperandType, is_reversed};
use crate::target::lengths;
use crate::target::registers::{Registers, text};
use isaglot_tablegen::{Def, Records, Value};

/// Operands that share a name: of a record, of a method.
struct Kind<'a> {
    /// The record that has it first.
    ty: Def<'a>,
    seen: Seen,
    uses: usize,
    /// An instruction that has it.
    example: String,
    /// Of a printer: the records that name it, and how many parts their operands have where the encoding names the parts.
    types: BTreeMap<String, Vec<Option<usize>>>,
}

/// Everything that is collected.
#[derive(Default)]
struct Names<'a> {
    decoders: BTreeMap<String, Kind<'a>>,
    printers: BTreeMap<String, Kind<'a>>,
    /// Operands without a decoder, by their records.
    plain: BTreeMap<String, Kind<'a>>,
    classes: BTreeMap<String, usize>,
    /// Decoders of whole instructions.
    whole: BTreeMap<String, (usize, String)>,
    namespaces: BTreeMap<String, usize>,
}

/// What no record says and its owner knows of a target.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The order of bytes in memory; little-endian, as a guess, if it is not given.
    pub bytes: Option<ByteOrder>,
    /// What stands before the names of registers.
    pub prefix: Option<String>,
}

/// The table of a target; `None` if no record is an instruction with an encoding.
pub fn scaffold(records: &Records, known: &Known) -> Option<String> {
    let mut builder = Builder::new("");
    let mut features = Features::new(records, &[], &[], &mut builder);
    let reversed = is_reversed(records);
    let mut list: Vec<(Inst<'_>, String)> = Vec::new();
    for Encoded { def, bits, .. } in encodings::list(records, &mut features, &OperandTable::default()) {
        list.extend(Inst::read(def, bits, &[], reversed).map(|inst| (inst, text(bits, "DecoderNamespace"))));
    }
    let least = list.iter().map(|(inst, _)| inst.bits.len() as u32).min()?.max(8);
    let unit = (least / 8).trailing_zeros();
    let mut names = Names::default();
    for (inst, namespace) in &list {
        collect(inst, unit, &mut names);
        *names.namespaces.entry(namespace.clone()).or_default() += 1;
    }
    aliases(records, unit, &mut names);
    let mut out = String::new();
    head(records, &list, &mut out);
    machine(records, &list, &names, known, &mut out);
    operands(records, &names, &mut out);
    Some(out)
}

/// Notes the names that an instruction uses.
fn collect<'a>(inst: &Inst<'a>, unit: u32, names: &mut Names<'a>) {
    let method = text(inst.def, "DecoderMethod");
    if !method.is_empty() {
        names.whole.entry(method).or_insert_with(|| (0, inst.name.to_string())).0 += 1;
    }
    for operand in inst.operands.iter() {
        let mut fields: Vec<(Def<'a>, &str, bool)> = Vec::new();
        match &operand.ty {
            OperandType::Def(ty) => fields.push((*ty, &operand.name, true)),
            OperandType::Parts(ty, parts) => {
                let Some(Value::Dag(dag)) = ty.get("MIOperandInfo") else { continue };
                for ((value, _), name) in dag.args().zip(parts) {
                    if let Value::Def(part) = value {
                        fields.push((part, name, false));
                    }
                }
                let named = Some(dag.args().len().min(parts.len()));
                note(&mut names.printers, text(*ty, "PrintMethod"), *ty, None, unit, &inst.name);
                note_type(&mut names.printers, *ty, named);
            }
            OperandType::Other => {}
        }
        for (ty, name, prints) in fields {
            if prints {
                note(&mut names.printers, text(ty, "PrintMethod"), ty, None, unit, &inst.name);
                note_type(&mut names.printers, ty, None);
            }
            let Some(places) = inst.fields.get(name) else { continue };
            let decoder = text(ty, "DecoderMethod");
            let map = match (decoder.is_empty(), ty.is_of("RegisterClass")) {
                (true, true) => {
                    *names.classes.entry(ty.name().into_owned()).or_default() += 1;
                    continue;
                }
                (true, false) => &mut names.plain,
                (false, _) => &mut names.decoders,
            };
            let key = if decoder.is_empty() { ty.name().into_owned() } else { decoder };
            note(map, key, ty, Some(places), unit, &inst.name);
        }
    }
}

/// Notes the names that only aliases use: an operand of an alias may be of another record than that of its instruction.
fn aliases<'a>(records: &'a Records, unit: u32, names: &mut Names<'a>) {
    for alias in records.defs_of("InstAlias") {
        let Some(Value::Dag(dag)) = alias.get("ResultInst") else { continue };
        for (value, _) in dag.args() {
            let Value::Def(ty) = value else { continue };
            let (printer, decoder) = (text(ty, "PrintMethod"), text(ty, "DecoderMethod"));
            if !printer.is_empty() && !names.printers.contains_key(&printer) {
                note(&mut names.printers, printer, ty, None, unit, &alias.name());
                note_type(&mut names.printers, ty, None);
            }
            if !decoder.is_empty() && !names.decoders.contains_key(&decoder) {
                note(&mut names.decoders, decoder, ty, None, unit, &alias.name());
            }
        }
    }
}

/// Counts a use of a name.
fn note<'a>(
    map: &mut BTreeMap<String, Kind<'a>>,
    key: String,
    ty: Def<'a>,
    places: Option<&Vec<Option<u32>>>,
    unit: u32,
    example: &str,
) {
    if key.is_empty() {
        return;
    }
    let kind = map.entry(key).or_insert_with(|| Kind {
        ty,
        seen: Seen { unit, absent: u32::MAX, ..Seen::default() },
        uses: 0,
        example: example.to_owned(),
        types: BTreeMap::new(),
    });
    kind.uses += 1;
    if let Some(places) = places {
        let width = places.len() as u32;
        if !kind.seen.widths.contains(&width) {
            kind.seen.widths.push(width);
        }
        let absent = places.iter().take_while(|place| place.is_none()).count() as u32;
        kind.seen.absent = kind.seen.absent.min(absent);
    }
}

/// Notes that operands of this record print by its method.
fn note_type<'a>(map: &mut BTreeMap<String, Kind<'a>>, ty: Def<'a>, parts: Option<usize>) {
    let Some(kind) = map.get_mut(&text(ty, "PrintMethod")) else { return };
    let known = kind.types.entry(ty.name().into_owned()).or_default();
    if !known.contains(&parts) {
        known.push(parts);
    }
}

/// What the file is.
fn head(records: &Records, list: &[(Inst<'_>, String)], out: &mut String) {
    let target = records.defs_of("Target").first().map_or("This target".into(), |def| def.name().into_owned());
    let _ = writeln!(
        out,
        "# {target}: what the names in its records mean, as far as the records say. The language is described in docs/llvm-targets.md.\n\
         # {} instructions. A statement with the word `guess` was made of a name alone: its operands have a `?` in texts. Look at each, compare with the\n\
         # C++ that it names or the manual, correct it, and take the word away.",
        list.len()
    );
}

/// Registers, order of bytes, lengths, namespaces, triples.
fn machine(records: &Records, list: &[(Inst<'_>, String)], names: &Names<'_>, known: &Known, out: &mut String) {
    out.push('\n');
    let prefix = records.defs_of("AsmParserVariant").first().map(|def| text(*def, "RegisterPrefix"));
    let prefix = known.prefix.clone().or(prefix).filter(|prefix| !prefix.is_empty());
    let alts = records.defs_of("RegAltNameIndex");
    let alts: Vec<String> =
        alts.iter().map(|def| def.name().into_owned()).filter(|name| name != "NoRegAltName").collect();
    let prefix_text = prefix.as_ref().map_or(String::new(), |prefix| format!(" prefix {}", in_quotes(prefix)));
    let alt_text = match alts.as_slice() {
        [only] => format!(" alt {only}"),
        _ => String::new(),
    };
    if !prefix_text.is_empty() || !alt_text.is_empty() {
        let _ = writeln!(
            out,
            "# guess: how registers are called. The records have a prefix and other names, but not where they are used."
        );
        let _ = writeln!(out, "registers{prefix_text}{alt_text}");
    }
    if alts.len() > 1 {
        let _ =
            writeln!(out, "# Registers have other names, too: `registers alt NAME` with one of {}.", alts.join(", "));
    }
    let _ = writeln!(out, "# No record says which triples the target has: `triple PREFIX = FEATURE …` does.");
    match known.bytes {
        Some(ByteOrder::Big) => out.push_str("bytes big\n"),
        Some(ByteOrder::Little) => out.push_str("bytes little\n"),
        None => out.push_str("# guess: no record says the order of bytes.\nbytes little\n"),
    }
    widths(list, known.bytes == Some(ByteOrder::Big), out);
    let spaces: Vec<String> =
        names.namespaces.iter().filter(|(name, _)| !name.is_empty()).map(|(name, n)| format!("{name} ({n})")).collect();
    if spaces.len() > 1 {
        let _ = writeln!(
            out,
            "# Decoder namespaces, with the number of instructions; `namespaces A B …` gives the order in which they are tried: {}.",
            spaces.join(", ")
        );
    }
}

/// How lengths are told apart, and the layout of words of several parcels.
fn widths(list: &[(Inst<'_>, String)], big: bool, out: &mut String) {
    let width = |inst: &Inst<'_>| (inst.bits.len() as u32).next_multiple_of(8);
    let mut all: Vec<u32> = list.iter().map(|(inst, _)| width(inst)).collect();
    all.sort_unstable();
    all.dedup();
    let [parcel, .., most] = all.as_slice() else { return };
    let (parcel, most) = (*parcel, *most);
    // Where the opcode of longer instructions is at the upper end, the parcels are in memory from there on.
    let known = |inst: &Inst<'_>, from: u32, to: u32| {
        let bits = inst.bits.get(from as usize..to as usize).or_impossible(&[]);
        bits.iter().filter(|bit| matches!(bit, InstBit::Known(_))).count()
    };
    let longer = || {
        list.iter().map(|(inst, _)| inst).filter(|inst| width(inst) > parcel && inst.bits.len() as u32 == width(inst))
    };
    let at_top =
        longer().filter(|inst| known(inst, width(inst) - parcel, width(inst)) > known(inst, 0, parcel)).count();
    let upper = at_top * 2 > longer().count() && all.iter().all(|w| w % parcel == 0);
    let _ = writeln!(
        out,
        "\n# guess: how the first {parcel} bits tell the length, worked out from the fixed bits of the instructions."
    );
    let _ = writeln!(out, "parcel {parcel}");
    if upper && !big {
        let ranges: Vec<String> =
            (0..most / parcel).rev().map(|at| format!("{}:{}", (at + 1) * parcel - 1, at * parcel)).collect();
        let _ = writeln!(out, "layout [{}]", ranges.join(", "));
    }
    let of = |(inst, _): &(Inst<'_>, String)| {
        let from = if upper || big { width(inst).saturating_sub(parcel) } else { 0 };
        let (mut value, mut care) = (Word::zero(parcel), Word::zero(parcel));
        for at in 0..parcel {
            if let Some(InstBit::Known(one)) = inst.bits.get((from + at) as usize) {
                care.set_bit(at, true);
                value.set_bit(at, *one);
            }
        }
        (Pattern::new(&value, care), width(inst))
    };
    let patterns: Vec<(Pattern, u32)> = list.iter().map(of).collect();
    for rule in lengths::rules(&patterns, parcel) {
        let note = match rule.wrong {
            0 => String::new(),
            n => format!("\t# {n} instructions with these bits have another length"),
        };
        let _ = writeln!(out, "length {} = {}{note}", rule.pattern, rule.bits);
    }
}

/// Statements for the names of operands.
fn operands(records: &Records, names: &Names<'_>, out: &mut String) {
    let register_names = RegisterNames::default();
    let mut registers = Registers::new(records, &register_names);
    if !names.classes.is_empty() {
        let list: Vec<String> = names.classes.iter().map(|(name, n)| format!("{name} ({n})")).collect();
        let _ = writeln!(out, "\n# From the records alone: registers of the classes {}.", list.join(", "));
    }
    let tables = tables(records);
    for (class, value, field) in &tables {
        let _ = writeln!(
            out,
            "\n# Names by value that are records.\ntable {} = {class} value {value} text {field}",
            class.to_ascii_lowercase()
        );
    }
    // How many parts the statements make, by the record or the decoder.
    let mut made: BTreeMap<String, usize> = BTreeMap::new();
    let mut plain: Vec<String> = Vec::new();
    let mut statements: Vec<(String, &Kind<'_>, Guess)> = Vec::new();
    for (name, kind) in &names.plain {
        let parts = parts(kind.ty, &mut registers);
        let width = kind.seen.widths.iter().max().copied().unwrap_or(0);
        let kind_of = text(kind.ty, "OperandType");
        let prints = !matches!(text(kind.ty, "PrintMethod").as_str(), "" | "printOperand");
        let lower = name.to_ascii_lowercase();
        let guess = if parts.len() > 1 || !prints && (guess::is_code(kind.ty, &lower) || kind_of == "OPERAND_PCREL") {
            Some(guess::decode(name, kind.ty, &parts, &Seen { widths: kind.seen.widths.clone(), ..Seen::default() }))
        } else if !prints && width >= 32 && !lower.starts_with('u') {
            Some(Guess { body: ": int".to_owned(), why: "a wide number" })
        } else {
            None
        };
        match guess {
            Some(guess) => {
                made.insert(name.clone(), guess.parts());
                statements.push((format!("operand {name}"), kind, guess));
            }
            None => plain.push(format!("{name} ({})", kind.uses)),
        }
    }
    if !plain.is_empty() {
        let _ = writeln!(out, "\n# From the records alone: numbers without a sign {}.", plain.join(", "));
    }
    for (name, kind) in &names.decoders {
        let built_in = name.strip_prefix("Decode").and_then(|rest| rest.strip_suffix("RegisterClass"));
        if built_in.is_some_and(|class| records.def(class).is_some()) {
            continue;
        }
        let parts = parts(kind.ty, &mut registers);
        let guess = guess::decode(name, kind.ty, &parts, &kind.seen);
        made.insert(name.clone(), guess.parts());
        statements.push((format!("decode {}", quoted(name)), kind, guess));
    }
    section(out, "What the bits of operands mean.", &statements);
    let mut statements: Vec<(String, &Kind<'_>, Guess)> = Vec::new();
    let mut several: Vec<String> = Vec::new();
    for (name, kind) in names.printers.iter().filter(|(name, _)| *name != "printOperand") {
        let lower = name.to_ascii_lowercase();
        let operand = kind.ty.name().to_ascii_lowercase();
        let table = tables.iter().map(|(class, ..)| class.to_ascii_lowercase());
        let table = table.into_iter().find(|class| lower.contains(class.as_str()) || operand.contains(class.as_str()));
        let mut parts: Vec<usize> = Vec::new();
        for (ty, named) in &kind.types {
            let decoder = records.def(ty).map(|def| text(def, "DecoderMethod")).filter(|method| !method.is_empty());
            let made = made.get(ty).or_else(|| made.get(&decoder?)).copied().unwrap_or(1);
            parts.extend(named.iter().map(|named| named.unwrap_or(made)));
        }
        let least = parts.iter().min().copied().unwrap_or(1);
        if parts.iter().any(|parts| *parts != least) || least > 2 {
            several.push(format!("{name} ({})", kind.uses));
            continue;
        }
        let parts = least;
        statements.push((
            format!("print {}", quoted(name)),
            kind,
            guess::print(name, kind.ty, parts, table.as_deref()),
        ));
    }
    section(out, "How operands print.", &statements);
    if !several.is_empty() {
        let _ = writeln!(
            out,
            "\n# Operands of several parts, for which no statement is made: {}. `print METHOD of CLASS` tells them apart.",
            several.join(", ")
        );
    }
    if !names.whole.is_empty() {
        let _ = writeln!(
            out,
            "\n# Decoders of whole instructions. Without `guess`: the fields of `Inst` say it all. If one does more, its instructions need lines of their own."
        );
        for (name, (uses, example)) in &names.whole {
            let _ = writeln!(out, "guess instruction {}\t# {uses} instructions, {example}", quoted_whole(name));
        }
    }
}

/// Writes statements, each with how often it counts and why it was made.
fn section(out: &mut String, title: &str, statements: &[(String, &Kind<'_>, Guess)]) {
    if statements.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n# {title}\n");
    for (head, kind, guess) in statements {
        let widths: Vec<String> = kind.seen.widths.iter().map(u32::to_string).collect();
        let widths = if widths.is_empty() { String::new() } else { format!(", {} bits", widths.join(", ")) };
        let _ = writeln!(out, "# {} uses, {}{widths}: {}", kind.uses, kind.example, guess.why);
        let _ = writeln!(out, "guess {head}{}", guess.body);
    }
}

/// A text of a table.
fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " "))
}

/// The name of a method as statements have it: parameters that are not numbers stand in quotes.
fn quoted(method: &str) -> String {
    let Some((base, rest)) = method.split_once('<') else { return method.to_owned() };
    let rest = rest.strip_suffix('>').unwrap_or(rest);
    if rest.trim().is_empty() {
        return base.to_owned();
    }
    let args = rest.split(',').map(str::trim);
    let args = args.map(|arg| {
        let is_number = arg.parse::<i64>().is_ok() || matches!(arg, "true" | "false");
        if is_number { arg.to_owned() } else { format!("\"{}\"", arg.trim_matches('\'')) }
    });
    format!("{base}<{}>", args.collect::<Vec<_>>().join(", "))
}

/// The same where the whole name is looked up.
fn quoted_whole(method: &str) -> String {
    if method.contains('<') { format!("\"{method}\"") } else { method.to_owned() }
}

/// The parts of an operand of several.
fn parts<'a>(ty: Def<'a>, registers: &mut Registers<'a>) -> Vec<SubOperand> {
    let Some(Value::Dag(dag)) = ty.get("MIOperandInfo") else { return Vec::new() };
    let part = |(value, name): (Value<'a>, std::borrow::Cow<'a, str>)| {
        let class = match value {
            Value::Def(part) => crate::lower::register_class(part),
            _ => None,
        };
        let bits = |count: usize| usize::BITS - count.saturating_sub(1).leading_zeros();
        (name.into_owned(), class.map(|class| (class.name().into_owned(), bits(registers.members(class).len()))))
    };
    dag.args().map(part).collect()
}

/// Classes of a searchable table whose records have a number that is looked up and a name: class, value, text.
fn tables(records: &Records) -> Vec<(String, String, String)> {
    let mut list: Vec<(String, String, String)> = Vec::new();
    for table in records.defs_of("GenericTable") {
        let class = text(table, "FilterClass");
        let key = crate::target::registers::strings(table, "PrimaryKey");
        let fields = crate::target::registers::strings(table, "Fields");
        let name = fields.iter().find(|field| *field == "Name");
        let has_records = !class.is_empty() && !records.defs_of(&class).is_empty();
        let value = fields.iter().find(|field| *field == "Encoding").or(key.first().filter(|_| key.len() == 1));
        if let (true, Some(name), Some(value)) = (has_records, name, value)
            && name != value
            && !list.iter().any(|(known, ..)| *known == class)
        {
            list.push((class, value.clone(), name.clone()));
        }
    }
    list
}
