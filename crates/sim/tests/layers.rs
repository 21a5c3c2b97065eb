//! The order of the simulator's layers, and no cycles between files: read from the paths in its sources.
//!
//! Test modules are left out. `pub use` of a child module passes a name on: who uses the name depends on the child.
//! A path through an imported module (`use crate::model as data; data::faults::Fault`) counts like the full path. Imports
//! that hide what a file uses are refused: all names of a module with child modules, and another name of the crate. So is
//! what brings in code without a path: exported macros, included files, raw identifiers, and items in the root of the crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every layer with those that it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("ids", &[]),
    ("problem", &[]),
    ("schema", &["problem"]),
    ("congestion", &["ids", "problem", "schema"]),
    ("model", &["ids", "problem", "schema", "congestion"]),
    (
        "mechanisms",
        &["ids", "problem", "schema", "congestion", "model"],
    ),
    (
        "reader",
        &[
            "ids",
            "problem",
            "schema",
            "congestion",
            "model",
            "mechanisms",
        ],
    ),
    (
        "devices",
        &[
            "ids",
            "problem",
            "schema",
            "congestion",
            "model",
            "mechanisms",
        ],
    ),
    (
        "simulation",
        &[
            "ids",
            "problem",
            "schema",
            "congestion",
            "model",
            "mechanisms",
            "devices",
        ],
    ),
];

/// The traits that only some algorithms of congestion control have.
const TRAITS_OF_ALGORITHMS: &[&str] = &[
    "NotificationDriven",
    "AckDriven",
    "TelemetryDriven",
    "PenaltyDriven",
    "LossDriven",
    "Windowed",
    "CongestionEstimate",
    "UltraEthernet",
    "ReceiverDriven",
];

/// The root of the crate, which passes names of all layers on to other crates.
const ROOT: &str = "lib.rs";

const EXPORTED_MACRO: &str = "an exported macro is used without a path";
const INCLUDED_FILE: &str = "a file is included under another path";
const RAW_IDENTIFIER: &str = "a raw identifier";
const ROOT_ITEM: &str =
    "the root of the crate may only declare modules and pass names on as they are";

/// A folder at this depth holds one type split over files.
const DEPTH_OF_TYPES: usize = 3;

#[test]
fn layers_use_only_those_below() {
    let wrong = layer_errors(&crate_sources());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn files_form_no_cycle() {
    let wrong = cycle_errors(&crate_sources());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_import_hides_what_a_file_uses() {
    let wrong = import_errors(&crate_sources());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_code_is_used_without_a_path() {
    let wrong = hidden_code_errors(&crate_sources());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_use_of_a_higher_layer_is_found() {
    let rows = [
        "use crate::simulation::Simulation;",
        "use crate::{\n    simulation::Simulation,\n};",
        "fn f() {\n    crate::simulation::run();\n}",
        "use super::super::simulation::Simulation;",
        "use crate::Simulation;",
        "use crate::simulation::*;",
        "use crate::Simulation as Run;",
        "fn f() {\n    let run = crate::Simulation::new();\n}",
        "fn f(run: &crate::Simulation) {}",
        "type Run = Option<crate::Simulation>;",
        "macro_rules! run {\n    () => { $crate::Simulation::new() };\n}",
        "use crate::simulation as run;\nfn f() {\n    run::Simulation::new();\n}",
        "use crate::Faults;",
        "fn f() {\n    g(\"https://x\", crate::simulation::run());\n}",
        "fn f() {\n    g(r#\"a \"quoted\" // text\"#, crate::simulation::run());\n}",
        "fn f<'a>() {\n    g('\"', '\\'', \"\\\" //\", crate::simulation::run());\n}",
        "fn f() {\n    /* one /* // */ two */ crate::simulation::run();\n}",
        "const TEXT: &str = \"\n#[cfg(test)]\nmod tests {\n\";\nuse crate::simulation::Simulation;",
    ];
    for text in rows {
        let errors = layer_errors(&sources(&[
            (
                "lib.rs",
                "use simulation::Faults;\npub use simulation::{Progress, Simulation};",
            ),
            ("mechanisms/pause.rs", text),
            ("simulation/mod.rs", ""),
        ]));
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].starts_with("crates/sim/src/mechanisms/pause.rs:"));
        assert!(errors[0].contains("`mechanisms` may not use `simulation`"));
    }
}

#[test]
fn a_cycle_of_files_is_found() {
    let errors = cycle_errors(&sources(&[
        ("mechanisms/mod.rs", "pub mod buffer;\npub mod pool;"),
        ("mechanisms/buffer.rs", "use crate::mechanisms::pool::Pool;"),
        ("mechanisms/pool.rs", "\nuse super::buffer::{Group, NONE};"),
    ]));
    let expected = "cycle:\n  \
        crates/sim/src/mechanisms/buffer.rs:1: crate::mechanisms::pool::Pool\n  \
        crates/sim/src/mechanisms/pool.rs:2: super::buffer::Group";
    assert_eq!(errors, [expected]);
}

#[test]
fn a_path_through_an_imported_module_is_found() {
    for (import, path) in [
        ("use crate::mechanisms;", "mechanisms::pool::Pool"),
        ("use crate::mechanisms as all;", "all::pool::Pool"),
        ("use crate::mechanisms::{self as all};", "all::pool::Pool"),
        ("use super as all;", "all::pool::Pool"),
    ] {
        let buffer = format!("{import}\nfn f() {{\n    {path}::new();\n}}");
        let errors = cycle_errors(&sources(&[
            ("mechanisms/mod.rs", "pub mod buffer;\npub mod pool;"),
            ("mechanisms/buffer.rs", &buffer),
            ("mechanisms/pool.rs", "\nuse super::buffer::{Group, NONE};"),
        ]));
        let expected = format!(
            "cycle:\n  crates/sim/src/mechanisms/buffer.rs:3: {path}::new\n  \
            crates/sim/src/mechanisms/pool.rs:2: super::buffer::Group"
        );
        assert_eq!(errors, [expected], "{import}");
    }
}

#[test]
fn an_import_that_hides_what_it_brings_is_found() {
    let glob = "all names of a module with child modules";
    let alias = "another name of the crate";
    for (text, path, reason) in [
        ("use crate::*;", "crate::*", glob),
        ("use crate::{time::SECOND, *};", "crate::*", glob),
        ("use super::super::*;", "super::super::*", glob),
        ("use super::*;", "super::*", glob),
        ("use crate::mechanisms::*;", "crate::mechanisms::*", glob),
        ("use crate as c;", "crate", alias),
        ("use crate::{self as c};", "crate::self", alias),
        ("use super::super as c;", "super::super", alias),
        ("pub(crate) use crate as c;", "crate", alias),
        ("extern crate self as c;", "extern crate self as c;", alias),
    ] {
        let errors = import_errors(&sources(&[
            ("lib.rs", "pub use simulation::{Progress, Simulation};"),
            ("mechanisms/mod.rs", "pub mod pause;"),
            ("mechanisms/pause.rs", text),
        ]));
        let location = "crates/sim/src/mechanisms/pause.rs:1";
        assert_eq!(errors, [format!("{location}: imports {reason}: {path}")]);
    }
}

#[test]
fn code_without_a_path_is_found() {
    for (text, line, reason) in [
        (
            "#[macro_export]\nmacro_rules! run {\n    () => {};\n}",
            1,
            EXPORTED_MACRO,
        ),
        (
            "\n#[path = \"../simulation/mod.rs\"]\nmod other;",
            2,
            INCLUDED_FILE,
        ),
        (
            "#[cfg_attr(any(), path = \"x.rs\")]\nmod other;",
            1,
            INCLUDED_FILE,
        ),
        ("include!(\"../simulation/mod.rs\");", 1, INCLUDED_FILE),
        ("use std::include as text;", 1, INCLUDED_FILE),
        ("use crate::r#simulation::Simulation;", 1, RAW_IDENTIFIER),
    ] {
        let errors = hidden_code_errors(&sources(&[("mechanisms/pause.rs", text)]));
        let location = format!("crates/sim/src/mechanisms/pause.rs:{line}");
        assert_eq!(errors, [format!("{location}: {reason}")], "{text}");
    }
    let text =
        "fn f() {\n    g(r#\"r#simulation, #[path], include!\"#, br#\"\"#);\n} // r#simulation";
    let errors = hidden_code_errors(&sources(&[("mechanisms/pause.rs", text)]));
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn the_root_of_the_crate_only_declares_modules_and_passes_names_on() {
    for text in [
        "pub fn run_all() {\n    simulation::Simulation::new();\n}",
        "pub type Run = simulation::Simulation;",
        "pub use simulation::Simulation as Run;",
        "pub use simulation::{Progress, Simulation as Run};",
        "pub(crate) use simulation::*;",
        "mod run {\n    pub use crate::simulation::Simulation;\n}",
        "#[macro_use]\nmod simulation;",
        "extern crate self as c;",
        "run!(simulation);",
    ] {
        let text = format!("//! The simulator.\n\nmod simulation;\n{text}");
        let errors = hidden_code_errors(&sources(&[("lib.rs", &text)]));
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(
            errors[0].starts_with("crates/sim/src/lib.rs:4: "),
            "{errors:?}"
        );
    }
    let text = "pub mod ids;\npub(crate) mod model;\n\npub use simulation::{Progress, parts::Run};";
    let errors = hidden_code_errors(&sources(&[("lib.rs", text)]));
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn tests_comments_and_passed_on_names_are_no_cycle() {
    let errors = cycle_errors(&sources(&[
        (
            "mechanisms/transport/mod.rs",
            "mod service;\npub use service::Service;\npub trait Transport {}",
        ),
        (
            "mechanisms/transport/service.rs",
            "use super::Transport;\n// crate::mechanisms::pause::Pause\n\
            #[cfg(test)]\nmod tests {\n    use crate::mechanisms::pause::Pause;\n}",
        ),
        (
            "mechanisms/pause.rs",
            "use crate::mechanisms::transport::Service;",
        ),
    ]));
    assert!(errors.is_empty(), "{errors:?}");
}

/// The list of algorithms names the traits of each: a trait that it leaves out would never be called.
#[test]
fn traits_of_algorithms_are_listed() {
    let sources = crate_sources();
    let text = |name: &str| &sources.0[&Path::new("congestion").join(name)];
    let list = text("mod.rs")
        .lines()
        .filter_map(|line| line.split_once("::"));
    let mut count = 0;
    for (module, line) in list.filter(|(_, line)| line.ends_with("];")) {
        let (_, listed) = line.split_once(": [").expect("traits");
        let listed: Vec<&str> = listed.trim_end_matches("];").split_whitespace().collect();
        let file = format!("{}.rs", module.trim());
        for implementation in text(&file)
            .lines()
            .filter_map(|line| line.strip_prefix("impl "))
        {
            let name = implementation.split(' ').next().expect("a name");
            if TRAITS_OF_ALGORITHMS.contains(&name) {
                assert!(listed.contains(&name), "{file}: {name}");
                count += 1;
            }
        }
    }
    assert!(count > 15, "{count}");
}

/// The files of the crate by their path below `src`.
struct Sources(BTreeMap<PathBuf, String>);

/// A use of one file by another.
#[derive(Clone)]
struct Edge {
    line: usize,
    path: String,
    to: PathBuf,
}

fn sources(files: &[(&str, &str)]) -> Sources {
    let files = files.iter();
    Sources(
        files
            .map(|(path, text)| (path.into(), (*text).into()))
            .collect(),
    )
}

fn crate_sources() -> Sources {
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

fn layer_errors(sources: &Sources) -> Vec<String> {
    let mut errors = Vec::new();
    for (file, edges) in sources.edges() {
        let from = layer(&file);
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == from) else {
            errors.push(format!("{}: `{from}` is no layer", format_path(&file)));
            continue;
        };
        for edge in edges {
            let to = layer(&edge.to);
            if to != from && !allowed.contains(&to.as_str()) {
                errors.push(format!(
                    "{}:{}: `{from}` may not use `{to}`: {}",
                    format_path(&file),
                    edge.line,
                    edge.path
                ));
            }
        }
    }
    errors
}

/// The imports of which the file does not show what it uses through them.
fn import_errors(sources: &Sources) -> Vec<String> {
    let mut errors = Vec::new();
    for (file, text) in sources.read_without_tests() {
        let mut refuse = |line, reason, path: &str| {
            errors.push(format!(
                "{}:{line}: imports {reason}: {path}",
                format_path(&file)
            ));
        };
        for (line, path) in sources.hidden_imports(&file, &text) {
            let reason = match path.last().is_some_and(|name| name == "*") {
                true => "all names of a module with child modules",
                false => "another name of the crate",
            };
            refuse(line, reason, &path.join("::"));
        }
        for (number, line) in text.lines().enumerate() {
            if line.trim().starts_with("extern crate") {
                refuse(number + 1, "another name of the crate", line.trim());
            }
        }
    }
    errors
}

/// Code that a file uses, or passes on, without a path that [`paths`] can follow.
fn hidden_code_errors(sources: &Sources) -> Vec<String> {
    let mut errors = Vec::new();
    for (file, text) in &sources.0 {
        let code = remove_comments_and_strings(text);
        let mut reasons: Vec<(usize, &str)> = Vec::new();
        for (number, line) in code.lines().enumerate() {
            let has = |name: &str| identifiers(line).any(|found| found == name);
            let is_attribute = line.contains("#[");
            for (is_hidden, reason) in [
                (is_attribute && has("macro_export"), EXPORTED_MACRO),
                (is_attribute && has("path") || has("include"), INCLUDED_FILE),
                (line.contains("r#"), RAW_IDENTIFIER),
            ] {
                if is_hidden {
                    reasons.push((number + 1, reason));
                }
            }
        }
        if file.as_os_str() == ROOT {
            reasons.extend(first_root_item(&code).map(|line| (line, ROOT_ITEM)));
        }
        let location = format_path(file);
        errors.extend(
            reasons
                .iter()
                .map(|(line, reason)| format!("{location}:{line}: {reason}")),
        );
    }
    errors
}

/// The line of the first item of the root that is neither `mod name;` nor a `use` of names as they are.
fn first_root_item(code: &str) -> Option<usize> {
    let mut line = 1;
    for item in code.split_inclusive(';') {
        let text = item.trim();
        let first_line = line
            + item[..item.len() - item.trim_start().len()]
                .matches('\n')
                .count();
        line += item.matches('\n').count();
        let mut names = identifiers(text).skip_while(|name| matches!(*name, "pub" | "crate"));
        let is_allowed = match names.next() {
            Some("mod") => !text.contains(['{', '#']),
            Some("use") => !text.contains(['*', '#']) && names.all(|name| name != "as"),
            first => first.is_none() && text.is_empty(),
        };
        if !is_allowed {
            return Some(first_line);
        }
    }
    None
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    names.filter(|name| !name.is_empty())
}

fn cycle_errors(sources: &Sources) -> Vec<String> {
    let mut edges: BTreeMap<PathBuf, Vec<Edge>> = BTreeMap::new();
    for (file, uses) in sources.edges() {
        let from = unit(&file);
        for mut edge in uses {
            edge.to = unit(&edge.to);
            if edge.to != from {
                edges.entry(from.clone()).or_default().push(edge);
            }
        }
    }
    let mut errors = Vec::new();
    let mut known = BTreeSet::new();
    for file in edges.keys() {
        if known.contains(file) {
            continue;
        }
        if let Some(cycle) = shortest_cycle(&edges, file) {
            known.extend(cycle.iter().map(|(from, _)| from.clone()));
            let line = |(from, edge): &(PathBuf, Edge)| {
                format!("\n  {}:{}: {}", format_path(from), edge.line, edge.path)
            };
            let lines: Vec<String> = cycle.iter().map(line).collect();
            errors.push(format!("cycle:{}", lines.concat()));
        }
    }
    errors
}

/// The uses that lead from a file back to it, if any do.
fn shortest_cycle(
    edges: &BTreeMap<PathBuf, Vec<Edge>>,
    first: &Path,
) -> Option<Vec<(PathBuf, Edge)>> {
    let mut paths: Vec<Vec<(PathBuf, Edge)>> = vec![Vec::new()];
    let mut visited = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            let at = path
                .last()
                .map_or(first.to_owned(), |(_, edge)| edge.to.clone());
            for edge in edges.get(&at).into_iter().flatten() {
                let mut next = path.clone();
                next.push((at.clone(), edge.clone()));
                if edge.to == first {
                    return Some(next);
                }
                if visited.insert(edge.to.clone()) {
                    longer.push(next);
                }
            }
        }
        paths = longer;
    }
    None
}

/// The file, or the folder of the type that it is part of.
fn unit(file: &Path) -> PathBuf {
    file.iter().take(DEPTH_OF_TYPES).collect()
}

fn layer(file: &Path) -> String {
    let first = file.iter().next().expect("a path").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

fn format_path(file: &Path) -> String {
    format!("crates/sim/src/{}", file.display())
}

impl Sources {
    /// What every file uses of others, tests aside.
    fn edges(&self) -> BTreeMap<PathBuf, Vec<Edge>> {
        let files = self.read_without_tests().into_iter();
        files
            .map(|(file, text)| {
                let edges = self.uses(&file, &text);
                (file, edges)
            })
            .collect()
    }

    /// The text of every file without its tests; the root of the crate is left out.
    fn read_without_tests(&self) -> Vec<(PathBuf, String)> {
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
    fn hidden_imports(&self, file: &Path, text: &str) -> Vec<(usize, Vec<String>)> {
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

fn module_of(file: &Path) -> Vec<String> {
    let path = file.with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    let mut module: Vec<String> = names.collect();
    if module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    module
}

/// The text without comments, strings and test modules, line for line.
fn remove_tests(text: &str) -> String {
    let code = remove_comments_and_strings(text);
    let mut lines = Vec::new();
    let mut all = code.lines().peekable();
    while let Some(line) = all.next() {
        let next = all.peek().map_or("", |next| next.trim());
        if line == "#[cfg(test)]" && next.ends_with('{') {
            lines.push("");
            for inside in all.by_ref() {
                lines.push("");
                if inside == "}" {
                    break;
                }
            }
            continue;
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// The text without comments and without the content of strings and characters, line for line.
fn remove_comments_and_strings(text: &str) -> String {
    let mut code = String::new();
    let mut unread = text;
    while let Some(first) = unread.chars().next() {
        let length = match first {
            '/' if unread.starts_with("//") => unread.find('\n').unwrap_or(unread.len()),
            '/' if unread.starts_with("/*") => block_comment_length(unread),
            '"' => string_length(unread),
            '\'' => character_length(unread).unwrap_or(0),
            'r' if !code.ends_with(is_identifier_part) || ends_with_prefix(&code) => {
                raw_string_length(unread).unwrap_or(0)
            }
            _ => 0,
        };
        if length == 0 {
            code.push(first);
            unread = &unread[first.len_utf8()..];
        } else {
            let removed = &unread[..length];
            code.push_str(if removed.starts_with('/') {
                " "
            } else {
                "\"\""
            });
            code.extend(removed.matches('\n'));
            unread = &unread[length..];
        }
    }
    code
}

fn is_identifier_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `b` or `c` of a byte string or C string is last.
fn ends_with_prefix(code: &str) -> bool {
    let prefix = code.strip_suffix(['b', 'c']);
    prefix.is_some_and(|prefix| !prefix.ends_with(is_identifier_part))
}

fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut end = 0;
    while end < text.len() {
        let unread = &text[end..];
        if unread.starts_with("/*") {
            depth += 1;
            end += 2;
        } else if unread.starts_with("*/") {
            depth -= 1;
            end += 2;
            if depth == 0 {
                return end;
            }
        } else {
            end += unread.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (position, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return position + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character in quotes; none for a lifetime.
fn character_length(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().skip(1);
    let (_, first) = characters.next()?;
    if first == '\\' {
        characters.next();
        return characters.find(|(_, c)| *c == '\'').map(|(end, _)| end + 1);
    }
    let (end, c) = characters.next()?;
    (c == '\'').then_some(end + 1)
}

/// The length of a raw string; none for a raw identifier and any other name.
fn raw_string_length(text: &str) -> Option<usize> {
    let marks = text[1..].len() - text[1..].trim_start_matches('#').len();
    let content = text[1 + marks..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(marks));
    let end = content
        .find(&close)
        .map_or(content.len(), |end| end + close.len());
    Some(2 + marks + end)
}

/// A path in a text.
struct UsedPath {
    line: usize,
    names: Vec<String>,
    /// It is imported.
    in_use: bool,
    /// `pub use` passes it on.
    passed_on: bool,
    /// The name that `use … as` gives it.
    alias: Option<String>,
}

/// Every path with `::` in a text, and every import.
fn paths(text: &str) -> Vec<UsedPath> {
    let mut paths = Vec::new();
    let mut prefixes: Vec<Vec<String>> = Vec::new(); // of the braces of a `use` that are open
    let mut current: Vec<String> = Vec::new();
    let (mut in_use, mut passed_on, mut public) = (false, false, false);
    let mut joined = false; // `::` came last
    let (mut renamed, mut alias) = (false, None); // `as` came last; the name after it
    let mut end =
        |line, current: &mut Vec<String>, alias: &mut Option<String>, in_use, passed_on| {
            if current.len() > 1 || alias.is_some() {
                paths.push(UsedPath {
                    line,
                    names: current.clone(),
                    in_use,
                    passed_on,
                    alias: alias.take(),
                });
            }
            current.clear();
        };
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let mut unread = line.trim();
        while !unread.is_empty() {
            let word = unread.len()
                - unread
                    .trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
                    .len();
            if word > 0 {
                let name = &unread[..word];
                unread = &unread[word..];
                if in_use && name == "as" {
                    renamed = true;
                    continue;
                }
                if std::mem::take(&mut renamed) {
                    alias = Some(name.to_owned());
                    continue;
                }
                let continues = joined || in_use && prefixes.last() == Some(&current);
                if !continues && !current.is_empty() {
                    end(line_number, &mut current, &mut alias, in_use, passed_on);
                }
                match name {
                    "use" => {
                        in_use = true;
                        passed_on = public;
                    }
                    "pub" => public = true,
                    _ => {
                        current.push(name.to_owned());
                        joined = false;
                    }
                }
                if name != "pub" && name != "use" {
                    public = false;
                }
                continue;
            }
            if let Some(following) = unread.strip_prefix("::") {
                joined = true;
                unread = following;
                continue;
            }
            let mark = unread.chars().next().expect("not empty");
            unread = unread[mark.len_utf8()..].trim_start();
            match mark {
                '{' if in_use && joined => {
                    prefixes.push(current.clone());
                    joined = false;
                }
                '*' if in_use && (joined || prefixes.last() == Some(&current)) => {
                    current.push("*".to_owned());
                    joined = false;
                }
                ',' | '}' if in_use && !prefixes.is_empty() => {
                    if prefixes.last() != Some(&current) {
                        end(line_number, &mut current, &mut alias, in_use, passed_on);
                    }
                    if mark == '}' {
                        prefixes.pop();
                    }
                    current = prefixes.last().cloned().unwrap_or_default();
                }
                ';' => {
                    end(line_number, &mut current, &mut alias, in_use, passed_on);
                    (in_use, passed_on, joined) = (false, false, false);
                    prefixes.clear();
                }
                ' ' => {}
                _ => {
                    end(line_number, &mut current, &mut alias, in_use, passed_on);
                    joined = false;
                    public = public && matches!(mark, '(' | ')');
                }
            }
        }
    }
    paths
}
