//! A directed graph with a reason on each edge, and its shortest cycle.

use std::collections::{BTreeMap, VecDeque};

/// A graph of `nodes` nodes.
#[derive(Debug)]
pub(super) struct Graph<E> {
    edges: Vec<BTreeMap<usize, E>>,
}

impl<E: Copy> Graph<E> {
    pub(super) fn new(nodes: usize) -> Self {
        Self { edges: (0..nodes).map(|_| BTreeMap::new()).collect() }
    }

    /// Adds a node and returns it.
    pub(super) fn add_node(&mut self) -> usize {
        self.edges.push(BTreeMap::new());
        self.edges.len() - 1
    }

    /// Adds an edge unless there is one.
    pub(super) fn add_edge(&mut self, from: usize, to: usize, reason: E) {
        if from != to {
            self.edges[from].entry(to).or_insert(reason);
        }
    }

    /// Returns a cycle as its nodes, each with the reason of the edge that leaves it.
    pub(super) fn cycle(&self) -> Option<Vec<(usize, E)>> {
        let on_cycles = self.nodes_left_after_peeling();
        on_cycles.iter().filter_map(|start| self.cycle_through(*start)).min_by_key(Vec::len)
    }

    /// Takes away nodes that no edge enters, again and again; the others lie on cycles or behind
    /// them.
    fn nodes_left_after_peeling(&self) -> Vec<usize> {
        let mut entering = vec![0usize; self.edges.len()];
        self.edges.iter().flat_map(BTreeMap::keys).for_each(|to| entering[*to] += 1);
        let mut free: Vec<usize> =
            (0..self.edges.len()).filter(|node| entering[*node] == 0).collect();
        let mut left: Vec<bool> = vec![true; self.edges.len()];
        while let Some(node) = free.pop() {
            left[node] = false;
            for to in self.edges[node].keys() {
                entering[*to] -= 1;
                if entering[*to] == 0 {
                    free.push(*to);
                }
            }
        }
        (0..self.edges.len()).filter(|node| left[*node]).collect()
    }

    fn cycle_through(&self, start: usize) -> Option<Vec<(usize, E)>> {
        let mut before: BTreeMap<usize, (usize, E)> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for (to, reason) in &self.edges[node] {
                if before.contains_key(to) {
                    continue;
                }
                before.insert(*to, (node, *reason));
                if *to == start {
                    return Some(walk_back(start, &before));
                }
                queue.push_back(*to);
            }
        }
        None
    }
}

fn walk_back<E: Copy>(start: usize, before: &BTreeMap<usize, (usize, E)>) -> Vec<(usize, E)> {
    let mut cycle = Vec::new();
    let mut node = start;
    loop {
        let (previous, reason) = before[&node];
        cycle.push((previous, reason));
        if previous == start {
            cycle.reverse();
            return cycle;
        }
        node = previous;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_cycle_is_found_and_none_where_there_is_none() {
        let mut graph = Graph::new(5);
        for (from, to) in [(0, 1), (1, 2), (2, 3), (0, 3), (4, 0)] {
            graph.add_edge(from, to, ());
        }
        assert_eq!(graph.cycle(), None);
        graph.add_edge(3, 4, ());
        let nodes: Vec<_> = graph.cycle().unwrap().into_iter().map(|(node, ())| node).collect();
        assert_eq!(nodes.len(), 3);
        assert!([0, 3, 4].iter().all(|node| nodes.contains(node)), "{nodes:?}");
    }
}
