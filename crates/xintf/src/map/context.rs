//! Contexts: tables of the level `user` that are in force by turns.
//!
//! The problem: one pair of tables for all processes gives each of them every device. A context is another pair of tables for the
//! level `user` alone. A supervisor chooses by a register which one is in force; no program can change the tables. The tables at the
//! top of the file are number 0, which is in force at reset. All other levels have the tables at the top, whatever is in force.
//!
//! Invariant, held by [`isolated`]: a device that one context reaches is reached by no other one, unless the file says that it is
//! shared. Devices keep variables, so a device that two processes call is a way from one to the other.

use std::collections::BTreeMap;

use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::{Device, Levels, LunRow, Map, Route};

/// What the tables at the top are called among contexts. Their number is 0.
pub const DEFAULT_CONTEXT: &str = "default";

/// Tables of the level `user` that a supervisor can put in force instead of those at the top.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// What the register that chooses holds: 1 to [`limits::MAX_UNIT`](crate::limits::MAX_UNIT).
    pub number: u16,
    /// Devices in order, with what they serve here.
    pub devices: Vec<Device>,
    /// The rows that `xext` uses.
    pub luns: Vec<LunRow>,
    /// The rows that `xcmd` uses.
    pub routes: Vec<Route>,
}

impl Map {
    /// The context of a name; nothing for [`DEFAULT_CONTEXT`] and for names that there are not.
    pub fn context(&self, name: &str) -> Option<&Context> {
        self.contexts.iter().find(|c| c.name == name)
    }

    /// The tables of a context alone, as a map of a machine that has only the level `user`.
    pub fn alone(&self, context: &Context) -> Map {
        Map {
            levels: Levels(self.levels.0 & Levels::USER.0),
            devices: context.devices.clone(),
            luns: context.luns.clone(),
            routes: context.routes.clone(),
            contexts: Vec::new(),
            shared: Vec::new(),
            encoding: self.encoding.clone(),
            trap_model: self.trap_model.clone(),
            ..*self
        }
    }

    /// The tables of all levels while a context is in force.
    pub fn while_in(&self, context: &Context) -> Map {
        let above = |levels: Levels| Levels(levels.0 & !Levels::USER.0);
        let luns = self.luns.iter().map(|r| LunRow { levels: above(r.levels), ..r.clone() });
        let routes = self.routes.iter().map(|r| Route { levels: above(r.levels), ..r.clone() });
        Map {
            luns: luns.chain(context.luns.iter().cloned()).collect(),
            routes: routes.chain(context.routes.iter().cloned()).collect(),
            contexts: Vec::new(),
            ..self.clone()
        }
    }
}

/// E-CONTEXT-SHARED: one per device that the tables of two contexts lead to, those at the top included, if the file does not say
/// that it is shared. The fallback interfaces are everybody's. E-CONTEXT-DEVICE: what is shared is not there.
pub fn isolated(map: &Map, out: &mut Diagnostics) {
    let routes = || map.routes.iter().chain(map.contexts.iter().flat_map(|c| &c.routes));
    for (shared, span) in &map.shared {
        if !routes().any(|r| r.device == *shared) {
            let d = Diagnostic::error("E-CONTEXT-DEVICE", format!("no table leads to a device `{shared}`"));
            let near = isaglot_source::closest(shared, routes().map(|r| r.device.as_str()));
            out.push(d.label(*span, "").did_you_mean(near));
        }
    }
    if map.contexts.is_empty() {
        return;
    }
    let mut first: BTreeMap<&str, (&str, Span, bool)> = BTreeMap::new();
    let top = (DEFAULT_CONTEXT, map.routes.as_slice());
    let all = std::iter::once(top).chain(map.contexts.iter().map(|c| (c.name.as_str(), c.routes.as_slice())));
    for (name, route) in all.flat_map(|(name, routes)| routes.iter().map(move |route| (name, route))) {
        let device = route.device.as_str();
        let is_fallback = device == "fallback" && matches!(route.lun.value, Some(1 | 2));
        let is_meant = is_fallback || map.shared.iter().any(|(shared, _)| shared == device);
        if is_meant || !route.levels.has(Levels::USER) {
            continue;
        }
        let seen = first.entry(device).or_insert((name, route.span, false));
        if seen.0 == name || seen.2 {
            continue;
        }
        seen.2 = true;
        let message = format!("the contexts `{}` and `{name}` both reach the device {device}", seen.0);
        let d = Diagnostic::error("E-CONTEXT-SHARED", message).label(route.span, format!("in `{name}`"));
        let d = d.secondary(seen.1, format!("in `{}`", seen.0));
        out.push(d.note(format!(
            "what one process leaves in it the other one finds; if that is meant: `shared = [\"{device}\"]`"
        )));
    }
}
