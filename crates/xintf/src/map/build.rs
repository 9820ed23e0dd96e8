//! From "this device serves that interface at these levels" to the two tables.
//!
//! Every service is one logical unit. Numbers are given from 32 up in the order of the file, leaving out those that
//! the file fixes or uses in rows of its own, so that the same file always gives the same tables. Programs never see
//! these numbers before they ask for them, so a number that changes with the file breaks no program.
//!
//! For example, on a machine with the levels user and mach, where the device `d` serves two interfaces:
//!
//! ```text
//! serves = [{ interface = "a:B" }, { interface = "a:C", levels = ["mach"], dev = 1 }]   # 5 and 6
//!
//! interface  device number  levels      unit         unit  levels      device  subdevice
//! 5          0              user, mach  32           32    user, mach  d       0
//! 6          1              mach        33           33    mach        d       0
//! ```
//!
//! The first device number of `a:B` is the lowest that is free; had a row of the file used the unit 32, the units would be
//! 33 and 34. Rows that differ only in their level become one.

use std::collections::BTreeSet;

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::{Levels, LunRow, Map, Route, Service, Value};
use crate::limits;

/// Adds the rows of all services and, if there are any, of the fallback interfaces to the tables of a map. Each context has
/// logical unit numbers of its own, and always the fallback interfaces.
pub fn build(map: &mut Map, out: &mut Diagnostics) {
    let is_bare = map.luns.is_empty() && map.routes.is_empty();
    if let Some(span) = map.contexts.first().map(|c| c.span).filter(|_| is_bare) {
        // All is in contexts.
        fallback(map, 0..3, span);
    }
    tables(map, out);
    for mut context in std::mem::take(&mut map.contexts) {
        let mut own = map.alone(&context);
        fallback(&mut own, 0..3, context.span);
        tables(&mut own, out);
        (context.luns, context.routes) = (own.luns, own.routes);
        map.contexts.push(context);
    }
}

fn tables(map: &mut Map, out: &mut Diagnostics) {
    let mut taken: BTreeSet<u64> = map.luns.iter().filter_map(|r| r.lun.value).collect();
    taken.extend(map.routes.iter().filter_map(|r| r.lun.value));
    let devices = std::mem::take(&mut map.devices);
    taken.extend(devices.iter().flat_map(|d| &d.serves).filter_map(|s| s.lun));
    // Device numbers that are already spoken for: (interface, level, device number).
    let mut devs: BTreeSet<(u64, Levels, u64)> = BTreeSet::new();
    for row in &map.luns {
        let (Some(uuid), Some(dev)) = (row.uuid.value, row.dev.value) else { continue };
        devs.extend(row.levels.each().map(|l| (uuid, l, dev)));
    }
    for service in devices.iter().flat_map(|d| &d.serves) {
        let Some(uuid) = service.uuid else { continue };
        let fixed = service.levels.each().filter_map(|l| Some((uuid, l, at(&service.dev, l)?)));
        devs.extend(fixed);
    }

    // A file that writes its tables out has to have the rows of 1 and 2 in them. That of 0 goes without saying.
    if let Some(device) = devices.iter().find(|d| !d.serves.is_empty()) {
        fallback(map, 0..3, device.span);
    } else if let Some(span) = map.luns.first().map(|row| row.span) {
        fallback(map, 0..1, span);
    }
    let mut next = u64::from(limits::FIRST_LUN);
    for device in &devices {
        for service in &device.serves {
            let Some(uuid) = service.uuid else { continue };
            let lun = service.lun.unwrap_or_else(|| {
                while taken.contains(&next) {
                    next += 1;
                }
                let lun = next;
                next += 1;
                lun
            });
            if lun > limits::MAX_UNIT {
                let d = Diagnostic::error("E-RANGE", "no logical unit number is left");
                out.push(
                    d.label(service.span, format!("there are {}", limits::MAX_UNIT + 1 - u64::from(limits::FIRST_LUN))),
                );
                map.devices = devices;
                return;
            }
            rows(map, &device.name, service, uuid, lun, &mut devs);
        }
    }
    map.devices = devices;
}

fn at<T: Copy>(numbers: &[Option<T>; 4], level: Levels) -> Option<T> {
    numbers.get(level.0.trailing_zeros() as usize).copied().flatten()
}

/// The rows of these fallback interfaces at every level, where the file has none of its own.
fn fallback(map: &mut Map, which: std::ops::Range<u64>, span: Span) {
    let value = |n| Value { value: Some(n), span };
    for n in which {
        let own = map.luns.iter().filter(|r| r.uuid.value == Some(n) && r.dev.value == Some(0));
        let left = Levels(own.fold(map.levels.0, |m, r| m & !r.levels.0));
        if left != Levels::default() {
            map.luns.push(LunRow { uuid: value(n), dev: value(0), levels: left, lun: value(n), span });
        }
        let own = map.routes.iter().filter(|r| r.lun.value == Some(n));
        let left = Levels(own.fold(map.levels.0, |m, r| m & !r.levels.0));
        if n > 0 && left != Levels::default() {
            let device = "fallback".to_owned();
            map.routes.push(Route { lun: value(n), levels: left, device, sub: value(n), span });
        }
    }
}

fn rows(map: &mut Map, device: &str, service: &Service, uuid: u64, lun: u64, devs: &mut BTreeSet<(u64, Levels, u64)>) {
    let span = service.span;
    let value = |n| Value { value: Some(n), span };
    let first_lun = map.luns.len();
    let first_route = map.routes.len();
    for level in service.levels.each() {
        let dev = at(&service.dev, level).unwrap_or_else(|| {
            let free = (0..).find(|&d| !devs.contains(&(uuid, level, d))).or_impossible(limits::MAX_UNIT);
            devs.insert((uuid, level, free));
            free
        });
        match map.luns.iter_mut().skip(first_lun).find(|r| r.dev.value == Some(dev)) {
            Some(row) => row.levels.0 |= level.0,
            None => map.luns.push(LunRow { uuid: value(uuid), dev: value(dev), levels: level, lun: value(lun), span }),
        }
        let sub = at(&service.sub.map(Some), level).unwrap_or_default();
        match map.routes.iter_mut().skip(first_route).find(|r| r.sub.value == Some(sub)) {
            Some(row) => row.levels.0 |= level.0,
            None => {
                let device = device.to_owned();
                map.routes.push(Route { lun: value(lun), levels: level, device, sub: value(sub), span });
            }
        }
    }
}
