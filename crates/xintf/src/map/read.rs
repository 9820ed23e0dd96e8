//! Map files, TOML or JSON, to a [`Map`]. Every fault of form is E-SYNTAX at the value; what the tables say is judged
//! by the lints. What is said of contexts is in `context`.

mod context;

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use super::{Device, LEVEL_NAMES, Levels, LunRow, Map, Route, Service, Value};
use crate::set::Set;
use crate::tree::{self, ConfigEntry, ConfigItem, ConfigNode};
use crate::uuid::{FALLBACK, embed};
use crate::{limits, name};

const TOP: &[&str] = &[
    "$schema",
    "name",
    "xlen",
    "levels",
    "priv_levels",
    "commands",
    "n_cmds",
    "encoding",
    "trap_model",
    "device",
    "devices",
    "lun_map",
    "dev_map",
    "context",
    "shared",
    // What a running machine needs beside its map.
    "start_priv",
    "ebreak",
    "mach_traps",
    "trap_cause",
    "cache_block",
    "vlen",
    "clint",
    "plic",
    "uart",
    "start_context",
    "ram",
    "entry",
];

/// Reads a map. `set` has the definitions of the interfaces that the map speaks of by name; `xlen` is used when the
/// file does not say.
pub fn read(file: FileId, bytes: &[u8], set: &Set, xlen: Xlen, out: &mut Diagnostics) -> Map {
    let top = tree::read(file, bytes, out);
    let mut reader = Reader { set, out, xlen, in_context: false };
    let mut map = Map {
        xlen,
        levels: Levels::ALL,
        commands: 8,
        encoding: "custom0".to_owned(),
        trap_model: "one-level-up".to_owned(),
        devices: Vec::new(),
        luns: Vec::new(),
        routes: Vec::new(),
        contexts: Vec::new(),
        shared: Vec::new(),
    };
    // What the rows mean depends on these, wherever they stand.
    for entry in &top {
        reader.setting(entry, &mut map);
    }
    reader.xlen = map.xlen;
    for entry in &top {
        match entry.key.as_str() {
            "device" => {
                for item in reader.list(&entry.value) {
                    map.devices.extend(reader.device(item, map.levels));
                }
            }
            "lun_map" => {
                for item in reader.list(&entry.value) {
                    map.luns.extend(reader.lun_row(item, map.levels));
                }
            }
            "dev_map" => {
                for item in reader.list(&entry.value) {
                    map.routes.extend(reader.route(item, map.levels));
                }
            }
            "context" => map.contexts = reader.contexts(entry, map.levels),
            "shared" => map.shared = reader.shared(&entry.value),
            _ => {}
        }
    }
    map
}

struct Reader<'a> {
    set: &'a Set,
    out: &'a mut Diagnostics,
    xlen: Xlen,
    /// The rows are those of a context, which has tables of the level `user` alone.
    in_context: bool,
}

impl Reader<'_> {
    fn wrong(&mut self, span: Span, expected: impl Into<String>) {
        self.out.push(Diagnostic::error("E-SYNTAX", expected).label(span, ""));
    }

    fn setting(&mut self, entry: &ConfigEntry, map: &mut Map) {
        let value = &entry.value;
        match entry.key.as_str() {
            "xlen" => match value.int().flatten().and_then(Xlen::from_bits) {
                Some(xlen) => map.xlen = xlen,
                None => self.wrong(value.span, "`xlen` is 32 or 64"),
            },
            "levels" | "priv_levels" => {
                map.levels = self.levels(value);
                if !map.levels.has(Levels::MACH) {
                    self.wrong(value.span, "every machine has the level `mach`");
                }
            }
            "commands" | "n_cmds" => match value.int().flatten().and_then(|n| u32::try_from(n).ok()) {
                Some(n) if n.is_power_of_two() && n <= limits::MAX_COMMANDS => map.commands = n,
                _ => self.wrong(value.span, "`commands` is a power of two of at most 16"),
            },
            "encoding" => match value.text() {
                Some(text) => map.encoding = text.to_owned(),
                None => self.wrong(value.span, "`encoding` is the name of a profile"),
            },
            "trap_model" => match value.text() {
                Some(text @ ("one-level-up" | "deliver" | "riscv")) => map.trap_model = text.to_owned(),
                Some("riscv-m") => map.trap_model = "riscv".to_owned(),
                _ => self.wrong(value.span, "`trap_model` is \"one-level-up\", \"deliver\" or \"riscv\""),
            },
            key if !TOP.contains(&key) => self.unknown(entry, TOP),
            _ => {}
        }
    }

    fn unknown(&mut self, entry: &ConfigEntry, known: &[&str]) {
        let mut d = Diagnostic::error("E-SYNTAX", format!("unknown key `{}`", entry.key)).label(entry.key_span, "");
        if let Some(near) = isaglot_source::closest(&entry.key, known.iter().copied()) {
            d = d.fix("did you mean", entry.key_span, near);
        }
        self.out.push(d);
    }

    fn list<'i>(&mut self, item: &'i ConfigItem) -> &'i [ConfigItem] {
        match item.list() {
            Some(list) if list.len() <= limits::MAX_ROWS => list,
            Some(_) => {
                self.wrong(item.span, format!("a table has at most {} rows", limits::MAX_ROWS));
                &[]
            }
            None => {
                self.wrong(item.span, "expected an array of tables");
                &[]
            }
        }
    }

    fn fields<'i>(&mut self, item: &'i ConfigItem, known: &[&str]) -> Option<&'i [ConfigEntry]> {
        let Some(fields) = item.table() else {
            self.wrong(item.span, format!("expected a table with {}", known.join(", ")));
            return None;
        };
        for entry in fields {
            if !known.contains(&entry.key.as_str()) {
                self.unknown(entry, known);
            }
        }
        Some(fields)
    }

    /// A name or a list of names of levels, or `"all"`.
    fn levels(&mut self, item: &ConfigItem) -> Levels {
        let mut levels = Levels::default();
        let names = match &item.node {
            ConfigNode::List(list) => list.as_slice(),
            _ => std::slice::from_ref(item),
        };
        for name in names {
            match name.text() {
                Some("all") => levels = Levels::ALL,
                text => match text.and_then(Levels::named) {
                    Some(level) => levels.0 |= level.0,
                    None => self.wrong(name.span, format!("a level is one of {}", LEVEL_NAMES.join(", "))),
                },
            }
        }
        levels
    }

    fn value(&mut self, fields: &[ConfigEntry], key: &str, row: Span) -> Option<Value> {
        let Some(entry) = fields.iter().find(|e| e.key == key) else {
            self.wrong(row, format!("the row has no `{key}`"));
            return None;
        };
        let Some(value) = entry.value.int() else {
            self.wrong(entry.value.span, format!("`{key}` is a whole number"));
            return None;
        };
        Some(Value { value, span: entry.value.span })
    }

    /// The number of an interface, given as `uuid` (the whole register value) or as `interface` (a name).
    fn uuid(&mut self, fields: &[ConfigEntry], row: Span) -> Option<Value> {
        let Some(entry) = fields.iter().find(|e| e.key == "interface") else {
            return self.value(fields, "uuid", row);
        };
        let Some(name) = entry.value.text() else {
            self.wrong(entry.value.span, "`interface` is the name of an interface");
            return None;
        };
        let reserved = FALLBACK.iter().position(|n| *n == name).map(|i| i as u64);
        let defined = self.set.get(name).and_then(|i| i.uuid).and_then(|u| u.value);
        match defined.or(reserved) {
            Some(value) => Some(Value { value: Some(embed(value, self.xlen)), span: entry.value.span }),
            None => {
                let d = Diagnostic::error("E-IMPORT", format!("no definition of `{name}` was given"));
                let d = d.label(entry.value.span, "");
                self.out.push(d.note("name its `.xintf` file beside the map, or write its number as `uuid`"));
                None
            }
        }
    }

    fn row_levels(&mut self, fields: &[ConfigEntry], row: Span, implemented: Levels) -> Levels {
        let Some(entry) = fields.iter().find(|e| e.key == "levels" || e.key == "priv") else {
            if self.in_context {
                return Levels::USER;
            }
            self.wrong(row, "the row has no `levels`");
            return Levels::default();
        };
        if self.in_context {
            return self.user_alone(&entry.value);
        }
        // A row may speak of levels that this machine lacks; they are no concern of it.
        Levels(self.levels(&entry.value).0 & implemented.0)
    }

    fn lun_row(&mut self, item: &ConfigItem, implemented: Levels) -> Option<LunRow> {
        let fields = self.fields(item, &["interface", "uuid", "dev", "levels", "priv", "lun"])?;
        let uuid = self.uuid(fields, item.span);
        let dev = self.value(fields, "dev", item.span);
        let levels = self.row_levels(fields, item.span, implemented);
        let lun = self.value(fields, "lun", item.span);
        Some(LunRow { uuid: uuid?, dev: dev?, levels, lun: lun?, span: item.span })
    }

    fn route(&mut self, item: &ConfigItem, implemented: Levels) -> Option<Route> {
        let fields = self.fields(item, &["lun", "levels", "priv", "device", "sub"])?;
        let lun = self.value(fields, "lun", item.span);
        let levels = self.row_levels(fields, item.span, implemented);
        let device = match fields.iter().find(|e| e.key == "device").and_then(|e| e.value.text()) {
            Some(text) => self.device_name(text, item.span),
            None => {
                self.wrong(item.span, "the row has no `device`");
                None
            }
        };
        let sub = self.value(fields, "sub", item.span);
        Some(Route { lun: lun?, levels, device: device?, sub: sub?, span: item.span })
    }

    /// The name of a device goes into generated source, so it has to be an identifier.
    fn device_name(&mut self, text: &str, span: Span) -> Option<String> {
        if name::is_component(text) {
            return Some(text.to_owned());
        }
        let d = Diagnostic::error("E-NAME", format!("`{text}` is not the name of a device"));
        self.out.push(d.label(span, "").note("a letter, then letters, digits and single inner `_`"));
        None
    }

    fn device(&mut self, item: &ConfigItem, implemented: Levels) -> Option<Device> {
        let fields = self.fields(item, &["name", "serves"])?;
        let Some(entry) = fields.iter().find(|e| e.key == "name") else {
            self.wrong(item.span, "the device has no `name`");
            return None;
        };
        let Some(text) = entry.value.text() else {
            self.wrong(entry.value.span, "`name` is a string");
            return None;
        };
        let name = self.device_name(text, entry.value.span)?;
        let mut device = Device { name, span: entry.value.span, serves: Vec::new() };
        if let Some(serves) = fields.iter().find(|e| e.key == "serves") {
            for item in self.list(&serves.value) {
                device.serves.extend(self.service(item, implemented));
            }
        }
        Some(device)
    }

    fn service(&mut self, item: &ConfigItem, implemented: Levels) -> Option<Service> {
        let fields = self.fields(item, &["interface", "uuid", "dev", "levels", "priv", "sub", "lun"])?;
        let get = |key: &str| fields.iter().find(|e| e.key == key).map(|e| &e.value);
        let uuid = self.uuid(fields, item.span);
        let interface = get("interface").and_then(ConfigItem::text).unwrap_or("").to_owned();
        let dev = get("dev").map(|v| self.by_level(v)).unwrap_or_default();
        let sub = get("sub").map(|v| self.by_level(v)).unwrap_or_default();
        let named = |numbers: &[Option<u64>; 4], item: Option<&ConfigItem>| {
            // Only a table says which levels; one number is meant for all of them.
            item.and_then(ConfigItem::table)
                .map(|_| numbers.iter().enumerate().fold(0, |m, (i, n)| m | u8::from(n.is_some()) << i))
        };
        let mut levels = match get("levels").or(get("priv")) {
            Some(value) if self.in_context => self.user_alone(value),
            Some(value) => self.levels(value),
            None if self.in_context => Levels::USER,
            None => Levels(named(&dev, get("dev")).unwrap_or(Levels::ALL.0)),
        };
        levels.0 &= implemented.0;
        let in_context = self.in_context;
        for item in ["dev", "sub"].into_iter().filter(|_| in_context).filter_map(get) {
            if item.table().is_some_and(|t| t.iter().any(|e| e.key != "user")) {
                self.not_of_user(item.span);
            }
        }
        if let Some(given) = named(&sub, get("sub"))
            && !Levels(given).has(levels)
        {
            let missing = Levels(levels.0 & !given);
            self.wrong(item.span, format!("`sub` says nothing about the levels {missing}"));
        }
        let lun = get("lun").and_then(|v| self.number(v, "lun"));
        let sub = sub.map(Option::unwrap_or_default);
        Some(Service { interface, uuid: uuid.and_then(|u| u.value), dev, sub, levels, lun, span: item.span })
    }

    fn number(&mut self, item: &ConfigItem, what: &str) -> Option<u64> {
        match item.int().flatten().filter(|&n| n <= limits::MAX_UNIT) {
            Some(n) => Some(n),
            None => {
                let d = Diagnostic::error("E-RANGE", format!("`{what}` is a number of 12 bits"));
                self.out.push(d.label(item.span, format!("at most {}", limits::MAX_UNIT)));
                None
            }
        }
    }

    /// One number for all levels, or a table of levels.
    fn by_level(&mut self, item: &ConfigItem) -> [Option<u64>; 4] {
        let mut numbers = [None; 4];
        let Some(entries) = item.table() else {
            return [self.number(item, "this"); 4];
        };
        for entry in entries {
            match LEVEL_NAMES.iter().zip(&mut numbers).find(|(n, _)| **n == entry.key) {
                Some((_, slot)) => *slot = self.number(&entry.value, &entry.key),
                None => self.unknown(entry, &LEVEL_NAMES),
            }
        }
        numbers
    }
}
