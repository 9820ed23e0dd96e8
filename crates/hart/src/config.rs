//! What a machine is: width, levels, maps, devices, how traps are delivered. Read from a map file (TOML or JSON) that
//! says a little more than a map: `devices` by expressions and texts, `start_priv`, `ebreak`, `mach_traps`, `ram`, `entry`.
//! A device that serves interfaces and is not among the `devices` does what the semantics of the interfaces say.

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use isaglot_xintf::map::{self, DEFAULT_CONTEXT, Levels, LunRow, Map, Route, Service};
use isaglot_xintf::set::Set;
use isaglot_xintf::tree::{self, ConfigItem};

use crate::cause::Level;
use crate::device::{self, Device, Fallback};
use crate::limits::{
    CACHE_BLOCK, CACHE_BLOCKS, CLINT, MAX_DEVICES, MAX_VLEN, MIN_VLEN, PLIC, RAM, TRAP_CAUSE, UART, VLEN,
};

/// How a trap is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrapModel {
    /// The first trap ends the run; it says to which level it would have gone.
    OneLevelUp,
    /// The traps of overloadable opcodes go to the handler of the next level that the machine has, with a cause of their
    /// own ([`Config::trap_cause`]); all others as the privileged architecture says.
    Deliver,
    /// As the privileged architecture says.
    Riscv,
}

/// Other tables of the level `user`, which a program above that level can put in force.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Its name, for what is printed.
    pub name: String,
    /// What the register that chooses holds: 12 bits, not 0.
    pub number: u16,
    /// (uuid, device number, logical unit)
    pub luns: Vec<(u64, u16, u16)>,
    /// (logical unit, device by name, subdevice)
    pub routes: Vec<(u16, String, u16)>,
}

/// A machine.
pub struct Config {
    /// Register width in bits: 32 or 64.
    pub xlen: u32,
    /// Implemented levels, bit n for [`Level`] n.
    pub levels: u8,
    /// The level at the start.
    pub start: Level,
    /// Commands per interface, at most 16.
    pub commands: u8,
    /// The encoding profile of the overloadable opcodes.
    pub encoding: String,
    /// How a trap is delivered.
    pub trap_model: TrapModel,
    /// With [`TrapModel::Deliver`], the exception code of the traps of overloadable opcodes: 24 to 31 or 48 to 63.
    pub trap_cause: u8,
    /// `ebreak` ends the run at every level rather than trapping.
    pub ebreak_stops: bool,
    /// With [`TrapModel::Riscv`], a trap at the machine level goes to its handler rather than ending the run.
    pub mach_traps: bool,
    /// The features of the description that the machine has, beside what `encoding` and `commands` say; `None` for those
    /// that are on by default and all that have instructions that can be run. Features that exclude each other are refused.
    pub extensions: Option<Vec<String>>,
    /// Bits of a vector register, a power of two; more if an extension asks for more.
    pub vlen: u32,
    /// Where a program starts that does not say; `None` for where the memory starts.
    pub entry: Option<u64>,
    /// Bytes of a block of the cache, on which `cbo.zero` and its like act: a power of two of 8 to 4096.
    pub cache_block: u64,
    /// Where the timer and software interrupts are (CLINT); `None` for a machine without. It gives way to memory.
    pub clint: Option<u64>,
    /// Where the controller of external interrupts is (PLIC); `None` for a machine without. It gives way to memory.
    pub plic: Option<u64>,
    /// Where the serial port is (16550); `None` for a machine without. It gives way to memory.
    pub uart: Option<u64>,
    /// Memory: first address and length in bytes.
    pub ram: Vec<(u64, u64)>,
    /// (uuid, device number, levels, logical unit)
    pub luns: Vec<(u64, u16, u8, u16)>,
    /// (logical unit, levels, device by name, subdevice)
    pub routes: Vec<(u16, u8, String, u16)>,
    /// Contexts beside number 0, which is the tables above.
    pub contexts: Vec<Context>,
    /// The number of the context in force at the start.
    pub start_context: u16,
    /// Devices that several contexts may reach.
    pub shared: Vec<String>,
    /// Devices by name.
    pub devices: Vec<(String, Box<dyn Device>)>,
}

/// A number of 12 bits.
fn unit(v: Option<u64>) -> Option<u16> {
    v.and_then(|n| u16::try_from(n).ok()).filter(|&n| n < 1 << 12)
}

fn sub_at(service: &Service, level: Levels) -> Option<u64> {
    service.sub.get(level.0.trailing_zeros() as usize).copied()
}

/// A row of the first table with every value in range: interface, device number, unit.
fn lun_row(row: &LunRow) -> Option<(u64, u16, u16)> {
    Some((row.uuid.value?, unit(row.dev.value)?, unit(row.lun.value)?))
}

/// A row of the second table with every value in range: unit, device, subdevice. Number 0 always traps.
fn route(row: &Route) -> Option<(u16, String, u16)> {
    let lun = unit(row.lun.value).filter(|&lun| lun != 0)?;
    Some((lun, row.device.clone(), unit(row.sub.value)?))
}

impl Config {
    /// A machine with the three levels of the privileged architecture, no devices but the fallback, starting in machine
    /// mode, with traps as the privileged architecture has them.
    pub fn new(xlen: u32) -> Config {
        let every = 0b1011;
        Config {
            xlen,
            levels: every,
            start: Level::Mach,
            commands: 8,
            encoding: "custom0".to_owned(),
            trap_model: TrapModel::Riscv,
            trap_cause: TRAP_CAUSE,
            ebreak_stops: true,
            mach_traps: true,
            extensions: None,
            vlen: VLEN,
            entry: None,
            cache_block: CACHE_BLOCK,
            clint: Some(CLINT),
            plic: Some(PLIC),
            uart: Some(UART),
            ram: vec![RAM],
            luns: (0..3).map(|n| (u64::from(n), 0, every, n)).collect(),
            routes: (1..3).map(|n| (n, every, "fallback".to_owned(), n)).collect(),
            contexts: Vec::new(),
            start_context: 0,
            shared: Vec::new(),
            devices: vec![("fallback".to_owned(), Box::new(Fallback))],
        }
    }

    /// Sees to it that a machine with the hypervisor extension has its level. A map that does not speak of it gives it the fallback interfaces alone.
    pub(crate) fn add_hypervisor(&mut self) -> Result<(), String> {
        let bit = |level: Level| 1_u8 << level as u8;
        let below = bit(Level::User) | bit(Level::Super);
        if self.levels & below != below {
            return Err("a machine with the hypervisor extension has the levels `user` and `super`".to_owned());
        }
        let hyper = bit(Level::Hyper);
        if self.levels & hyper == 0 {
            self.levels |= hyper;
            self.luns.extend((0..3).map(|n| (u64::from(n), 0, hyper, n)));
            if self.devices.iter().any(|(name, _)| name == "fallback") {
                self.routes.extend((1..3).map(|n| (n, hyper, "fallback".to_owned(), n)));
            }
        }
        Ok(())
    }

    /// Reads a machine. What is wrong with its tables is left to the lints of maps; rows out of range are left out.
    pub fn read(file: FileId, bytes: &[u8], set: &Set, xlen: u32, out: &mut Diagnostics) -> Config {
        let given = Xlen::of(xlen);
        let mut map = map::read(file, bytes, set, given, out);
        map::build(&mut map, out);
        let mut config = Config::from_map(&map);
        // Faults of form were reported above.
        for entry in tree::read(file, bytes, &mut Diagnostics::new()) {
            config.setting(&entry.key, &entry.value, set, out);
        }
        config.add_serving(&map, set, out);
        if config.levels >> (config.start as u8) & 1 == 0 {
            let message = format!("the machine starts at the level `{}`, which it lacks", config.start.name());
            out.push(Diagnostic::error("E-SYNTAX", message));
        }
        config
    }

    /// Adds the devices that serve interfaces, here or in a context, and are not described otherwise.
    fn add_serving(&mut self, map: &Map, set: &Set, out: &mut Diagnostics) {
        let all: Vec<&map::Device> = map.devices.iter().chain(map.contexts.iter().flat_map(|c| &c.devices)).collect();
        for (at, device) in all.iter().enumerate() {
            let is_first = all.iter().position(|d| d.name == device.name) == Some(at);
            if !is_first || self.devices.iter().any(|(name, _)| *name == device.name) {
                continue;
            }
            let mut services = all.iter().filter(|d| d.name == device.name).flat_map(|d| &d.serves);
            let served = |s: &Service| {
                let mut subs: Vec<u16> = s.levels.each().filter_map(|l| unit(sub_at(s, l))).collect();
                subs.sort_unstable();
                subs.dedup();
                Some((set.get(&s.interface)?, subs))
            };
            let served: Option<Vec<_>> = services.by_ref().map(served).collect();
            if let Some(made) = served.and_then(|served| device::serving(&served, self.xlen, out)) {
                self.add_device(&device.name, Box::new(made));
            }
        }
    }

    fn from_map(map: &Map) -> Config {
        let mut config = Config::new(map.xlen.bits());
        config.levels = map.levels.0;
        config.commands = map.commands.min(16) as u8;
        config.encoding.clone_from(&map.encoding);
        config.trap_model = match map.trap_model.as_str() {
            "riscv" => TrapModel::Riscv,
            "deliver" => TrapModel::Deliver,
            _ => TrapModel::OneLevelUp,
        };
        config.mach_traps = false;
        // Number 0 is recognised at every level, whatever the tables say: device 0 is unit 0, which always traps.
        config.luns = vec![(0, 0, config.levels, 0)];
        config.luns.extend(map.luns.iter().filter_map(|row| {
            let (uuid, dev, lun) = lun_row(row)?;
            Some((uuid, dev, row.levels.0, lun))
        }));
        config.routes = map
            .routes
            .iter()
            .filter_map(|row| {
                let (lun, device, sub) = route(row)?;
                Some((lun, row.levels.0, device, sub))
            })
            .collect();
        config.contexts = map
            .contexts
            .iter()
            .map(|context| Context {
                name: context.name.clone(),
                number: context.number,
                luns: std::iter::once((0, 0, 0)).chain(context.luns.iter().filter_map(lun_row)).collect(),
                routes: context.routes.iter().filter_map(route).collect(),
            })
            .collect();
        config.shared = map.shared.iter().map(|(name, _)| name.clone()).collect();
        config
    }

    fn setting(&mut self, key: &str, value: &ConfigItem, set: &Set, out: &mut Diagnostics) {
        let mut wrong = |expected: &str| out.push(Diagnostic::error("E-SYNTAX", expected).label(value.span, ""));
        match key {
            "start_priv" => match value.text().and_then(Level::named) {
                Some(level) => self.start = level,
                None => wrong("`start_priv` is the name of a level"),
            },
            "start_context" => match value.text().map(|name| self.number_of(name)) {
                Some(Some(number)) => self.start_context = number,
                _ => wrong("`start_context` is the name of a context"),
            },
            "ebreak" => match value.text() {
                Some("stop") => self.ebreak_stops = true,
                Some("trap") => self.ebreak_stops = false,
                _ => wrong("`ebreak` is \"stop\" or \"trap\""),
            },
            "mach_traps" => match value.text() {
                Some("stop") => self.mach_traps = false,
                Some("enter") => self.mach_traps = true,
                _ => wrong("`mach_traps` is \"stop\" or \"enter\""),
            },
            "trap_cause" => match value.int().flatten() {
                Some(code @ (24..=31 | 48..=63)) => self.trap_cause = code as u8,
                _ => wrong("`trap_cause` is 24 to 31 or 48 to 63, the causes for designers of machines"),
            },
            "cache_block" => match value.int().flatten() {
                Some(size) if size.is_power_of_two() && CACHE_BLOCKS.contains(&size) => self.cache_block = size,
                _ => wrong("`cache_block` is a number of bytes, a power of two of 8 to 4096"),
            },
            "ram" => {
                let pair = value.list().map(|l| l.iter().filter_map(|i| i.int().flatten()).collect::<Vec<u64>>());
                match pair.as_deref() {
                    Some(&[first, length]) => self.ram = vec![(first, length)],
                    _ => wrong("`ram` is a first address and a length"),
                }
            }
            "vlen" => match value.int().flatten().and_then(|n| u32::try_from(n).ok()) {
                Some(bits @ MIN_VLEN..=MAX_VLEN) if bits.is_power_of_two() => self.vlen = bits,
                _ => wrong("`vlen` is a power of two from 32 to 4096, the bits of a vector register"),
            },
            "clint" => match (value.int().flatten(), value.text()) {
                (Some(address), _) => self.clint = Some(address),
                (None, Some("none")) => self.clint = None,
                _ => wrong("`clint` is an address or \"none\""),
            },
            "plic" => match (value.int().flatten(), value.text()) {
                (Some(address), _) => self.plic = Some(address),
                (None, Some("none")) => self.plic = None,
                _ => wrong("`plic` is an address or \"none\""),
            },
            "uart" => match (value.int().flatten(), value.text()) {
                (Some(address), _) => self.uart = Some(address),
                (None, Some("none")) => self.uart = None,
                _ => wrong("`uart` is an address or \"none\""),
            },
            "entry" => match value.int().flatten() {
                Some(address) => self.entry = Some(address),
                None => wrong("`entry` is an address"),
            },
            "devices" => match value.table() {
                Some(table) if table.len() < MAX_DEVICES => {
                    for entry in table {
                        let device = device::read(&entry.value, set, self.xlen, out);
                        self.add_device(&entry.key, Box::new(device));
                    }
                }
                _ => wrong("`devices` is a table of fewer than 4096 devices"),
            },
            _ => {}
        }
    }

    /// The number of a context by its name.
    pub fn number_of(&self, name: &str) -> Option<u16> {
        let own = self.contexts.iter().find(|c| c.name == name).map(|c| c.number);
        own.or((name == DEFAULT_CONTEXT).then_some(0))
    }

    /// The name of a context by its number.
    pub fn context_name(&self, number: u16) -> Option<&str> {
        match number {
            0 => Some(DEFAULT_CONTEXT),
            _ => self.contexts.iter().find(|c| c.number == number).map(|c| c.name.as_str()),
        }
    }

    /// Adds a device, or puts it in the place of the one of that name.
    pub fn add_device(&mut self, name: &str, device: Box<dyn Device>) {
        match self.devices.iter_mut().find(|(n, _)| n == name) {
            Some((_, place)) => *place = device,
            None => self.devices.push((name.to_owned(), device)),
        }
    }
}
