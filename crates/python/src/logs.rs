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
    is_complete: bool,
    #[pyo3(get)]
    label: Option<Py<PyString>>,
    /// Whether the whole line is NCCL's debug output.
    #[pyo3(get)]
    debug: bool,
    block: Option<Block>,
}

/// Consecutive lines that a reader takes as one.
#[derive(Clone)]
struct Block {
    text: String,
    numbers: Vec<usize>,
    is_ranks: bool,
}

#[pymethods]
impl Line {
    #[new]
    #[pyo3(signature = (number, text, is_complete = true, label = None))]
    fn new(
        number: usize,
        text: Py<PyString>,
        is_complete: bool,
        label: Option<Py<PyString>>,
    ) -> Self {
        Self {
            number,
            text,
            is_complete,
            label,
            debug: false,
            block: None,
        }
    }

    /// Whether this represents several lines of a list of ranks.
    #[getter]
    fn is_list(&self) -> bool {
        self.block.as_ref().is_some_and(|block| block.is_ranks)
    }

    /// Whether this represents several lines that look like rows of a table.
    #[getter]
    fn is_table(&self) -> bool {
        self.block.as_ref().is_some_and(|block| !block.is_ranks)
    }

    /// (numbers, groups, hosts, devices, places) of the ranks in this line: ranges of consecutive numbers (first, last) in
    /// the order of the lines; groups, hosts and devices sorted, each once; of each rank its host, GPU and PCIe address.
    fn ranks(&self, py: Python<'_>) -> PyResult<Ranks> {
        Ok(match &self.block {
            Some(block) => read_ranks(&block.text),
            None => read_ranks(self.text.to_str(py)?),
        })
    }

    /// (lines, sizes, kinds, results) of rows of `cells` cells, of which the first `labels` are no results; None unless
    /// all lines are plain rows.
    fn rows(&self, cells: usize, labels: usize) -> Option<Rows<'_>> {
        let block = self.block.as_ref()?;
        let rows = logs::read_rows(&block.text, cells, labels)?;
        let results = rows.results.into_iter().map(Number).collect();
        Some((block.numbers.clone(), rows.sizes, rows.kinds, results))
    }

    /// The lines that this represents.
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
    fn with_text(&self, py: Python<'_>, text: Py<PyString>, is_complete: bool) -> Self {
        let label = self.label.as_ref().map(|label| label.clone_ref(py));
        Self {
            number: self.number,
            text,
            is_complete,
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

    /// The lines in the order of the file.
    ///
    /// `debug`: only lines that are (true) or are not (false) debug output. `containing`: only lines with one of these
    /// substrings. `fold`: consecutive ranks or table rows of one process become one line. `distinct`: consecutive lines of debug
    /// output have each message once, from whichever process.
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
        let mut lines = Vec::new();
        let mut folded: Option<(logs::Line<'_>, Block)> = None;
        let is_wanted = |line: &logs::Line<'_>| {
            debug.is_none_or(|debug| line.is_debug == debug)
                && substrings
                    .as_ref()
                    .is_none_or(|substrings| substrings.is_in(line.kind_and_message()))
        };
        let mut messages = HashSet::new();
        let mut previous = ""; // a line that a message of debug output interrupts continues in the next line
        for line in self.0.lines() {
            if distinct && !line.is_debug {
                messages.clear();
            }
            if !is_wanted(&line) || (distinct && line.is_debug && !messages.insert(line.message()))
            {
                continue;
            }
            let is_rank = fold && line.is_complete && logs::is_rank_line(line.text);
            let is_folded = is_rank
                || (fold
                    && line.is_complete
                    && logs::is_row(line.text)
                    && !previous.contains(" NCCL "));
            previous = line.text;
            if let Some((first, block)) = &mut folded {
                if is_folded && block.is_ranks == is_rank && first.label == line.label {
                    block.text.push('\n');
                    block.text.push_str(line.text);
                    block.numbers.push(line.number);
                    continue;
                }
            }
            if let Some((first, block)) = folded.take() {
                lines.push(labels.convert_block(py, &first, block)?);
            }
            if is_folded {
                let block = Block {
                    text: line.text.to_owned(),
                    numbers: vec![line.number],
                    is_ranks: is_rank,
                };
                folded = Some((line, block));
            } else {
                lines.push(labels.convert_line(py, &line, None)?);
            }
        }
        if let Some((first, block)) = folded.take() {
            lines.push(labels.convert_block(py, &first, block)?);
        }
        Ok(lines)
    }

    /// The numbers of lines outside debug output that contain a number with a decimal comma, and this number.
    fn decimal_commas(&self) -> Vec<(usize, String)> {
        let numbers = self.0.decimal_commas().into_iter();
        numbers
            .map(|(line, number)| (line, number.to_owned()))
            .collect()
    }

    /// For each substring whether a line contains it; of debug output only the kind is searched.
    fn contains_each(&self, substrings: &Substrings) -> Vec<bool> {
        self.0.contains_each(&substrings.0)
    }

    /// Whether a line opens a JSON object.
    fn may_contain_json(&self) -> bool {
        self.0.may_contain_json()
    }
}

/// Converts lines and their labels to Python objects. Consecutive lines of one process share a label.
#[derive(Default)]
struct Labels<'a>(Option<(&'a str, Py<PyString>)>);

impl<'a> Labels<'a> {
    /// Converts a block to one line. A block of one line becomes an ordinary line.
    fn convert_block(
        &mut self,
        py: Python<'_>,
        first: &logs::Line<'a>,
        block: Block,
    ) -> PyResult<Py<Line>> {
        let block = Some(block).filter(|block| block.numbers.len() > 1);
        self.convert_line(py, first, block)
    }

    fn convert_line(
        &mut self,
        py: Python<'_>,
        line: &logs::Line<'a>,
        block: Option<Block>,
    ) -> PyResult<Py<Line>> {
        let label = line.label.map(|name| match &self.0 {
            Some((previous, label)) if *previous == name => label.clone_ref(py),
            _ => {
                let label = PyString::new(py, name).unbind();
                self.0 = Some((name, label.clone_ref(py)));
                label
            }
        });
        let text = PyString::new(py, line.text).unbind();
        Py::new(
            py,
            Line {
                number: line.number,
                text,
                is_complete: line.is_complete,
                label,
                debug: line.is_debug,
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

/// The number in a cell: an int or a float.
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

/// The number in a cell; None unless the cell is digits, or digits, a point and digits.
#[pyfunction]
pub fn plain_number(cell: &Bound<'_, PyString>) -> Option<Number> {
    let text = cell.to_str().ok()?; // a text with a lone surrogate is no number
    logs::parse_number(text).map(Number)
}

/// The numbers in cells; None unless each cell is digits, or digits, a point and digits.
#[pyfunction]
pub fn numbers(cells: Vec<PyBackedStr>) -> Option<Vec<Number>> {
    cells
        .iter()
        .map(|cell| logs::parse_number(cell).map(Number))
        .collect()
}

type Rows<'a> = (Vec<usize>, Vec<u64>, Vec<Vec<&'a str>>, Vec<Number>);
type Ranks = (
    Vec<(u32, u32)>,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Vec<(u32, String, Option<u32>, String)>,
);

fn read_ranks(text: &str) -> Ranks {
    let ranks = logs::read_ranks(text);
    let to_strings =
        |values: std::collections::BTreeSet<&str>| values.into_iter().map(str::to_owned).collect();
    let places = ranks.places.iter().map(|place| {
        let address = place.address.to_owned();
        (place.rank, place.host.to_owned(), place.gpu, address)
    });
    let places = places.collect();
    (
        ranks.numbers,
        to_strings(ranks.groups),
        to_strings(ranks.hosts),
        to_strings(ranks.devices),
        places,
    )
}
