//! What holds of a triage of any bytes by any description: shared by tests and fuzz targets.

use isaglot_bits::Pattern;
use isaglot_codec::Plan;
use isaglot_codec::tree::Match;
use isaglot_source::SourceMap;

use crate::limits::MAX_PASSES;
use crate::{Clusters, Report, Scanner, Tally, json, page, text};

/// Triages programs, in two halves that are merged in the other order.
#[must_use]
pub fn triage(plan: &Plan<'_>, programs: &[Vec<u8>]) -> (Tally, Clusters) {
    with(plan, programs, &|scanner| scanner)
}

fn with<'a>(
    plan: &Plan<'a>,
    programs: &[Vec<u8>],
    change: &dyn for<'s> Fn(Scanner<'s, 'a>) -> Scanner<'s, 'a>,
) -> (Tally, Clusters) {
    let mut clusters = Clusters::default();
    let mut pass = 0;
    loop {
        pass += 1;
        let mut tally = Tally::new(plan.isa());
        for part in [1, 0] {
            let mut scanner = change(Scanner::new(plan, Some(&clusters)));
            for (program, number) in programs.iter().zip(0_u32..).filter(|(_, number)| number % 2 == part) {
                scanner.feed(number, 0, program);
            }
            tally.merge(scanner.finish());
        }
        if !tally.is_open() || pass == MAX_PASSES {
            return (tally, clusters);
        }
        clusters.grow(plan, &tally);
    }
}

/// Checks the report about programs.
///
/// # Panics
/// If words are lost, a pattern has a word that an encoding decides, or two runs differ.
pub fn check(plan: &Plan<'_>, programs: &[Vec<u8>]) {
    let names: Vec<String> = (0..programs.len()).map(|n| n.to_string()).collect();
    let make = |(tally, clusters): (Tally, Clusters)| Report::new(plan, &SourceMap::new(), &tally, &clusters, &names);
    let report = make(triage(plan, programs));
    let exact = make(with(plan, programs, &|scanner| scanner.without_cache()));
    let of_words = report.clusters.iter().filter(|row| row.space.is_none());
    let counted: u64 = of_words.clone().map(|row| row.at.words).sum();
    assert!(counted <= report.unknown, "{counted} words in patterns, {} unknown", report.unknown);
    if report.outside == 0 {
        assert_eq!(counted, report.unknown, "each unknown word of {} is in a pattern", report.isa);
    }
    assert!(report.unknown + report.flawed <= report.words);
    for row in of_words {
        let pattern = Pattern::parse(&row.pattern).expect("a pattern reads back");
        let word = isaglot_bits::Word::parse(&format!("0x{}", row.at.example), pattern.width()).expect("a word");
        assert!(pattern.matches(&word), "{} is not of {}", row.at.example, row.pattern);
        assert_eq!(plan.decode(&word), Match::None, "{} is known", row.at.example);
    }
    assert_eq!(json::json(&report), json::json(&exact), "whatever is remembered, the same report");
    assert!(text::text(&report, text::Options::default()).contains("known"));
    assert!(page::page(&report).ends_with("</html>\n"));
}
