//! The effects of a run as a text in the semantics language.
//!
//! Effects stand in their order. Neighbours with the same conditions share one `if`. A value that is used more than once
//! gets a name; names that need nothing of inside stand before the `if`. Registers are read as early as possible, since
//! reading has no effect: right after the last write before.

use std::fmt::Write as _;

use isaglot_bits::Word;
use isaglot_semantics::{BinaryOp, UnaryOp};
use isaglot_source::Span;
use rustc_hash::FxHashMap;

use super::graph::{Graph, Id, Node};
use super::state::{Effect, Run};
use super::{DecodeField, Lowered, Refusal};

/// How deep an expression may be before it gets a name.
const MAX_HEIGHT: u32 = 12;

/// The longest text that may come out, in bytes.
const MAX_TEXT: usize = 1 << 18;

type Guarded = (Vec<Id>, Effect);

/// Writes what a run has done.
pub(crate) fn text(run: Run<'_>) -> Result<Lowered, Refusal> {
    let effects = reads_first(&run.graph, run.effects);
    let mut emit = Emit::new(&run.graph, run.fields, &effects);
    let mut at = 0;
    while at < effects.len() {
        let guards = &effects[at].0;
        let count = effects[at..].iter().take_while(|e| e.0 == *guards).count();
        emit.group(guards, &effects[at..at + count])?;
        at += count;
        if emit.out.len() > MAX_TEXT {
            return Err(refusal("too-large", "the text that comes out is too long"));
        }
    }
    let mut traps: Vec<String> = Vec::new();
    for (_, effect) in &effects {
        if let Effect::Trap(cause, _) = effect {
            traps.push(cause.clone());
        }
    }
    traps.sort();
    traps.dedup();
    Ok(Lowered { text: emit.out, traps, findings: run.findings })
}

fn refusal(class: &'static str, message: &str) -> Refusal {
    Refusal { class, message: message.to_owned(), span: Span::default() }
}

fn reads_first(graph: &Graph, effects: Vec<Guarded>) -> Vec<Guarded> {
    let mut made: Vec<Guarded> = Vec::new();
    let late = of_results(graph, |_| true);
    let mut first = 0;
    for (guards, effect) in effects {
        match &effect {
            Effect::Read(id) if !late[id.0 as usize] => {
                made.insert(first, (guards, effect));
                first += 1;
            }
            Effect::Write(..) => {
                made.push((guards, effect));
                first = made.len();
            }
            _ => made.push((guards, effect)),
        }
    }
    made
}

/// Which values are made of what a load or a call gave.
fn of_results(graph: &Graph, is_one: impl Fn(u32) -> bool) -> Vec<bool> {
    let mut made = vec![false; graph.len()];
    for at in 0..graph.len() {
        made[at] = match graph.node(Id(at as u32)) {
            Node::Result(n) => is_one(*n),
            _ => graph.parts(Id(at as u32)).iter().any(|p| made[p.0 as usize]),
        };
    }
    made
}

/// The values that an effect needs.
fn roots(graph: &Graph, effect: &Effect) -> Vec<Id> {
    match effect {
        Effect::Read(id) => graph.parts(*id),
        Effect::Write(x, y) | Effect::Store(x, y) => vec![*x, *y],
        Effect::Load(_, x, _) | Effect::Jump(x) => vec![*x],
        Effect::Call(_, args, _) => args.clone(),
        Effect::Trap(_, value) => value.iter().copied().collect(),
    }
}

struct Emit<'a> {
    graph: &'a Graph,
    fields: &'a [DecodeField],
    /// Values that get a name.
    named: Vec<bool>,
    /// Values that are made of what a load or a call under a condition gave.
    inner: Vec<bool>,
    /// The value that each load or call gave.
    results: FxHashMap<u32, Id>,
    /// The names that can be used here.
    names: FxHashMap<Id, String>,
    out: String,
    indent: usize,
    count: u32,
}

impl<'a> Emit<'a> {
    fn new(graph: &'a Graph, fields: &'a [DecodeField], effects: &[Guarded]) -> Emit<'a> {
        let count = graph.len();
        let (mut uses, mut inner_results) = (vec![0u32; count], rustc_hash::FxHashSet::default());
        for (guards, effect) in effects {
            for id in roots(graph, effect).iter().chain(guards) {
                uses[id.0 as usize] += 1;
            }
            match effect {
                Effect::Load(n, ..) | Effect::Call(_, _, Some(n)) if !guards.is_empty() => {
                    inner_results.insert(*n);
                }
                _ => {}
            }
        }
        // Operands come before uses, so one walk down and one up see everything.
        for at in
            (0..count).rev().filter(|&at| matches!(graph.node(Id(at as u32)), n if !matches!(n, Node::Register(..))))
        {
            if uses[at] > 0 {
                for part in graph.parts(Id(at as u32)) {
                    uses[part.0 as usize] += 1;
                }
            }
        }
        let inner = of_results(graph, |n| inner_results.contains(&n));
        let (mut named, mut height) = (vec![false; count], vec![0u32; count]);
        for at in 0..count {
            let id = Id(at as u32);
            let leaf = matches!(
                graph.node(id),
                Node::Const(_) | Node::Field(_) | Node::Pc | Node::Register(..) | Node::Result(_)
            );
            if leaf {
                continue;
            }
            let below =
                graph.parts(id).iter().map(|p| if named[p.0 as usize] { 0 } else { height[p.0 as usize] }).max();
            height[at] = below.unwrap_or(0) + 1;
            named[at] = uses[at] > 1 || (uses[at] > 0 && height[at] >= MAX_HEIGHT);
        }
        let results = (0..count as u32).map(Id).filter_map(|id| match graph.node(id) {
            Node::Result(n) => Some((*n, id)),
            _ => None,
        });
        let results = results.collect();
        Emit {
            graph,
            fields,
            named,
            inner,
            results,
            names: FxHashMap::default(),
            out: String::new(),
            indent: 0,
            count: 0,
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn group(&mut self, guards: &[Id], effects: &[Guarded]) -> Result<(), Refusal> {
        if guards.is_empty() {
            for (_, effect) in effects {
                self.prepare(&roots(self.graph, effect), false)?;
                self.effect(effect)?;
            }
            return Ok(());
        }
        let mut all = guards.to_vec();
        for (_, effect) in effects {
            all.extend(roots(self.graph, effect));
        }
        self.prepare(&all, true)?;
        let mut conditions = Vec::new();
        for &guard in guards {
            conditions.push(self.value(guard)?);
        }
        self.line(&format!("if ({}) {{", conditions.join(" && ")));
        self.indent += 1;
        let outside = self.names.clone();
        for (_, effect) in effects {
            self.prepare(&roots(self.graph, effect), false)?;
            self.effect(effect)?;
        }
        self.names = outside;
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    /// Names what these values need; only what needs nothing of inside, if `before`.
    fn prepare(&mut self, roots: &[Id], before: bool) -> Result<(), Refusal> {
        let mut wanted = Vec::new();
        let mut stack = roots.to_vec();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) || self.names.contains_key(&id) || matches!(self.graph.node(id), Node::Register(..)) {
                continue;
            }
            stack.extend(self.graph.parts(id));
            if self.named[id.0 as usize] && !(before && self.inner[id.0 as usize]) {
                wanted.push(id);
            }
        }
        wanted.sort_unstable();
        for id in wanted {
            let value = self.made(id)?;
            let name = self.fresh();
            self.line(&format!("let {name} = {value};"));
            self.names.insert(id, name);
        }
        Ok(())
    }

    fn effect(&mut self, effect: &Effect) -> Result<(), Refusal> {
        let line = match effect {
            Effect::Read(id) => {
                let Node::Register(number, _) = *self.graph.node(*id) else { return Ok(()) };
                let number = self.number(number)?;
                let name = self.fresh();
                self.names.insert(*id, name.clone());
                format!("let {name} = x[{number}];")
            }
            Effect::Write(number, value) => {
                let (number, value) = (self.number(*number)?, self.operand(*value)?);
                format!("x[{number}] = {value};")
            }
            Effect::Load(n, address, width) => {
                let address = self.value(*address)?;
                format!("let m{n} = mem{width}[{address}];")
            }
            Effect::Store(address, value) => {
                let width = self.graph.width(*value);
                let (address, value) = (self.value(*address)?, self.operand(*value)?);
                format!("mem{width}[{address}] = {value};")
            }
            Effect::Call(name, args, result) => {
                let mut list = Vec::new();
                for &arg in args {
                    list.push(self.value(arg)?);
                }
                let call = format!("{name}({});", list.join(", "));
                match result {
                    Some(n) => format!("let m{n} = {call}"),
                    None => call,
                }
            }
            Effect::Jump(target) => format!("pc = {};", self.operand(*target)?),
            Effect::Trap(cause, None) => format!("trap({cause});"),
            Effect::Trap(cause, Some(value)) => format!("trap({cause}, {});", self.value(*value)?),
        };
        // What is loaded can be named where its load stands, and inside of that.
        if let Effect::Load(n, ..) | Effect::Call(_, _, Some(n)) = effect
            && let Some(&id) = self.results.get(n)
        {
            self.names.insert(id, format!("m{n}"));
        }
        self.line(&line);
        Ok(())
    }

    /// A register's number.
    fn number(&self, id: Id) -> Result<String, Refusal> {
        match self.graph.node(id) {
            Node::Const(w) => Ok(w.low_u64().to_string()),
            _ => self.value(id),
        }
    }

    /// A value where its surroundings say how wide it is.
    fn operand(&self, id: Id) -> Result<String, Refusal> {
        match self.graph.node(id) {
            Node::Const(w) if w.width() <= 128 => Ok(plain(w)),
            _ => self.value(id),
        }
    }

    fn value(&self, id: Id) -> Result<String, Refusal> {
        match self.names.get(&id) {
            Some(name) => Ok(name.clone()),
            None => self.made(id),
        }
    }

    fn made(&self, id: Id) -> Result<String, Refusal> {
        let width = self.graph.width(id);
        Ok(match *self.graph.node(id) {
            Node::Const(ref w) => constant(w),
            Node::Field(n) => self.fields.get(n as usize).map(|f| f.number.clone()).unwrap_or_default(),
            Node::Pc => "pc".to_owned(),
            Node::Register(..) => return Err(refusal("unsupported", "a register is used before it is read")),
            Node::Result(_) => {
                let why = "what is loaded or asked for under a condition is used outside of it";
                return Err(refusal("unsupported", why));
            }
            Node::Unary(UnaryOp::Not, x) if width == 1 => format!("!{}", self.value(x)?),
            Node::Unary(op, x) => format!("{}{}", if op == UnaryOp::Not { "~" } else { "-" }, self.value(x)?),
            Node::Binary(op, x, y) if matches!(op, BinaryOp::Shl | BinaryOp::ShrU | BinaryOp::ShrS) => {
                format!("({} {} {})", self.value(x)?, symbol(op), self.value(y)?)
            }
            Node::Binary(op, x, y) => match self.graph.constant(x) {
                Some(_) => format!("({} {} {})", self.operand(x)?, symbol(op), self.value(y)?),
                None => format!("({} {} {})", self.value(x)?, symbol(op), self.operand(y)?),
            },
            Node::Select(c, x, y) => format!("({} ? {} : {})", self.value(c)?, self.value(x)?, self.value(y)?),
            Node::ZeroExtend(x) => format!("zext({}, {width})", self.value(x)?),
            Node::SignExtend(x) => format!("sext({}, {width})", self.value(x)?),
            Node::Slice(x, low) if width == 1 => format!("{}[{low}]", self.value(x)?),
            Node::Slice(x, low) => format!("{}[{}:{low}]", self.value(x)?, low + width - 1),
            Node::Concat(x, y) => {
                let mut text = format!("{{{}", self.value(x)?);
                let mut rest = y;
                // What is below is put together too, and needs no braces of its own.
                while let Node::Concat(x, y) = *self.graph.node(rest)
                    && !self.names.contains_key(&rest)
                {
                    let _ = write!(text, ", {}", self.value(x)?);
                    rest = y;
                }
                let _ = write!(text, ", {}}}", self.value(rest)?);
                text
            }
        })
    }
}

fn plain(w: &Word) -> String {
    let n = w.low_u128();
    if n < 4096 { n.to_string() } else { format!("{n:#x}") }
}

fn constant(w: &Word) -> String {
    if w.width() <= 128 {
        return format!("bits({}, {})", plain(w), w.width());
    }
    let (high, low) = (w.shr(128).resized(w.width() - 128), w.resized(128));
    format!("{{{}, {}}}", constant(&high), constant(&low))
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::DivU => "/u",
        BinaryOp::DivS => "/s",
        BinaryOp::RemU => "%u",
        BinaryOp::RemS => "%s",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::ShrU => ">>u",
        BinaryOp::ShrS => ">>s",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::LtU => "<u",
        BinaryOp::LtS => "<s",
        BinaryOp::LeU => "<=u",
        // IDL has no rotation and no product without carries; nothing makes one.
        BinaryOp::LeS | BinaryOp::RotateLeft | BinaryOp::RotateRight | BinaryOp::MulCarryless => "<=s",
    }
}
