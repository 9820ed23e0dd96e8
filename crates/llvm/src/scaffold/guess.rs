//! What names say about operands: rules that LLVM's targets keep by habit. A rule never looks at which target it is.
//!
//! Each gives the text of a statement after its name, and why.

use crate::target::registers::text;
use isaglot_tablegen::{Def, Value};

/// A guess: the text after the colon of a statement, or indented lines, and what it rests on.
pub(super) struct Guess {
    pub(super) body: String,
    pub(super) why: &'static str,
}

impl Guess {
    fn new(body: impl Into<String>, why: &'static str) -> Guess {
        Guess { body: body.into(), why }
    }

    /// How many parts a meaning of bits has: one, or a line for each.
    pub(super) fn parts(&self) -> usize {
        self.body.matches('\n').count().max(1)
    }
}

/// What is known of operands that share a name.
#[derive(Default)]
pub(super) struct Seen {
    /// Widths of their fields in bits.
    pub(super) widths: Vec<u32>,
    /// Bits at the lower end of the fields that the word does not hold.
    pub(super) absent: u32,
    /// Bytes of the shortest instruction, as a power of two: the unit of a distance.
    pub(super) unit: u32,
}

/// A method's name before `<`, in lower case, and its parameters.
pub(super) fn name(method: &str) -> (String, Vec<&str>) {
    let (base, rest) = method.split_once('<').unwrap_or((method, ""));
    let args = rest.trim_end_matches('>').split(',').map(str::trim).filter(|a| !a.is_empty()).collect();
    (base.to_ascii_lowercase(), args)
}

fn has(name: &str, any: &[&str]) -> bool {
    any.iter().any(|part| name.contains(part))
}

/// Whether an operand is a place in the code, by its `OperandType` or by a name.
pub(super) fn is_code(ty: Def<'_>, name: &str) -> bool {
    let kind = text(ty, "OperandType");
    let words = ["branch", "brtarget", "jmptarget", "jump", "calltarget", "pcrel", "btarget", "call26", "lsl2_br"];
    let says = |name: &str| has(name, &words) || name.ends_with("target");
    kind == "OPERAND_PCREL" || says(name) || says(&ty.name().to_ascii_lowercase())
}

/// The parts of an operand: register classes with the bits that their numbers take, and numbers.
pub(super) type SubOperand = (String, Option<(String, u32)>);

/// What a decoder makes of the bits.
pub(super) fn decode(method: &str, ty: Def<'_>, parts: &[SubOperand], seen: &Seen) -> Guess {
    let (base, args) = name(method);
    let number = |at: usize| args.get(at).and_then(|a| a.parse::<i64>().ok());
    if parts.len() > 1 {
        return several(parts, seen);
    }
    if matches!(ty.get("RegClass"), Some(Value::Def(_))) || ty.is_of("RegisterClass") {
        return Guess::new(": register", "a decoder of registers of its own");
    }
    let signed = has(&base, &["simm", "sint", "signed", "sext", "simm", "disp"]) && !has(&base, &["unsigned"]);
    let code = is_code(ty, &base);
    let mut steps: Vec<String> = Vec::new();
    let width = number(0).filter(|n| (1..=64).contains(n));
    // `…LslN<N, S>`, `…Lsl1<N>`: the number of bits with the zeros below, or without them.
    let below = ["lsl", "shl", "shift", "scale"].iter().find_map(|word| {
        let after = base.split_once(word)?.1;
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<i64>().ok().or(number(1))
    });
    let below = below.or_else(|| (signed && args.len() == 2).then(|| number(1)).flatten()).unwrap_or(0);
    let held = seen.widths.iter().max().copied().unwrap_or(0);
    let shift = (below > 0 && seen.absent == 0).then(|| format!("shl {below}"));
    let whole = if signed || code { "int" } else { "uint" };
    let number_of_bits = width.map_or(whole.to_owned(), |n| format!("{whole} {n}"));
    match shift {
        Some(shift) if width == Some(i64::from(held) + below) => steps.extend([shift, number_of_bits]),
        Some(shift) => steps.extend([number_of_bits, shift]),
        None if code && seen.unit > 0 && seen.absent == 0 && below == 0 => {
            steps.extend([whole.to_owned(), format!("shl {}", seen.unit)]);
        }
        None => steps.push(number_of_bits),
    }
    if has(&base, &["nonzero", "nz"]) {
        steps.push("reject 0".to_owned());
    }
    if base.ends_with("ge")
        && let Some(least) = number(1).filter(|n| *n > 0)
    {
        steps.push(format!("reject 0..{}", least - 1));
    }
    if has(&base, &["plus1", "minus1", "plusone"]) {
        steps.push("plus 1".to_owned());
    } else if has(&base, &["uimm"])
        && let (2, Some(plus)) = (args.len(), number(1))
        && below == 0
        && !base.ends_with("ge")
    {
        steps.push(format!("plus {plus}"));
    }
    if code && text(ty, "PrintMethod").is_empty() {
        steps.push("branch 1".to_owned());
    }
    let why = match (code, signed) {
        (true, _) => "a place in the code",
        (_, true) => "the name says signed",
        _ if has(&base, &["uimm", "unsigned"]) => "the name says unsigned",
        _ => "nothing in the name says more: the bits as they are",
    };
    Guess::new(format!(": {}", steps.join(", ")), why)
}

/// An operand of several parts, the first with the most significant bits.
fn several(parts: &[SubOperand], seen: &Seen) -> Guess {
    let registers: u32 = parts.iter().filter_map(|(_, class)| class.as_ref()).map(|(_, bits)| bits).sum();
    let numbers = parts.iter().filter(|(_, class)| class.is_none()).count() as u32;
    let width = seen.widths.iter().max().copied().unwrap_or(0);
    let one_width = seen.widths.iter().all(|w| *w == width);
    let rest = width.saturating_sub(registers);
    if !one_width || registers > width || numbers > 1 || (numbers == 1) != (rest > 0) {
        return Guess::new(": uint", "several parts, and nothing says where their bits are");
    }
    let mut top = width;
    let mut body = String::new();
    for (at, (name, class)) in parts.iter().enumerate() {
        let bits = class.as_ref().map_or(rest, |(_, bits)| *bits);
        let name = if name.is_empty() { format!("p{at}") } else { name.clone() };
        let steps = class.as_ref().map_or("int".to_owned(), |(class, _)| format!("register {class}"));
        body.push_str(&format!("\n\t{name} [{}:{}]: {steps}", top - 1, top - bits));
        top -= bits;
    }
    Guess::new(body, "the parts in the order of the record, from the most significant bits on")
}

/// How an operand prints by a method; `parts` are its parts, `table` a table of records whose name the method has.
pub(super) fn print(method: &str, ty: Def<'_>, parts: usize, table: Option<&str>) -> Guess {
    let (base, _) = name(method);
    if let Some(table) = table {
        return Guess::new(format!(": \"{{v enum {table}}}\""), "a table of records of this name");
    }
    if parts > 1 {
        return Guess::new(": \"{1}({0})\"", "an address: an offset and a register");
    }
    let is_register = matches!(ty.get("RegClass"), Some(Value::Def(_))) || ty.is_of("RegisterClass");
    if is_register && has(&base, &["mem", "addr"]) {
        return Guess::new(": \"({v})\"", "an address in a register");
    }
    if is_register {
        return Guess::new(": \"{v}\"", "a register");
    }
    if is_code(ty, &base) {
        return Guess::new(": \"{v branch 1}\"", "a place in the code");
    }
    if has(&base, &["hex"]) {
        return Guess::new(": \"{v hex}\"", "the name says hexadecimal");
    }
    // `printU6ImmOperand`, `printS16ImmOperand`.
    let letter = |sign: char| {
        let before = base.split("imm").next().unwrap_or("").trim_end_matches(|c: char| c.is_ascii_digit());
        base.contains("imm") && before.ends_with(sign) && before.len() < base.len()
    };
    if has(&base, &["uimm", "unsigned"]) || letter('u') {
        return Guess::new(": \"{v uint}\"", "the name says unsigned");
    }
    if has(&base, &["simm", "signed", "imm64", "imm32"]) || letter('s') {
        return Guess::new(": \"{v int}\"", "the name says signed");
    }
    Guess::new(": \"{v}\"", "nothing in the name says more: the number as it is")
}
