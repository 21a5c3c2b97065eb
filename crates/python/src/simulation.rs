//! The simulator: a scenario in, tables out as columns of little-endian bytes.

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use wirespeed_sim::ids::{ports_of, PortId, QueuePairId};
use wirespeed_sim::model::faults::descriptions::{
    describe_faults, FaultDescription, FaultLocation,
};
use wirespeed_sim::model::preset;
use wirespeed_sim::model::results::{Column, Summary, Table};
use wirespeed_sim::model::scenario::{Observe, Verb};
use wirespeed_sim::problem::Refusal;
use wirespeed_sim::time::{Picoseconds, NEVER};
use wirespeed_sim::{congestion, reader, IdleNetwork, Run, Threads};

/// Names of the congestion control algorithms.
#[pyfunction]
pub fn algorithms() -> Vec<&'static str> {
    congestion::names()
}

/// Names of the presets.
#[pyfunction]
pub fn presets() -> Vec<&'static str> {
    preset::NAMES.to_vec()
}

/// The parameters of a preset as JSON, as a scenario file would have them.
#[pyfunction]
#[pyo3(name = "preset")]
pub fn preset_json(name: &str) -> PyResult<String> {
    let parameters = preset::by_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("no preset {name:?}")))?;
    serde_json::to_string(&parameters).map_err(not_json)
}

/// The form of scenarios and of results, and the presets, as JSON.
#[pyfunction]
pub fn schema() -> String {
    wirespeed_sim::model::schema::document().to_string()
}

/// A scenario that was read; a simulation takes it.
#[pyclass]
pub struct Scenario(Option<wirespeed_sim::model::scenario::Scenario>);

#[pymethods]
impl Scenario {
    #[new]
    fn new(py: Python<'_>, text: &str, preset: &str, seed: u64) -> PyResult<Self> {
        let scenario = py
            .detach(|| reader::read(text, preset, seed))
            .map_err(|error| refusal(py, error))?;
        Ok(Scenario(Some(scenario)))
    }

    #[getter]
    fn name(&self) -> PyResult<&str> {
        Ok(&self.read()?.name)
    }

    /// Values that were assumed when the scenario was made from a cluster file.
    fn assumed(&self) -> PyResult<Vec<String>> {
        Ok(self.read()?.assumed.clone())
    }

    #[getter]
    fn nodes(&self) -> PyResult<u32> {
        Ok(self.read()?.nodes())
    }

    #[getter]
    fn operations(&self) -> PyResult<usize> {
        Ok(self.read()?.operations.len())
    }

    #[getter]
    fn hosts(&self) -> PyResult<u32> {
        Ok(self.read()?.hosts)
    }

    /// How many priorities the scenario uses: those of its connections, and that of notifications.
    #[getter]
    fn priorities(&self) -> PyResult<u32> {
        let scenario = self.read()?;
        let of_data = scenario.connections.iter().map(|it| it.priority.bit());
        let of_all = of_data.fold(1 << scenario.parameters.notification.priority, |a, b| a | b);
        Ok(u8::count_ones(of_all))
    }

    /// Both nodes of each link; link n is port 2n at the first and 2n + 1 at the second.
    fn links(&self) -> PyResult<Vec<(u32, u32)>> {
        let links = &self.read()?.links;
        Ok(links.iter().map(|link| (link.a.0, link.b.0)).collect())
    }

    /// The name of every node; none where the scenario names none.
    fn node_names(&self) -> PyResult<Vec<String>> {
        Ok(self.read()?.names.nodes.clone())
    }

    /// The name of every port, empty where it has none.
    fn port_names(&self) -> PyResult<Vec<String>> {
        let scenario = self.read()?;
        let ports = ports_of(scenario.links.len());
        let names = ports.map(|port| scenario.names.port(port).to_owned());
        Ok(names.collect())
    }

    /// (RTT of the longest path in ps, bits per second of the slowest NIC port, bytes of a full packet) of the acknowledged
    /// connections without any queue; none where there is no such connection.
    fn idle_network(&self, py: Python<'_>) -> PyResult<Option<(u64, u64, u32)>> {
        let scenario = self.read()?;
        let network = py.detach(|| IdleNetwork::measure(scenario));
        Ok(network.map(|it| (it.base_rtt.0, it.slowest_port, it.packet_bytes.0)))
    }

    /// What goes wrong: kind, places (node, link or port, and its number), from when and until when, picoseconds.
    #[allow(clippy::type_complexity)]
    fn faults(&self) -> PyResult<Vec<(&'static str, Vec<(&'static str, u32)>, u64, Option<u64>)>> {
        let faults = describe_faults(self.read()?).into_iter();
        let row = |it: FaultDescription| {
            let places = it.places.into_iter().map(|place| match place {
                FaultLocation::Node(node) => ("node", node.0),
                FaultLocation::Link(link) => ("link", link.0),
                FaultLocation::Port(port) => ("port", port.0),
            });
            let until = (it.until != NEVER).then_some(it.until.0);
            (it.kind, places.collect(), it.from.0, until)
        };
        Ok(faults.map(row).collect())
    }

    /// The queue pair that sends the data of an operation.
    fn sender(&self, operation: usize) -> PyResult<u32> {
        let operation = self
            .read()?
            .operations
            .get(operation)
            .ok_or_else(|| PyIndexError::new_err("no such operation"))?;
        Ok(match operation.verb {
            Verb::Write | Verb::Send => operation.queue_pair,
            Verb::Read => operation.queue_pair.peer(),
        }
        .0)
    }
}

impl Scenario {
    fn read(&self) -> PyResult<&wirespeed_sim::model::scenario::Scenario> {
        self.0.as_ref().ok_or_else(|| already_used("scenario"))
    }
}

/// A run in progress.
#[pyclass]
pub struct Simulation(Option<Run>);

/// Columns of a table: name, type, values, words of an index.
type Columns<'py> = Vec<(
    &'static str,
    &'static str,
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyList>>,
)>;

#[pymethods]
impl Simulation {
    /// Until when, and how often to sample: picoseconds; at most how many samples to keep, 0 for all; on how many threads.
    #[new]
    #[pyo3(signature = (scenario, until, interval, samples, ports, queue_pairs, captures, threads = 1))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        scenario: &mut Scenario,
        until: Option<u64>,
        interval: u64,
        samples: u32,
        ports: Vec<u32>,
        queue_pairs: Vec<u32>,
        captures: Vec<u32>,
        threads: usize,
    ) -> PyResult<Self> {
        let mut scenario = scenario.0.take().ok_or_else(|| already_used("scenario"))?;
        scenario.until = Picoseconds(until.unwrap_or(NEVER.0));
        scenario.observe = Observe {
            interval: Picoseconds(interval),
            samples,
            ports: ports.into_iter().map(PortId).collect(),
            queue_pairs: queue_pairs.into_iter().map(QueuePairId).collect(),
            captures: captures.into_iter().map(PortId).collect(),
        };
        let simulation = py
            .detach(|| Run::new(scenario, Threads::AtMost(threads)))
            .map_err(|error| refusal(py, error))?;
        Ok(Simulation(Some(simulation)))
    }

    /// Work off so many events; whether there is more to do.
    fn advance(&mut self, py: Python<'_>, events: u64) -> PyResult<bool> {
        let simulation = self.run()?;
        Ok(py.detach(|| simulation.advance(events)))
    }

    /// Simulated picoseconds, events, hops; operations completed and all; payload bytes delivered and all.
    fn progress(&mut self) -> PyResult<[u64; 7]> {
        let at = self.run()?.progress();
        Ok([
            at.now.0,
            at.events,
            at.hops,
            at.completed,
            at.operations,
            at.delivered_bytes.0,
            at.bytes.0,
        ])
    }

    /// Why the run is on one thread, where more would have made it shorter.
    fn serial_reason(&mut self) -> PyResult<Option<String>> {
        let reason = self.run()?.serial_reason();
        Ok(reason.filter(|it| it.costs()).map(|it| it.to_string()))
    }

    /// What was captured since the last call at each port, as pcap; the first call begins with the file's header.
    fn take_captures<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let captures = self.run()?.captured();
        Ok(captures.iter().map(|it| PyBytes::new(py, it)).collect())
    }

    /// End the run: totals, simulated time at the end and completion times in ps, tables, and the tables that follow from
    /// the scenario alone.
    #[allow(clippy::type_complexity)]
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyDict>,
        u64,
        Bound<'py, PyBytes>,
        Vec<(&'static str, Columns<'py>)>,
        Vec<(&'static str, Columns<'py>)>,
    )> {
        let simulation = self.0.take().ok_or_else(|| already_used("simulation"))?;
        let outcome = py.detach(|| simulation.finish());
        let totals = totals(py, &outcome.summary)?;
        let completion = bytes(py, &outcome.summary.completion, u64::to_le_bytes)?;
        let (tables, context) = (
            convert_tables(py, outcome.tables)?,
            convert_tables(py, outcome.context)?,
        );
        let end = outcome.summary.end;
        Ok((totals, end, completion, tables, context))
    }
}

impl Simulation {
    fn run(&mut self) -> PyResult<&mut Run> {
        self.0.as_mut().ok_or_else(|| already_used("simulation"))
    }
}

fn already_used(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("this {what} has already been used"))
}

/// The totals, by their names in the schema.
fn totals<'py>(py: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let summary = serde_json::to_value(summary).map_err(not_json)?;
    let totals = PyDict::new(py);
    for (name, value) in summary.as_object().into_iter().flatten() {
        if let Some(number) = value.as_u64() {
            totals.set_item(name, number)?;
        }
    }
    Ok(totals)
}

fn not_json(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn convert_tables<'py>(
    py: Python<'py>,
    tables: Vec<Table>,
) -> PyResult<Vec<(&'static str, Columns<'py>)>> {
    let named = tables.into_iter();
    named
        .map(|table| Ok((table.name, columns(py, table)?)))
        .collect()
}

fn columns<'py>(py: Python<'py>, table: Table) -> PyResult<Columns<'py>> {
    table
        .columns
        .into_iter()
        .map(|(name, column)| {
            Ok(match column {
                Column::U8(values) => (name, "u8", PyBytes::new(py, &values), None),
                Column::U32(values) => (name, "u32", bytes(py, &values, u32::to_le_bytes)?, None),
                Column::U64(values) => (name, "u64", bytes(py, &values, u64::to_le_bytes)?, None),
                Column::F64(values) => (name, "f64", bytes(py, &values, f64::to_le_bytes)?, None),
                Column::Word { words, indices } => (
                    name,
                    "u8",
                    PyBytes::new(py, &indices),
                    Some(PyList::new(py, words)?),
                ),
            })
        })
        .collect()
}

/// Values as little-endian bytes, written straight into the Python object.
fn bytes<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    values: &[T],
    to_bytes: fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, values.len() * N, |into| {
        for (place, value) in into.chunks_exact_mut(N).zip(values) {
            place.copy_from_slice(&to_bytes(*value));
        }
        Ok(())
    })
}

/// `wirespeed.errors.Refusal` with every problem.
fn refusal(py: Python<'_>, refusal: Refusal) -> PyErr {
    let raised = || {
        let errors = py.import("wirespeed.errors")?;
        let problem = errors.getattr("Problem")?;
        let problems = refusal
            .0
            .iter()
            .map(|one| {
                let hint = (!one.hint.is_empty()).then_some(&one.hint);
                problem.call1((&one.place, &one.found, &one.expected, hint))
            })
            .collect::<PyResult<Vec<_>>>()?;
        errors.getattr("Refusal")?.call1((problems,))
    };
    match raised() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
