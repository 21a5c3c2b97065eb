//! Refusals: location, value found and value expected.

use std::fmt;

/// A problem of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Location in the scenario: `flows[3].src`, `links[0]`, `switch 17`.
    pub location: String,
    /// Value found.
    pub found: String,
    /// Values expected.
    pub expected: String,
    /// Suggested action; may be empty.
    pub hint: String,
}

/// All problems of a scenario that cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: found {}, expected {}",
            self.location, self.found, self.expected
        )?;
        if self.hint.is_empty() {
            return Ok(());
        }
        write!(f, "\n  hint: {}", self.hint)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        write!(f, "{}", lines.join("\n"))
    }
}

impl std::error::Error for Refusal {}

/// The number with a comma between thousands.
pub(crate) fn format_thousands(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let sign = if number < 0 { "-" } else { "" };
    let mut text = String::from(sign);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        let rows = [
            (0, "0"),
            (-1, "-1"),
            (999, "999"),
            (1_000, "1,000"),
            (-123_456, "-123,456"),
            (2_097_152, "2,097,152"),
        ];
        for (number, text) in rows {
            assert_eq!(format_thousands(number), text);
        }
    }
}
