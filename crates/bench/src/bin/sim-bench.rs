//! How fast the simulator is on the scenarios that all simulators are measured on.
//!
//! Every run has a process of its own, so that the memory of one is not counted for the next.

use lexopt::prelude::*;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use wirespeed_bench::generate::{self, GENERATED};
use wirespeed_bench::goals::KNOWN;
use wirespeed_bench::hold_model::hold_model_ns;
use wirespeed_bench::machine;
use wirespeed_bench::measure::{measure, Measurement, Rounds};
use wirespeed_bench::report::{Report, Setting};

/// Before every error.
const NAME: &str = "sim-bench: ";

const HELP: &str = "\
Usage: sim-bench [OPTIONS] [SCENARIO ...]

Times the simulator on each scenario, a file or the name of one that is made (K32, RAIL, DAY), by itself the files with
known figures in examples/simulator/, and prints one table:
hops (data and ACK frames starting on a link) per second, set-up, memory, and the goals scaled to the machine.
A run that drops, retransmits, leaves a flow unfinished or has another number of hops than it must has no figure.

Options:
  --preset NAME  parameters where the scenario has none [default: hpcc]
  --seed N       seed of every chance [default: 1]
  --threads N    besides, each on at most so many threads, and as many runs on one side by side, in turn with one [default: 1]
  --large        besides the scenarios given, those that are made: 8,192 hosts, 32,768 GPUs, 24 hours
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
    /// Runs the scenario in this process and prints its measurement. `sim-bench` starts itself with it for each run.
    in_process: bool,
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
    let done = if arguments.in_process {
        measure_in_process(&arguments)
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

/// `None`: `--help` was given.
fn arguments() -> Result<Option<Arguments>, lexopt::Error> {
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
            Long("in-process") => arguments.in_process = true,
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
    if large {
        let names = GENERATED.iter().map(|it| it.name.into());
        arguments.scenarios.extend(names);
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

fn measure_in_process(arguments: &Arguments) -> Result<bool, String> {
    for path in &arguments.scenarios {
        let text = text_of(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let measurement = measure(text, &arguments.preset, arguments.seed, arguments.threads)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let line = serde_json::to_string(&measurement).map_err(|error| error.to_string())?;
        println!("{line}");
    }
    Ok(true)
}

/// The scenario that is made, where its name is given, or the file's.
fn text_of(path: &Path) -> std::io::Result<String> {
    match path.to_str().and_then(generate::by_name) {
        Some(made) => Ok(made.text()),
        None => fs::read_to_string(path),
    }
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
        threads: arguments.threads,
    };
    let report = Report::new(setting, measurements);
    if arguments.json {
        println!("{}", report.json());
    } else {
        print!("{report}");
    }
    Ok(report.is_right())
}

/// The best measurement on one thread. If requested, also rounds of one thread, several threads and several concurrent runs:
/// rounds alternate, so a change in the machine's speed affects all three.
fn best(arguments: &Arguments, path: &Path) -> Result<(Measurement, Rounds), String> {
    let mut best: Option<Measurement> = None;
    let mut rounds = Rounds::default();
    for _ in 0..arguments.repeat {
        let one = start_process(arguments, path, 1)?;
        if arguments.threads > 1 {
            let several = start_process(arguments, path, arguments.threads)?;
            rounds.add(&one, several, &side_by_side(arguments, path)?)?;
        }
        best = Some(match best.take() {
            Some(before) => before.best(one)?,
            None => one,
        });
    }
    Ok((best.expect("at least one run"), rounds))
}

/// As many runs on one thread as there are threads, at the same time.
fn side_by_side(arguments: &Arguments, path: &Path) -> Result<Vec<Measurement>, String> {
    thread::scope(|scope| {
        let run = || start_process(arguments, path, 1);
        let runs: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(run)).collect();
        let runs = runs.into_iter();
        let ended = runs.map(|run| run.join().unwrap_or_else(|it| resume_unwind(it)));
        ended.collect()
    })
}

/// A run in a separate process.
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
        return Err(match message.trim().strip_prefix(NAME) {
            Some(why) => why.to_owned(),
            None => format!("{}: {}\n{message}", path.display(), output.status),
        });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
