//! What the tests of published formats share: trees of files, and rows of facts.

use std::path::Path;

use isaglot_testing::{Failed, corpus};
use serde_json::Value;

/// A tree of files: paths relative to its root, with bytes, in order of path.
pub(crate) type Tree = Vec<(String, Vec<u8>)>;

/// The tree of an archive of the corpus; all its paths begin with `root`.
pub(crate) fn tree(corpus: &Path, archive: &str, root: &str) -> Result<Tree, Failed> {
    let folder = corpus::unpacked(&corpus.join(archive))?.join(root);
    let mut tree = Tree::new();
    collect(&folder, "", &mut tree)?;
    tree.sort();
    Ok(tree)
}

fn collect(folder: &Path, prefix: &str, tree: &mut Tree) -> Result<(), Failed> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", corpus::name(&path));
        if path.is_dir() {
            collect(&path, &format!("{name}/"), tree)?;
        } else {
            tree.push((name, std::fs::read(&path)?));
        }
    }
    Ok(())
}

/// The rows of a file of the corpus with one JSON object in each line.
pub(crate) fn rows(corpus: &Path, name: &str) -> Result<Vec<Value>, Failed> {
    let text = corpus::text(&corpus.join(name))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|e| format!("{name}: {e}").into())).collect()
}
