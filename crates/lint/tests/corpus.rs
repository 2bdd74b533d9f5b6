//! Designs as real applications have them: bad ones are told by their rule, good ones by none.

mod designs;

use designs::Design;
use hashrange_lint::{Finding, lint};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Rules that may be told besides the expected one.
const ALSO: [(&str, &str, &str); 0] = [];

fn designs(folder: &str) -> Vec<Design> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        Design::read(name, &fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

fn found(design: &Design) -> Vec<Finding> {
    lint(&design.table, &design.items, &[])
}

fn line(table: &mut String, design: &Design, what: &str, findings: &[&Finding]) {
    writeln!(table, "{:40} {what}", design.name).unwrap();
    for finding in findings {
        let attribute = finding.attribute.as_deref().unwrap_or("");
        writeln!(
            table,
            "    {} ({attribute}) {} {:?}",
            finding.rule, finding.evidence, finding.examples
        )
        .unwrap();
    }
}

#[test]
fn bad_designs_are_told_by_their_rule_only() {
    let mut failures = String::new();
    for design in designs("bad") {
        if design.expected.iter().any(|rule| rule.starts_with("other:")) {
            continue;
        }
        let findings = found(&design);
        let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.rule.id()).collect();
        for rule in &design.expected {
            if !rules.contains(&rule[..]) {
                line(&mut failures, &design, &format!("misses {rule}"), &[]);
            }
        }
        let is_other = |finding: &&Finding| {
            let rule = finding.rule.id();
            let may_be = ALSO.iter().any(|(name, also, _)| *name == design.name && *also == rule);
            !may_be && !design.expected.iter().any(|expected| expected == rule)
        };
        let others: Vec<&Finding> = findings.iter().filter(is_other).collect();
        if !others.is_empty() {
            line(&mut failures, &design, "has others", &others);
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn nothing_is_found_in_good_designs() {
    let mut failures = String::new();
    for design in designs("good") {
        let findings = found(&design);
        if !findings.is_empty() {
            line(&mut failures, &design, "", &findings.iter().collect::<Vec<_>>());
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
