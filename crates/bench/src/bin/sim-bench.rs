//! How fast the simulator is on the scenarios that all simulators are measured on.
//!
//! Every run has a process of its own, so that the memory of one is not counted for the next.

use lexopt::prelude::*;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use wirespeed_bench::goals::KNOWN;
use wirespeed_bench::hold::hold_model_ns;
use wirespeed_bench::machine;
use wirespeed_bench::measure::{measure, Measurement};
use wirespeed_bench::report::{Report, Setting};

/// Before every error.
const NAME: &str = "sim-bench: ";

const HELP: &str = "\
Usage: sim-bench [OPTIONS] [SCENARIO.json ...]

Times the simulator on each scenario, by itself those with known figures in examples/simulator/, and prints one table:
hops (data and ACK frames starting on a link) per second, set-up, memory, and the goals scaled to the machine.
A run that drops, retransmits, leaves a flow unfinished or has another number of hops than it must has no figure.

Options:
  --preset NAME  parameters where the scenario has none [default: hpcc]
  --seed N       seed of every chance [default: 1]
  --threads N    on at most so many threads [default: 1]
  --repeat N     runs of each, of which the best counts [default: 5]
  --json         the same as JSON
  --help         this

Exit status: 0 all runs were right, however fast; 1 one was not, or could not be run; 2 wrong usage.
";

struct Arguments {
    scenarios: Vec<PathBuf>,
    preset: String,
    seed: u64,
    threads: usize,
    repeat: u32,
    json: bool,
    /// Runs the one scenario in this process and prints its measurement: what `sim-bench` starts for each run.
    alone: bool,
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{NAME}{error} (sim-bench --help)");
            return ExitCode::from(2);
        }
    };
    let done = if arguments.alone {
        alone(&arguments)
    } else {
        compare(&arguments)
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{NAME}{error}");
            ExitCode::FAILURE
        }
    }
}

/// `None`: help was asked for.
fn arguments() -> Result<Option<Arguments>, lexopt::Error> {
    let mut arguments = Arguments {
        scenarios: Vec::new(),
        preset: "hpcc".to_owned(),
        seed: 1,
        threads: 1,
        repeat: 5,
        json: false,
        alone: false,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("preset") => arguments.preset = parser.value()?.string()?,
            Long("seed") => arguments.seed = parser.value()?.parse()?,
            Long("threads") => arguments.threads = parser.value()?.parse()?,
            Long("repeat") => arguments.repeat = parser.value()?.parse()?,
            Long("json") => arguments.json = true,
            Long("alone") => arguments.alone = true,
            Long("help") | Short('h') => return Ok(None),
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
    if arguments.scenarios.is_empty() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/simulator");
        arguments.scenarios = KNOWN
            .iter()
            .map(|known| examples.join(known.name).with_extension("json"))
            .collect();
    }
    Ok(Some(arguments))
}

fn alone(arguments: &Arguments) -> Result<bool, String> {
    for path in &arguments.scenarios {
        let measurement = measure(path, &arguments.preset, arguments.seed, arguments.threads)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let line = serde_json::to_string(&measurement).map_err(|error| error.to_string())?;
        println!("{line}");
    }
    Ok(true)
}

/// Whether all runs were right.
fn compare(arguments: &Arguments) -> Result<bool, String> {
    let load_before = machine::load();
    let mut hold_ns = vec![hold_model_ns()];
    let mut measurements = Vec::new();
    for path in &arguments.scenarios {
        measurements.push(best(arguments, path)?);
        hold_ns.push(hold_model_ns());
    }
    let setting = Setting {
        date: machine::today(),
        processor: machine::processor(),
        load: [load_before, machine::load()],
        hold_ns,
        preset: arguments.preset.clone(),
        seed: arguments.seed,
        repeat: arguments.repeat,
    };
    let report = Report::new(setting, measurements);
    if arguments.json {
        println!("{}", report.json());
    } else {
        print!("{report}");
    }
    Ok(report.is_right())
}

fn best(arguments: &Arguments, path: &Path) -> Result<Measurement, String> {
    let mut best = process(arguments, path)?;
    for _ in 1..arguments.repeat {
        best = best.best(process(arguments, path)?)?;
    }
    Ok(best)
}

/// A run in a process of its own.
fn process(arguments: &Arguments, path: &Path) -> Result<Measurement, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(executable)
        .arg("--alone")
        .args(["--preset", &arguments.preset])
        .args(["--seed", &arguments.seed.to_string()])
        .args(["--threads", &arguments.threads.to_string()])
        .arg("--")
        .arg(path)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(match said.trim().strip_prefix(NAME) {
            Some(why) => why.to_owned(),
            None => format!("{}: {}\n{said}", path.display(), output.status),
        });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
