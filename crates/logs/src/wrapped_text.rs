//! Lines of a log inside JSON: a line of Docker's or a cloud's log is an object, Ansible's output a member or a list.

/// Keys whose value is text of a program: Docker, Fluent Bit, Loki, Google Cloud, journald and Ansible.
const KEYS: [&str; 11] = [
    "log",
    "message",
    "msg",
    "textPayload",
    "MESSAGE",
    "line",
    "text",
    "stdout",
    "stderr",
    "output",
    "body",
];

/// The text inside a line that is a JSON object with one of the keys, or one member `"key": "text",` of an object;
/// lines of the text are separated by newlines. A member counts only if its text has several lines.
pub fn unwrap_text(line: &str) -> Option<String> {
    let inner = line.trim();
    if let Some(object) = inner.strip_prefix('{') {
        let object = object.strip_suffix('}')?;
        return KEYS.iter().find_map(|key| find_member(object, key));
    }
    let (key, value) = inner.strip_prefix('"')?.split_once('"')?;
    if !KEYS.contains(&key) {
        return None;
    }
    let (text, remaining) = read_string(value.trim_start().strip_prefix(':')?.trim_start())?;
    (matches!(remaining, "" | ",") && text.contains('\n')).then_some(text)
}

/// Whether a line opens a list of lines, as Ansible prints it: `"stdout_lines": [`.
pub fn opens_list(line: &str) -> bool {
    line.ends_with('[')
        && [
            "\"stdout_lines\"",
            "\"stderr_lines\"",
            ".stdout_lines\"",
            ".stderr_lines\"",
        ]
        .iter()
        .any(|key| line.contains(key))
}

/// The text of an item of such a list, `"text",`; None for another line, which ends the list.
pub fn read_item(line: &str) -> Option<String> {
    let (text, remaining) = read_string(line.trim())?;
    matches!(remaining, "" | ",").then_some(text)
}

/// The text of a member of an object.
fn find_member(object: &str, key: &str) -> Option<String> {
    let quoted = format!("\"{key}\"");
    let (_, remaining) = object.split_once(&quoted)?;
    let value = remaining.trim_start().strip_prefix(':')?.trim_start();
    read_string(value).map(|(text, _)| text.trim_end_matches('\n').to_owned())
}

/// The text of a JSON string at the start of `text`, and what follows it.
fn read_string(text: &str) -> Option<(String, &str)> {
    let content = text.strip_prefix('"')?;
    let mut plain = String::with_capacity(content.len());
    let mut characters = content.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((plain, &content[at + 1..])),
            '\\' => {
                let (_, escape) = characters.next()?;
                match escape {
                    'n' => plain.push('\n'),
                    't' => plain.push('\t'),
                    'r' => plain.push('\r'),
                    'b' | 'f' => plain.push(' '),
                    'u' => plain.push(read_code(&mut characters)?),
                    other => plain.push(other),
                }
            }
            other => plain.push(other),
        }
    }
    None
}

/// The character of the four digits after `\u`; half of a surrogate pair becomes U+FFFD.
fn read_code(characters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let mut code = 0;
    for _ in 0..4 {
        code = code * 16 + characters.next()?.1.to_digit(16)?;
    }
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_unwrapped() {
        for (line, expected) in [
            (
                r##"{"log":"#  size\n","stream":"stdout","time":"2026-01-31T00:00:00Z"}"##,
                Some("#  size"),
            ),
            (
                r#"{"textPayload": "a \"b\" \u003c- c"}"#,
                Some("a \"b\" <- c"),
            ),
            (r#"  "stdout": "a\nb","#, Some("a\nb")),
            (r#"  "message": "one line","#, None),
            (r#"{"intervals": [{"bytes": 1}]}"#, None),
            (r#"{"log":"cut"#, None),
        ] {
            assert_eq!(unwrap_text(line).as_deref(), expected, "{line}");
        }
        assert!(opens_list(r#"    "result.stdout_lines": ["#));
        assert_eq!(
            read_item(r#"   "  8 2 float","#).as_deref(),
            Some("  8 2 float")
        );
        assert_eq!(read_item("]"), None);
    }
}
