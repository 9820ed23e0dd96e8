//! Features, processors, and the predicates that instructions need.
//!
//! A processor is a feature too: it implies what it has, and is called `cpu=NAME`. Of the predicates of an instruction
//! only those count that an assembler can decide (`AssemblerMatcherPredicate`).

use isaglot_model::{BinaryOp, Builder, Condition, Feature, FeatureId, IntType, Node, NodeId, UnaryOp};
use rustc_hash::FxHashMap;

use crate::limits::MAX_SET_DEPTH;
use crate::target::registers::{NOWHERE, text};
use isaglot_source::Span;
use isaglot_tablegen::{Dag, Def, Records, Value};

/// The features of a target.
pub(crate) struct Features {
    by_def: FxHashMap<usize, FeatureId>,
    by_name: FxHashMap<String, FeatureId>,
    predicates: FxHashMap<usize, Condition>,
}

impl Features {
    /// Reads them, and adds them to the model, with those that only the operand table has.
    pub(crate) fn new(
        records: &Records,
        further: &[(String, Span)],
        contexts: &[(String, Vec<String>, Span)],
        builder: &mut Builder,
    ) -> Features {
        let mut features =
            Features { by_def: FxHashMap::default(), by_name: FxHashMap::default(), predicates: FxHashMap::default() };
        let defs = records.defs_of("SubtargetFeature");
        let mut processors = records.defs_of("Processor");
        processors.retain(|p| !text(*p, "Name").is_empty());
        // Another name of a processor is one with the same features.
        let named = |name: &str| processors.iter().copied().find(|p| text(*p, "Name") == name);
        let aliases: Vec<(String, Def<'_>)> = records
            .defs_of("ProcessorAlias")
            .iter()
            .filter_map(|alias| Some((text(*alias, "Name"), named(&text(*alias, "Alias"))?)))
            .collect();
        let processors: Vec<(String, Def<'_>)> =
            processors.iter().map(|p| (text(*p, "Name"), *p)).chain(aliases).collect();
        for (def, id) in defs.iter().zip(0..) {
            features.by_def.insert(def.index(), FeatureId(id));
            features.by_name.entry(text(*def, "Name")).or_insert(FeatureId(id));
        }
        for ((name, _), id) in processors.iter().zip(defs.len() as u32..) {
            features.by_name.entry(format!("cpu={name}")).or_insert(FeatureId(id));
        }
        for ((name, _), id) in further.iter().zip((defs.len() + processors.len()) as u32..) {
            features.by_name.entry(name.clone()).or_insert(FeatureId(id));
        }
        for def in defs {
            let implies = features.list(def, "Implies");
            let span = def.span().unwrap_or(NOWHERE);
            let doc = text(def, "Desc");
            builder.feature(Feature { name: text(def, "Name"), implies, excludes: None, default: false, doc, span });
        }
        for (name, def) in processors {
            let implies = features.list(def, "Features");
            let (name, span) = (format!("cpu={name}"), def.span().unwrap_or(NOWHERE));
            builder.feature(Feature { name, implies, excludes: None, default: false, doc: String::new(), span });
        }
        for (name, span) in further {
            let (name, span) = (name.clone(), *span);
            let (implies, doc) = (Vec::new(), String::new());
            builder.feature(Feature { name, implies, excludes: None, default: false, doc, span });
        }
        features.contexts(contexts, builder);
        features
    }

    /// Adds the contexts and their groups: of all contexts at most one is on, and with it its group.
    fn contexts(&mut self, contexts: &[(String, Vec<String>, Span)], builder: &mut Builder) {
        let feature = |name: &str, implies, excludes, span: Span| Feature {
            name: name.to_owned(),
            implies,
            excludes,
            default: false,
            doc: String::new(),
            span,
        };
        let mut members: Vec<(&str, FeatureId, Span)> = Vec::new();
        let mut next = 0;
        for (group, names, span) in contexts {
            let id = builder.feature(feature(group, Vec::new(), None, *span));
            self.by_name.entry(group.clone()).or_insert(id);
            members.extend(names.iter().map(|name| (name.as_str(), id, *span)));
            next = id.0 + 1;
        }
        // Their numbers follow that of the last group, so each can name the others.
        let ids: Vec<FeatureId> = (next..).take(members.len()).map(FeatureId).collect();
        for (name, group, span) in members {
            let others =
                |own: FeatureId| ids.iter().filter(|&&id| id != own).map(|&id| Condition::Feature(id)).collect();
            let own = FeatureId(next);
            let id = builder.feature(feature(name, vec![group], Some(Condition::Any(others(own))), span));
            builder.context(id);
            self.by_name.entry(name.to_owned()).or_insert(id);
            next += 1;
        }
    }

    fn list(&self, def: Def<'_>, field: &str) -> Vec<FeatureId> {
        let Some(Value::List(list)) = def.get(field) else { return Vec::new() };
        let id = |v: Value<'_>| if let Value::Def(d) = v { self.by_def.get(&d.index()).copied() } else { None };
        list.iter().filter_map(id).collect()
    }

    /// The feature, or processor as `cpu=NAME`, of this name.
    pub(crate) fn named(&self, name: &str) -> Option<FeatureId> {
        self.by_name.get(name).copied()
    }

    /// The features that a field names, all of which must be on. It is a list of records, or C++ text such as
    /// `{ {Target::FeatureA, Target::FeatureB} }`, whose words are names of records.
    pub(crate) fn needed(&self, records: &Records, def: Def<'_>, field: &str) -> Condition {
        if let Some(Value::String(_)) = def.get(field) {
            let code = text(def, field);
            let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let ids = words.filter_map(|word| self.by_def.get(&records.def(word)?.index()).copied());
            return all(ids.map(Condition::Feature).collect());
        }
        all(self.list(def, field).into_iter().map(Condition::Feature).collect())
    }

    /// What the predicates of a record demand.
    pub(crate) fn condition(&mut self, def: Def<'_>) -> Condition {
        let Some(Value::List(list)) = def.get("Predicates") else { return Condition::Always };
        let mut parts = Vec::new();
        for value in list.iter() {
            let Value::Def(predicate) = value else { continue };
            let known = self.predicates.get(&predicate.index()).cloned();
            let condition = known.unwrap_or_else(|| {
                let condition = self.predicate(predicate);
                self.predicates.insert(predicate.index(), condition.clone());
                condition
            });
            if condition != Condition::Always && !parts.contains(&condition) {
                parts.push(condition);
            }
        }
        all(parts)
    }

    fn predicate(&self, def: Def<'_>) -> Condition {
        match def.get("AssemblerCondDag") {
            Some(Value::Dag(dag)) if def.bit("AssemblerMatcherPredicate").unwrap_or(false) => self.dag(dag, 0),
            _ => Condition::Always,
        }
    }

    fn dag(&self, dag: Dag<'_>, depth: u32) -> Condition {
        if depth > MAX_SET_DEPTH {
            return Condition::Always;
        }
        let part = |value: Value<'_>| match value {
            Value::Dag(inner) => self.dag(inner, depth + 1),
            Value::Def(d) => self.by_def.get(&d.index()).map_or(Condition::Always, |id| Condition::Feature(*id)),
            _ => Condition::Always,
        };
        let parts: Vec<Condition> = dag.args().map(|(v, _)| part(v)).collect();
        match dag.operator() {
            Value::Def(op) if op.name() == "any_of" => Condition::Any(parts),
            Value::Def(op) if op.name() == "not" => {
                parts.into_iter().next().map_or(Condition::Always, |c| Condition::Not(Box::new(c)))
            }
            _ => all(parts),
        }
    }
}

/// All of these.
pub(crate) fn all(mut list: Vec<Condition>) -> Condition {
    list.retain(|c| *c != Condition::Always);
    match list.len() {
        0 => Condition::Always,
        1 => list.swap_remove(0),
        _ => Condition::All(list),
    }
}

/// Appends what a condition comes to, as 0 or 1.
pub(crate) fn lower(condition: &Condition, nodes: &mut Vec<Node>) -> NodeId {
    let ty = IntType::I64;
    let node = match condition {
        Condition::Always => Node::Const(1, ty),
        Condition::Feature(id) => Node::Feature(*id),
        Condition::Not(inner) => Node::Unary(UnaryOp::LogicalNot, ty, lower(inner, nodes)),
        Condition::All(list) | Condition::Any(list) => {
            let op = if matches!(condition, Condition::All(_)) { BinaryOp::LogicalAnd } else { BinaryOp::LogicalOr };
            let mut parts = list.iter().map(|c| lower(c, nodes)).collect::<Vec<_>>().into_iter();
            let Some(mut last) = parts.next() else { return constant(nodes, u64::from(op == BinaryOp::LogicalAnd)) };
            for part in parts {
                nodes.push(Node::Binary(op, ty, last, part));
                last = NodeId(nodes.len() as u32 - 1);
            }
            return last;
        }
    };
    nodes.push(node);
    NodeId(nodes.len() as u32 - 1)
}

fn constant(nodes: &mut Vec<Node>, value: u64) -> NodeId {
    nodes.push(Node::Const(value, IntType::I64));
    NodeId(nodes.len() as u32 - 1)
}
