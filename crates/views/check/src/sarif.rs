//! A report as SARIF 2.1.0, which code hosts show beside the source lines (OASIS, *Static Analysis Results Interchange Format*).

use mpirage_call::FindingClass;
use serde_json::{Value, json};

use crate::report::{CodePlace, Finding, Report};

/// The report as a SARIF log with one run of the tool.
pub fn sarif(report: &Report, version: &str) -> Value {
    let rules: Vec<Value> = FindingClass::ALL.iter().map(|&class| rule(class)).collect();
    let results: Vec<Value> = report.findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "mpirage check", "version": version, "rules": rules}},
            "results": results,
            "properties": {"program": report.program, "runs": report.runs},
        }],
    })
}

fn rule(class: FindingClass) -> Value {
    json!({
        "id": class.name(),
        "shortDescription": {"text": class.description()},
        "defaultConfiguration": {"level": class.severity().name()},
    })
}

fn result(finding: &Finding) -> Value {
    let index = FindingClass::ALL.iter().position(|class| class.name() == finding.class);
    let locations: Vec<Value> = finding.place.iter().filter_map(|place| location(place, None)).collect();
    let related: Vec<Value> = finding
        .related
        .iter()
        .filter_map(|related| location(related.place.as_ref()?, Some(&related.text)))
        .collect();
    json!({
        "ruleId": finding.class,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": format!("{}. Expected: {}.", finding.text, finding.expected)},
        "locations": locations,
        "relatedLocations": related,
        "occurrenceCount": finding.count,
        "properties": {"ranks": finding.ranks, "call": finding.call, "runs": finding.runs},
    })
}

fn location(place: &CodePlace, message: Option<&str>) -> Option<Value> {
    let (file, line) = (place.file.as_ref()?, place.line?);
    let mut value = json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri(file)},
            "region": {"startLine": line.max(1)},
        },
    });
    if let Some(text) = message {
        value["message"] = json!({"text": text});
    }
    Some(value)
}

/// The file as a URI reference: characters with a meaning in one are escaped.
fn uri(file: &str) -> String {
    let mut out = String::new();
    for &byte in file.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_names_its_rule_and_place() {
        let mut report = Report::new("ring");
        let place = CodePlace { text: String::new(), file: Some("my ring.c".to_owned()), line: Some(9) };
        let leak = Finding {
            place: Some(place),
            ..Finding::new(FindingClass::DatatypeLeak, 3, "a datatype was not freed".to_owned())
        };
        report.add_run("default", [leak]);
        let log = sarif(&report, "1.0");
        let result = &log["runs"][0]["results"][0];
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], "datatype-leak");
        assert_eq!(result["level"], "warning");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20ring.c");
        assert_eq!(place["region"]["startLine"], 9);
    }
}
