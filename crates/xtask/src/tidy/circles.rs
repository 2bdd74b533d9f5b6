//! Circles of files: files of a crate that use one another, directly or through others of the circle.
//!
//! A circle of up to three files is allowed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::modules::Crate;
use super::{manifest, read};

/// Most files of a circle.
const MAX_FILES: usize = 3;

/// The circles of one crate.
#[derive(Debug)]
pub struct Circles {
    /// Folder of the crate.
    name: String,
    /// Number of files that were read.
    files: usize,
    /// Files of each circle.
    found: Vec<Vec<PathBuf>>,
}

/// Returns the circles of every crate.
pub fn all() -> Result<Vec<Circles>, String> {
    let mut found = Vec::new();
    for name in manifest::crate_folders()? {
        let folder = Path::new("crates").join(&name).join("src");
        let roots = ["lib.rs", "main.rs"].map(|root| folder.join(root));
        let (mut files, mut circles) = (0, Vec::new());
        for root in roots {
            let this = Crate::read(&root, &|file| read(file).ok());
            files += this.files().len();
            circles.extend(circles_of(&this));
        }
        found.push(Circles { name, files, found: circles });
    }
    Ok(found)
}

/// Returns the output of `cargo xtask tidy --verbose`: circles and files for each crate, and every circle.
pub fn report(found: &[Circles]) -> String {
    let mut lines = Vec::new();
    for Circles { name, files, found: circles } in found {
        lines.push(format!("crates/{name}: circles {}, files {files}", circles.len()));
        lines.extend(circles.iter().map(|circle| format!("  {}", listed(circle))));
    }
    lines.join("\n")
}

/// Returns a complaint for each circle that is too large.
pub fn complaints(found: &[Circles]) -> Vec<String> {
    let circles = found.iter().flat_map(|one| &one.found);
    let large = circles.filter(|circle| circle.len() > MAX_FILES);
    let complaint = |circle: &Vec<PathBuf>| {
        let files = listed(circle);
        format!("a circle of {} files, at most {MAX_FILES}: {files}", circle.len())
    };
    large.map(complaint).collect()
}

fn listed(circle: &[PathBuf]) -> String {
    circle.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn circles_of(this: &Crate) -> Vec<Vec<PathBuf>> {
    let mut circles: Vec<Vec<PathBuf>> = components(&this.uses())
        .into_iter()
        .filter(|files| files.len() > 1)
        .map(|files| files.into_iter().map(|file| this.files()[file].clone()).collect())
        .collect();
    for circle in &mut circles {
        circle.sort();
    }
    circles.sort();
    circles
}

/// Returns the strongly connected components of a graph, by Tarjan's algorithm.
fn components(edges: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let unseen = vec![None; edges.len()];
    let mut search =
        Search { edges, numbers: unseen, next: 0, stack: Vec::new(), found: Vec::new() };
    for node in 0..edges.len() {
        if search.numbers[node].is_none() {
            search.visit(node);
        }
    }
    search.found
}

/// A search in depth; its recursion is as deep as the longest way through the files of a crate.
struct Search<'a> {
    edges: &'a [BTreeSet<usize>],
    /// Number of each node, in the order of the search.
    numbers: Vec<Option<usize>>,
    next: usize,
    /// Nodes whose component is not complete yet.
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Visits a node and returns the lowest number that it reaches on the stack.
    fn visit(&mut self, node: usize) -> usize {
        let number = self.next;
        let depth = self.stack.len();
        self.next += 1;
        self.numbers[node] = Some(number);
        self.stack.push(node);
        let mut lowest = number;
        for &target in &self.edges[node] {
            let reached = match self.numbers[target] {
                None => self.visit(target),
                Some(seen) if self.stack.contains(&target) => seen,
                Some(_) => continue,
            };
            lowest = lowest.min(reached);
        }
        if lowest == number {
            self.found.push(self.stack.split_off(depth));
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[&[usize]]) -> Vec<Vec<usize>> {
        let edges: Vec<BTreeSet<usize>> =
            edges.iter().map(|targets| targets.iter().copied().collect()).collect();
        let mut found = components(&edges);
        for component in &mut found {
            component.sort_unstable();
        }
        found.sort();
        found
    }

    #[test]
    fn nodes_that_reach_one_another_are_one_component() {
        assert_eq!(found(&[&[1], &[2], &[]]), [[0], [1], [2]]);
        assert_eq!(found(&[&[1], &[0]]), [[0, 1]]);
        assert_eq!(
            found(&[&[1], &[2], &[0, 3], &[4], &[3, 5], &[]]),
            [vec![0, 1, 2], vec![3, 4], vec![5]]
        );
        assert_eq!(found(&[&[1, 2], &[3], &[3], &[0]]), [[0, 1, 2, 3]], "two circles share a node");
        assert_eq!(found(&[&[0]]), [[0]]);
    }

    #[test]
    fn circles_of_a_crate_are_found_among_siblings_only() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; pub use a::A;"),
            ("a/mod.rs", "mod child; pub struct A; fn f() { crate::b::f() }"),
            ("a/child.rs", "use super::A; fn f() { crate::c::f() }"),
            ("b.rs", "use crate::A; pub fn f() {}"),
            ("c.rs", "use super::b::f;"),
        ];
        let read = |path: &Path| {
            let file = files.iter().find(|(name, _)| path == Path::new(name));
            file.map(|(_, text)| (*text).to_owned())
        };
        let this = Crate::read(Path::new("lib.rs"), &read);
        assert_eq!(circles_of(&this), [["a/mod.rs", "b.rs"].map(PathBuf::from)]);
    }

    #[test]
    fn large_circles_are_refused() {
        let circle = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let found = vec![circle(&["a", "b", "c", "d"]), circle(&["x", "y", "z"])];
        let of_crate = Circles { name: "one".to_owned(), files: 7, found };
        assert_eq!(complaints(&[of_crate]), ["a circle of 4 files, at most 3: a, b, c, d"]);
    }
}
