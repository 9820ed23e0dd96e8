//! The tables of overloadable opcodes: from an interface to a logical unit, from there to a device; and contexts, which are other
//! tables of the level `user`.
//!
//! The problem: a command must find its device without a search, and what a process can reach must be up to its supervisor alone.
//! Method: each level has the number of its table, and each context has a table. A switch of contexts writes one number.
//! Invariants: nothing that a program does changes a table; the register holds the number of a context that there is; only a level
//! above `user` writes it.

use rustc_hash::FxHashMap;

use crate::cause::Level;
use crate::config::Config;

/// The register that chooses the context, for the levels between `user` and `mach`; where the machine has none of these, it is missing.
pub(crate) const SXCONTEXT: u16 = 0x5c0;
/// The same register, for the machine level.
pub(crate) const MXCONTEXT: u16 = 0x7c0;

/// A route that there is not.
pub(crate) const NO_ROUTE: u32 = 0;
/// Tables of levels come first.
const LEVELS: usize = 4;

/// The tables.
#[derive(Debug)]
pub(crate) struct Maps {
    /// From identifier, device number and table to a logical unit.
    luns: FxHashMap<(u64, u16, u16), u16>,
    /// A logical unit of a table is at `table << 12 | lun`: 1, device, subdevice, of 1, 12 and 12 bits.
    routes: Vec<u32>,
    /// The table that each level uses now.
    tables: [u16; LEVELS],
    /// The numbers of the contexts, in the order of their tables after those of levels. Without any the register is missing.
    numbers: Vec<u16>,
    /// The number of the context in force.
    current: u16,
    /// There is a level between `user` and `mach`.
    has_supervisor: bool,
    /// Counts the switches of contexts: what was found in the tables before the last one may be otherwise now. For translated code that
    /// keeps where a command goes.
    pub(crate) generation: u64,
}

impl Maps {
    /// The tables of a machine.
    ///
    /// # Errors
    /// A sentence, if a row leads to a device that there is not, or a context has a number that it cannot have.
    pub(crate) fn new(config: &Config) -> Result<Maps, String> {
        let contexts = &config.contexts;
        let mut maps = Maps {
            luns: FxHashMap::default(),
            routes: vec![NO_ROUTE; (LEVELS + contexts.len()) << 12],
            tables: [0, 1, 2, 3],
            numbers: contexts.iter().map(|c| c.number).collect(),
            current: 0,
            has_supervisor: config.levels & (1 << Level::Super as u8 | 1 << Level::Hyper as u8) != 0,
            generation: 0,
        };
        maps.fill(config)?;
        Ok(maps)
    }

    /// Puts the rows of all tables into those of the machine.
    fn fill(&mut self, config: &Config) -> Result<(), String> {
        let each =
            |levels: u8| Level::ALL.into_iter().filter(move |&l| levels >> (l as u8) & 1 == 1).map(Maps::of_level);
        let place = |lun: u16, device: &str| {
            let at = config.devices.iter().position(|(name, _)| name == device);
            at.ok_or_else(|| format!("unit {lun} leads to a device `{device}` that there is not"))
        };
        for &(uuid, dev, levels, lun) in &config.luns {
            each(levels).for_each(|table| self.add_lun(table, uuid, dev, lun));
        }
        for (lun, levels, device, sub) in &config.routes {
            let at = place(*lun, device)?;
            each(*levels).for_each(|table| self.add_route(table, *lun, at as u16, *sub));
        }
        for (number, context) in config.contexts.iter().enumerate() {
            let is_new = config.contexts.iter().position(|c| c.number == context.number) == Some(number);
            if !is_new || context.number == 0 || context.number >= 1 << 12 {
                return Err(format!(
                    "the context `{}` has the number {}, which it cannot have",
                    context.name, context.number
                ));
            }
            let table = Maps::of_context(number);
            context.luns.iter().for_each(|&(uuid, dev, lun)| self.add_lun(table, uuid, dev, lun));
            for (lun, device, sub) in &context.routes {
                self.add_route(table, *lun, place(*lun, device)? as u16, *sub);
            }
        }
        let missing = format!("the machine starts with context {}, which it has not", config.start_context);
        self.set_context(config.start_context.into()).ok_or(missing)
    }

    /// The table of a level.
    pub(crate) fn of_level(level: Level) -> u16 {
        level as u16
    }

    /// The table of a context, by its place.
    pub(crate) fn of_context(place: usize) -> u16 {
        (LEVELS + place) as u16
    }

    /// Adds a row, unless its key is there.
    pub(crate) fn add_lun(&mut self, table: u16, uuid: u64, dev: u16, lun: u16) {
        self.luns.entry((uuid, dev, table)).or_insert(lun);
    }

    /// Adds a row, unless its unit is there.
    pub(crate) fn add_route(&mut self, table: u16, lun: u16, device: u16, sub: u16) {
        if let Some(route) = self.routes.get_mut(usize::from(table) << 12 | usize::from(lun))
            && *route == NO_ROUTE
        {
            *route = 1 << 24 | u32::from(device & 0xfff) << 12 | u32::from(sub & 0xfff);
        }
    }

    /// The unit of an interface at a level now.
    #[inline]
    pub(crate) fn lun(&self, level: Level, uuid: u64, dev: u16) -> Option<u16> {
        self.luns.get(&(uuid, dev, self.tables[level as usize])).copied()
    }

    /// Where a unit leads at a level now, or [`NO_ROUTE`].
    #[inline]
    pub(crate) fn route(&self, level: Level, lun: u16) -> u32 {
        let at = usize::from(self.tables[level as usize]) << 12 | usize::from(lun & 0xfff);
        self.routes.get(at).copied().unwrap_or(NO_ROUTE)
    }

    /// The number of the context in force; `None` if the machine has no contexts.
    pub(crate) fn context(&self) -> Option<u16> {
        (!self.numbers.is_empty()).then_some(self.current)
    }

    /// Puts a context in force; `None` if there is none of this number.
    pub(crate) fn set_context(&mut self, number: u64) -> Option<()> {
        let table = match number {
            0 => Maps::of_level(Level::User),
            _ => Maps::of_context(self.numbers.iter().position(|&n| u64::from(n) == number)?),
        };
        self.tables[Level::User as usize] = table;
        self.current = number as u16;
        self.generation = self.generation.wrapping_add(1);
        Some(())
    }

    /// Whether a number is that of the register.
    pub(crate) fn is_register(&self, number: u16) -> bool {
        let is_ours = number == MXCONTEXT || number == SXCONTEXT && self.has_supervisor;
        is_ours && !self.numbers.is_empty()
    }

    /// Whether a number is that of the register, and the level may use it; `None` if it is another register's number.
    fn allows(&self, number: u16, level: Level) -> Option<bool> {
        self.is_register(number).then_some(level as u16 >= number >> 8 & 3)
    }

    /// Reads the register, if the number is its; the inner `None` is an illegal read.
    pub(crate) fn read(&self, number: u16, level: Level) -> Option<Option<u64>> {
        let allowed = self.allows(number, level)?;
        Some(allowed.then_some(self.current.into()))
    }

    /// Writes the register, if the number is its; the inner `None` is an illegal write: at this level, or of a context that there is not.
    pub(crate) fn write(&mut self, number: u16, level: Level, value: u64) -> Option<Option<()>> {
        let allowed = self.allows(number, level)?;
        Some(if allowed { self.set_context(value) } else { None })
    }
}
