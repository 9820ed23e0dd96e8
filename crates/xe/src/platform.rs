//! The machines, and the few sizes in which they differ beyond their encodings.

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    /// Xe (Tiger Lake, DG1), 12p1.
    Xe,
    /// Xe HP, 12p5.
    XeHp,
    /// Xe HPG (DG2), 12p71.
    XeHpg,
    /// Xe HPC (Ponte Vecchio), 12p72.
    XeHpc,
    /// Xe2 (Lunar Lake, Battlemage).
    Xe2,
    /// Xe3 (Panther Lake).
    Xe3,
}

/// Every machine, oldest first.
pub const ALL: [Platform; 6] =
    [Platform::Xe, Platform::XeHp, Platform::XeHpg, Platform::XeHpc, Platform::Xe2, Platform::Xe3];

impl Platform {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        ["xe", "xehp", "xehpg", "xehpc", "xe2", "xe3"][self as usize]
    }

    /// The id that `iga64` takes.
    pub fn id(self) -> &'static str {
        ["12p1", "12p5", "12p71", "12p72", "2", "3"][self as usize]
    }

    /// The gen in the description.
    pub fn generation(self) -> u32 {
        [1210, 1250, 1271, 1272, 2000, 3000][self as usize]
    }

    /// A machine by its name, its `iga64` id, or the name of a product.
    pub fn parse(name: &str) -> Option<Platform> {
        let name = name.to_ascii_lowercase();
        ALL.into_iter().find(|p| p.names().any(|known| known == name))
    }

    /// Every name that [`Platform::parse`] takes for it, in lower case: its own, its `iga64` id, those of its products.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let products: &[&str] = match self {
            Platform::Xe => &["tgl", "dg1", "adl", "rkl", "xelp"],
            Platform::XeHp => &["xehp_sdv"],
            Platform::XeHpg => &["dg2", "acm", "atsm"],
            Platform::XeHpc => &["pvc"],
            Platform::Xe2 => &["lnl", "bmg"],
            Platform::Xe3 => &["ptl"],
        };
        [self.name(), self.id()].into_iter().chain(products.iter().copied())
    }

    /// XeHPC or later.
    pub fn wide(self) -> bool {
        self >= Platform::XeHpc
    }

    /// Bytes of a general register.
    pub fn grf_bytes(self) -> u32 {
        if self.wide() { 64 } else { 32 }
    }

    /// Bytes of a register of each file that dataflow tracks: `r acc s f a`.
    pub fn register_bytes(self) -> [u32; 5] {
        [self.grf_bytes(), self.grf_bytes(), 32, 4, 32]
    }

    /// Bytes of the register files that dataflow tracks: `r acc s f a`.
    pub fn file_bytes(self) -> [u32; 5] {
        let grf = self.grf_bytes();
        let (acc, flags) = if self.wide() { (16, 4) } else { (8, 2) };
        [256 * grf, acc * grf, if self == Platform::Xe3 { 32 } else { 0 }, flags * 4, 32]
    }
}
