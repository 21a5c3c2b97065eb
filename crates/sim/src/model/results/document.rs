//! The summary of a run, as it is written: names, times and completion besides the totals of the core.
//!
//! Only its schema is used. The calling program fills the fields that the core does not provide.

use super::summary::Summary;
use schemars::JsonSchema;

/// Summary of one run. Times and memory are those of this run on this machine. All other values follow from scenario, preset
/// and seed.
#[derive(JsonSchema)]
#[schemars(rename = "Summary")]
pub struct Document {
    /// Name of the scenario.
    pub name: String,
    /// Preset of its parameters.
    pub preset: String,
    /// Seed of its random numbers.
    pub seed: u64,
    /// False: the run was interrupted. True after `--until` too: `unfinished` counts the flows that it cut off.
    pub complete: bool,
    /// Totals of the core.
    #[serde(flatten)]
    pub totals: Summary,
    /// Time from the scenario read to the first event.
    #[schemars(extend("x-unit" = "s"))]
    pub setup_s: f64,
    /// Time from the first event to the filled tables.
    #[schemars(extend("x-unit" = "s"))]
    pub run_s: f64,
    /// Simulated `hops` per second of `run_s`.
    #[schemars(extend("x-unit" = "1/s"))]
    pub hops_per_s: f64,
    /// Peak of resident memory. Null where the system does not report it.
    pub peak_rss_bytes: Option<u64>,
    /// This peak, less the memory that was resident before the core read the scenario.
    pub rss_growth_bytes: Option<u64>,
    /// Operations of the scenario.
    pub flows: u64,
    /// Of these, completed.
    pub completed: u64,
    /// Flows in error, and flows that cannot complete any more.
    pub failed: u64,
    /// Flows in progress at the end of the run: it was interrupted, or `--until` stopped it.
    pub unfinished: u64,
    /// Congestion control of the NICs: the algorithm that most have, then others.
    pub congestion: Vec<String>,
    /// Completion times. Null: no flow completed.
    pub fct_us: Option<CompletionTimes>,
    /// Simulated time at the end.
    pub end_us: f64,
    /// SHA-256 of the result tables.
    pub tables_sha256: String,
    /// Circles of queues that wait for each other.
    #[schemars(default)]
    pub deadlocks: Vec<String>,
    /// Time of the first PFC pause. Null: no pause.
    #[schemars(extend("default" = null))]
    pub first_pause_us: Option<f64>,
    /// Assumed values that are in neither plan nor catalogue.
    #[schemars(extend("default" = []))]
    pub assumed: Vec<String>,
    /// Origin of a scenario that was made from a plan.
    #[schemars(extend("default" = null))]
    pub source: Option<Source>,
    /// Simulated faults. A stored scenario does not show which of its settings are faults.
    #[schemars(extend("default" = []))]
    pub faults: Vec<Fault>,
}

/// Time from the earliest start of a flow to its last acknowledgement. Percentiles by nearest rank.
#[derive(JsonSchema)]
pub struct CompletionTimes {
    /// Mean.
    #[schemars(extend("x-unit" = "us"))]
    pub mean: f64,
    /// Median.
    #[schemars(extend("x-unit" = "us"))]
    pub p50: f64,
    /// 99th percentile.
    #[schemars(extend("x-unit" = "us"))]
    pub p99: f64,
    /// Longest.
    #[schemars(extend("x-unit" = "us"))]
    pub max: f64,
    /// Shortest.
    #[schemars(extend("x-unit" = "us"))]
    pub min: f64,
}

/// The plan that a scenario was made from.
#[derive(JsonSchema)]
pub struct Source {
    /// Name of the plan.
    pub plan: String,
    /// Cluster file.
    pub cluster: String,
    /// SHA-256 of the cluster file.
    pub cluster_sha256: String,
    /// Version of wirespeed, which the catalogue is part of.
    pub catalogue: String,
    /// Traffic file.
    pub traffic: String,
    /// SHA-256 of the traffic file.
    pub traffic_sha256: String,
    /// SHA-256 of the scenario.
    pub scenario_sha256: String,
}

/// A simulated fault.
#[derive(JsonSchema)]
pub struct Fault {
    /// Kind, as in scenarios and traffic files.
    pub kind: String,
    /// Device, or port at which the cable is, by name.
    pub place: String,
    /// Faulty nodes, by number.
    pub nodes: Vec<u32>,
    /// Faulty cables, by number.
    pub links: Vec<u32>,
    /// Start.
    pub start_us: f64,
    /// End. Null: the fault stays.
    pub until_us: Option<f64>,
    /// Of a wrong setting: the setting and its value.
    #[schemars(default)]
    pub setting: String,
}
