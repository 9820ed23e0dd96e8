//! Definitions, uses and live ids of generated modules, held against a computation that knows nothing of blocks, bit sets
//! or grammars: it walks from instruction to instruction, and knows what each reads because it made the words.

use std::collections::BTreeSet;

use isaglot_listing::read;
use isaglot_listing::tree::{Elem, Inst, Label, ListOperand, Listing};
use isaglot_listing::write::{Style, to_json};
use isaglot_source::FileId;
use isaglot_spirv::dis::Options;
use isaglot_spirv::list::{Show, list};
use isaglot_testing::flow::{self, Step};
use isaglot_testing::{Random, rounds};

const PROGRAMS: usize = 1000;

/// The ids that every module begins with.
const VOID: u32 = 1;
const INT: u32 = 2;
const BOOL: u32 = 3;
const FUNCTION: u32 = 4;

/// A made instruction: its words, the values that it reads or only names, what it defines, and where control goes.
#[derive(Default)]
struct Made {
    words: Vec<u32>,
    names: Vec<u32>,
    step: Step,
}

fn made(words: Vec<u32>, reads: Vec<u32>, write: Option<u32>, nexts: Vec<usize>) -> Made {
    Made { words, names: Vec::new(), step: Step { reads, write, nexts } }
}

fn instruction(opcode: u32, operands: &[u32]) -> Vec<u32> {
    let mut words = vec![(operands.len() as u32 + 1) << 16 | opcode];
    words.extend(operands);
    words
}

/// The shape of a function: ids of its labels, and of the values that each of its blocks makes.
struct Shape {
    id: u32,
    labels: Vec<u32>,
    values: Vec<Vec<u32>>,
}

/// A module: all its ids are fixed first, so that anything may name anything.
fn module(random: &mut Random) -> (Vec<Made>, u32) {
    let mut bound = 5;
    let mut fresh = || {
        bound += 1;
        bound - 1
    };
    let constants: Vec<u32> = (0..2 + random.index(3)).map(|_| fresh()).collect();
    let truth = fresh();
    let shapes: Vec<Shape> = (0..1 + random.index(3))
        .map(|_| {
            let blocks = 1 + random.index(7);
            Shape {
                id: fresh(),
                labels: (0..blocks).map(|_| fresh()).collect(),
                values: (0..blocks).map(|_| (0..random.index(5)).map(|_| fresh()).collect()).collect(),
            }
        })
        .collect();
    let values: Vec<u32> =
        constants.iter().chain(shapes.iter().flat_map(|s| s.values.iter().flatten())).copied().collect();
    let functions: Vec<u32> = shapes.iter().map(|s| s.id).collect();
    let mut all: Vec<Made> = Vec::new();
    // Names and decorations come before what they are about.
    for _ in 0..random.index(4) {
        let about = *random.pick(&values);
        let words =
            if random.index(2) == 0 { instruction(5, &[about, u32::from(b'n')]) } else { instruction(71, &[about, 0]) };
        all.push(Made { words, names: vec![about], ..Made::default() });
    }
    let plain = |words, names: &[u32], write| {
        let step = Step { write: Some(write), ..Step::default() };
        Made { words, names: names.to_vec(), step }
    };
    all.push(plain(instruction(19, &[VOID]), &[], VOID));
    all.push(plain(instruction(21, &[INT, 32, 0]), &[], INT));
    all.push(plain(instruction(20, &[BOOL]), &[], BOOL));
    all.push(plain(instruction(33, &[FUNCTION, VOID]), &[VOID], FUNCTION));
    for &id in &constants {
        all.push(plain(instruction(43, &[INT, id, random.index(9) as u32]), &[INT], id));
    }
    all.push(plain(instruction(41, &[BOOL, truth]), &[BOOL], truth));
    let module_end = all.len();
    for (at, made) in all.iter_mut().enumerate() {
        made.step.nexts = vec![at + 1];
    }
    let mut heads = Vec::new();
    for shape in &shapes {
        heads.push(all.len());
        function(shape, &values, &constants, truth, &functions, random, &mut all);
    }
    all[module_end - 1].step.nexts = heads;
    (all, bound)
}

fn function(
    shape: &Shape,
    values: &[u32],
    constants: &[u32],
    truth: u32,
    functions: &[u32],
    random: &mut Random,
    all: &mut Vec<Made>,
) {
    let head = all.len();
    let words = instruction(54, &[VOID, shape.id, 0, FUNCTION]);
    all.push(made(words, vec![VOID, FUNCTION], None, vec![head + 1]));
    // Where each label will stand: a label, its values, a terminator.
    let mut at = all.len();
    let starts: Vec<usize> = shape
        .values
        .iter()
        .map(|made| {
            at += made.len() + 2;
            at - made.len() - 2
        })
        .collect();
    for (label, made) in shape.labels.iter().zip(&shape.values) {
        let next = all.len() + 1;
        all.push(self::made(instruction(248, &[*label]), vec![], None, vec![next]));
        for &id in made {
            let next = all.len() + 1;
            let (a, b) = (*random.pick(values), *random.pick(values));
            let (words, reads) = match random.index(6) {
                0 => (instruction(57, &[VOID, id, *random.pick(functions)]), vec![VOID]),
                1 => (instruction(200, &[INT, id, a]), vec![INT, a]),
                2 => {
                    let (first, second) = (*random.pick(&shape.labels), *random.pick(&shape.labels));
                    (instruction(245, &[INT, id, a, first, b, second]), vec![INT, a, b])
                }
                _ => (instruction(128, &[INT, id, a, b]), vec![INT, a, b]),
            };
            all.push(self::made(words, reads, Some(id), vec![next]));
        }
        let mut place = || {
            let n = random.index(starts.len());
            (shape.labels[n], starts[n])
        };
        let ((one, to_one), (two, to_two)) = (place(), place());
        let (words, reads, nexts) = match random.index(5) {
            0 => (instruction(253, &[]), vec![], vec![]),
            1 => (instruction(249, &[one]), vec![], vec![to_one]),
            2 => {
                let selector = *random.pick(constants);
                (instruction(251, &[selector, one, 7, two]), vec![selector], vec![to_one, to_two])
            }
            _ => (instruction(250, &[truth, one, two]), vec![truth], vec![to_one, to_two]),
        };
        all.push(self::made(words, reads, None, nexts));
    }
    all.push(Made { words: instruction(56, &[]), ..Made::default() });
}

fn sources(inst: &Inst<'_>) -> BTreeSet<u32> {
    inst.srcs.iter().flat_map(|s| if let ListOperand::RD(o) = s { o.defs.clone() } else { Vec::new() }).collect()
}

fn uses(inst: &Inst<'_>) -> BTreeSet<u32> {
    inst.dst.iter().flat_map(|d| if let ListOperand::RD(o) = d { o.uses.clone() } else { Vec::new() }).collect()
}

fn parts<'l>(listing: &'l Listing<'_>) -> (Vec<&'l Label<'l>>, Vec<&'l Inst<'l>>) {
    let (mut labels, mut insts): (Vec<&Label<'_>>, Vec<&Inst<'_>>) = Default::default();
    for elem in &listing.elems {
        match elem {
            Elem::L(label) => labels.push(label),
            Elem::I(inst) => insts.push(inst),
        }
    }
    (labels, insts)
}

#[test]
fn spirv_dataflow_equals_a_walk_over_instructions() {
    let mut links = 0;
    for seed in 1..=rounds(PROGRAMS) as u64 {
        let (made, bound) = module(&mut Random::new(seed));
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, bound, 0];
        words.extend(made.iter().flat_map(|m| &m.words));
        let show = Show { defs: true, pc: true, bits: true };
        let (listing, problems) = list(&words, &Options::default(), show).expect("a listing");
        assert!(problems.is_empty(), "seed {seed}: {problems:?}");
        let json = to_json(&listing, Style::default());
        assert_eq!(read(FileId(0), &json).expect("reads back"), listing, "seed {seed}");
        let (_, insts) = parts(&listing);
        assert_eq!(insts.len(), made.len(), "seed {seed}");
        let steps: Vec<&Step> = made.iter().map(|m| &m.step).collect();
        let preds = flow::preds(&steps);
        let written: BTreeSet<u32> = steps.iter().filter_map(|s| s.write).collect();
        let mut wanted_uses = vec![BTreeSet::new(); made.len()];
        for (at, inst) in insts.iter().enumerate() {
            let m = &made[at];
            let read = m.step.reads.iter().flat_map(|&id| flow::definitions(&steps, &preds, at, id));
            // What is only named is found wherever it is.
            let by_name = |id: &u32| steps.iter().position(|s| s.write == Some(*id)).map(|at| at as u32);
            let wanted: BTreeSet<u32> = read.chain(m.names.iter().filter_map(by_name)).collect();
            assert_eq!(sources(inst), wanted, "seed {seed}, definitions of {at}: {:?}", inst.comment);
            links += wanted.len();
            for &definition in &wanted {
                wanted_uses[definition as usize].insert(at as u32);
            }
            let alive = written.iter().filter(|&&id| flow::live(&steps, at, id)).count() as u32;
            let told = inst.live_totals.as_ref().map(|l| l.0[0].1);
            assert_eq!(told, Some(alive), "seed {seed}, live before {at}: {:?}", inst.comment);
        }
        for (at, inst) in insts.iter().enumerate() {
            assert_eq!(uses(inst), wanted_uses[at], "seed {seed}, uses of {at}: {:?}", inst.comment);
        }
    }
    assert!(links > 10 * rounds(PROGRAMS), "only {links} links in all modules");
}

#[test]
fn blocks_of_a_loop() {
    let text = b"%void = OpTypeVoid\n%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%fn = OpTypeFunction %void\n\
        %main = OpFunction %void None %fn\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\nOpLoopMerge %d %c None\n\
        OpBranchConditional %true %c %d\n%c = OpLabel\nOpBranch %b\n%d = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let words = isaglot_spirv::assemble(text, &Default::default()).expect("it assembles");
    let (listing, _) =
        list(&words, &Options { raw_id: true, ..Options::default() }, Show::default()).expect("a listing");
    let (labels, _) = parts(&listing);
    let shown: Vec<(&str, &[u32], &[u32])> =
        labels.iter().map(|l| (l.symbol.as_ref(), l.preds.as_slice(), l.succs.as_slice())).collect();
    let none: &[u32] = &[];
    let wanted: [(&str, &[u32], &[u32]); 6] = [
        ("module", none, none),
        ("%5", none, &[2]),
        ("%6", &[1], &[3]),
        ("%7", &[2, 4], &[4, 5]),
        ("%9", &[3], &[3]),
        ("%8", &[3], none),
    ];
    assert_eq!(shown, wanted);
}

#[test]
fn damaged_modules_are_listed() {
    // No header is an error; a bad instruction is listed without operands, and the rest goes on.
    assert!(list(&[1, 2, 3], &Options::default(), Show::default()).is_err());
    let words = [0x0723_0203, 0x0001_0600, 0, 9, 0, 0x0002_0013, 1, 0x0009_ffff, 0x0002_0014, 2];
    let show = Show { defs: true, pc: true, bits: true };
    let (listing, problems) = list(&words, &Options::default(), show).expect("a listing");
    assert_eq!((problems.len(), parts(&listing).1.len()), (1, 3));
}
