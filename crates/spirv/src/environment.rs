//! Target environments: the names that SPIRV-Tools knows, and the core version that each has.

use core::fmt;
use core::str::FromStr;

/// Where a module is to run: Vulkan, OpenCL or OpenGL of some version, or SPIR-V alone. It decides the version in the header
/// and which instructions there are.
///
/// ```
/// use isaglot_spirv::{Environment, asm, assemble};
///
/// let vulkan: Environment = "vulkan1.1".parse().unwrap();
/// let options = asm::Options { version: Some(vulkan.minor()), ..asm::Options::default() };
/// assert_eq!(assemble(b"OpNop\n", &options).unwrap()[1], 0x0001_0300);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Environment {
    name: &'static str,
    minor: u8,
}

const fn environment(name: &'static str, minor: u8) -> Environment {
    Environment { name, minor }
}

/// All environments.
const ALL: [Environment; 26] = [
    environment("vulkan1.0", 0),
    environment("vulkan1.1", 3),
    environment("vulkan1.1spv1.4", 4),
    environment("vulkan1.2", 5),
    environment("vulkan1.3", 6),
    environment("vulkan1.4", 6),
    environment("spv1.0", 0),
    environment("spv1.1", 1),
    environment("spv1.2", 2),
    environment("spv1.3", 3),
    environment("spv1.4", 4),
    environment("spv1.5", 5),
    environment("spv1.6", 6),
    environment("opencl1.2", 0),
    environment("opencl1.2embedded", 0),
    environment("opencl2.0", 0),
    environment("opencl2.0embedded", 0),
    environment("opencl2.1", 0),
    environment("opencl2.1embedded", 0),
    environment("opencl2.2", 2),
    environment("opencl2.2embedded", 2),
    environment("opengl4.0", 0),
    environment("opengl4.1", 0),
    environment("opengl4.2", 0),
    environment("opengl4.3", 0),
    environment("opengl4.5", 0),
];

impl Environment {
    /// All environments that have a name.
    pub fn all() -> impl Iterator<Item = Environment> {
        ALL.into_iter()
    }

    /// Its name, as `spirv-as --target-env` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The minor `n` of its core version 1.n, for [`asm::Options::version`](crate::asm::Options::version).
    #[must_use]
    pub fn minor(self) -> u8 {
        self.minor
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// There is no environment of that name. The text lists those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEnvironment;

impl fmt::Display for UnknownEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected one of ")?;
        let mut names = Environment::all();
        names.next().map_or(Ok(()), |first| first.fmt(f))?;
        names.try_for_each(|next| write!(f, ", {next}"))
    }
}

impl core::error::Error for UnknownEnvironment {}

impl FromStr for Environment {
    type Err = UnknownEnvironment;

    fn from_str(name: &str) -> Result<Environment, UnknownEnvironment> {
        Environment::all().find(|known| known.name == name).ok_or(UnknownEnvironment)
    }
}
