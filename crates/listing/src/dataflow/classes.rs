//! Classes of bytes: neighbours that every operand of the program either touches or leaves alone together.
//!
//! A class ends wherever a piece of an operand begins or ends. So the classes of a piece are neighbours too, and an operand
//! needs no list of its classes: two looks into `of` give those of each of its pieces.

use super::program::{Program, Run};

/// The partition.
pub(super) struct Classes {
    /// Number of classes.
    pub(super) count: usize,
    /// Bytes of each class.
    pub(super) weight: Vec<u32>,
    /// Register file of each class.
    pub(super) file: Vec<u32>,
    /// Class of each byte; ascending.
    pub(super) of: Vec<u32>,
}

impl Classes {
    /// Calls `f` with the classes of an operand; where pieces overlap, they repeat.
    #[inline]
    pub(super) fn each(&self, runs: &[Run], mut f: impl FnMut(u32)) {
        for run in runs {
            let mut start = run.start as usize;
            for _ in 0..run.count {
                let (first, last) = (self.of[start], self.of[start + run.len as usize - 1]);
                for class in first..=last {
                    f(class);
                }
                start += run.stride as usize;
            }
        }
    }
}

/// Splits the bytes of the program's register files.
pub(super) fn classify(program: &Program) -> Classes {
    let universe = program.bases.last().copied().unwrap_or(0) as usize;
    // Whether a class begins at each byte.
    let mut begins = vec![false; universe + 1];
    program.bases.iter().for_each(|base| begins[*base as usize] = true);
    for run in &program.runs {
        let mut start = run.start as usize;
        for _ in 0..run.count {
            begins[start] = true;
            begins[start + run.len as usize] = true;
            start += run.stride as usize;
        }
    }
    let mut classes = Classes { count: 0, weight: Vec::new(), file: Vec::new(), of: Vec::with_capacity(universe) };
    for (file, ends) in (0..).zip(program.bases.windows(2)) {
        let mut start = ends[0];
        while start < ends[1] {
            let rest = &begins[start as usize + 1..=ends[1] as usize];
            let weight = 1 + rest.iter().position(|begins| *begins).unwrap_or(0) as u32;
            classes.of.resize((start + weight) as usize, classes.count as u32);
            classes.weight.push(weight);
            classes.file.push(file);
            classes.count += 1;
            start += weight;
        }
    }
    classes
}
