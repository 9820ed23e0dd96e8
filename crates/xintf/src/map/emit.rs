//! The tables of a map as source: C, Rust, and JSON that can be read back.
//!
//! A map is written only after it was linted, so every value is in range here; a row that is not is left out. Rows
//! are sorted by key, so that the same map gives the same bytes and a table can be searched by halves.

use std::collections::BTreeSet;
use std::fmt::Write;

use isaglot_invariant::Impossible as _;

use serde_json::{Value, json};

use super::{Levels, LunRow, Map, Route};

/// Tables with every value in range.
struct Flat<'a> {
    /// (interface, device, levels, logical unit)
    luns: Vec<(u64, u64, Levels, u64)>,
    /// (logical unit, levels, device, subdevice)
    routes: Vec<(u64, Levels, &'a str, u64)>,
    devices: Vec<&'a str>,
}

/// The tables of each context, with its name and number.
fn contexts(map: &Map) -> Vec<(&str, u16, Flat<'_>)> {
    map.contexts.iter().map(|c| (c.name.as_str(), c.number, flat(&c.luns, &c.routes))).collect()
}

/// All devices, sorted.
fn devices<'a>(top: &Flat<'a>, contexts: &[(&'a str, u16, Flat<'a>)]) -> Vec<&'a str> {
    let all = top.devices.iter().chain(contexts.iter().flat_map(|c| &c.2.devices));
    all.copied().collect::<BTreeSet<&str>>().into_iter().collect()
}

fn flat<'a>(luns: &'a [LunRow], routes: &'a [Route]) -> Flat<'a> {
    let luns = luns.iter().filter(|r| r.levels != Levels::default());
    let mut luns: Vec<_> = luns.filter_map(|r| Some((r.uuid.value?, r.dev.value?, r.levels, r.lun.value?))).collect();
    luns.sort_unstable();
    let routes = routes.iter().filter(|r| r.levels != Levels::default());
    let mut routes: Vec<_> =
        routes.filter_map(|r| Some((r.lun.value?, r.levels, r.device.as_str(), r.sub.value?))).collect();
    routes.sort_unstable();
    let devices: BTreeSet<&str> = routes.iter().map(|r| r.2).collect();
    Flat { luns, routes, devices: devices.into_iter().collect() }
}

fn json_tables(flat: &Flat<'_>) -> (Vec<Value>, Vec<Value>) {
    let luns = (flat.luns.iter())
        .map(|(uuid, dev, levels, lun)| {
            json!({ "uuid": format!("{uuid:#x}"), "dev": dev, "levels": levels.names(), "lun": lun })
        })
        .collect();
    let routes = (flat.routes.iter())
        .map(|(lun, levels, device, sub)| json!({ "lun": lun, "levels": levels.names(), "device": device, "sub": sub }))
        .collect();
    (luns, routes)
}

/// The map as JSON; [`super::read()`] takes it.
pub fn json(map: &Map) -> Value {
    let (luns, routes) = json_tables(&flat(&map.luns, &map.routes));
    let mut all = json!({
        "xlen": map.xlen.bits(), "levels": map.levels.names(), "commands": map.commands, "encoding": map.encoding,
        "trap_model": map.trap_model, "lun_map": luns, "dev_map": routes,
    });
    for (name, number, flat) in contexts(map) {
        let (luns, routes) = json_tables(&flat);
        all["context"][name] = json!({ "number": number, "lun_map": luns, "dev_map": routes });
    }
    if !map.shared.is_empty() {
        all["shared"] = map.shared.iter().map(|(name, _)| name.as_str()).collect();
    }
    all
}

/// The map as a C header: two tables and the two look-ups, and the same for contexts where there are any. C99 and C++.
pub fn c(map: &Map) -> String {
    let (top, contexts) = (flat(&map.luns, &map.routes), contexts(map));
    let mut out = String::new();
    let _ = write!(out, "{C_HEAD}");
    for (i, device) in devices(&top, &contexts).iter().enumerate() {
        let _ = writeln!(out, "#define XEXT_DEVICE_{device} {i}");
    }
    c_tables(&mut out, "", &top);
    let _ = write!(out, "{C_TAIL}");
    if !contexts.is_empty() {
        let _ = write!(out, "{C_CONTEXT_HEAD}");
        for (name, number, flat) in &contexts {
            let _ = writeln!(out, "\n#define XEXT_CONTEXT_{name} {number}");
            c_tables(&mut out, &format!("_{name}"), flat);
        }
        let _ = writeln!(out, "\nstatic const struct xext_context xext_contexts[] = {{");
        for (name, number, _) in &contexts {
            let count = |map: &str| format!("sizeof {map}_{name} / sizeof {map}_{name}[0]");
            let (luns, routes) = (count("xext_lun_map"), count("xext_dev_map"));
            let _ = writeln!(
                out,
                "    {{ {number}, \"{name}\", xext_lun_map_{name}, {luns},\n      xext_dev_map_{name}, {routes} }},"
            );
        }
        let _ = write!(out, "}};\n{C_CONTEXT_TAIL}");
    }
    out.push_str("\n#endif\n");
    out
}

/// The two tables, the names of which end with `suffix`.
fn c_tables(out: &mut String, suffix: &str, flat: &Flat<'_>) {
    let _ = writeln!(out, "\nstatic const struct xext_lun_row xext_lun_map{suffix}[] = {{");
    for (uuid, dev, levels, lun) in &flat.luns {
        let _ = writeln!(out, "    {{ UINT64_C({uuid:#x}), {dev}, {}, {lun} }}, /* {levels} */", levels.0);
    }
    let _ = writeln!(out, "}};\n\nstatic const struct xext_dev_row xext_dev_map{suffix}[] = {{");
    for (lun, levels, device, sub) in &flat.routes {
        let _ = writeln!(out, "    {{ {lun}, {}, XEXT_DEVICE_{device}, {sub} }}, /* {levels} */", levels.0);
    }
    out.push_str("};\n");
}

const C_HEAD: &str = "\
/* Generated by `isaglot xintf map build`; do not edit. */
#ifndef XEXT_MAP_H
#define XEXT_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Privilege levels; a row holds at the levels of its mask. */
#define XEXT_USER 1
#define XEXT_SUPER 2
#define XEXT_HYPER 4
#define XEXT_MACH 8

struct xext_lun_row {
    uint64_t uuid;
    uint16_t dev;
    uint8_t levels;
    uint16_t lun;
};

struct xext_dev_row {
    uint16_t lun;
    uint8_t levels;
    uint16_t device;
    uint16_t sub;
};

";

const C_TAIL: &str = "
/* The row for an interface (the upper XLEN - 12 bits of rs1) and a device number at one level; NULL if unknown. */
static inline const struct xext_lun_row *xext_find_lun(uint64_t uuid, unsigned dev, unsigned level)
{
    size_t i;
    for (i = 0; i < sizeof xext_lun_map / sizeof xext_lun_map[0]; i++) {
        const struct xext_lun_row *row = &xext_lun_map[i];
        if (row->uuid == uuid && row->dev == dev && (row->levels & level) != 0)
            return row;
    }
    return NULL;
}

/* The row for a logical unit at one level; NULL if xcmd has to trap. */
static inline const struct xext_dev_row *xext_find_device(unsigned lun, unsigned level)
{
    size_t i;
    for (i = 0; i < sizeof xext_dev_map / sizeof xext_dev_map[0]; i++) {
        const struct xext_dev_row *row = &xext_dev_map[i];
        if (row->lun == lun && (row->levels & level) != 0)
            return row;
    }
    return NULL;
}
";

const C_CONTEXT_HEAD: &str = "
/* Contexts: other tables of the level user. The register sxcontext (0x5c0) has the number of the one that is in force; those above
   are number 0. */
struct xext_context {
    uint16_t number;
    const char *name;
    const struct xext_lun_row *luns;
    size_t lun_count;
    const struct xext_dev_row *routes;
    size_t route_count;
};
";

const C_CONTEXT_TAIL: &str = "
/* The context of a number; NULL if there is none. */
static inline const struct xext_context *xext_find_context(unsigned number)
{
    size_t i;
    for (i = 0; i < sizeof xext_contexts / sizeof xext_contexts[0]; i++) {
        if (xext_contexts[i].number == number)
            return &xext_contexts[i];
    }
    return NULL;
}

/* The same as xext_find_lun while a context is in force; NULL also if there is no such context. */
static inline const struct xext_lun_row *xext_find_lun_in(unsigned context, uint64_t uuid, unsigned dev, unsigned level)
{
    const struct xext_context *in = xext_find_context(context);
    size_t i;
    if (context == 0 || level != XEXT_USER)
        return xext_find_lun(uuid, dev, level);
    for (i = 0; in != NULL && i < in->lun_count; i++) {
        if (in->luns[i].uuid == uuid && in->luns[i].dev == dev)
            return &in->luns[i];
    }
    return NULL;
}

/* The same as xext_find_device while a context is in force; NULL also if there is no such context. */
static inline const struct xext_dev_row *xext_find_device_in(unsigned context, unsigned lun, unsigned level)
{
    const struct xext_context *in = xext_find_context(context);
    size_t i;
    if (context == 0 || level != XEXT_USER)
        return xext_find_device(lun, level);
    for (i = 0; in != NULL && i < in->route_count; i++) {
        if (in->routes[i].lun == lun)
            return &in->routes[i];
    }
    return NULL;
}
";

/// The map as a Rust module without dependencies, with contexts where there are any.
pub fn rust(map: &Map) -> String {
    let (top, contexts) = (flat(&map.luns, &map.routes), contexts(map));
    let devices = devices(&top, &contexts);
    let mut out = String::new();
    let _ = write!(out, "{RUST_HEAD}");
    let _ = writeln!(out, "/// Devices by number.\npub const DEVICES: [&str; {}] = {devices:?};\n", devices.len());
    rust_tables(&mut out, "", &top, &devices);
    let _ = write!(out, "{RUST_TAIL}");
    if !contexts.is_empty() {
        let _ = writeln!(out, "{RUST_CONTEXT_HEAD}");
        for (_, number, flat) in &contexts {
            rust_tables(&mut out, &format!("_{number}"), flat, &devices);
            out.push('\n');
        }
        let count = contexts.len();
        let _ = writeln!(out, "/// All contexts but number 0.\npub const CONTEXTS: [Context; {count}] = [");
        for (name, number, _) in &contexts {
            let tables = format!("luns: &LUN_MAP_{number}, routes: &DEV_MAP_{number}");
            let _ = writeln!(out, "    Context {{ number: {number}, name: \"{name}\", {tables} }},");
        }
        let _ = write!(out, "];\n{RUST_CONTEXT_TAIL}");
    }
    out
}

/// The two tables, the names of which end with `suffix`.
fn rust_tables(out: &mut String, suffix: &str, flat: &Flat<'_>, devices: &[&str]) {
    let count = flat.luns.len();
    let _ = writeln!(out, "/// What `xext` looks into, sorted.\npub const LUN_MAP{suffix}: [LunRow; {count}] = [");
    for (uuid, dev, levels, lun) in &flat.luns {
        let levels = levels.0;
        let _ = writeln!(out, "    LunRow {{ uuid: {uuid:#x}, dev: {dev}, levels: {levels}, lun: {lun} }},");
    }
    let count = flat.routes.len();
    let _ =
        writeln!(out, "];\n\n/// What `xcmd` looks into, sorted.\npub const DEV_MAP{suffix}: [DevRow; {count}] = [");
    for (lun, levels, device, sub) in &flat.routes {
        let (levels, n) = (levels.0, devices.iter().position(|d| d == device).or_impossible(0));
        let _ = writeln!(out, "    DevRow {{ lun: {lun}, levels: {levels}, device: {n}, sub: {sub} }},");
    }
    out.push_str("];\n");
}

const RUST_HEAD: &str = "\
// Generated by `isaglot xintf map build`; do not edit.

/// A row of the table that `xext` looks into. Levels are a mask: user 1, super 2, hyper 4, mach 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LunRow {
    pub uuid: u64,
    pub dev: u16,
    pub levels: u8,
    pub lun: u16,
}

/// A row of the table that `xcmd` looks into; `device` is an index of `DEVICES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevRow {
    pub lun: u16,
    pub levels: u8,
    pub device: u16,
    pub sub: u16,
}

";

const RUST_TAIL: &str = "
/// The logical unit of an interface (the upper XLEN - 12 bits of rs1) and a device number at one level.
pub fn find_lun(uuid: u64, dev: u16, level: u8) -> Option<u16> {
    LUN_MAP.iter().find(|r| r.uuid == uuid && r.dev == dev && r.levels & level != 0).map(|r| r.lun)
}

/// The device and subdevice of a logical unit at one level; `None` if `xcmd` has to trap.
pub fn find_device(lun: u16, level: u8) -> Option<(u16, u16)> {
    DEV_MAP.iter().find(|r| r.lun == lun && r.levels & level != 0).map(|r| (r.device, r.sub))
}
";

const RUST_CONTEXT_HEAD: &str = "
/// Other tables of the level user. The register `sxcontext` (0x5c0) has the number of the one that is in force; those above are
/// number 0.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub number: u16,
    pub name: &'static str,
    pub luns: &'static [LunRow],
    pub routes: &'static [DevRow],
}
";

const RUST_CONTEXT_TAIL: &str = "
/// The same as `find_lun` while a context is in force; `None` also if there is no such context.
pub fn find_lun_in(context: u16, uuid: u64, dev: u16, level: u8) -> Option<u16> {
    if context == 0 || level != 1 {
        return find_lun(uuid, dev, level);
    }
    let luns = CONTEXTS.iter().find(|c| c.number == context)?.luns;
    luns.iter().find(|r| r.uuid == uuid && r.dev == dev).map(|r| r.lun)
}

/// The same as `find_device` while a context is in force; `None` also if there is no such context.
pub fn find_device_in(context: u16, lun: u16, level: u8) -> Option<(u16, u16)> {
    if context == 0 || level != 1 {
        return find_device(lun, level);
    }
    let routes = CONTEXTS.iter().find(|c| c.number == context)?.routes;
    routes.iter().find(|r| r.lun == lun).map(|r| (r.device, r.sub))
}
";
