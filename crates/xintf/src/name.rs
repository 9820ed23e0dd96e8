//! Interface names, and the way from them to names that C, Rust and assemblers accept, and back.
//!
//! A name is `pkg:Name{:Name}`, a command adds `:command`. Mangling turns `.` into `_` and `:` into `__`. It can be
//! undone because a domain component has no `_` at all and no other component starts or ends with `_` or has two in a
//! row: the first `__` ends the domain, every later one separates components (1.8, R18).

use isaglot_invariant::Impossible as _;

use crate::limits;

/// What is wrong with a name, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    /// Byte offset of the offending component in the name.
    pub offset: usize,
    /// Length of the offending component in bytes; 0 for an empty one.
    pub len: usize,
    /// What was expected.
    pub why: &'static str,
}

impl core::fmt::Display for NameError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.why)
    }
}

impl core::error::Error for NameError {}

/// `[A-Za-z][A-Za-z0-9]*`: a component of the domain part.
pub fn is_domain_component(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// `[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*`: an interface component or a command name.
pub fn is_component(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !text.ends_with('_')
        && !text.contains("__")
}

/// Checks an interface name; the first fault is reported.
pub fn check_interface(name: &str) -> Result<(), NameError> {
    if name.len() > limits::MAX_NAME_BYTES {
        return Err(NameError { offset: 0, len: name.len(), why: "the name is too long" });
    }
    let mut offset = 0;
    let mut parts = 0;
    for part in name.split(':') {
        if parts == 0 {
            for component in part.split('.') {
                if !is_domain_component(component) {
                    let why = if component.is_empty() {
                        "a component of the domain part is empty"
                    } else {
                        "a component of the domain part is a letter followed by letters and digits"
                    };
                    return Err(NameError { offset, len: component.len(), why });
                }
                offset += component.len() + 1;
            }
        } else {
            component_error(part).map_err(|why| NameError { offset, len: part.len(), why })?;
            offset += part.len() + 1;
        }
        parts += 1;
    }
    if parts < 2 {
        let why = "an interface name is a domain, a colon and a name, such as `org.example:Thing`";
        return Err(NameError { offset: 0, len: name.len(), why });
    }
    Ok(())
}

/// Checks a command name.
pub fn check_command(name: &str) -> Result<(), NameError> {
    let fault = if name == "uuid" {
        Err("a command may not be named `uuid`: its macro would be that of the interface's number")
    } else if name.len() > limits::MAX_NAME_BYTES {
        Err("the name is too long")
    } else {
        component_error(name)
    };
    fault.map_err(|why| NameError { offset: 0, len: name.len(), why })
}

fn component_error(text: &str) -> Result<(), &'static str> {
    if is_component(text) {
        Ok(())
    } else if text.is_empty() {
        Err("a component of the name is empty")
    } else if text.contains("__") {
        Err("`__` is kept for mangled names and may not occur in a name")
    } else {
        Err("a name is a letter followed by letters, digits and single inner `_`")
    }
}

/// The mangled form of an interface name, or of `interface:command`.
///
/// ```
/// use isaglot_xintf::name;
/// assert_eq!(name::mangle("org.tinker.tinker:RocknRoll:rock"), "org_tinker_tinker__RocknRoll__rock");
/// ```
pub fn mangle(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        match c {
            '.' => out.push('_'),
            ':' => out.push_str("__"),
            c => out.push(c),
        }
    }
    out
}

/// The name that was mangled to this; `None` when no legal name was.
///
/// ```
/// use isaglot_xintf::name;
/// assert_eq!(name::demangle("org_x__Y__do_it").as_deref(), Some("org.x:Y:do_it"));
/// assert_eq!(name::demangle("org_x_Y"), None);
/// ```
pub fn demangle(mangled: &str) -> Option<String> {
    let (domain, rest) = mangled.split_once("__")?;
    let name = format!("{}:{}", domain.replace('_', "."), rest.replace("__", ":"));
    check_interface(&name).is_ok().then_some(name)
}

/// The last component of an interface name: `RocknRoll`.
pub fn short(name: &str) -> &str {
    name.rsplit(':').next().or_impossible(name)
}
