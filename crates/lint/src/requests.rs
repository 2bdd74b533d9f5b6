//! Findings in requests, from the advice on indexes: filters that keys could answer, and indexes
//! that no request reads, that another index contains, or that hold too much.
//!
//! Left to others: the advice and its thresholds (the crate `advisor`).

use crate::finding::{Finding, Rule};
use hashrange_advisor::{Answered, NewIndex, Report, Spare, SpareIndex, UnusedKey};

/// Returns the findings of a recording for a table; in the order of the rules.
pub fn lint_requests(table: &str, report: &Report) -> Vec<Finding> {
    let new = report.add.iter().filter(|it| it.table == table).map(filter_not_key);
    let unused = report.unused_keys.iter().filter(|it| it.answered.request.table == table);
    let spare = report.spare.iter().filter(|it| it.table == table);
    let mut findings: Vec<Finding> =
        new.chain(unused.map(unused_key)).chain(spare.map(|it| spare_index(report, it))).collect();
    findings.sort_by_key(|finding| finding.rule);
    findings
}

fn filter_not_key(index: &NewIndex) -> Finding {
    let evidence = match index.balance() {
        Some(balance) => format!("an index by {} {balance}", names(index)),
        None => format!("an index by {} answers what is a filter", names(index)),
    };
    let examples = index.answers.iter().map(Answered::evidence).collect();
    let make = index.command();
    let instead: Vec<String> = index.answers.iter().map(|it| it.instead.to_string()).collect();
    Finding {
        table: index.table.clone(),
        fix: format!("{make} # then {}", instead.join(", ")).into(),
        ..Finding::new(Rule::FilterNotKey, evidence, examples)
    }
}

fn names(index: &NewIndex) -> String {
    let names: Vec<&str> =
        index.partition.iter().chain(&index.sort).map(|it| it.name.as_str()).collect();
    names.join(" and ")
}

fn unused_key(unused: &UnusedKey) -> Finding {
    let instead = &unused.answered.instead;
    let evidence = match unused.balance() {
        Some(balance) => format!("a filter is a key condition; that {balance}"),
        None => "a filter is a key condition".to_owned(),
    };
    Finding {
        table: instead.table.clone(),
        index: instead.index.clone(),
        fix: instead.to_string().into(),
        ..Finding::new(Rule::UnusedKey, evidence, vec![unused.answered.evidence()])
    }
}

fn spare_index(report: &Report, spare: &SpareIndex) -> Finding {
    let rule = match &spare.why {
        Spare::Unread => Rule::UnreadIndex,
        Spare::ContainedIn(_) => Rule::ContainedIndex,
        Spare::HoldsTooMuch(_) => Rule::OverProjected,
    };
    let evidence = format!("{}, in {} that were recorded", spare.evidence(), report.recorded());
    Finding {
        table: spare.table.clone(),
        index: Some(spare.index.clone()),
        fix: spare.remedy().into(),
        ..Finding::new(rule, evidence, vec![spare.balance()])
    }
}
