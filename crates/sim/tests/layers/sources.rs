//! The sources of the crate, and what each file uses of others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::code::{paths, remove_comments_and_strings, remove_tests, UsedPath};

/// The root of the crate, which passes names of all layers on to other crates.
pub const ROOT: &str = "lib.rs";

/// The files of the crate by their path below `src`.
pub struct Sources(pub BTreeMap<PathBuf, String>);

/// A use of one file by another.
#[derive(Clone)]
pub struct Edge {
    pub line: usize,
    pub path: String,
    pub to: PathBuf,
}

pub fn sources(files: &[(&str, &str)]) -> Sources {
    let files = files.iter();
    Sources(
        files
            .map(|(path, text)| (path.into(), (*text).into()))
            .collect(),
    )
}

pub fn crate_sources() -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).expect("below src").to_owned();
                files.insert(name, fs::read_to_string(&path).expect("a source file"));
            }
        }
    }
    Sources(files)
}

impl Sources {
    /// What every file uses of others, tests aside.
    pub fn edges(&self) -> BTreeMap<PathBuf, Vec<Edge>> {
        let files = self.read_without_tests().into_iter();
        files
            .map(|(file, text)| {
                let edges = self.uses(&file, &text);
                (file, edges)
            })
            .collect()
    }

    /// The text of every file without its tests; the root of the crate is left out.
    pub fn read_without_tests(&self) -> Vec<(PathBuf, String)> {
        let tests = self.test_files();
        let files = self.0.iter().filter(|(file, _)| {
            file.as_os_str() != ROOT && !tests.iter().any(|test| file.starts_with(test))
        });
        files
            .map(|(file, text)| (file.clone(), remove_tests(text)))
            .collect()
    }

    /// Files and folders of modules that are declared for tests alone.
    fn test_files(&self) -> Vec<PathBuf> {
        let mut tests = Vec::new();
        for (file, text) in &self.0 {
            let code = remove_comments_and_strings(text);
            let lines: Vec<&str> = code.lines().map(str::trim).collect();
            for pair in lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]") {
                let name = pair[1].trim_start_matches("pub ").strip_prefix("mod ");
                if let Some(name) = name.and_then(|name| name.strip_suffix(';')) {
                    let module: PathBuf = module_of(file).iter().collect();
                    tests.push(module.join(format!("{name}.rs")));
                    tests.push(module.join(name));
                }
            }
        }
        tests
    }

    fn uses(&self, file: &Path, text: &str) -> Vec<Edge> {
        let module = module_of(file);
        let paths = paths(text);
        let imported = self.imported_modules(&module, &paths);
        let mut edges: Vec<Edge> = Vec::new();
        for path in paths {
            let written = path.names.join("::");
            let names = match imported.get(&path.names[0]) {
                Some(target) if !path.in_use => [target, &path.names[1..]].concat(),
                _ => path.names,
            };
            let Some(absolute) = self.resolve_path(&module, &names) else {
                continue;
            };
            if path.passed_on && absolute.starts_with(&module) {
                continue;
            }
            let Some(to) = self.find_definition(&absolute) else {
                continue;
            };
            // A name of another crate that the root passes on is in no layer.
            if to != file && to.as_os_str() != ROOT && !edges.iter().any(|edge| edge.to == to) {
                let line = path.line;
                edges.push(Edge {
                    line,
                    path: written,
                    to,
                });
            }
        }
        edges
    }

    /// The modules of the crate that a file imports, as paths from `crate`, by their name in the file.
    fn imported_modules(
        &self,
        module: &[String],
        paths: &[UsedPath],
    ) -> BTreeMap<String, Vec<String>> {
        let mut modules = BTreeMap::new();
        for path in paths.iter().filter(|path| path.in_use) {
            let target = self.resolve_path(module, &path.names);
            if let Some(target) = target.filter(|target| self.file_of(target).is_some()) {
                let name = path.alias.as_ref().or(target.last()).cloned();
                let full = [&["crate".to_owned()], target.as_slice()].concat();
                modules.extend(name.map(|name| (name, full)));
            }
        }
        modules
    }

    /// Imports of all names of a module with child modules, and of the crate under another name, by their line.
    pub fn hidden_imports(&self, file: &Path, text: &str) -> Vec<(usize, Vec<String>)> {
        let module = module_of(file);
        let hides = |path: &UsedPath| {
            let Some(target) = self.resolve_path(&module, &path.names) else {
                return false;
            };
            match target.split_last() {
                Some((name, parent)) if name == "*" => self.has_children(parent),
                Some(_) => false,
                None => true,
            }
        };
        let imports = paths(text).into_iter().filter(|path| path.in_use);
        let hidden = imports.filter(hides);
        hidden.map(|path| (path.line, path.names)).collect()
    }

    fn has_children(&self, module: &[String]) -> bool {
        let modules = self.0.keys().map(|file| module_of(file));
        let mut below = modules.filter(|other| other.len() > module.len());
        self.file_of(module).is_some() && below.any(|other| other.starts_with(module))
    }

    /// A path from the root of the crate; none if it is of another crate or of a name in this file.
    fn resolve_path(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut base = match path[0].as_str() {
            "crate" => Vec::new(),
            "super" => module[..module.len() - 1].to_vec(),
            "self" => module.to_vec(),
            _ => {
                let child = [module, &path[..1]].concat();
                return self
                    .file_of(&child)
                    .map(|_| [module, path].concat())
                    .filter(|_| path.len() > 1);
            }
        };
        for segment in &path[1..] {
            match segment.as_str() {
                "super" => {
                    base.pop();
                }
                "self" => {}
                _ => base.push(segment.clone()),
            }
        }
        Some(base)
    }

    /// The file that a path leads to, through names that modules pass on.
    fn find_definition(&self, path: &[String]) -> Option<PathBuf> {
        let length = (0..=path.len())
            .rev()
            .find(|n| self.file_of(&path[..*n]).is_some())?;
        let file = self.file_of(&path[..length])?;
        let Some(name) = path.get(length) else {
            return Some(file);
        };
        let uses = paths(&remove_tests(&self.0[&file])).into_iter();
        // Every file is below the root and may use what it imports.
        let is_root = file.as_os_str() == ROOT;
        let mut children = uses.filter(|import| import.passed_on || is_root && import.in_use);
        let child = children.find_map(|import| {
            let passed = self.resolve_path(&path[..length], &import.names)?;
            let is_child = passed.starts_with(&path[..length]) && passed.last() == Some(name);
            is_child.then_some(passed)
        });
        match child {
            Some(child) => self.find_definition(&child),
            None => Some(file),
        }
    }

    fn file_of(&self, module: &[String]) -> Option<PathBuf> {
        if module.is_empty() {
            let root = PathBuf::from(ROOT);
            return self.0.contains_key(&root).then_some(root);
        }
        let path: PathBuf = module.iter().collect();
        let files = [path.with_extension("rs"), path.join("mod.rs")];
        files.into_iter().find(|file| self.0.contains_key(file))
    }
}

pub fn module_of(file: &Path) -> Vec<String> {
    let path = file.with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    let mut module: Vec<String> = names.collect();
    if module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    module
}
