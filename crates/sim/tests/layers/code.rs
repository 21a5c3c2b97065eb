//! Rust as text: its code without tests, comments and strings, and the paths in it.

pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    names.filter(|name| !name.is_empty())
}

/// The text without comments, strings and test modules, line for line.
pub fn remove_tests(text: &str) -> String {
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
pub fn remove_comments_and_strings(text: &str) -> String {
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
pub struct UsedPath {
    pub line: usize,
    pub names: Vec<String>,
    /// It is imported.
    pub in_use: bool,
    /// `pub use` passes it on.
    pub passed_on: bool,
    /// The name that `use … as` gives it.
    pub alias: Option<String>,
}

/// Every path with `::` in a text, and every import.
pub fn paths(text: &str) -> Vec<UsedPath> {
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
