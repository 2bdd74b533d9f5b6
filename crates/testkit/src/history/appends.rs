//! Strict serializability of transactions that read lists and append to them, as Elle infers it:
//! every value is appended once, so a list tells the order of its writers.
//!
//! The lists tell which transaction must come before which: the writer of a value before the writer
//! of the next (`Overwrites`), a writer before a reader of its value (`Reads`), a reader that did
//! not see a value before its writer (`Precedes`), a transaction that had returned before one that
//! was called later (`RealTime`). If these have a cycle, no order of the transactions explains the
//! reads.

use super::Span;
use super::graph::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// Number of a list.
pub type Key = u32;

/// Action of a transaction on one list. A transaction appends to a list at most once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Read the whole list, as it was before the transaction's own append.
    Read(Key, Vec<u64>),
    /// Appended a value that no other transaction appends.
    Append(Key, u64),
}

/// End of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The database did it.
    Committed,
    /// The database refused it.
    Aborted,
    /// No answer came.
    Unknown,
}

/// One transaction of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Time from call to return.
    pub span: Span,
    /// Its actions.
    pub actions: Vec<Action>,
    /// Its end.
    pub outcome: Outcome,
}

/// Reason for which one transaction comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Its value is followed by the other's in a list.
    Overwrites,
    /// The other read its value.
    Reads,
    /// It did not see the other's value.
    Precedes,
    /// It had returned before the other was called.
    RealTime,
}

/// A fault of a history that no serial order explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anomaly {
    /// A transaction read a value that none appended.
    FromNowhere(Key, u64),
    /// A transaction read a value of one that was refused.
    DirtyRead(Key, u64),
    /// A value stands twice in a list.
    Twice(Key, u64),
    /// Two reads of a list are not the beginning of one another.
    Diverged(Key, Vec<u64>, Vec<u64>),
    /// Transactions (by position in the history) that would each have to precede the next.
    Cycle(Vec<(usize, Order)>),
}

/// Checks a history.
pub fn check(history: &[Transaction]) -> Result<(), Anomaly> {
    let writers = writers(history);
    check_values(history, &writers)?;
    let orders = orders(history)?;
    let mut graph = Graph::new(history.len());
    add_writers(&mut graph, &orders, &writers);
    add_readers(&mut graph, history, &orders, &writers);
    add_unseen(&mut graph, history, &orders, &writers);
    add_real_time(&mut graph, history);
    match graph.cycle() {
        None => Ok(()),
        Some(mut cycle) => {
            // Moments are nodes as well, see `add_real_time`.
            cycle.retain(|(node, _)| *node < history.len());
            Err(Anomaly::Cycle(cycle))
        }
    }
}

/// The transaction that appended each value.
type Writers = BTreeMap<(Key, u64), usize>;
/// The order of the values of each list.
type Orders = BTreeMap<Key, Vec<u64>>;

fn writers(history: &[Transaction]) -> Writers {
    let mut writers = Writers::new();
    for (nth, transaction) in history.iter().enumerate() {
        for action in &transaction.actions {
            if let Action::Append(key, value) = action {
                let other = writers.insert((*key, *value), nth);
                assert_eq!(other, None, "every value is appended once");
            }
        }
    }
    writers
}

/// Returns the answered reads, each with its transaction.
fn reads(history: &[Transaction]) -> impl Iterator<Item = (usize, Key, &[u64])> {
    history
        .iter()
        .enumerate()
        .filter(|(_, transaction)| transaction.outcome == Outcome::Committed)
        .flat_map(|(nth, transaction)| {
            transaction.actions.iter().filter_map(move |action| match action {
                Action::Read(key, values) => Some((nth, *key, &values[..])),
                Action::Append(..) => None,
            })
        })
}

fn check_values(history: &[Transaction], writers: &Writers) -> Result<(), Anomaly> {
    for (_, key, values) in reads(history) {
        let mut seen = BTreeSet::new();
        for value in values {
            let Some(writer) = writers.get(&(key, *value)) else {
                return Err(Anomaly::FromNowhere(key, *value));
            };
            if history[*writer].outcome == Outcome::Aborted {
                return Err(Anomaly::DirtyRead(key, *value));
            }
            if !seen.insert(value) {
                return Err(Anomaly::Twice(key, *value));
            }
        }
    }
    Ok(())
}

/// Returns the longest read of each list, of which all others must be the beginning.
fn orders(history: &[Transaction]) -> Result<Orders, Anomaly> {
    let mut orders = Orders::new();
    for (_, key, values) in reads(history) {
        let longest = orders.entry(key).or_default();
        if values.len() > longest.len() {
            *longest = values.to_vec();
        }
    }
    for (_, key, values) in reads(history) {
        let longest = &orders[&key];
        if !longest.starts_with(values) {
            return Err(Anomaly::Diverged(key, longest.clone(), values.to_vec()));
        }
    }
    Ok(orders)
}

fn add_writers(graph: &mut Graph<Order>, orders: &Orders, writers: &Writers) {
    for (key, values) in orders {
        for pair in values.windows(2) {
            let [one, next] = [pair[0], pair[1]].map(|value| writers[&(*key, value)]);
            graph.add_edge(one, next, Order::Overwrites);
        }
    }
}

fn add_readers(
    graph: &mut Graph<Order>,
    history: &[Transaction],
    orders: &Orders,
    writers: &Writers,
) {
    for (reader, key, values) in reads(history) {
        if let Some(last) = values.last() {
            graph.add_edge(writers[&(key, *last)], reader, Order::Reads);
        }
        if let Some(next) = orders[&key].get(values.len()) {
            graph.add_edge(reader, writers[&(key, *next)], Order::Precedes);
        }
    }
}

/// Puts values that were appended and never read after all that were read.
fn add_unseen(
    graph: &mut Graph<Order>,
    history: &[Transaction],
    orders: &Orders,
    writers: &Writers,
) {
    let unseen = writers.iter().filter(|((key, value), writer)| {
        history[**writer].outcome == Outcome::Committed
            && !orders.get(key).is_some_and(|values| values.contains(value))
    });
    for ((key, _), writer) in unseen {
        for (reader, _, _) in reads(history).filter(|(_, read, _)| read == key) {
            graph.add_edge(reader, *writer, Order::Precedes);
        }
    }
}

/// Adds the order of returns and later calls: through a chain of moments, one for each return, so
/// that the edges are few.
fn add_real_time(graph: &mut Graph<Order>, history: &[Transaction]) {
    let mut moments: Vec<(u64, usize, bool)> = Vec::new();
    for (nth, transaction) in history.iter().enumerate() {
        moments.push((transaction.span.called, nth, false));
        moments.extend(transaction.span.returned.map(|returned| (returned, nth, true)));
    }
    moments.sort_unstable();
    let mut latest: Option<usize> = None;
    for (_, nth, is_return) in moments {
        if is_return && history[nth].outcome == Outcome::Committed {
            let moment = graph.add_node();
            graph.add_edge(nth, moment, Order::RealTime);
            if let Some(latest) = latest {
                graph.add_edge(latest, moment, Order::RealTime);
            }
            latest = Some(moment);
        } else if let (false, Some(latest)) = (is_return, latest) {
            graph.add_edge(latest, nth, Order::RealTime);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Action::{Append, Read};
    use super::*;

    fn committed(called: u64, returned: u64, actions: &[Action]) -> Transaction {
        Transaction {
            span: Span::new(called, returned),
            actions: actions.to_vec(),
            outcome: Outcome::Committed,
        }
    }

    /// Transactions that all overlap.
    fn together(transactions: &[&[Action]]) -> Vec<Transaction> {
        let count = transactions.len() as u64;
        let transactions = (0..).zip(transactions);
        transactions.map(|(nth, actions)| committed(nth, count + nth, actions)).collect()
    }

    /// Returns the reasons of the cycle in a history.
    fn cycle(history: &[Transaction]) -> Vec<Order> {
        match check(history) {
            Err(Anomaly::Cycle(cycle)) => {
                let mut reasons: Vec<_> = cycle.into_iter().map(|(_, order)| order).collect();
                reasons.sort();
                reasons
            }
            other => panic!("{other:?} is no cycle"),
        }
    }

    #[test]
    fn a_serial_history_is_accepted() {
        let history = [
            committed(0, 1, &[Append(1, 1), Append(2, 10)]),
            committed(2, 3, &[Read(1, vec![1]), Read(2, vec![10]), Append(1, 2)]),
            committed(4, 5, &[Read(1, vec![1, 2]), Read(2, vec![10])]),
        ];
        assert_eq!(check(&history), Ok(()));
    }

    #[test]
    fn transactions_that_overlap_may_come_in_any_order() {
        let history = together(&[
            &[Append(1, 1), Append(2, 10)],
            &[Append(1, 2), Append(2, 20)],
            &[Read(1, vec![2, 1]), Read(2, vec![20, 10])],
        ]);
        assert_eq!(check(&history), Ok(()));
    }

    #[test]
    fn a_lost_update_is_found() {
        let history = together(&[
            &[Read(1, vec![]), Append(1, 1)],
            &[Read(1, vec![]), Append(1, 2)],
            &[Read(1, vec![1, 2])],
        ]);
        assert_eq!(cycle(&history), [Order::Overwrites, Order::Precedes]);
    }

    #[test]
    fn an_acknowledged_append_that_is_gone_is_found() {
        let history = [committed(0, 1, &[Append(1, 1)]), committed(2, 3, &[Read(1, vec![])])];
        assert_eq!(cycle(&history), [Order::Precedes, Order::RealTime]);
    }

    #[test]
    fn a_stale_read_is_found() {
        let history = [
            committed(0, 1, &[Append(1, 1)]),
            committed(2, 3, &[Append(1, 2)]),
            committed(4, 5, &[Read(1, vec![1])]),
            committed(6, 7, &[Read(1, vec![1, 2])]),
        ];
        assert_eq!(cycle(&history), [Order::Precedes, Order::RealTime]);
    }

    #[test]
    fn a_dirty_read_is_found() {
        let mut history = together(&[&[Append(1, 1)], &[Read(1, vec![1])]]);
        history[0].outcome = Outcome::Aborted;
        assert_eq!(check(&history), Err(Anomaly::DirtyRead(1, 1)));
        history[0].outcome = Outcome::Unknown;
        assert_eq!(check(&history), Ok(()));
    }

    #[test]
    fn write_skew_is_found() {
        let history = together(&[
            &[Read(1, vec![]), Read(2, vec![]), Append(1, 1)],
            &[Read(1, vec![]), Read(2, vec![]), Append(2, 2)],
            &[Read(1, vec![1]), Read(2, vec![2])],
        ]);
        assert_eq!(cycle(&history), [Order::Precedes, Order::Precedes]);
    }

    #[test]
    fn a_fractured_read_is_found() {
        let history = together(&[
            &[Append(1, 1), Append(2, 1)],
            &[Read(1, vec![1]), Read(2, vec![])],
            &[Read(1, vec![1]), Read(2, vec![1])],
        ]);
        assert_eq!(cycle(&history), [Order::Reads, Order::Precedes]);
    }

    #[test]
    fn a_cycle_through_three_transactions_is_found() {
        let history = together(&[
            &[Read(1, vec![]), Append(2, 2)],
            &[Read(2, vec![]), Append(3, 3)],
            &[Read(3, vec![]), Append(1, 1)],
            &[Read(1, vec![1]), Read(2, vec![2]), Read(3, vec![3])],
        ]);
        assert_eq!(cycle(&history), [Order::Precedes; 3]);
    }

    #[test]
    fn writes_that_interleave_are_found() {
        let history = together(&[
            &[Append(1, 1), Append(2, 1)],
            &[Append(1, 2), Append(2, 2)],
            &[Read(1, vec![1, 2]), Read(2, vec![2, 1])],
        ]);
        assert_eq!(cycle(&history), [Order::Overwrites, Order::Overwrites]);
    }

    #[test]
    fn impossible_lists_are_found() {
        let nowhere = together(&[&[Read(1, vec![7])]]);
        assert_eq!(check(&nowhere), Err(Anomaly::FromNowhere(1, 7)));
        let twice = together(&[&[Append(1, 1)], &[Read(1, vec![1, 1])]]);
        assert_eq!(check(&twice), Err(Anomaly::Twice(1, 1)));
        let diverged = together(&[
            &[Append(1, 1)],
            &[Append(1, 2)],
            &[Read(1, vec![1, 2])],
            &[Read(1, vec![2])],
        ]);
        assert!(matches!(check(&diverged), Err(Anomaly::Diverged(1, ..))));
    }

    #[test]
    fn real_time_counts() {
        // Serializable, but only if the reader that began last comes first.
        let history = [
            committed(0, 1, &[Append(1, 1)]),
            committed(2, 3, &[Append(2, 2)]),
            committed(4, 5, &[Read(2, vec![2]), Read(1, vec![1])]),
            committed(6, 7, &[Read(1, vec![]), Read(2, vec![])]),
        ];
        assert!(cycle(&history).contains(&Order::RealTime));
    }
}
