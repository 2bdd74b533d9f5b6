//! Modules of a crate as its files declare them, and the file that a path in one of them leads to.
//!
//! Follows `mod` from the root of the crate, so files that only tests declare are not there. A path leads to the
//! file that defines its last name; re-exports are followed. Methods and macros are reached without a path and
//! are not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::source::product_code;

/// Re-exports followed for one path; those that lead back to themselves end there.
const MAX_REEXPORTS: usize = 16;

/// A path in code, or the path of a module from the root of its crate.
type Names = Vec<String>;

/// One module.
#[derive(Debug, Default)]
struct Module {
    /// Index of the file that has its text.
    file: usize,
    /// Names that `use` binds here, with the paths they stand for.
    bound: BTreeMap<String, Names>,
    /// Modules all of whose names are used here.
    globs: Vec<Names>,
    /// Names of the items defined here.
    defined: BTreeSet<String>,
    /// Every path in the text, those of `use` included.
    paths: Vec<Names>,
}

/// The modules of a crate.
#[derive(Debug)]
pub struct Crate {
    files: Vec<PathBuf>,
    /// The module of each file.
    places: Vec<Names>,
    modules: BTreeMap<Names, Module>,
}

impl Crate {
    /// Reads a crate from its root file; `read` returns the text of a file, `None` if there is no such file.
    pub fn read(root: &Path, read: &impl Fn(&Path) -> Option<String>) -> Self {
        let mut this = Self { files: Vec::new(), places: Vec::new(), modules: BTreeMap::new() };
        let folder = root.parent().unwrap_or(Path::new(""));
        this.add(root.to_path_buf(), &[], folder, read);
        this
    }

    /// Returns the files of the crate, without those of tests.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns for each file the files that it uses. Files above and below it in the tree of modules are left
    /// out: a parent declares its children, and they share what it defines.
    pub fn uses(&self) -> Vec<BTreeSet<usize>> {
        let mut uses = vec![BTreeSet::new(); self.files.len()];
        for (place, module) in &self.modules {
            for path in &module.paths {
                let Some(target) = self.find(place, path, MAX_REEXPORTS) else { continue };
                let used = self.modules[&target].file;
                let (own, theirs) = (&self.places[module.file], &self.places[used]);
                if !own.starts_with(theirs) && !theirs.starts_with(own) {
                    uses[module.file].insert(used);
                }
            }
        }
        uses
    }

    fn add(
        &mut self,
        file: PathBuf,
        place: &[String],
        folder: &Path,
        read: &impl Fn(&Path) -> Option<String>,
    ) {
        let Some(text) = read(&file) else { return };
        let index = self.files.len();
        self.files.push(file);
        self.places.push(place.to_vec());
        let code = product_code(&text);
        let mut reader =
            Reader { tokens: tokens(&code), at: 0, modules: Vec::new(), children: Vec::new() };
        reader.module(place.to_vec());
        for (place, mut module) in reader.modules {
            module.file = index;
            self.modules.insert(place, module);
        }
        for child in reader.children {
            let names = &child[place.len()..];
            let folder = names.iter().fold(folder.to_path_buf(), |folder, name| folder.join(name));
            let candidates = [folder.with_extension("rs"), folder.join("mod.rs")];
            if let Some(file) = candidates.into_iter().find(|file| read(file).is_some()) {
                self.add(file, &child, &folder, read);
            }
        }
    }

    /// Returns the module that defines the target of a path in a module; `None` for other crates.
    fn find(&self, place: &[String], path: &[String], reexports: usize) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.walk(Vec::new(), rest, reexports),
            "self" if rest.first().is_some_and(|name| name == "super") => {
                self.find(place, rest, reexports)
            }
            "self" => self.walk(place.to_vec(), rest, reexports),
            "super" => {
                let above = &place[..place.len().checked_sub(1)?];
                match rest.first() {
                    Some(name) if name == "super" => self.find(above, rest, reexports),
                    _ => self.walk(above.to_vec(), rest, reexports),
                }
            }
            _ => self.step(place, path, reexports),
        }
    }

    /// Returns the module that defines the target of names, from a module.
    fn walk(&self, place: Names, names: &[String], reexports: usize) -> Option<Names> {
        match self.step(&place, names, reexports) {
            Some(found) => Some(found),
            None => self.modules.contains_key(&place).then_some(place),
        }
    }

    /// As [`walk`](Self::walk); `None` if the module does not have the first of the names.
    fn step(&self, place: &[String], names: &[String], reexports: usize) -> Option<Names> {
        let module = self.modules.get(place)?;
        let (first, rest) = names.split_first()?;
        let child: Names = place.iter().chain([first]).cloned().collect();
        if self.modules.contains_key(&child) {
            return self.walk(child, rest, reexports);
        }
        if module.defined.contains(first) {
            return Some(place.to_vec());
        }
        let reexports = reexports.checked_sub(1)?;
        if let Some(target) = module.bound.get(first).filter(|target| *target != names) {
            let target: Names = target.iter().chain(rest).cloned().collect();
            return self.find(place, &target, reexports);
        }
        module.globs.iter().find_map(|glob| {
            let glob = self.find(place, glob, reexports)?;
            if glob == place { None } else { self.step(&glob, names, reexports) }
        })
    }
}

/// Splits a code into names, `::`, and single letters.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(letter) = rest.chars().next() {
        let name = super::source::word(rest);
        let length = match name.len() {
            0 if rest.starts_with("::") => 2,
            0 => letter.len_utf8(),
            length => length,
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// Reads the modules in the code of one file.
struct Reader<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    /// Modules of this file, each with its path.
    modules: Vec<(Names, Module)>,
    /// Modules that have files of their own.
    children: Vec<Names>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    fn peek(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).copied().unwrap_or("")
    }

    /// Reads up to the brace that closes a module.
    fn module(&mut self, place: Names) {
        let mut module = Module::default();
        let mut depth = 0_i32;
        while let Some(token) = self.next() {
            match token {
                "{" => depth += 1,
                "}" => depth -= 1,
                "mod" if is_name(self.peek(0)) => self.declared(&place),
                "use" => self.used(&mut module, Vec::new()),
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                    if is_name(self.peek(0)) =>
                {
                    module.defined.insert(self.peek(0).to_owned());
                }
                "macro_rules" if self.peek(0) == "!" => {
                    module.defined.insert(self.peek(1).to_owned());
                }
                _ if is_name(token) && self.peek(0) == "::" => self.path(&mut module, token),
                _ => {}
            }
            if depth < 0 {
                break;
            }
        }
        self.modules.push((place, module));
    }

    fn declared(&mut self, place: &[String]) {
        let name = self.next().unwrap_or_default().to_owned();
        let child: Names = place.iter().cloned().chain([name]).collect();
        match self.next() {
            Some("{") => self.module(child),
            _ => self.children.push(child),
        }
    }

    /// Reads a path of which the first name was read; in `pub(in ...)` it is none.
    fn path(&mut self, module: &mut Module, first: &str) {
        let is_visibility = self.at >= 2 && self.tokens[self.at - 2] == "in" && {
            let before = self.at.checked_sub(3).map(|at| self.tokens[at]);
            before == Some("(")
        };
        let mut path = vec![first.to_owned()];
        while self.peek(0) == "::" && is_name(self.peek(1)) {
            path.push(self.peek(1).to_owned());
            self.at += 2;
        }
        if !is_visibility {
            module.paths.push(path);
        }
    }

    /// Reads one tree of a `use` behind the names that stand before it.
    fn used(&mut self, module: &mut Module, mut path: Names) {
        while let Some(token) = self.next() {
            match token {
                "::" => {}
                "{" => {
                    while !matches!(self.peek(0), "}" | "") {
                        self.used(module, path.clone());
                        if self.peek(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "*" => {
                    module.paths.push(path.clone());
                    module.globs.push(path);
                    return;
                }
                "self" if !path.is_empty() => {}
                _ if is_name(token) => path.push(token.to_owned()),
                _ => return,
            }
            if matches!(self.peek(0), "," | ";" | "}" | "as") {
                let mut name = path.last().cloned().unwrap_or_default();
                if self.peek(0) == "as" {
                    self.peek(1).clone_into(&mut name);
                    self.at += 2;
                }
                module.paths.push(path.clone());
                module.bound.insert(name, path);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns who uses whom among made-up files: `a.rs > b.rs`.
    fn uses(files: &[(&str, &str)]) -> Vec<String> {
        let read = |path: &Path| {
            let file = files.iter().find(|(name, _)| path == Path::new(name));
            file.map(|(_, text)| (*text).to_owned())
        };
        let this = Crate::read(Path::new("lib.rs"), &read);
        let name = |file: usize| this.files()[file].display().to_string();
        let uses = this.uses().into_iter().enumerate();
        uses.flat_map(|(file, used)| {
            used.into_iter().map(move |used| (file, used)).collect::<Vec<_>>()
        })
        .map(|(file, used)| format!("{} > {}", name(file), name(used)))
        .collect()
    }

    #[test]
    fn a_path_is_followed_in_every_spelling() {
        for code in [
            "use crate::b::B;",
            "use super::b::{self, B};",
            "use crate::{b::{B as C}, x};",
            "use crate::b;",
            "use super::b::*;",
            "fn f() -> crate::b::B {}",
            "fn f() { super::b::f::<u8>() }",
            "pub use self::super::b::f;",
        ] {
            let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", code), ("b.rs", "pub struct B;")];
            assert_eq!(uses(&files), ["a.rs > b.rs"], "{code}");
        }
        for code in ["// crate::b", "use std::b::B;", "pub(in crate::b) fn f() {}", "b::f();"] {
            let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", code), ("b.rs", "")];
            assert_eq!(uses(&files), [""; 0], "{code}");
        }
    }

    #[test]
    fn a_module_that_was_imported_is_a_way_to_its_children() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b as other; fn f() { other::deep::f() }"),
            ("b/mod.rs", "pub mod deep;"),
            ("b/deep.rs", "pub fn f() {}"),
        ];
        assert_eq!(uses(&files), ["a.rs > b/mod.rs", "a.rs > b/deep.rs"]);
    }

    #[test]
    fn reexports_lead_to_the_file_that_defines() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::B;"),
            ("a.rs", "use crate::B; use super::b::C;"),
            ("b/mod.rs", "mod one; mod two; pub use one::B; pub use two::*;"),
            ("b/one.rs", "use super::C; pub struct B;"),
            ("b/two.rs", "pub enum C {}"),
        ];
        assert_eq!(uses(&files), ["a.rs > b/one.rs", "a.rs > b/two.rs", "b/one.rs > b/two.rs"]);
        let circle = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub use super::b::X;"),
            ("b.rs", "pub use super::a::X;"),
        ];
        assert_eq!(uses(&circle), ["a.rs > b.rs", "b.rs > a.rs"], "it ends");
    }

    #[test]
    fn parents_children_and_tests_are_left_out() {
        let files = [
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod tests; mod inline { use super::a; }"),
            ("a.rs", "mod child; use child::f; #[cfg(test)] mod tests { use crate::b; }"),
            ("a/child.rs", "use super::A; use crate::b::B; pub fn f() {}"),
            ("b.rs", "struct B; fn f() { crate::root() }"),
            ("tests.rs", "use crate::b;"),
        ];
        assert_eq!(uses(&files), ["a/child.rs > b.rs"]);
    }
}
