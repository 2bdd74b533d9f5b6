//! Findings in the forms that other tools read: SARIF 2.1.0 and the XML of `JUnit`.

use super::report::place_of;
use hashrange_lint::{Finding, Severity};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Returns a log of SARIF; findings of a design are in its file. Source: OASIS, Static Analysis Results Interchange
/// Format 2.1.0.
pub(super) fn sarif(findings: &[Finding], design: Option<&Path>) -> String {
    let rules: BTreeMap<&str, &Finding> =
        findings.iter().map(|finding| (finding.rule.id(), finding)).collect();
    let rules: Vec<Value> = rules
        .iter()
        .map(|(id, finding)| {
            let level = level(finding.rule.severity());
            json!({ "id": id, "defaultConfiguration": { "level": level }, "help": { "text": finding.fix } })
        })
        .collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, design)).collect();
    let driver = json!({
        "name": "hashrange lint", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    });
    format!("{log:#}\n")
}

fn result(finding: &Finding, design: Option<&Path>) -> Value {
    let place = place_of(finding);
    let lines = std::iter::once(&finding.evidence).chain(&finding.examples);
    let lines: Vec<&str> = lines.map(String::as_str).collect();
    let mut location =
        json!({ "logicalLocations": [{ "fullyQualifiedName": place, "kind": "member" }] });
    if let Some(file) = design {
        location["physicalLocation"] = json!({ "artifactLocation": { "uri": uri(file) } });
    }
    json!({
        "ruleId": finding.rule.id(),
        "level": level(finding.rule.severity()),
        "message": { "text": format!("{}\nfix: {}", lines.join("\n  "), finding.fix) },
        "locations": [location],
        "partialFingerprints": { "place/v1": format!("{} {place}", finding.rule.id()) },
    })
}

/// Returns a path as a reference in the form of RFC 3986: relative as it is given, else with `file://`.
fn uri(file: &Path) -> String {
    let mut uri = String::from(if file.has_root() { "file://" } else { "" });
    for byte in file.to_string_lossy().replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            write!(uri, "%{byte:02X}").ok();
        }
    }
    uri
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Suggestion => "note",
    }
}

/// Returns a report of `JUnit`: a case for each finding, which fails, or one that passes.
pub(super) fn junit(findings: &[Finding]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failures) = (findings.len().max(1), findings.len());
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a String cannot fail.
        writeln!(xml, "{text}").ok();
    };
    line(format_args!(
        "<testsuite name=\"hashrange lint\" tests=\"{tests}\" failures=\"{failures}\">"
    ));
    for finding in findings {
        let (rule, place) = (finding.rule.id(), escaped(&place_of(finding)));
        let severity = finding.rule.severity().word();
        line(format_args!("  <testcase classname=\"{rule}\" name=\"{place}\">"));
        let evidence = escaped(&finding.evidence);
        line(format_args!("    <failure type=\"{severity}\" message=\"{evidence}\">"));
        for key in &finding.examples {
            line(format_args!("{}", escaped(key)));
        }
        line(format_args!("fix: {}", escaped(&finding.fix)));
        line(format_args!("    </failure>"));
        line(format_args!("  </testcase>"));
    }
    if findings.is_empty() {
        line(format_args!("  <testcase classname=\"lint\" name=\"nothing found\"/>"));
    }
    line(format_args!("</testsuite>"));
    xml
}

/// Returns a text as XML has it in attributes and elements; characters that XML cannot have are
/// replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other if other.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::uri;
    use std::path::Path;

    #[test]
    fn paths_are_references() {
        for (path, expected) in [
            ("tables/orders.json", "tables/orders.json"),
            ("my tables/a#1.yaml", "my%20tables/a%231.yaml"),
            ("/repo/é.json", "file:///repo/%C3%A9.json"),
        ] {
            assert_eq!(uri(Path::new(path)), expected);
        }
    }
}
