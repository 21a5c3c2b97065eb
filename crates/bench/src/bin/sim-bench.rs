//! Measures the speed of the simulator on scenarios on which other simulators were measured too.
//!
//! Every run has a separate process, so that the peak memory of one run is not counted for the next.

use lexopt::prelude::*;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use wirespeed_bench::generate::{find_generated, GeneratedScenario, GENERATED};
use wirespeed_bench::goals::REFERENCES;
use wirespeed_bench::hold_model::hold_model_ns;
use wirespeed_bench::machine;
use wirespeed_bench::measure::{measure, Measurement, Rounds};
use wirespeed_bench::report::{Conditions, Report};

/// Prefix of every error.
const ERROR_PREFIX: &str = "sim-bench: ";

const HELP: &str = "\
Usage: sim-bench [OPTIONS] [SCENARIO ...]

Measure the speed of the simulator on each scenario: a file, or the name of a generated one (S3, S4, S4R, K32, RAIL, DAY).
Default: the scenarios on which other simulators were measured.

The table has hops (data and ACK frames starting on a link) per second, set-up time, peak memory, and goals scaled to the
machine. A run that drops or retransmits packets, leaves flows unfinished or has an unexpected number of hops is not valid:
its speed is not printed.

Options:
  --preset NAME  parameters where the scenario has none [default: hpcc]
  --seed N       seed of random draws [default: 1]
  --threads N    measure each scenario also on up to N threads, and as N concurrent runs on one thread each [default: 1]
  --large        also run K32, RAIL and DAY: 8,192 hosts, 32,768 GPUs, 24 hours
  --repeat N     runs of each scenario; the best counts [default: 5]
  --json         print JSON
  --print NAME   print a generated scenario, for `wirespeed sim run`, and exit
  --help         print this help and exit

Exit status: 0 all runs are valid, at any speed; 1 a run is not valid or failed; 2 wrong usage.
";

struct Arguments {
    scenarios: Vec<PathBuf>,
    preset: String,
    seed: u64,
    threads: usize,
    repeat: u32,
    json: bool,
    /// Runs the scenario in this process and prints its measurement. `sim-bench` starts itself with it for each run.
    in_process: bool,
}

fn main() -> ExitCode {
    let arguments = match parse_arguments() {
        Ok(Task::Measure(arguments)) => arguments,
        Ok(Task::Print(scenario)) => {
            println!("{}", scenario.text());
            return ExitCode::SUCCESS;
        }
        Ok(Task::Help) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{ERROR_PREFIX}{error} (sim-bench --help)");
            return ExitCode::from(2);
        }
    };
    let result = if arguments.in_process {
        measure_in_process(&arguments)
    } else {
        print_report(&arguments)
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{ERROR_PREFIX}{error}");
            ExitCode::FAILURE
        }
    }
}

enum Task {
    Measure(Arguments),
    Print(&'static GeneratedScenario),
    Help,
}

fn parse_arguments() -> Result<Task, lexopt::Error> {
    let mut arguments = Arguments {
        scenarios: Vec::new(),
        preset: "hpcc".to_owned(),
        seed: 1,
        threads: 1,
        repeat: 5,
        json: false,
        in_process: false,
    };
    let mut large = false;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("preset") => arguments.preset = parser.value()?.string()?,
            Long("seed") => arguments.seed = parser.value()?.parse()?,
            Long("threads") => arguments.threads = parser.value()?.parse()?,
            Long("repeat") => arguments.repeat = parser.value()?.parse()?,
            Long("large") => large = true,
            Long("json") => arguments.json = true,
            Long("print") => return Ok(Task::Print(parse_name(&parser.value()?.string()?)?)),
            Long("in-process") => arguments.in_process = true,
            Long("help") | Short('h') => return Ok(Task::Help),
            Value(path) => arguments.scenarios.push(path.into()),
            _ => return Err(argument.unexpected()),
        }
    }
    for (option, number) in [
        ("--repeat", arguments.repeat as usize),
        ("--threads", arguments.threads),
    ] {
        if number == 0 {
            return Err(format!("{option} 0: found 0, expected at least 1").into());
        }
    }
    if large {
        let large = GENERATED.iter().filter(|scenario| scenario.is_large);
        arguments
            .scenarios
            .extend(large.map(|scenario| scenario.name.into()));
    }
    if arguments.scenarios.is_empty() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/simulator");
        arguments.scenarios = REFERENCES
            .iter()
            .map(|reference| match find_generated(reference.name) {
                Some(scenario) => scenario.name.into(),
                None => examples.join(reference.name).with_extension("json"),
            })
            .collect();
    }
    Ok(Task::Measure(arguments))
}

/// The generated scenario of this name.
fn parse_name(name: &str) -> Result<&'static GeneratedScenario, String> {
    find_generated(name).ok_or_else(|| {
        let names = GENERATED.map(|scenario| scenario.name).join(", ");
        format!("--print {name}: expected a generated scenario: {names}")
    })
}

fn measure_in_process(arguments: &Arguments) -> Result<bool, String> {
    for path in &arguments.scenarios {
        let text = read_scenario(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let measurement = measure(text, &arguments.preset, arguments.seed, arguments.threads)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let line = serde_json::to_string(&measurement).map_err(|error| error.to_string())?;
        println!("{line}");
    }
    Ok(true)
}

/// The text of the generated scenario of this name, or of the file.
fn read_scenario(path: &Path) -> std::io::Result<String> {
    match path.to_str().and_then(find_generated) {
        Some(scenario) => Ok(scenario.text()),
        None => fs::read_to_string(path),
    }
}

/// Measures every scenario and prints the report. Returns whether all runs are valid.
fn print_report(arguments: &Arguments) -> Result<bool, String> {
    let load_before = machine::read_load();
    let mut hold_ns = vec![hold_model_ns()];
    let mut measurements = Vec::new();
    for path in &arguments.scenarios {
        measurements.push(measure_best(arguments, path)?);
        hold_ns.push(hold_model_ns());
    }
    let conditions = Conditions {
        date: machine::format_today(),
        processor: machine::describe_processor(),
        load: [load_before, machine::read_load()],
        hold_ns,
        preset: arguments.preset.clone(),
        seed: arguments.seed,
        repeat: arguments.repeat,
        threads: arguments.threads,
    };
    let report = Report::new(conditions, measurements);
    if arguments.json {
        println!("{}", report.format_json());
    } else {
        print!("{report}");
    }
    Ok(report.is_valid())
}

/// Measures the scenario on one thread, and on request on several threads and in concurrent runs. The three alternate, so a
/// change in the machine's speed affects all of them.
fn measure_best(arguments: &Arguments, path: &Path) -> Result<(Measurement, Rounds), String> {
    let mut best: Option<Measurement> = None;
    let mut rounds = Rounds::default();
    for _ in 0..arguments.repeat {
        let single = start_process(arguments, path, 1)?;
        if arguments.threads > 1 {
            let several = start_process(arguments, path, arguments.threads)?;
            rounds.add(&single, several, &start_concurrent(arguments, path)?)?;
        }
        best = Some(match best.take() {
            Some(best) => best.merge_best(single)?,
            None => single,
        });
    }
    Ok((best.expect("at least one run"), rounds))
}

/// Starts as many concurrent runs on one thread each as `--threads` states.
fn start_concurrent(arguments: &Arguments, path: &Path) -> Result<Vec<Measurement>, String> {
    thread::scope(|scope| {
        let run = || start_process(arguments, path, 1);
        let runs: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(run)).collect();
        let results = runs
            .into_iter()
            .map(|run| run.join().unwrap_or_else(|panic| resume_unwind(panic)));
        results.collect()
    })
}

/// Runs the scenario in a separate process.
fn start_process(
    arguments: &Arguments,
    path: &Path,
    threads: usize,
) -> Result<Measurement, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(executable)
        .arg("--in-process")
        .args(["--preset", &arguments.preset])
        .args(["--seed", &arguments.seed.to_string()])
        .args(["--threads", &threads.to_string()])
        .arg("--")
        .arg(path)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(match message.trim().strip_prefix(ERROR_PREFIX) {
            Some(reason) => reason.to_owned(),
            None => format!("{}: {}\n{message}", path.display(), output.status),
        });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
