//! One test for each entry of `docs/spirv-deviations.md`, under its number.

use isaglot_listing::tree::Elem;
use isaglot_spirv::{asm, dis, exact, list};

fn assemble(text: &str) -> Vec<u32> {
    let done = asm::assemble(text.as_bytes(), &asm::Options::default());
    assert_eq!(done.failures, [], "{text}");
    done.words
}

fn print(words: &[u32], options: &dis::Options<'_>) -> (String, Vec<String>) {
    let options = dis::Options { header: false, indent: false, ..*options };
    let done = dis::disassemble(words, &options);
    let text = String::from_utf8(done.text).expect("text");
    (text, done.failures.iter().map(dis::Failure::line).collect())
}

/// Text is what comes back from its own words under these options.
fn comes_back(text: &str, options: &dis::Options<'_>) {
    let words = assemble(text);
    let (printed, failures) = print(&words, options);
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!(assemble(&printed), words, "{printed}");
}

#[test]
fn d1_parameters_of_enumerants_are_all_known() {
    let words = assemble("OpDecorate %x InitModeALTERA InitOnDeviceReprogramALTERA\n");
    let (text, failures) = print(&words, &dis::Options { raw_id: true, ..dis::Options::default() });
    assert_eq!(text, "OpDecorate %1 InitModeALTERA InitOnDeviceReprogramALTERA\n");
    assert!(failures.is_empty());
}

#[test]
fn d2_big_endian_imports_can_be_read() {
    let words: Vec<u32> = assemble("%1 = OpExtInstImport \"OpenCL.std\"\n").iter().map(|w| w.swap_bytes()).collect();
    let (_, failures) = print(&words, &dis::Options::default());
    assert_eq!(failures, ["error: 1: Invalid extended instruction import 'nepOs.LC'"]);
    let (text, failures) = print(&words, &dis::Options { swap_imports: true, ..dis::Options::default() });
    assert_eq!(text, "%1 = OpExtInstImport \"OpenCL.std\"\n");
    assert!(failures.is_empty());
}

#[test]
fn d3_numbers_without_a_literal_can_be_words() {
    let wide = dis::Options { wide_numbers: true, ..dis::Options::default() };
    let text = "%t = OpTypeInt 128 0\n%c = OpConstant %t !1 !0 !0 !4294967295\n";
    comes_back(text, &wide);
    comes_back("%t = OpTypeFloat 8\n%c = OpConstant %t !255\n", &wide);
    let (printed, _) = print(&assemble(text), &dis::Options { raw_id: true, ..dis::Options::default() });
    assert!(printed.ends_with("%2 = OpConstant %1 \n"), "{printed}");
}

#[test]
fn d4_many_equal_names_cost_no_more_than_others() {
    let text: String = (1..=40_000).map(|i| format!("OpName %{i} \"same\"\n")).collect();
    let (printed, _) = print(&assemble(&text), &dis::Options::default());
    assert!(printed.starts_with("OpName %same \"same\"\nOpName %same_0 \"same\"\n"));
    assert!(printed.ends_with("OpName %same_39998 \"same\"\n"));
}

#[test]
fn d5_broken_control_flow_is_printed() {
    let words = assemble("%f = OpFunction %v None %t\n%a = OpLabel\nOpBranch %nowhere\nOpFunctionEnd\n");
    let options = dis::Options { nested_indent: true, reorder_blocks: true, raw_id: true, ..dis::Options::default() };
    let (text, failures) = print(&words, &options);
    assert_eq!(text, "%2 = OpFunction %1 None %3\n\n%4 = OpLabel\n  OpBranch %5\nOpFunctionEnd\n");
    assert!(failures.is_empty());
}

#[test]
fn d6_lines_inside_strings_count_where_people_read() {
    let text = "OpSourceExtension \"a\nb\"\nOpFoo\n";
    let done = asm::assemble(text.as_bytes(), &asm::Options::default());
    let failure = &done.failures[0];
    // The message of the stand-in says line 2 as the reference does; the place that is marked is right.
    assert_eq!(failure.line(), "error: 2: 1: Invalid Opcode name 'OpFoo'");
    assert_eq!(&text[failure.at..failure.at + failure.len], "OpFoo");
}

#[test]
fn d7_every_error_can_be_reported() {
    let text = "OpCapability Nope\nOpNop\nOpFoo\n%1 = OpTypeInt 32\n%2 = OpTypeVoid\n";
    let done = asm::assemble(text.as_bytes(), &asm::Options { keep_going: true, ..asm::Options::default() });
    let lines: Vec<String> = done.failures.iter().map(asm::Failure::line).collect();
    assert_eq!(
        lines,
        [
            "error: 1: 14: Invalid capability 'Nope'.",
            "error: 3: 1: Invalid Opcode name 'OpFoo'",
            "error: 5: 1: Expected operand for OpTypeInt instruction, but found the next instruction instead.",
        ]
    );
}

#[test]
fn d8_a_bad_instruction_need_not_be_the_end() {
    let words = [asm::MAGIC, 0x0001_0000, 0, 9, 0, 0x0002_fffe, 7, 0x0001_00fd, 0, 0x0002_0013, 1];
    let (text, failures) = print(&words, &dis::Options { keep_going: true, ..dis::Options::default() });
    let note = "  ; note: ID bound may be incorrect after reassembly";
    assert_eq!(text, format!("OpUnknown(65534, 2) 7{note}\nOpUnknown(253, 1){note}\n!0\n%void = OpTypeVoid\n"));
    assert_eq!(failures, ["error: 1: Invalid opcode: 65534", "error: 3: Invalid instruction word count: 0"]);
    assert_eq!(assemble(&text)[5..], words[5..]);
}

#[test]
fn d9_exact_text_keeps_header_ids_and_byte_order() {
    for swap in [false, true] {
        let words = [asm::MAGIC, 0x0001_0300, 42, 1000, 7, 0x0002_0013, 999, 0x0003_0016, 5, 0, 0xffff_0001];
        let words: Vec<u32> = words.iter().map(|w| if swap { w.swap_bytes() } else { *w }).collect();
        let text = exact::disassemble(&words, &dis::Options::default()).text;
        let (bytes, done) = exact::assemble(&text, &asm::Options::default());
        assert_eq!(done.failures, []);
        assert_eq!(bytes, *asm::to_bytes(&words), "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn d10_a_required_memory_access_is_a_mask() {
    let text = "%r = OpCooperativeMatrixLoadTensorNV %t %p %o %l Volatile|Nontemporal None\n";
    comes_back(text, &dis::Options { raw_id: true, ..dis::Options::default() });
}

#[test]
fn d11_names_and_places_come_out_of_the_assembler() {
    let text = "%a = OpTypeVoid\n  %7 = OpTypeBool\n";
    let done = asm::assemble(text.as_bytes(), &asm::Options { map: true, ..asm::Options::default() });
    let names: Vec<_> = done.names.iter(text.as_bytes()).collect();
    assert_eq!(names, [("a".into(), 1), ("7".into(), 2)]);
    assert_eq!(done.map, [(0, 5), (18, 7)]);
}

#[test]
fn d12_the_listing_has_blocks_and_their_edges() {
    let words = assemble(
        "%f = OpFunction %v None %t\n%a = OpLabel\nOpSelectionMerge %c None\nOpBranchConditional %x %b %c\n\
         %b = OpLabel\nOpBranch %c\n%c = OpLabel\nOpReturn\nOpFunctionEnd\n",
    );
    let (listing, failures) = list::list(&words, &dis::Options::default(), list::Show::default()).expect("a listing");
    assert!(failures.is_empty());
    let label = |n: usize| match &listing.elems[n] {
        Elem::L(label) => (label.symbol.as_ref(), label.preds.as_slice(), label.succs.as_slice()),
        Elem::I(inst) => panic!("{n} is {}", inst.op),
    };
    // The function, its three blocks: each edge is the number of a block.
    assert_eq!(label(0), ("%2", &[][..], &[1][..]));
    assert_eq!(label(2), ("%4", &[0][..], &[2, 3][..]));
    assert_eq!(label(6), ("%7", &[1][..], &[3][..]));
    assert_eq!(label(9), ("%5", &[1, 2][..], &[][..]));
    let Elem::I(merge) = &listing.elems[4] else { panic!("no instruction") };
    assert_eq!(merge.comment.as_deref(), Some("OpSelectionMerge %5 None"));
}

#[test]
fn d13_messages_do_not_grow_with_the_text() {
    let text = format!("Op{}\n", "A".repeat(100_000));
    let done = asm::assemble(text.as_bytes(), &asm::Options::default());
    assert!(done.failures[0].line().ends_with("AA'") && done.failures[0].message.len() < 66_000);
    assert_eq!(done.failures[0].len, text.len() - 1);
}

/// What the syntax page has, read as it says.
fn documented(text: &str) -> Vec<u32> {
    let options = asm::Options { documented: true, ..asm::Options::default() };
    let done = asm::assemble(text.as_bytes(), &options);
    assert_eq!(done.failures, [], "{text}");
    done.words
}

/// What the reference says, which is what is said by default.
fn refused(text: &str) -> String {
    let failures = asm::assemble(text.as_bytes(), &asm::Options::default()).failures;
    failures.first().map(asm::Failure::line).unwrap_or_default()
}

#[test]
fn d14_numbers_can_be_words() {
    let page = "%4 = OpConstant %1 123 456 789\nOpExecutionMode %2 LocalSize 11 22 33\nOpExecutionMode %3 InputLines\n";
    assert_eq!(refused(page), "error: 1: 20: Type for Constant must be a scalar floating point or integer type");
    let words = documented(page);
    assert_eq!(words[5..11], [0x0006_002b, 1, 2, 123, 456, 789]);
    assert_eq!(words[11..], [0x0006_0010, 3, 17, 11, 22, 33, 0x0003_0010, 4, 20]);
    let typed = "%1 = OpTypeInt 96 0\n%2 = OpConstant %1 123 456 789\n";
    assert_eq!(refused(typed), "error: 2: 20: Unsupported 96-bit integer literals");
    assert_eq!(documented(typed)[9..], [0x0006_002b, 1, 2, 123, 456, 789]);
    // What has a literal keeps it.
    let plain = "%1 = OpTypeInt 64 1\n%2 = OpConstant %1 -2\n";
    assert_eq!(documented(plain), assemble(plain));
}

#[test]
fn d15_floats_can_have_a_great_p() {
    let text = "%1 = OpTypeFloat 32\n%2 = OpConstant %1 0X1.P1\n";
    assert_eq!(refused(text), "error: 2: 20: Invalid 32-bit float literal: 0X1.P1");
    assert_eq!(documented(text)[8..], [0x0004_002b, 1, 2, 0x4000_0000]);
}

#[test]
fn d16_a_word_that_is_taken_is_said() {
    let text = "%1 = OpTypeVoid\n%2 = OpTypeStruct %1\n!262187 %1 %2 \"abc\"\n";
    let done = asm::assemble(text.as_bytes(), &asm::Options::default());
    assert_eq!(done.warnings.iter().map(|w| (w.code, w.at)).collect::<Vec<_>>(), [("spirv-word-taken", 37)]);
    assert_eq!(done.words[7..], [0x0007_001e, 2, 1, 262_187, 1, 2, 0x0063_6261]);
    assert_eq!(documented(text)[7..], [0x0003_001e, 2, 1, 262_187, 1, 2, 0x0063_6261]);
}

#[test]
fn d17_a_word_that_is_a_named_id_is_said() {
    let warnings = |text: &str| asm::assemble(text.as_bytes(), &asm::Options::default()).warnings;
    let hit = warnings("%void = OpTypeVoid\n%fn = OpTypeFunction !1\n");
    assert_eq!(hit.iter().map(|w| w.message.as_str()).collect::<Vec<_>>(), ["`!1` is the number of `%void`"]);
    // No id has the number, the name is the number, or no id is due.
    assert_eq!(warnings("%void = OpTypeVoid\n%fn = OpTypeFunction !7\n"), []);
    assert_eq!(warnings("%1 = OpTypeVoid\n%fn = OpTypeFunction !1\n"), []);
    assert_eq!(warnings("%void = OpTypeVoid\nOpCapability !1\n"), []);
}

#[test]
fn d18_constants_that_have_names() {
    let done = asm::assemble(b"OpControlBarrier Workgroup %s %m\n", &asm::Options::default());
    let failure = done.failures.first().expect("a failure");
    assert_eq!(failure.message, "Expected id to start with %.");
    assert!(failure.expected.as_ref().is_some_and(|e| e.contains("`%name = OpConstant %uint 2`")), "{failure:?}");
    let words =
        assemble("%1 = OpTypeInt 32 0\n%2 = OpConstant %1 2\n%3 = OpConstant %1 264\nOpControlBarrier %2 %2 %3\n");
    let options = dis::Options { raw_id: true, meanings: true, ..dis::Options::default() };
    let (text, _) = print(&words, &options);
    assert!(text.ends_with("; Workgroup, Workgroup, AcquireRelease|WorkgroupMemory\n"), "{text}");
    let (plain, _) = print(&words, &dis::Options { meanings: false, comment: true, ..options });
    assert!(plain.ends_with("OpControlBarrier %2 %2 %3\n"), "{plain}");
}
