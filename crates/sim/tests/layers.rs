//! The order of the simulator's layers, and no cycles between files: read from the paths in its sources.
//!
//! Test modules are left out. `pub use` of a child module passes a name on: who uses the name depends on the child.
//! A path through an imported module (`use crate::model as data; data::faults::Fault`) counts like the full path. Imports
//! that hide what a file uses are refused: all names of a module with child modules, and another name of the crate. So is
//! what brings in code without a path: exported macros, included files, raw identifiers, and items in the root of the crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use code::{identifiers, remove_comments_and_strings};
use sources::{crate_sources, sources, Edge, Sources, ROOT};

#[path = "layers/code.rs"]
mod code;
#[path = "layers/sources.rs"]
mod sources;

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
