//! Logs: lines as Python objects, made only for the lines that are asked for.

use std::collections::HashSet;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;
use wirespeed_logs as logs;

/// One line of a log.
#[pyclass(frozen, get_all)]
pub struct Line {
    number: usize,
    text: Py<PyString>,
    ended: bool,
    label: Option<Py<PyString>>,
}

#[pymethods]
impl Line {
    #[new]
    #[pyo3(signature = (number, text, ended = true, label = None))]
    fn new(number: usize, text: Py<PyString>, ended: bool, label: Option<Py<PyString>>) -> Self {
        Self {
            number,
            text,
            ended,
            label,
        }
    }

    /// The same line with another text.
    fn with_text(&self, py: Python<'_>, text: Py<PyString>, ended: bool) -> Self {
        let label = self.label.as_ref().map(|label| label.clone_ref(py));
        Self {
            number: self.number,
            text,
            ended,
            label,
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "Line({}, {:?})",
            self.number,
            self.text.bind(py).to_string()
        )
    }
}

/// A cleaned log.
#[pyclass(frozen)]
pub struct Log(logs::Log);

#[pymethods]
impl Log {
    #[new]
    fn new(text: &str) -> Self {
        Self(logs::Log::new(text))
    }

    /// Lines in order: all of them, or only those that are debug output or not, or that contain one of the words.
    ///
    /// Neighbours from one process that begin with `fold` become one line, of which the text has several lines.
    /// `distinct`: of debug output with nothing else between, each message once, whoever says it.
    #[pyo3(signature = (debug = None, containing = None, fold = None, distinct = false))]
    fn lines(
        &self,
        py: Python<'_>,
        debug: Option<bool>,
        containing: Option<Vec<String>>,
        fold: Option<&str>,
        distinct: bool,
    ) -> PyResult<Vec<Py<Line>>> {
        let mut labels = Labels::default();
        let mut made = Vec::new();
        let mut folded: Option<(logs::Line<'_>, String)> = None;
        let wanted = |line: &logs::Line<'_>| {
            debug.is_none_or(|debug| line.debug == debug)
                && containing
                    .as_ref()
                    .is_none_or(|words| words.iter().any(|word| line.text.contains(word.as_str())))
        };
        let mut said = HashSet::new();
        for line in self.0.lines() {
            if distinct && !line.debug {
                said.clear();
            }
            if !wanted(&line) || (distinct && line.debug && !said.insert(line.message())) {
                continue;
            }
            let folds = line.ended && fold.is_some_and(|fold| line.text.starts_with(fold));
            if let Some((first, text)) = &mut folded {
                if folds && first.label == line.label {
                    text.push('\n');
                    text.push_str(line.text);
                    continue;
                }
                made.push(labels.line(py, first, text)?);
                folded = None;
            }
            if folds {
                let text = line.text.to_owned();
                folded = Some((line, text));
            } else {
                made.push(labels.line(py, &line, line.text)?);
            }
        }
        if let Some((first, text)) = &folded {
            made.push(labels.line(py, first, text)?);
        }
        Ok(made)
    }

    /// For each word whether a line holds it; of debug output only what stands before its message is looked at.
    fn held(&self, signs: &Signs) -> Vec<bool> {
        self.0.held(&signs.0)
    }

    /// Whether a line opens a JSON object.
    fn may_hold_json(&self) -> bool {
        self.0.may_hold_json()
    }
}

/// Labels as Python objects: many lines in a row come from one process.
#[derive(Default)]
struct Labels<'a>(Option<(&'a str, Py<PyString>)>);

impl<'a> Labels<'a> {
    fn line(&mut self, py: Python<'_>, line: &logs::Line<'a>, text: &str) -> PyResult<Py<Line>> {
        let label = line.label.map(|name| match &self.0 {
            Some((last, made)) if *last == name => made.clone_ref(py),
            _ => {
                let made = PyString::new(py, name).unbind();
                self.0 = Some((name, made.clone_ref(py)));
                made
            }
        });
        let text = PyString::new(py, text).unbind();
        Py::new(py, Line::new(line.number, text, line.ended, label))
    }
}

/// Words to look for in one pass.
#[pyclass(frozen)]
pub struct Signs(logs::Signs);

#[pymethods]
impl Signs {
    #[new]
    fn new(words: Vec<String>) -> PyResult<Self> {
        let signs =
            logs::Signs::new(&words).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self(signs))
    }
}

/// A number as a cell prints it.
#[derive(IntoPyObject)]
pub enum Number {
    /// Digits.
    Whole(u64),
    /// Digits, a point, digits.
    Decimal(f64),
}

/// The numbers that cells print, None unless each is digits, or digits, a point and digits.
#[pyfunction]
pub fn numbers(cells: Vec<PyBackedStr>) -> Option<Vec<Number>> {
    cells.iter().map(|cell| number(cell)).collect()
}

fn number(cell: &str) -> Option<Number> {
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match cell.split_once('.') {
        None => all_digits(cell).then(|| cell.parse().ok().map(Number::Whole))?,
        Some((whole, part)) => (all_digits(whole) && all_digits(part)).then(|| {
            cell.parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .map(Number::Decimal)
        })?,
    }
}

type Ranks = (Vec<u32>, Vec<String>, Vec<String>, Vec<String>);

/// (numbers, groups, hosts, devices) of the ranks that the lines of a text name; all but the numbers each once, sorted.
#[pyfunction]
pub fn ranks(text: &str) -> Ranks {
    let found = logs::ranks(text);
    let owned =
        |values: std::collections::BTreeSet<&str>| values.into_iter().map(str::to_owned).collect();
    (
        found.numbers,
        owned(found.groups),
        owned(found.hosts),
        owned(found.devices),
    )
}
