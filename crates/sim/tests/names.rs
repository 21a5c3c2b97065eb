//! Names in the sources of all crates: nouns for values, types and modules, verbs with an object for functions.
//!
//! `tests/test_names.py` has the same rule for Python. The sources are read as tokens: comments, text and macro definitions
//! are left out. Traits may be adjectives (`Windowed`, like `Sized`).

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Crates whose names follow the rule.
const CRATES: [&str; 5] = ["bench", "logs", "python", "sim", "wire"];

/// Not the name of a module, a type or a function. Neither is a participle.
const FUNCTION_WORDS: &str = "
    about after again against alike all alone also and any anything apart around as asked at away back been before
    begun beside between both but by come done drawn driven each either else enough everybody everything fallen few for
    found from given gone held here hidden if in inside instead into it its kept known less like likes lost made many
    meant more most much neither never no nobody none not nothing now of off often on one only other others out over
    own paid past rest said same says seen sent shown so some something somewhere such taken tells that their them then
    there these they thing things this those thus till to together told too under until upon want was way ways what
    when where whether which while who whom whose why with within without written yes yet";

/// Not the name of an argument or a local either.
const PRONOUNS: &str = "
    after again anything before enough everything here it its like likes nothing one others own rest said says seen
    somewhere stuff such tells that them there these they thing things this_one those told twice way ways what where
    whether which who whom whose with without";

/// Methods of the traits of the standard library and of serde.
const STANDARD_METHODS: &str = "expecting from not";

/// Nouns and terms of the field that end like participles, and what Rust calls so: `Priority::all()`, `queue.now()`.
const NOUNS: &str = "
    all bed cabling capturing ceiling crossing embedded encoding feed finding forwarding framing heading king listing mapping marking
    miswiring need now padding pairing ping ranking reading recording reordering ring routing sampling scheduling seed
    setting sharing spacing speed string substring tagging timing trimming warning wiring";

#[test]
fn names_are_nouns_or_verbs_with_an_object() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut errors = Vec::new();
    for name in CRATES {
        let mut paths = Vec::new();
        collect_sources(&folder.join(name), &mut paths);
        assert!(!paths.is_empty(), "crates/{name} has no sources");
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            let relative = path.strip_prefix(&folder).unwrap().display().to_string();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            if is_function_word(stem) {
                errors.push(format!("crates/{relative}: {stem}"));
            }
            let names = find_wrong_names(&text).into_iter();
            errors.extend(names.map(|(line, name)| format!("crates/{relative}:{line}: {name}")));
        }
    }
    assert!(
        errors.is_empty(),
        "{} names:\n{}",
        errors.len(),
        errors.join("\n")
    );
}

#[test]
fn wrong_names_are_found() {
    let rows = [
        ("fn joined() {}", "joined"),
        ("fn together() {}", "together"),
        ("struct FrameSeen;", "FrameSeen"),
        ("enum Captured { A }", "Captured"),
        ("type Shared = u32;", "Shared"),
        ("mod opened;", "opened"),
        ("fn add(own: u32) {}", "own"),
        ("fn add<T: Fn(u32)>(&mut self, mut before: T) {}", "before"),
        ("fn f() { let it = 1; }", "it"),
        ("fn f() { let (a, mut rest) = pair; }", "rest"),
        ("fn f() { if let Some(which) = a {} }", "which"),
        ("fn f() { for (n, one) in rows {} }", "one"),
        ("fn f() { rows.map(|(n, it)| n); }", "it"),
        ("fn f() { rows.map(move |what: &str| what); }", "what"),
        (
            "fn f() { match a { Some(there) if there > 1 => there } }",
            "there",
        ),
    ];
    for (text, name) in rows {
        assert_eq!(find_wrong_names(text), vec![(1, name.to_owned())], "{text}");
    }
    let right = "
        //! Which of them it is.
        fn find_route(entry: &Entry, after_ps: u64) -> Option<Setting> {
            let own_rate = entry.own | entry.it | 2;
            let text = \"let it = |one| which\";
            let character = '\"';
            a || b | c
        }
        struct TuningSetting;
        trait Windowed {}
        impl<'it> Iterator for Rows<'it> {}
    ";
    assert_eq!(find_wrong_names(right), vec![]);
}

fn collect_sources(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_sources(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

/// Whether a name of one word is a participle or a function word. Names of several words pass.
fn is_function_word(name: &str) -> bool {
    if name.contains('_') {
        return false;
    }
    let is_participle = name.len() > 4 && (name.ends_with("ed") || name.ends_with("ing"));
    !contains(NOUNS, name)
        && !contains(STANDARD_METHODS, name)
        && (is_participle || contains(FUNCTION_WORDS, name))
}

fn contains(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}

/// The last word of a name in CamelCase, in lower case.
fn last_word(name: &str) -> String {
    let start = name.rfind(|c: char| c.is_uppercase()).unwrap_or(0);
    name[start..].to_lowercase()
}

/// A word or a mark, and its line.
type Token = (usize, String);

/// Line and name of each wrong name in a text, by line.
fn find_wrong_names(text: &str) -> Vec<(usize, String)> {
    let tokens = read_tokens(text);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.1.as_str());
    let mut wrong = Vec::new();
    let mut patterns: Vec<Range<usize>> = Vec::new();
    for at in 0..tokens.len() {
        let next = word(at + 1);
        let previous = word(at.wrapping_sub(1));
        let starts_expression = !previous
            .ends_with(|c: char| c.is_alphanumeric() || ")]\"_".contains(c))
            || contains("move return else in", previous);
        match word(at) {
            "fn" => {
                if is_function_word(next) {
                    wrong.push(tokens[at + 1].clone());
                }
                patterns.extend(arguments(&tokens, at + 1));
            }
            "mod" if is_function_word(next) => wrong.push(tokens[at + 1].clone()),
            "struct" | "enum" | "union" | "type" if is_function_word(&last_word(next)) => {
                wrong.push(tokens[at + 1].clone());
            }
            "let" => patterns.extend(region(&tokens, at + 1, &["=", ";"], &[])),
            "for" => patterns.extend(region(&tokens, at + 1, &["in"], &["{", ";"])),
            "|" if starts_expression => patterns.extend(region(&tokens, at + 1, &["|"], &[";"])),
            "=>" => patterns.push(match_pattern(&tokens, at)),
            _ => {}
        }
    }
    for pattern in patterns {
        wrong.extend(bound_names(&tokens[pattern]).filter(|name| contains(PRONOUNS, &name.1)));
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

/// The tokens from `start` up to one of `ends` outside of brackets; none if one of `stops` comes before.
fn region(tokens: &[Token], start: usize, ends: &[&str], stops: &[&str]) -> Option<Range<usize>> {
    let mut depth = 0;
    for (at, (_, word)) in tokens.iter().enumerate().skip(start) {
        let word = word.as_str();
        if depth == 0 && ends.contains(&word) {
            return Some(start..at);
        }
        if depth == 0 && stops.contains(&word) {
            return None;
        }
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The arguments of the function whose name is at `name`.
fn arguments(tokens: &[Token], name: usize) -> Option<Range<usize>> {
    let mut depth = 0;
    let open = (name + 1..tokens.len()).find(|at| {
        match tokens[*at].1.as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            "(" => return depth == 0,
            _ => {}
        }
        false
    })?;
    region(tokens, open + 1, &[")"], &[])
}

/// The pattern of a match arm, without its condition, before the arrow at `arrow`.
fn match_pattern(tokens: &[Token], arrow: usize) -> Range<usize> {
    let (mut depth, mut start, mut end) = (0, arrow, arrow);
    while start > 0 {
        match tokens[start - 1].1.as_str() {
            "," | ";" | "{" | "}" if depth == 0 && start < arrow => break,
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth == 0 => break,
            "(" | "[" | "{" => depth -= 1,
            "if" if depth == 0 => end = start - 1,
            _ => {}
        }
        start -= 1;
    }
    start..end
}

/// The names that a pattern introduces, with their lines.
fn bound_names(pattern: &[Token]) -> impl Iterator<Item = Token> + '_ {
    let word = |at: usize| pattern.get(at).map_or("", |token| token.1.as_str());
    let mut braces = 0;
    let names = (0..pattern.len()).filter(move |&at| {
        match word(at) {
            "{" => braces += 1,
            "}" => braces -= 1,
            _ => {}
        }
        let is_path = matches!(word(at.wrapping_sub(1)), "." | "::" | "$")
            || matches!(word(at + 1), "::" | "(" | "!" | "{");
        let is_key = braces > 0 && word(at + 1) == ":";
        !is_path && !is_key
    });
    names.map(|at| pattern[at].clone())
}

/// Words and marks, without comments, text, characters, lifetimes and the definitions of macros.
fn read_tokens(text: &str) -> Vec<Token> {
    const MARKS: [&str; 7] = ["..=", "::", "=>", "->", "==", "<=", ">="];
    let mut tokens: Vec<Token> = Vec::new();
    let (mut unread, mut line) = (text, 1);
    while let Some(first) = unread.chars().next() {
        let length = match first {
            '/' if unread.starts_with("//") => unread.find('\n').unwrap_or(unread.len()),
            '/' if unread.starts_with("/*") => {
                unread.find("*/").map_or(unread.len(), |end| end + 2)
            }
            'r' if unread.starts_with("r#\"") => {
                unread.find("\"#").map_or(unread.len(), |end| end + 2)
            }
            'r' if unread.starts_with("r\"") => 1 + text_length(&unread[1..], '"'),
            '"' => text_length(unread, '"'),
            '\'' => character_length(unread),
            _ if first.is_alphanumeric() || first == '_' => {
                let end = unread.find(|c: char| !c.is_alphanumeric() && c != '_');
                end.unwrap_or(unread.len())
            }
            _ => {
                let mark = MARKS.iter().find(|mark| unread.starts_with(**mark));
                mark.map_or(first.len_utf8(), |mark| mark.len())
            }
        };
        let (word, following) = unread.split_at(length);
        match first {
            '"' => tokens.push((line, "\"".to_owned())),
            'r' if word.contains('"') => tokens.push((line, "\"".to_owned())),
            '/' if length > 1 => {}
            '\'' => tokens.push((
                line,
                if word.ends_with('\'') { "\"" } else { "'" }.to_owned(),
            )),
            _ if first.is_whitespace() => {}
            _ => tokens.push((line, word.to_owned())),
        }
        line += word.matches('\n').count();
        unread = following;
    }
    remove_macros(tokens)
}

/// The length of a text that begins with `quote`.
fn text_length(unread: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in unread.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    unread.len()
}

/// The length of a character, or of a lifetime.
fn character_length(unread: &str) -> usize {
    let mut characters = unread.char_indices().skip(1);
    let (_, first) = characters.next().unwrap_or((1, ' '));
    let second = characters.next();
    if first == '\\' || second.is_some_and(|(_, c)| c == '\'') {
        return text_length(unread, '\'');
    }
    let end = unread[1..].find(|c: char| !c.is_alphanumeric() && c != '_');
    end.map_or(unread.len(), |end| end + 1)
}

fn remove_macros(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].1 == "macro_rules" {
            let body = region(&tokens, at, &["{"], &[]).map_or(tokens.len(), |head| head.end + 1);
            at = region(&tokens, body, &["}"], &[]).map_or(tokens.len(), |body| body.end + 1);
            continue;
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    kept
}
