//! Logs: lines as Python objects, built only for the lines that are read.

use std::collections::HashSet;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;
use wirespeed_logs as logs;

/// One line of a log.
#[pyclass(frozen)]
pub struct Line {
    #[pyo3(get)]
    number: usize,
    #[pyo3(get)]
    text: Py<PyString>,
    #[pyo3(get)]
    ended: bool,
    #[pyo3(get)]
    label: Option<Py<PyString>>,
    /// Whether the whole line is NCCL's debug output.
    #[pyo3(get)]
    debug: bool,
    block: Option<Block>,
}

/// Neighbours that a reader takes together.
#[derive(Clone)]
struct Block {
    text: String,
    numbers: Vec<usize>,
    ranks: bool,
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
            debug: false,
            block: None,
        }
    }

    /// Whether this stands for many lines that each name a rank.
    #[getter]
    fn is_list(&self) -> bool {
        self.block.as_ref().is_some_and(|block| block.ranks)
    }

    /// Whether this stands for many lines that look like rows of a table.
    #[getter]
    fn is_table(&self) -> bool {
        self.block.as_ref().is_some_and(|block| !block.ranks)
    }

    /// (numbers, groups, hosts, devices) of the ranks that this names: first and last of numbers that follow one another, in the
    /// order of the lines; the others each once, sorted.
    fn ranks(&self, py: Python<'_>) -> PyResult<Ranks> {
        Ok(match &self.block {
            Some(block) => ranks(&block.text),
            None => ranks(self.text.to_str(py)?),
        })
    }

    /// (lines, sizes, kinds, results) of rows of so many cells, of which the first `left` are no results; None unless
    /// all are plain rows.
    fn rows(&self, cells: usize, left: usize) -> Option<Rows<'_>> {
        let block = self.block.as_ref()?;
        let found = logs::rows(&block.text, cells, left)?;
        let results = found.results.into_iter().map(Number).collect();
        Some((block.numbers.clone(), found.sizes, found.kinds, results))
    }

    /// The lines that this stands for.
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<Py<Self>>> {
        let Some(block) = &self.block else {
            return Ok(Vec::new());
        };
        block
            .numbers
            .iter()
            .zip(block.text.split('\n'))
            .map(|(number, text)| {
                let label = self.label.as_ref().map(|label| label.clone_ref(py));
                let text = PyString::new(py, text).unbind();
                Py::new(py, Self::new(*number, text, true, label))
            })
            .collect()
    }

    /// The same line with another text.
    fn with_text(&self, py: Python<'_>, text: Py<PyString>, ended: bool) -> Self {
        let label = self.label.as_ref().map(|label| label.clone_ref(py));
        Self {
            number: self.number,
            text,
            ended,
            label,
            debug: false,
            block: None,
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

    /// Lines in order: all of them, or only those that are debug output or not, or that contain one of the substrings.
    ///
    /// `fold`: lists of ranks and rows of a table become one line each, where one process prints them one after the
    /// other. `distinct`: of debug output with nothing else between, each message once, whichever process printed it.
    #[pyo3(signature = (debug = None, containing = None, fold = false, distinct = false))]
    fn lines(
        &self,
        py: Python<'_>,
        debug: Option<bool>,
        containing: Option<Vec<String>>,
        fold: bool,
        distinct: bool,
    ) -> PyResult<Vec<Py<Line>>> {
        let substrings = containing
            .map(|substrings| logs::AnySubstring::new(&substrings))
            .transpose();
        let substrings = substrings.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut labels = Labels::default();
        let mut made = Vec::new();
        let mut folded: Option<(logs::Line<'_>, Block)> = None;
        let wanted = |line: &logs::Line<'_>| {
            debug.is_none_or(|debug| line.debug == debug)
                && substrings
                    .as_ref()
                    .is_none_or(|substrings| substrings.in_line(line.kind_and_message()))
        };
        let mut printed = HashSet::new();
        let mut before = ""; // where a message broke this line, what follows is its rest
        for line in self.0.lines() {
            if distinct && !line.debug {
                printed.clear();
            }
            if !wanted(&line) || (distinct && line.debug && !printed.insert(line.message())) {
                continue;
            }
            let is_rank = fold && line.ended && logs::is_rank_line(line.text);
            let folds = is_rank
                || (fold && line.ended && logs::is_row(line.text) && !before.contains(" NCCL "));
            before = line.text;
            if let Some((first, block)) = &mut folded {
                if folds && block.ranks == is_rank && first.label == line.label {
                    block.text.push('\n');
                    block.text.push_str(line.text);
                    block.numbers.push(line.number);
                    continue;
                }
            }
            if let Some((first, block)) = folded.take() {
                made.push(labels.block(py, &first, block)?);
            }
            if folds {
                let block = Block {
                    text: line.text.to_owned(),
                    numbers: vec![line.number],
                    ranks: is_rank,
                };
                folded = Some((line, block));
            } else {
                made.push(labels.line(py, &line, None)?);
            }
        }
        if let Some((first, block)) = folded.take() {
            made.push(labels.block(py, &first, block)?);
        }
        Ok(made)
    }

    /// For each substring whether a line contains it; of debug output only the kind is searched.
    fn contained(&self, substrings: &Substrings) -> Vec<bool> {
        self.0.contained(&substrings.0)
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
    /// A block as one line; a single line stays what it is.
    fn block(
        &mut self,
        py: Python<'_>,
        first: &logs::Line<'a>,
        block: Block,
    ) -> PyResult<Py<Line>> {
        let block = Some(block).filter(|block| block.numbers.len() > 1);
        self.line(py, first, block)
    }

    fn line(
        &mut self,
        py: Python<'_>,
        line: &logs::Line<'a>,
        block: Option<Block>,
    ) -> PyResult<Py<Line>> {
        let label = line.label.map(|name| match &self.0 {
            Some((last, made)) if *last == name => made.clone_ref(py),
            _ => {
                let made = PyString::new(py, name).unbind();
                self.0 = Some((name, made.clone_ref(py)));
                made
            }
        });
        let text = PyString::new(py, line.text).unbind();
        Py::new(
            py,
            Line {
                number: line.number,
                text,
                ended: line.ended,
                label,
                debug: line.debug,
                block,
            },
        )
    }
}

/// Substrings to search for in one pass.
#[pyclass(frozen)]
pub struct Substrings(logs::Substrings);

#[pymethods]
impl Substrings {
    #[new]
    fn new(substrings: Vec<String>) -> PyResult<Self> {
        logs::Substrings::new(&substrings)
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A number as a cell prints it: an int or a float.
pub struct Number(logs::Number);

impl<'py> IntoPyObject<'py> for Number {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(match self.0 {
            logs::Number::Whole(value) => value.into_pyobject(py)?.into_any(),
            logs::Number::Decimal(value) => value.into_pyobject(py)?.into_any(),
        })
    }
}

/// The number that a cell prints, None unless it is digits, or digits, a point and digits.
#[pyfunction]
pub fn plain_number(cell: &Bound<'_, PyString>) -> Option<Number> {
    let text = cell.to_str().ok()?; // one with half a surrogate is no number
    logs::number(text).map(Number)
}

/// The numbers that cells print, None unless each is digits, or digits, a point and digits.
#[pyfunction]
pub fn numbers(cells: Vec<PyBackedStr>) -> Option<Vec<Number>> {
    cells
        .iter()
        .map(|cell| logs::number(cell).map(Number))
        .collect()
}

type Rows<'a> = (Vec<usize>, Vec<u64>, Vec<Vec<&'a str>>, Vec<Number>);
type Ranks = (Vec<(u32, u32)>, Vec<String>, Vec<String>, Vec<String>);

fn ranks(text: &str) -> Ranks {
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
