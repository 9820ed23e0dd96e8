//! The box diagram of a word: cells of neighbouring bits with one owner, from the most significant bit on, wrapped to
//! the width of a terminal.

/// The widest row, in columns.
const COLUMNS: usize = 100;

/// What the bits of a cell are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// Bits that decide.
    Fixed,
    /// Bits of a field.
    Field,
    /// Bits that the description marks as don't-care.
    DontCare,
    /// Bits that nothing here speaks of.
    Unclaimed,
}

/// Neighbouring bits with one owner.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// What they are.
    pub(super) kind: CellKind,
    /// The owner's name.
    pub(super) label: String,
    /// The highest bit.
    pub(super) high: u32,
    /// The lowest bit.
    pub(super) low: u32,
    /// The bits, highest first.
    pub(super) digits: String,
}

impl Cell {
    fn place(&self) -> String {
        if self.high == self.low { self.high.to_string() } else { format!("{} {}", self.high, self.low) }
    }

    fn width(&self) -> usize {
        self.digits.len().max(self.label.chars().count()).max(self.place().len())
    }

    /// The highest bit at the left end, the lowest at the right.
    fn ruler(&self) -> String {
        let width = self.width();
        if self.high == self.low {
            return format!("{:^width$}", self.high);
        }
        let (high, low) = (self.high.to_string(), self.low.to_string());
        format!("{high}{low:>rest$}", rest = width - high.len())
    }
}

/// Draws the cells, four lines and a ruler a row.
pub(super) fn draw(cells: &[Cell], color: bool) -> String {
    let mut out = String::new();
    let mut rest = cells;
    while !rest.is_empty() {
        let mut used = 1;
        let fitting = rest.iter().take_while(|c| {
            used += c.width() + 1;
            used <= COLUMNS
        });
        let count = fitting.count().max(1);
        let (row, after) = rest.split_at(count);
        rest = after;
        let line = |left: &str, middle: &str, right: &str, text: &dyn Fn(&Cell) -> String| {
            let parts: Vec<String> = row.iter().map(text).collect();
            format!("  {left}{}{right}\n", parts.join(middle))
        };
        let paint = |cell: &Cell, text: String| match (color, cell.kind) {
            (true, CellKind::Fixed) => format!("\x1b[1m{text}\x1b[0m"),
            (true, CellKind::Field) => format!("\x1b[36m{text}\x1b[0m"),
            (true, _) => format!("\x1b[2m{text}\x1b[0m"),
            (false, _) => text,
        };
        out.push_str(&line(" ", " ", "", &Cell::ruler));
        out.push_str(&line("┌", "┬", "┐", &|c| "─".repeat(c.width())));
        out.push_str(&line("│", "│", "│", &|c| paint(c, format!("{:^w$}", c.digits, w = c.width()))));
        out.push_str(&line("│", "│", "│", &|c| paint(c, format!("{:^w$}", c.label, w = c.width()))));
        out.push_str(&line("└", "┴", "┘", &|c| "─".repeat(c.width())));
    }
    out
}
