//! Listings in older shapes, made into the present one.
//!
//! Version 1.0, and the example in the published description of the format, say the same things with other keys: `insts` for
//! `elems`, `surf`, `scale`, `addr` and `offset` within an address, `Vt`, `Wi` and `Hz` in a region, a token as text, `null` for what
//! does not apply. The method: the keys are renamed in the JSON, which is then read as any other.

use serde_json::{Map, Value, json};

/// The listing in the present shape; `None` if nothing in it is of an older one.
pub(crate) fn modern(bytes: &[u8]) -> Option<Value> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    let top = value.as_object_mut()?;
    let first = top.get("version").and_then(Value::as_str) == Some("1.0");
    if let Some(insts) = top.remove("insts") {
        top.insert("elems".to_owned(), insts);
    }
    let mut older = first;
    let mut labels = 0;
    for elem in top.get_mut("elems")?.as_array_mut()? {
        let elem = elem.as_object_mut()?;
        if elem.get("kind").and_then(Value::as_str) == Some("L") {
            if let Some(symbol) = elem.remove("value") {
                elem.insert("symbol".to_owned(), symbol);
                elem.insert("id".to_owned(), labels.into());
            }
            labels += 1;
        } else {
            older |= instruction(elem);
        }
    }
    if !older {
        return None;
    }
    top.insert("version".to_owned(), "2.0".into());
    without_nulls(&mut value);
    Some(value)
}

/// Whether anything of it was of an older shape.
fn instruction(elem: &mut Map<String, Value>) -> bool {
    let mut older = rename(elem, "other", "implicit");
    if let Some(Value::String(token)) = elem.get("sbid") {
        let token = token.strip_prefix('$').unwrap_or(token);
        let (id, func) = token.split_once('.').unwrap_or((token, ""));
        let func = if func.is_empty() { String::new() } else { format!(".{func}") };
        let id = id.parse::<u32>().map_or(Value::from(id), Value::from);
        elem.insert("sbid".to_owned(), json!({ "id": id, "func": func }));
        older = true;
    }
    if let Some(Value::Object(live)) = elem.get_mut("liveTotals") {
        older |= !live.contains_key("s");
        live.entry("s").or_insert(0.into());
    }
    if let Some(Value::Object(dst)) = elem.get_mut("dst") {
        // Not the readers of the destination, but who wrote it before.
        older |= dst.remove("defs").is_some();
        older |= operand(dst);
    }
    let srcs = elem.get_mut("srcs").and_then(Value::as_array_mut);
    let message = srcs.as_ref().is_some_and(|s| s.len() == 4);
    for (n, src) in srcs.into_iter().flatten().enumerate() {
        let Some(src) = src.as_object_mut() else { continue };
        older |= operand(src);
        if older && message && n >= 2 {
            descriptor(src);
        }
    }
    older
}

fn operand(o: &mut Map<String, Value>) -> bool {
    let mut older = false;
    if matches!(o.get("kind").and_then(Value::as_str), Some("IM" | "LB")) {
        for key in ["rgn", "defs", "type"] {
            if o.get(key).is_some_and(|v| v.is_null() || key != "type") {
                o.remove(key);
                older = true;
            }
        }
    }
    if o.get("mods").and_then(Value::as_str) == Some("") {
        o.remove("mods");
        older = true;
    }
    if let Some(Value::Object(rgn)) = o.get_mut("rgn") {
        for (old, new) in [("Vt", "v"), ("Wi", "w"), ("Hz", "h")] {
            older |= rename(rgn, old, new);
        }
    }
    let address = o.contains_key("surf") || o.contains_key("addr");
    if address {
        older = true;
        if let Some(Value::Object(mut surface)) = o.remove("surf") {
            rename(&mut surface, "atype", "type");
            if has_surface(surface.get("type")) {
                move_to(&mut surface, "offset", o, "soff");
            }
            move_to(&mut surface, "type", o, "stype");
            move_to(&mut surface, "defs", o, "sdefs");
        }
        if let Some(Value::Object(mut registers)) = o.remove("addr") {
            move_to(&mut registers, "reg", o, "areg");
            move_to(&mut registers, "len", o, "alen");
            move_to(&mut registers, "defs", o, "adefs");
        }
        for (old, new, plain) in [("scale", "ascale", 1), ("offset", "aoff", 0)] {
            if let Some(value) = o.remove(old).filter(|v| v.as_i64() != Some(plain)) {
                o.insert(new.to_owned(), value);
            }
        }
    }
    older
}

/// Whether messages to surfaces of this type have an index or an offset of the surface.
fn has_surface(ty: Option<&Value>) -> bool {
    matches!(ty.and_then(Value::as_str), Some("bti" | "bss" | "ss"))
}

/// A descriptor without `0x` is hexadecimal all the same.
fn descriptor(o: &mut Map<String, Value>) {
    if let Some(Value::String(value)) = o.get_mut("value")
        && !value.starts_with("0x")
    {
        *value = format!("0x{value}");
    }
}

fn rename(o: &mut Map<String, Value>, old: &str, new: &str) -> bool {
    let value = o.remove(old);
    let found = value.is_some();
    if let Some(value) = value {
        o.insert(new.to_owned(), value);
    }
    found
}

fn move_to(from: &mut Map<String, Value>, old: &str, to: &mut Map<String, Value>, new: &str) {
    if let Some(value) = from.remove(old) {
        to.insert(new.to_owned(), value);
    }
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(o) => {
            o.retain(|_, v| !v.is_null());
            o.values_mut().for_each(without_nulls);
        }
        Value::Array(all) => all.iter_mut().for_each(without_nulls),
        _ => {}
    }
}
