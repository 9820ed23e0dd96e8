//! What a compiler says of its kernels: the section [`SECTION`] of a zebin, which is YAML.
//!
//! Compilers write it in block form, a key or an item of a list on each line, and only that form is read: what else YAML can
//! express gives no facts, never wrong ones. Of each kernel its name is kept, and every scalar of its `execution_env`, such as
//! `simd_size`, `grf_count` and `barrier_count`, in the order of the text.

use crate::limits::MAX_KERNELS;

/// The section that holds it.
pub const SECTION: &str = ".ze_info";

/// What is said of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// How it runs: keys and values.
    pub environment: Vec<(String, String)>,
}

/// A line: the columns of what it says, and that.
struct Line<'t> {
    /// The column of `-`, if it begins an item of a list.
    item: Option<usize>,
    /// The column of the key.
    column: usize,
    key: &'t str,
    value: &'t str,
}

/// The kernels of a text.
#[must_use]
pub fn kernels(text: &str) -> Vec<KernelInfo> {
    let mut all: Vec<KernelInfo> = Vec::new();
    let (mut in_kernels, mut in_environment) = (false, false);
    // The columns of the items of the list, of the keys of a kernel, and of the keys of its environment.
    let (mut items, mut keys, mut inner) = (None, 0, None);
    for line in text.lines().filter_map(line) {
        if line.column == 0 {
            in_kernels = line.key == "kernels" && line.value.is_empty();
            items = None;
            continue;
        }
        if !in_kernels {
            // The items of another list may stand in column 0 too, with their keys further right.
            continue;
        }
        if line.item.is_some_and(|at| *items.get_or_insert(at) == at) {
            if all.len() == MAX_KERNELS {
                return all;
            }
            all.push(KernelInfo::default());
            keys = line.column;
            in_environment = false;
        }
        let Some(kernel) = all.last_mut() else { continue };
        if line.column == keys {
            in_environment = line.key == "execution_env" && line.value.is_empty();
            inner = None;
            if line.key == "name" {
                kernel.name = line.value.to_owned();
            }
        } else if in_environment && line.column > keys && line.item.is_none() {
            let is_scalar = !line.value.is_empty() && !line.value.starts_with(['[', '{', '&', '*', '|', '>']);
            if *inner.get_or_insert(line.column) == line.column && is_scalar {
                kernel.environment.push((line.key.to_owned(), line.value.to_owned()));
            }
        }
    }
    all
}

/// Takes a line apart; `None` if it says nothing.
fn line(text: &str) -> Option<Line<'_>> {
    let mut rest = text.trim_end();
    let mut column = 0;
    let mut item = None;
    loop {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        column += blanks;
        rest = rest.get(blanks..)?;
        match rest.strip_prefix("- ") {
            Some(after) => {
                item = item.or(Some(column));
                column += 2;
                rest = after;
            }
            None => break,
        }
    }
    let (key, value) = rest.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = value.trim();
    let quoted = |sign: char| value.strip_prefix(sign).and_then(|rest| rest.strip_suffix(sign));
    let value = quoted('\'').or_else(|| quoted('"')).unwrap_or(value);
    is_key.then_some(Line { item, column, key, value })
}

#[cfg(test)]
mod tests {
    use super::kernels;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let one = |kernel: super::KernelInfo| {
            let facts: Vec<String> = kernel.environment.iter().map(|(key, value)| format!(" {key}={value}")).collect();
            kernel.name + &facts.concat()
        };
        let found: Vec<String> = kernels(text).into_iter().map(one).collect();
        assert_eq!(found.join("; "), expected);
    }

    #[test]
    fn kernels_and_how_they_run() {
        let text = "---\nversion: '1.39'\nkernels:\n  - name: first\n    user_attributes:\n      simd_size: 99\n    execution_env:\n      \
                    grf_count: 128\n      required_work_group_size: [ 16, 1, 1 ]\n      simd_size: 16\n    payload_arguments:\n      \
                    - arg_type: local_size\n        offset: 12\n  - name: \"second:x\"\n    execution_env:\n      barrier_count: 2\n      \
                    work_group_walk_order_dimensions:\n        - 0\n        - 1\n      slm_size: 64\nfunctions:\n  - name: f\n    \
                    execution_env:\n      simd_size: 8\n";
        check(text, "first grf_count=128 simd_size=16; second:x barrier_count=2 slm_size=64");
    }

    #[test]
    fn items_may_stand_below_their_key() {
        check(
            "kernels:\n- name: a\n  execution_env:\n    simd_size: 32\n- execution_env:\n    simd_size: 8\n  name: b\n",
            "a simd_size=32; b simd_size=8",
        );
    }

    #[test]
    fn other_texts_say_nothing() {
        for text in [
            "",
            "kernels: [ { name: a } ]",
            "kernels:\n",
            "\u{0}\u{1}:::\n- - -\n",
            "name: a\nexecution_env:\n  simd_size: 8\n",
        ] {
            check(text, "");
        }
    }
}
