//! Runs the simulator: reads a scenario, returns tables as columns of little-endian bytes.

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use wirespeed_sim::ids::{ports_of, PortId, QueuePairId};
use wirespeed_sim::model::faults::descriptions::{describe_faults, FaultDescription, FaultPlace};
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
    serde_json::to_string(&parameters).map_err(json_error)
}

/// The form of scenarios and of results, and the presets, as JSON.
#[pyfunction]
pub fn schema() -> String {
    wirespeed_sim::model::schema::document().to_string()
}

/// A scenario. A simulation takes it, and it cannot be used again.
#[pyclass]
pub struct Scenario(Option<wirespeed_sim::model::scenario::Scenario>);

#[pymethods]
impl Scenario {
    #[new]
    fn new(py: Python<'_>, text: &str, preset: &str, seed: u64) -> PyResult<Self> {
        let scenario = py
            .detach(|| reader::read(text, preset, seed))
            .map_err(|refusal| convert_refusal(py, refusal))?;
        Ok(Scenario(Some(scenario)))
    }

    #[getter]
    fn name(&self) -> PyResult<&str> {
        Ok(&self.scenario()?.name)
    }

    /// Values that were assumed when the scenario was made from a cluster file.
    fn assumptions(&self) -> PyResult<Vec<String>> {
        Ok(self.scenario()?.assumed.clone())
    }

    #[getter]
    fn nodes(&self) -> PyResult<u32> {
        Ok(self.scenario()?.nodes())
    }

    #[getter]
    fn operations(&self) -> PyResult<usize> {
        Ok(self.scenario()?.operations.len())
    }

    #[getter]
    fn hosts(&self) -> PyResult<u32> {
        Ok(self.scenario()?.hosts)
    }

    /// The number of priorities that the scenario uses: those of its connections, and that of notifications.
    #[getter]
    fn priorities(&self) -> PyResult<u32> {
        let scenario = self.scenario()?;
        let notification = scenario.parameters.notification.priority.bit();
        let connections = scenario.connections.iter();
        let priorities = connections.fold(notification, |bits, connection| {
            bits | connection.priority.bit()
        });
        Ok(u8::count_ones(priorities))
    }

    /// Both nodes of each link. Link n has port 2n at the first node and 2n + 1 at the second.
    fn links(&self) -> PyResult<Vec<(u32, u32)>> {
        let links = &self.scenario()?.links;
        Ok(links.iter().map(|link| (link.a.0, link.b.0)).collect())
    }

    /// The name of every node; an empty list if the scenario names no nodes.
    fn node_names(&self) -> PyResult<Vec<String>> {
        Ok(self.scenario()?.names.nodes.clone())
    }

    /// The name of every port; empty for a port without a name.
    fn port_names(&self) -> PyResult<Vec<String>> {
        let scenario = self.scenario()?;
        let ports = ports_of(scenario.links.len());
        let names = ports.map(|port| scenario.names.port(port).to_owned());
        Ok(names.collect())
    }

    /// (RTT of the longest path in ps, bits per second of the slowest NIC port, bytes of a full packet) of the acknowledged
    /// connections in an idle network; none without such a connection.
    fn idle_network(&self, py: Python<'_>) -> PyResult<Option<(u64, u64, u32)>> {
        let scenario = self.scenario()?;
        let network = py.detach(|| IdleNetwork::measure(scenario));
        Ok(network.map(|idle| (idle.base_rtt.0, idle.slowest_rate, idle.packet_bytes.0)))
    }

    /// Faults: kind, places (node, link or port, and its number), start and end in picoseconds.
    #[allow(clippy::type_complexity)]
    fn faults(&self) -> PyResult<Vec<(&'static str, Vec<(&'static str, u32)>, u64, Option<u64>)>> {
        let faults = describe_faults(self.scenario()?).into_iter();
        let row = |fault: FaultDescription| {
            let places = fault.places.into_iter().map(|place| match place {
                FaultPlace::Node(node) => ("node", node.0),
                FaultPlace::Link(link) => ("link", link.0),
                FaultPlace::Port(port) => ("port", port.0),
            });
            let end = (fault.until != NEVER).then_some(fault.until.0);
            (fault.kind, places.collect(), fault.from.0, end)
        };
        Ok(faults.map(row).collect())
    }

    /// The queue pair that sends the data of an operation.
    fn sender(&self, operation: usize) -> PyResult<u32> {
        let operation = self
            .scenario()?
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
    fn scenario(&self) -> PyResult<&wirespeed_sim::model::scenario::Scenario> {
        self.0
            .as_ref()
            .ok_or_else(|| already_used_error("scenario"))
    }
}

/// A run in progress.
#[pyclass]
pub struct Simulation(Option<Run>);

/// Columns of a table: name, type, values, names of an index.
type Columns<'py> = Vec<(
    &'static str,
    &'static str,
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyList>>,
)>;

#[pymethods]
impl Simulation {
    /// A run of the scenario. `until`: end, picoseconds. `interval`: time between samples, picoseconds. `samples`: maximum number
    /// of samples, 0 for all. `threads`: maximum number of threads.
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
        let mut scenario = scenario
            .0
            .take()
            .ok_or_else(|| already_used_error("scenario"))?;
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
            .map_err(|refusal| convert_refusal(py, refusal))?;
        Ok(Simulation(Some(simulation)))
    }

    /// Processes at most `events` events. Returns whether events remain.
    fn advance(&mut self, py: Python<'_>, events: u64) -> PyResult<bool> {
        let simulation = self.run()?;
        Ok(py.detach(|| simulation.advance(events)))
    }

    /// Simulated picoseconds, events, hops, completed operations, all operations, delivered payload bytes, all payload bytes.
    fn progress(&mut self) -> PyResult<[u64; 7]> {
        let progress = self.run()?.progress();
        Ok([
            progress.now.0,
            progress.events,
            progress.hops,
            progress.completed,
            progress.operations,
            progress.delivered_bytes.0,
            progress.bytes.0,
        ])
    }

    /// The reason why the run uses one thread, if more threads would have made it shorter.
    fn serial_reason(&mut self) -> PyResult<Option<String>> {
        let reason = self.run()?.serial_reason();
        Ok(reason
            .filter(|reason| reason.costs())
            .map(|reason| reason.to_string()))
    }

    /// The packets captured at each port since the last call, as pcap. The first call returns the file header, too.
    fn take_captures<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let captures = self.run()?.take_captures();
        Ok(captures
            .iter()
            .map(|capture| PyBytes::new(py, capture))
            .collect())
    }

    /// Ends the run. Returns totals, simulated time at the end (ps), completion times (ps), result tables, and the tables that
    /// follow from the scenario alone.
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
        let simulation = self
            .0
            .take()
            .ok_or_else(|| already_used_error("simulation"))?;
        let outcome = py.detach(|| simulation.finish());
        let totals = convert_totals(py, &outcome.summary)?;
        let completion = convert_values(py, &outcome.summary.completion, |time: Picoseconds| {
            time.0.to_le_bytes()
        })?;
        let (tables, context) = (
            convert_tables(py, outcome.tables)?,
            convert_tables(py, outcome.context)?,
        );
        let end = outcome.summary.end.0;
        Ok((totals, end, completion, tables, context))
    }
}

impl Simulation {
    fn run(&mut self) -> PyResult<&mut Run> {
        self.0
            .as_mut()
            .ok_or_else(|| already_used_error("simulation"))
    }
}

fn already_used_error(object: &str) -> PyErr {
    PyRuntimeError::new_err(format!("this {object} has already been used"))
}

/// The totals as a dictionary. Keys are the names in the schema.
fn convert_totals<'py>(py: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let summary = serde_json::to_value(summary).map_err(json_error)?;
    let totals = PyDict::new(py);
    for (name, value) in summary.as_object().into_iter().flatten() {
        if let Some(number) = value.as_u64() {
            totals.set_item(name, number)?;
        }
    }
    Ok(totals)
}

fn json_error(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn convert_tables<'py>(
    py: Python<'py>,
    tables: Vec<Table>,
) -> PyResult<Vec<(&'static str, Columns<'py>)>> {
    tables
        .into_iter()
        .map(|table| Ok((table.name, convert_columns(py, table)?)))
        .collect()
}

fn convert_columns<'py>(py: Python<'py>, table: Table) -> PyResult<Columns<'py>> {
    table
        .columns
        .into_iter()
        .map(|(name, column)| {
            Ok(match column {
                Column::U8(values) => (name, "u8", PyBytes::new(py, &values), None),
                Column::U32(values) => (
                    name,
                    "u32",
                    convert_values(py, &values, u32::to_le_bytes)?,
                    None,
                ),
                Column::U64(values) => (
                    name,
                    "u64",
                    convert_values(py, &values, u64::to_le_bytes)?,
                    None,
                ),
                Column::F64(values) => (
                    name,
                    "f64",
                    convert_values(py, &values, f64::to_le_bytes)?,
                    None,
                ),
                Column::Name { names, indices } => (
                    name,
                    "u8",
                    PyBytes::new(py, &indices),
                    Some(PyList::new(py, names)?),
                ),
            })
        })
        .collect()
}

/// Values as little-endian bytes, written directly into the Python object.
fn convert_values<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    values: &[T],
    to_bytes: fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, values.len() * N, |buffer| {
        for (slot, value) in buffer.chunks_exact_mut(N).zip(values) {
            slot.copy_from_slice(&to_bytes(*value));
        }
        Ok(())
    })
}

/// The Python exception `wirespeed.errors.Refusal` with every problem.
fn convert_refusal(py: Python<'_>, refusal: Refusal) -> PyErr {
    let build = || {
        let errors = py.import("wirespeed.errors")?;
        let problem_type = errors.getattr("Problem")?;
        let problems = refusal
            .0
            .iter()
            .map(|problem| {
                let hint = (!problem.hint.is_empty()).then_some(&problem.hint);
                problem_type.call1((&problem.location, &problem.found, &problem.expected, hint))
            })
            .collect::<PyResult<Vec<_>>>()?;
        errors.getattr("Refusal")?.call1((problems,))
    };
    match build() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
