//! What the program prints as JSON, against the schemas in the folder `schemas`, which are part of a release.
//!
//! `tests/schemas/commands.txt` lists commands and the form that each prints. Each object and each line has to say that form, and to be valid. The schemas
//! allow no key that they do not name, so a new one is seen; and a key that a schema names and no command prints is on the list
//! `tests/schemas/unseen.txt`, which has to be exact, so one that is gone is seen too. `BLESS=1` writes that list and the schema of listings anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_testing::{Failed, Trial, bless, peer, suite, workspace};
use serde_json::Value;

/// The form of listings, which they say in a key of their own.
const LISTING: &str = "urn:isaglot:listing:2.0";

/// After the form of a command that needs z3.
const SOLVER: &str = " z3";

fn main() {
    suite::run(vec![
        Trial::test("what_is_printed_is_valid", printed),
        Trial::test("every_form_has_its_schema", forms),
        Trial::test("the_schema_of_listings_is_that_of_the_library", listings),
    ]);
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas")
}

/// The schemas by the name of their form.
fn schemas() -> Result<BTreeMap<String, Value>, Failed> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(workspace().join("schemas"))?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "json") {
            let schema: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let (name, version) = stem.rsplit_once('-').ok_or("expected NAME-VERSION.json")?;
            let form = format!("urn:isaglot:{name}:{version}");
            if name != "listing" && schema["$id"] != form.as_str() {
                return Err(format!("{stem}.json: `$id` is not {form}").into());
            }
            all.insert(form, schema);
        }
    }
    Ok(all)
}

/// Every form of `src/schema.rs` has a file, and every file a form; the table in `schemas/README.md` names all.
fn forms() -> Result<(), Failed> {
    let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/schema.rs"))?;
    let mut named: BTreeSet<&str> = source.split('"').filter(|part| part.starts_with("urn:isaglot:")).collect();
    named.extend([LISTING, isaglot::explain::json::FORM, isaglot_verify::json::FORM]);
    let files = schemas()?;
    let files: BTreeSet<&str> = files.keys().map(String::as_str).collect();
    if named != files {
        return Err(format!("forms {named:?}\nfiles {files:?}").into());
    }
    let page = std::fs::read_to_string(workspace().join("schemas/README.md"))?;
    let missing = named.iter().filter(|form| {
        let (name, version) = form.trim_start_matches("urn:isaglot:").split_once(':').unwrap_or_default();
        !page.contains(&format!("`{name}-{version}.json`"))
    });
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("not in schemas/README.md: {missing:?}").into()) }
}

fn listings() -> Result<(), Failed> {
    let library = std::fs::read_to_string(workspace().join("crates/listing/src/schema.json"))?;
    bless::golden(&workspace().join("schemas/listing-2.0.json"), &library).map_err(Failed::from)
}

/// A folder with the files that the commands read.
fn folder() -> Result<tempfile::TempDir, Failed> {
    let dir = tempfile::tempdir()?;
    for from in [data().join("files"), workspace().join("examples/programs")] {
        copy(&from, dir.path())?;
    }
    for shared in ["specs", "examples"] {
        std::os::unix::fs::symlink(workspace().join(shared), dir.path().join(shared))?;
    }
    Ok(dir)
}

/// Copies what is in a folder into another.
fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)?.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn printed() -> Result<(), Failed> {
    let schemas = schemas()?;
    let dir = folder()?;
    let list = std::fs::read_to_string(data().join("commands.txt"))?;
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    let has_solver = peer::present(&[peer::Z3]);
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with("##")) {
        let (form, command) = line.split_once(": ").ok_or("expected `FORM: COMMAND`")?;
        if form.ends_with(SOLVER) && !has_solver {
            continue;
        }
        match answers(command, form.starts_with("message"), dir.path()) {
            Err(e) => wrong.push(format!("{command}: {e:?}")),
            Ok(_) if form == "prepare" => {}
            Ok(answers) => {
                let form = form.trim_end_matches(SOLVER);
                let (name, version) = form.rsplit_once('-').ok_or("expected NAME-VERSION")?;
                let form = format!("urn:isaglot:{name}:{version}");
                let schema = schemas.get(&form).ok_or_else(|| format!("no schema {form}"))?;
                let validator = jsonschema::validator_for(schema)?;
                if answers.is_empty() {
                    wrong.push(format!("{command}: no answer"));
                }
                for answer in &answers {
                    // A line of a program has a listing in it.
                    if let Some((listing, schema)) = answer.get("listing").zip(schemas.get(LISTING)) {
                        let validator = jsonschema::validator_for(schema)?;
                        wrong.extend(validator.iter_errors(listing).map(|e| format!("{command}: listing: {e}")));
                    }
                    wrong.extend(validator.iter_errors(answer).map(|e| format!("{command}: {}: {e}", e.instance_path)));
                    mark(schema, schema, (&form, String::new()), answer, &mut seen);
                }
            }
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    if !has_solver {
        println!("without z3 it is not known which keys are never printed");
        return Ok(());
    }
    let mut unseen = String::new();
    for (form, schema) in schemas.iter().filter(|(form, _)| !form.contains(":listing:")) {
        let mut all = BTreeSet::new();
        properties(schema, (form, String::new()), &mut all);
        for place in all.difference(&seen) {
            unseen += &format!("{place}\n");
        }
    }
    bless::golden(&data().join("unseen.txt"), &unseen).map_err(Failed::from)
}

/// The JSON that a command prints, on standard output or as messages: one document, or one in each line.
fn answers(command: &str, messages: bool, dir: &Path) -> Result<Vec<Value>, Failed> {
    let (command, file) = command.split_once(" > ").map_or((command, None), |(command, file)| (command, Some(file)));
    let words: Vec<String> = words(&command.replace("{isaglot}", env!("CARGO_BIN_EXE_isaglot")));
    let done =
        Command::new(env!("CARGO_BIN_EXE_isaglot")).args(&words).current_dir(dir).stdin(Stdio::null()).output()?;
    if done.status.code().is_none_or(|code| code > 1) {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    let text = match file {
        Some(file) => std::fs::read_to_string(dir.join(file))?,
        None => String::from_utf8(if messages { done.stderr } else { done.stdout })?,
    };
    if let Ok(one) = serde_json::from_str(&text) {
        return Ok(vec![one]);
    }
    if words.iter().any(|word| word == "-o") && file.is_none() {
        return Ok(Vec::new());
    }
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// The words of a command; `'…'` keeps some together.
fn words(command: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (n, part) in command.split('\'').enumerate() {
        if n % 2 == 1 {
            all.push(part.to_owned());
        } else {
            all.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    all
}

/// A place in a schema: its form, and the keys that lead there.
type Place<'p> = (&'p str, String);

fn deeper<'p>((form, at): &Place<'p>, key: &str) -> Place<'p> {
    (form, format!("{at}/{key}"))
}

/// The schema that a schema refers to, and its place.
fn resolved<'s, 'p>(root: &'s Value, schema: &'s Value, place: Place<'p>) -> (&'s Value, Place<'p>) {
    let name = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/"));
    name.map_or((schema, place.clone()), |name| (&root["$defs"][name], (place.0, format!("/{name}"))))
}

/// The keys that a schema names.
fn properties(root: &Value, place: Place<'_>, all: &mut BTreeSet<String>) {
    fn below(schema: &Value, place: Place<'_>, all: &mut BTreeSet<String>) {
        for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
            let place = deeper(&place, key);
            all.insert(format!("{} {}", place.0, place.1));
            below(inner, place, all);
        }
        for inner in [&schema["items"], &schema["additionalProperties"]].into_iter().filter(|inner| inner.is_object()) {
            below(inner, deeper(&place, "*"), all);
        }
        for inner in ["anyOf", "oneOf"].iter().filter_map(|key| schema[*key].as_array()).flatten() {
            below(inner, place.clone(), all);
        }
    }
    below(root, place.clone(), all);
    for (name, inner) in root["$defs"].as_object().into_iter().flatten() {
        below(inner, (place.0, format!("/{name}")), all);
    }
}

/// Notes the keys of a schema that a value has.
fn mark(root: &Value, schema: &Value, place: Place<'_>, value: &Value, seen: &mut BTreeSet<String>) {
    let (schema, place) = resolved(root, schema, place);
    if !schema.is_object() {
        return;
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(key) {
            let place = deeper(&place, key);
            seen.insert(format!("{} {}", place.0, place.1));
            mark(root, inner, place, value, seen);
        }
    }
    let has = |key: &str| schema["properties"].get(key).is_some();
    for (_, value) in value.as_object().into_iter().flatten().filter(|(key, _)| !has(key)) {
        mark(root, &schema["additionalProperties"], deeper(&place, "*"), value, seen);
    }
    for value in value.as_array().into_iter().flatten() {
        mark(root, &schema["items"], deeper(&place, "*"), value, seen);
    }
    for inner in ["anyOf", "oneOf"].iter().filter_map(|key| schema[*key].as_array()).flatten() {
        mark(root, inner, place.clone(), value, seen);
    }
}
