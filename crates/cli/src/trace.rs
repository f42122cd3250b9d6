//! `mpirage trace`: converts traces without times, and shows what they contain.

use std::path::Path;

use mpirage_simulation::{Interrupt, host_speed, scribe, words::bytes, words::count, words::thousands};
use mpirage_trace::{
    Computation, Format, GoalBinaryWriter, GoalSchedules, GoalTextWriter, Info, ProcessGrid, RankSchedule,
    TraceError, Workload, convert, info, open, recognise,
};
use serde_json::{Value, json};

use crate::arguments::{JsonArgument, TraceAction};
use crate::conflicts::{Conflicts, check_json};
use crate::exit::{Failure, bad_trace, usage};
use crate::output;
use crate::results::{self, JsonOutput};

/// MPI functions shown; of the others, only their number.
const FUNCTIONS_SHOWN: usize = 20;
/// The communication matrix is shown up to this many groups of ranks.
const MATRIX_SHOWN: u32 = 16;

/// Converts a trace, or shows what it contains.
pub fn command(action: &TraceAction) -> Result<u8, Failure> {
    match action {
        TraceAction::Convert { input, output, host_speed } => {
            convert_file(input, output, host_speed::parse(host_speed.as_deref())?)
        }
        TraceAction::Aggregate { grid, to, communication, input, output } => {
            let interrupt = Interrupt::watch()?;
            aggregate(input, Path::new(output), (grid, to), communication.as_deref(), interrupt).map(|()| 0)
        }
        TraceAction::Info { trace, json } => show(trace, json),
    }
}

fn convert_file(input: &str, output: &str, speed: Option<f64>) -> Result<u8, Failure> {
    let path = Path::new(output);
    let from_goal = matches!(recognise(input).map_err(bad_trace)?, Format::GoalText | Format::GoalBinary);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let interrupt = Interrupt::watch()?;
    let mut files = Conflicts::default();
    files.input("the trace", Path::new(input));
    files.trace("the output", path);
    files.check()?;
    if from_goal && matches!(ending, "goal" | "bin") {
        convert_goal(Path::new(input), path, ending == "bin", interrupt)?;
        return Ok(0);
    }
    let mut workload = open(input).map_err(bad_trace)?;
    files.workload(workload.as_ref());
    files.check()?;
    let traced = workload.computation();
    let computation = Computation { measured_on: speed.or(traced.measured_on), ..traced };
    let Some(scribe) = scribe(path, workload.ranks(), computation, [0.0; 3]) else {
        return Err(usage(refusal(input, output, ending)));
    };
    let mut scribe = scribe.map_err(usage)?;
    let converted = convert(workload.as_mut(), scribe.as_mut(), &|| interrupt.came());
    interrupt.check()?;
    converted.map_err(bad_trace)?;
    for warning in scribe.warnings() {
        output::warn(warning);
    }
    Ok(0)
}

/// Writes the trace of a coarser process grid, with the calls of a trace of that grid if `communication` names one.
pub fn aggregate(
    input: &str,
    output: &Path,
    (fine, coarse): (&str, &str),
    communication: Option<&str>,
    interrupt: Interrupt,
) -> Result<(), Failure> {
    let grid = |text: &str| text.parse::<ProcessGrid>().map_err(usage);
    let (fine, coarse) = (grid(fine)?, grid(coarse)?);
    let mut workload = open(input).map_err(bad_trace)?;
    let mut files = Conflicts::default();
    files.workload(workload.as_ref());
    communication.into_iter().for_each(|calls| files.input("the trace", Path::new(calls)));
    files.trace("the output", output);
    files.check()?;
    let Some(scribe) = scribe(output, coarse.ranks(), workload.computation(), [0.0; 3]) else {
        return Err(usage(format!(
            "{}: expected FILE.mpirage, FILE.ti, FILE.txt, FOLDER/, FILE.goal, FILE.bin or FILE.dim",
            output.display()
        )));
    };
    let mut scribe = scribe.map_err(usage)?;
    let (grids, stop) = ((&fine, &coarse), || interrupt.came());
    let written = match communication {
        None => mpirage_trace::aggregate(workload.as_mut(), grids, scribe.as_mut(), &stop),
        Some(calls) => {
            let again = || open(calls);
            mpirage_trace::aggregate_computation(workload.as_mut(), grids, &again, scribe.as_mut(), &stop)
        }
    };
    interrupt.check()?;
    written.map_err(|error| bad_trace(format!("{input}: {error}")))?;
    scribe.warnings().iter().for_each(output::warn);
    Ok(())
}

/// Why the trace cannot be written as such a file.
fn refusal(input: &str, output: &str, ending: &str) -> String {
    match ending {
        "meta" => format!("{output}: mpirage reads this format but does not write it"),
        _ if mpirage_timeline::EXTENSIONS.iter().any(|(known, _)| *known == ending) => {
            format!(
                "{output} holds times, which a simulation has to produce: mpirage replay {input} --trace {output}"
            )
        }
        _ => format!(
            "{output}: expected FILE.mpirage, FILE.ti, FILE.txt, FOLDER/, FILE.goal, FILE.bin or FILE.dim; `mpirage info traces` lists the formats"
        ),
    }
}

fn convert_goal(input: &Path, output: &Path, compiled: bool, interrupt: Interrupt) -> Result<(), Failure> {
    let mut schedules = GoalSchedules::open(input).map_err(bad_trace)?;
    let file = results::open(output)?;
    let written = if compiled {
        GoalBinaryWriter::new(output, file, schedules.ranks()).and_then(|mut writer| {
            each_schedule(&mut schedules, interrupt, |schedule| writer.rank(schedule))?;
            writer.finish()
        })
    } else {
        GoalTextWriter::new(output, file, schedules.ranks()).and_then(|mut writer| {
            each_schedule(&mut schedules, interrupt, |schedule| writer.rank(schedule))?;
            writer.finish()
        })
    };
    interrupt.check()?;
    let finished = written.map_err(bad_trace)?.finish();
    finished.map_err(|error| usage(format!("cannot write {}: {error}", output.display())))
}

fn each_schedule(
    schedules: &mut GoalSchedules,
    interrupt: Interrupt,
    mut write: impl FnMut(&RankSchedule) -> Result<(), TraceError>,
) -> Result<(), TraceError> {
    while let Some(schedule) = schedules.next_rank()? {
        write(&schedule)?;
        if interrupt.came() {
            return Err(TraceError::Stopped);
        }
    }
    Ok(())
}

fn show(trace: &str, json: &JsonArgument) -> Result<u8, Failure> {
    check_json(json, "the trace", trace)?;
    let mut workload: Box<dyn Workload> = open(trace).map_err(bad_trace)?;
    let info = info(workload.as_mut()).map_err(bad_trace)?;
    if json.is_wanted() {
        return JsonOutput::open(json)?.write(&as_value(&info)).map(|()| 0);
    }
    print(trace, &info);
    Ok(0)
}

fn as_value(info: &Info) -> Value {
    let calls: serde_json::Map<String, Value> =
        info.calls.iter().map(|(name, times)| ((*name).to_owned(), json!(times))).collect();
    let rows = |which: fn((u64, u64)) -> u64| -> Vec<Vec<u64>> {
        let side = info.matrix.side;
        (0..side).map(|from| (0..side).map(|to| which(info.matrix.cell((from, to)))).collect()).collect()
    };
    json!({
        "ranks": info.ranks,
        "threads": info.threads,
        "calls": calls,
        "total_calls": info.total_calls,
        "messages": info.messages,
        "message_bytes": info.message_bytes,
        "sizes": info.sizes,
        "collectives": info.collectives,
        "collective_bytes": info.collective_bytes,
        "flops": info.flops,
        "measured_seconds": info.nanos as f64 * 1e-9,
        "measured_on_flops": info.computation.measured_on,
        "computation_is_free": info.computation.free,
        "paused_seconds": info.paused_picos as f64 * 1e-12,
        "ranks_per_cell": info.matrix.ranks_per_cell,
        "matrix_messages": rows(|cell| cell.0),
        "matrix_bytes": rows(|cell| cell.1),
        "messages_elsewhere": info.elsewhere,
    })
}

fn print(trace: &str, info: &Info) {
    let line = |name: &str, value: String| output::line(format_args!("{name:<16} {value}"));
    line("trace", trace.to_owned());
    line("ranks", thousands(info.ranks.into()));
    if info.threads > info.ranks {
        line("threads", format!("{} that call MPI", thousands(info.threads.into())));
    }
    line("calls", thousands(info.total_calls));
    for (name, times) in info.calls.iter().take(FUNCTIONS_SHOWN) {
        output::line(format_args!("  {name:<24} {times:>12}"));
    }
    if info.calls.len() > FUNCTIONS_SHOWN {
        output::line(format_args!("  and {} other functions", info.calls.len() - FUNCTIONS_SHOWN));
    }
    line("messages", format!("{} ({})", thousands(info.messages), bytes(info.message_bytes)));
    print_sizes(info);
    line(
        "collectives",
        format!("{} ({} contributed)", count(info.collectives, "call"), bytes(info.collective_bytes)),
    );
    line("computation", computation(info));
    if info.paused_picos > 0 {
        line("pauses", format!("{:.6} s", info.paused_picos as f64 * 1e-12));
    }
    if info.matrix.side <= MATRIX_SHOWN {
        print_matrix(info);
    }
    if info.elsewhere > 0 {
        line(
            "",
            format!(
                "{} not shown: their communicators exist only in a run",
                count(info.elsewhere, "message")
            ),
        );
    }
}

fn print_sizes(info: &Info) {
    for (class, &count) in info.sizes.iter().enumerate().filter(|(_, count)| **count > 0) {
        let range = match class {
            0 => "empty".to_owned(),
            _ => format!("{} to {}", bytes(1 << (class - 1)), bytes((1u64 << class) - 1)),
        };
        output::line(format_args!("  {range:<24} {count:>12}"));
    }
}

fn computation(info: &Info) -> String {
    let measured = format!("{:.6} s measured", info.nanos as f64 * 1e-9);
    let on =
        info.computation.measured_on.map_or(String::new(), |speed| format!(" at {:.2} Gf/s", speed / 1e9));
    match (info.nanos, info.flops) {
        (0, 0.0) if info.computation.free => "none: the traced run had --compute none".to_owned(),
        (0, 0.0) => "none".to_owned(),
        (0, flops) => format!("{flops:.3e} flops"),
        (_, 0.0) => format!("{measured}{on}"),
        (_, flops) => format!("{measured}{on}, and {flops:.3e} flops"),
    }
}

/// Prints the bytes from each group of ranks (row) to each other (column).
fn print_matrix(info: &Info) {
    let side = info.matrix.side;
    let group = info.matrix.ranks_per_cell;
    output::line(format_args!(
        "bytes from row to column, {group} rank{} each",
        if group == 1 { "" } else { "s" }
    ));
    for from in 0..side {
        let cells: Vec<String> =
            (0..side).map(|to| format!("{:>10}", bytes(info.matrix.cell((from, to)).1))).collect();
        output::line(format_args!("  {:>5} {}", from * group, cells.join(" ")));
    }
}
