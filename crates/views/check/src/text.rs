//! A report as text: one paragraph for each finding, in the form in which compilers show theirs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mpirage_call::Severity;

use crate::report::{Finding, Report};

/// Ranks that are named; of more, only their number.
const NAMED: usize = 8;

/// The report as text.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        describe(finding, report.runs.len(), &mut out);
    }
    let _ = writeln!(out, "{}: {} in {}", report.program, counts(report), number(report.runs.len(), "run"));
    out
}

fn describe(finding: &Finding, runs: usize, out: &mut String) {
    let place = finding.place.as_ref().map_or(String::new(), |place| format!("{}: ", place.text));
    let Finding { severity, class, text, expected, .. } = finding;
    let _ = writeln!(out, "{place}{severity}: {text} [{class}]");
    let times = if finding.count > finding.ranks.len() {
        format!(", {}", number(finding.count, "time"))
    } else {
        String::new()
    };
    let by = if finding.call.is_empty() { String::new() } else { format!(" in {}", finding.call) };
    let _ = writeln!(out, "    {}{by}{times}{}", ranks(&finding.ranks), shown_in(finding, runs));
    for related in &finding.related {
        let place = related.place.as_ref().map_or(String::new(), |place| format!(" ({})", place.text));
        let _ = writeln!(out, "    {}{place}", related.text);
    }
    let _ = writeln!(out, "    expected: {expected}");
}

/// The runs in which it shows, unless it shows in all.
fn shown_in(finding: &Finding, runs: usize) -> String {
    match finding.runs.len() == runs {
        true => String::new(),
        false => format!("; in the run with {}", finding.runs.join(", with ")),
    }
}

fn counts(report: &Report) -> String {
    let kinds = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let found: Vec<String> = kinds
        .iter()
        .map(|&(severity, name)| (report.count(severity), name))
        .filter(|&(count, _)| count > 0)
        .map(|(count, name)| number(count, name))
        .collect();
    if found.is_empty() { "no findings".to_owned() } else { found.join(", ") }
}

fn number(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn ranks(ranks: &BTreeSet<u32>) -> String {
    let names: Vec<String> = ranks.iter().take(NAMED).map(u32::to_string).collect();
    match (ranks.len(), names.as_slice()) {
        (1, [one]) => format!("rank {one}"),
        (many, names) if many > NAMED => format!("{many} ranks ({}, …)", names.join(", ")),
        (_, names) => format!("ranks {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{CodePlace, RelatedPlace};
    use mpirage_call::FindingClass;

    #[test]
    fn a_finding_is_a_paragraph() {
        let mut report = Report::new("ring");
        let place = |line| Some(CodePlace { text: format!("ring.c:{line}"), file: None, line: Some(line) });
        let finding = Finding {
            call: "MPI_Recv".to_owned(),
            place: place(9),
            related: vec![RelatedPlace {
                rank: 1,
                call: "MPI_Send".to_owned(),
                place: place(7),
                text: "rank 1 sends 4 MPI_INT".to_owned(),
            }],
            ..Finding::new(FindingClass::DatatypeMismatch, 0, "wrong type".to_owned())
        };
        report.add_run("the default settings", [finding.clone(), finding]);
        report.add_run("eager limit 0", []);
        assert_eq!(
            text(&report),
            "ring.c:9: error: wrong type [datatype-mismatch]\n    \
             rank 0 in MPI_Recv, 2 times; in the run with the default settings\n    \
             rank 1 sends 4 MPI_INT (ring.c:7)\n    expected: the same type signature on both sides\n\
             ring: 1 error in 2 runs\n"
        );
    }
}
