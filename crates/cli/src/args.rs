//! Parts of command lines that several verbs share.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use isaglot::spec::{Choice, Dialect};
use isaglot_asm::Compat;
use isaglot_source::Diagnostic;

use crate::io::Output;
use crate::load::{Roles, Source, Spec};

/// The options that choose a description, and the gen and features to decode for.
#[derive(clap::Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("description").required(true).args(["spec", "isa"])))]
pub(crate) struct SpecArgs {
    /// A description: an isaspec XML file, the TableGen file of an LLVM target, a folder of the RISC-V Unified Database or
    /// of riscv-opcodes, or what `isaglot compile` made of one.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// A description by name, such as `minnow`, `rv64gc_zba`, `xehpc` or `minnow@v2`; `--isa help` lists the names.
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    #[command(flatten)]
    choice: ChoiceArgs,
    #[command(flatten)]
    processor: ProcessorArgs,
    /// Instructions themselves instead of aliases (TableGen, RISC-V Unified Database, riscv-opcodes).
    #[arg(long)]
    no_aliases: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// The options that choose a gen and features.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ChoiceArgs {
    /// What to decode for where a description distinguishes gens: a number, or a name that it gives.
    #[arg(long = "gen", id = "gen", value_name = "N")]
    pub(crate) generation: Option<String>,
    #[command(flatten)]
    pub(crate) features: FeatureArgs,
}

impl ChoiceArgs {
    /// Puts what they say into what is chosen.
    pub(crate) fn put(&self, choice: &mut Choice) {
        choice.generation.clone_from(&self.generation);
        choice.features.clone_from(&self.features.list);
    }
}

/// The option that switches features. A verb for which it says more has a help text of its own.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct FeatureArgs {
    /// Switch a feature on (`+name` or `name`) or off (`-name`); several with commas.
    #[arg(
        long = "feature",
        id = "feature",
        visible_alias = "mattr",
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) list: Vec<String>,
}

impl SpecArgs {
    /// What the options say.
    pub(crate) fn spec(&self) -> Spec {
        let mut spec = Spec::of(source(self.spec.as_deref(), self.isa.as_deref()));
        self.choice.put(&mut spec.choice);
        self.processor.put(&mut spec.choice);
        self.read.put(&mut spec.choice);
        spec.choice.aliases = self.no_aliases.then_some(false);
        spec
    }
}

/// A description as the first argument, or by name: of verbs that are about the description itself.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SubjectArgs {
    /// The description: an isaspec XML file, the TableGen file of an LLVM target, a folder of the RISC-V Unified Database or
    /// of riscv-opcodes, or what `isaglot compile` made of one.
    #[arg(required_unless_present = "isa", conflicts_with = "isa")]
    spec: Option<PathBuf>,
    /// A description by name, such as `minnow` or `rv64gc_zba`; `--isa help` lists the names.
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
}

impl SubjectArgs {
    /// What the options say, with nothing chosen.
    pub(crate) fn spec(&self) -> Spec {
        let mut spec = Spec::of(source(self.spec.as_deref(), self.isa.as_deref()));
        self.read.put(&mut spec.choice);
        spec
    }
}

/// The options that say what a description of another project consists of.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct FileArgs {
    /// A folder in which included files are looked for (TableGen).
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// The version of the language: `auto` is that of LLVM 19, or the newest if the sources need it (TableGen).
    #[arg(long, value_name = "auto|llvm19|newest", value_parser = dialect)]
    pub(crate) dialect: Option<Dialect>,
    /// What its operands mean; by default the table that comes with isaglot for a file of this name (TableGen).
    #[arg(long, value_name = "FILE")]
    pub(crate) operands: Option<PathBuf>,
    /// A folder that is put over the description: `spec/custom/isa/NAME` (RISC-V Unified Database).
    #[arg(long, value_name = "DIR")]
    pub(crate) overlay: Option<PathBuf>,
    /// What an implementation has: a file of `cfgs` (RISC-V Unified Database).
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

fn dialect(name: &str) -> Result<Dialect, String> {
    let known = || Dialect::ALL.map(|(name, _)| format!("`{name}`")).join(", ");
    Dialect::named(name).ok_or_else(|| format!("expected one of {}", known()))
}

impl FileArgs {
    fn put(&self, choice: &mut Choice) {
        choice.include.clone_from(&self.include);
        choice.dialect = self.dialect.unwrap_or_default();
        choice.operands.clone_from(&self.operands);
        choice.overlay.clone_from(&self.overlay);
        choice.config.clone_from(&self.config);
    }
}

/// The options that say how the description is read.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// Take a compiled description although its sources have changed.
    #[arg(long)]
    pub(crate) stale: bool,
}

impl ReadArgs {
    /// Puts what they say into what is chosen.
    pub(crate) fn put(&self, choice: &mut Choice) {
        self.files.put(choice);
        choice.stale = self.stale;
    }
}

/// The options that choose a processor of a TableGen description.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ProcessorArgs {
    /// The target, such as `riscv64` (TableGen).
    #[arg(long, value_name = "TRIPLE", default_value = "", hide_default_value = true)]
    pub(crate) triple: String,
    /// The processor (TableGen).
    #[arg(long, visible_alias = "cpu", value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) mcpu: String,
}

impl ProcessorArgs {
    /// Puts what they say into what is chosen.
    pub(crate) fn put(&self, choice: &mut Choice) {
        choice.triple.clone_from(&self.triple);
        choice.cpu.clone_from(&self.mcpu);
    }
}

/// The description that a file, or else a name, stands for.
pub(crate) fn source(file: Option<&Path>, name: Option<&str>) -> Source {
    match (file, name) {
        (Some(file), _) => Source::File(file.to_owned()),
        (None, Some(name)) => Source::Name(name.to_owned()),
        (None, None) => Source::Input,
    }
}

/// The option that says what fields are to instructions.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct RolesArgs {
    /// What fields are to instructions, for a description that does not say it (`none` for nothing). By default what comes
    /// with isaglot for a file of the description's name: ir3.xml and etnaviv.xml.
    #[arg(long, value_name = "FILE")]
    roles: Option<PathBuf>,
}

impl From<&RolesArgs> for Roles {
    fn from(args: &RolesArgs) -> Roles {
        match &args.roles {
            Some(path) if path.as_os_str() == "none" => Roles::Unused,
            path => Roles::Wanted(path.clone()),
        }
    }
}

/// How the texts of a description's instructions are written.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct TextArgs {
    /// Texts for fields of type `custom`: lines `FIELD VALUE TEXT`. `asm` also takes the entries of jump tables from it.
    #[arg(long, value_name = "FILE")]
    pub(crate) names: Option<PathBuf>,
    /// Whose texts to read and print where they differ: `mesa-26` prints floats so that they read back.
    #[arg(long, value_enum, default_value_t = CompatArg::Mesa24, value_name = "TOOL")]
    pub(crate) compat: CompatArg,
}

/// Whose texts to read and print where tools differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CompatArg {
    /// Floats as `%f`.
    #[value(name = "mesa-24.3")]
    Mesa24,
    /// Floats so that they read back.
    #[value(name = "mesa-26")]
    Mesa26,
}

impl From<CompatArg> for Compat {
    fn from(arg: CompatArg) -> Compat {
        match arg {
            CompatArg::Mesa24 => Compat::Mesa24,
            CompatArg::Mesa26 => Compat::Mesa26,
        }
    }
}

/// Where the result goes.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Where the result goes; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArgs {
    /// The file, if one is given.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Whether the result goes to the terminal that a progress bar would go to.
    pub(crate) fn is_on_terminal(&self) -> bool {
        self.output.as_deref().is_none_or(|path| path.as_os_str() == "-") && std::io::stdout().is_terminal()
    }

    /// Opens it for text.
    pub(crate) fn create(&self) -> Result<Output, Diagnostic> {
        Output::create(self.path(), false)
    }

    /// Writes a whole text.
    pub(crate) fn write(&self, text: &str) -> Result<(), Diagnostic> {
        crate::io::write(self.path(), false, text.as_bytes())
    }
}

/// The options that Intel Xe alone has, in every verb that reads its instructions.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Intel Xe")]
pub(crate) struct XeArgs {
    /// The input is hexadecimal text, bytes in memory order; without it that is recognised.
    #[arg(long, conflicts_with = "binary", help_heading = None)]
    pub(crate) hex: bool,
    /// Loads and stores in their own syntax.
    #[arg(long)]
    pub(crate) ldst: bool,
    /// Floating-point immediates as bits.
    #[arg(long)]
    pub(crate) hex_floats: bool,
}

/// An address or an offset: decimal, or hex after `0x`; `_` may stand between digits.
pub(crate) fn parse_address(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let parsed = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed.map_err(|e| format!("expected a number, or hex after `0x`: {e}"))
}
