//! Markup of web pages in pasted text: character references, blanks that do not break, characters without width.

/// Whether a line may contain markup.
pub fn has_markup(line: &str) -> bool {
    memchr::memchr3(b'&', 0xc2, 0xe2, line.as_bytes()).is_some()
        && (line.contains(['\u{a0}', '\u{200b}', '\u{202f}', '\u{2060}']) || line.contains('&'))
}

/// The text as a browser displays it. A reference that was escaped twice (`&amp;lt;`) is replaced as well.
pub fn replace_markup(line: &str) -> String {
    let mut text: String = line
        .chars()
        .filter(|character| !matches!(character, '\u{200b}' | '\u{2060}'))
        .map(|character| match character {
            '\u{a0}' | '\u{202f}' => ' ',
            other => other,
        })
        .collect();
    for _ in 0..2 {
        let replaced = replace_references(&text);
        if replaced == text {
            break;
        }
        text = replaced;
    }
    text
}

/// Names of the references that editors of web pages insert.
const NAMED: [(&str, char); 6] = [
    ("lt;", '<'),
    ("gt;", '>'),
    ("amp;", '&'),
    ("quot;", '"'),
    ("apos;", '\''),
    ("nbsp;", ' '),
];

fn replace_references(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut remaining = text;
    while let Some(at) = remaining.find('&') {
        plain.push_str(&remaining[..at]);
        remaining = &remaining[at + 1..];
        match read_reference(remaining) {
            Some((character, length)) => {
                plain.push(character);
                remaining = &remaining[length..];
            }
            None => plain.push('&'),
        }
    }
    plain.push_str(remaining);
    plain
}

/// The character of a reference after its `&`, and the length of the reference. No reference makes a line end.
fn read_reference(text: &str) -> Option<(char, usize)> {
    if let Some((name, character)) = NAMED.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*character, name.len()));
    }
    let number = text.strip_prefix('#')?;
    let (digits, _) = number
        .split_once(';')
        .filter(|(digits, _)| (1..=7).contains(&digits.len()))?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => digits.parse(),
    };
    let character = char::from_u32(code.ok()?).filter(|character| !character.is_control())?;
    let character = if character == '\u{a0}' {
        ' '
    } else {
        character
    };
    Some((character, digits.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_replaced() {
        for (line, expected) in [
            ("GPU(row) &lt;- GPU(column)", "GPU(row) <- GPU(column)"),
            ("GPU0 &amp;lt;-&gt; GPU1", "GPU0 <-> GPU1"),
            ("a&nbsp;b\u{a0}c\u{200b}", "a b c"),
            ("&#35; size &#x28;B&#41;", "# size (B)"),
            (
                "a & b &unknown; &#10; &#xd800;",
                "a & b &unknown; &#10; &#xd800;",
            ),
        ] {
            assert!(has_markup(line), "{line}");
            assert_eq!(replace_markup(line), expected);
        }
        assert!(!has_markup("plain é"));
    }
}
