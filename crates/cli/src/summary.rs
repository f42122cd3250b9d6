//! The closing summary on standard error.

use std::collections::BTreeMap;

use mpirage_simulation::{BalancingFigures, EmulationFigures, EnergyFigures, Figures, FileFigures, Spread};
use mpirage_simulation::{words::bytes, words::count, words::thousands};
use mpirage_units::{Duration, time_text};

use crate::output::{Mark, say};

/// Seconds after which a user may wish that a run were faster.
const NOT_SHORT: f64 = 2.0;
/// Processor seconds per call beyond which ranks mostly compute.
const LONG_BETWEEN_CALLS: f64 = 1e-4;

/// Prints the closing summary on standard error.
pub fn print(figures: &Figures) {
    let ratio = match figures.simulated_seconds {
        0.0 => String::new(),
        simulated => format!(", {:.3} × the simulated time", figures.wall_seconds / simulated),
    };
    if let Some(why) = figures.unreliable() {
        say!("{} {why}", Mark::Error.on("mpirage: UNRELIABLE:"));
    }
    let ranks = count(figures.ranks as u64, "rank");
    say!("mpirage: {ranks} on {}, model {}", figures.platform, figures.model);
    say!("  interconnect    {}", figures.interconnect);
    if let Some(library) = &figures.mpi_library {
        say!("  MPI library     {library}");
    }
    say!("  simulated time  {}", Mark::Result.on(&simulated_time(figures)));
    if let Some(spread) = &figures.repetition {
        print_spread(spread);
    }
    say!(
        "  wall time       {:.3} s here{ratio}; {:.3} s of processor time",
        figures.wall_seconds,
        figures.cpu_seconds
    );
    say!(
        "  communication   {} ({}), {}, {}",
        count(figures.messages, "message"),
        bytes(figures.bytes),
        count(figures.calls, "MPI call"),
        count(figures.switches, "context switch")
    );
    if let Some(files) = &figures.files {
        print_files(files);
    }
    if let Some(network) = &figures.network {
        print_network(network);
    }
    if let Some(emulation) = &figures.emulation {
        print_emulation(emulation, figures.simulated_seconds);
        say!(
            "  matching        {} expected, {} unexpected",
            count(figures.expected_messages, "message"),
            thousands(figures.unexpected_messages)
        );
    }
    if let Some(energy) = &figures.energy {
        print_energy(energy);
    }
    let largest = match figures.largest_rank_rss_bytes {
        0 => String::new(),
        worker if several_workers(figures) => format!(", {} largest worker", bytes(worker)),
        rank => format!(", {} largest rank", bytes(rank)),
    };
    say!("  memory          {} simulator{largest}", bytes(figures.peak_rss_bytes));
    if figures.shared_bytes > 0 {
        say!(
            "  shared          {} in shared blocks, held in {} of memory",
            bytes(figures.shared_bytes),
            bytes(figures.shared_resident_bytes)
        );
    }
    say!("  computation     {}", figures.compute);
    if let Some(disturbed) = &figures.disturbed {
        say!("  noise           {}", disturbed.describe());
    }
    figures.balancing.iter().for_each(print_balancing);
    if figures.samples_executed + figures.samples_skipped > 0 {
        say!(
            "  samples         {} executed, {} skipped",
            thousands(figures.samples_executed),
            thousands(figures.samples_skipped)
        );
    }
    say!("  ranks           {}: {}{}", figures.ranks_as, figures.ranks_as_because, workers(figures));
    if figures.cores_here > 1 && computes_on_one_core(figures) {
        say!(
            "  hint            the ranks took turns to compute on one of {} cores; --workers {} or --ranks-as processes uses all of them",
            figures.cores_here,
            figures.cores_here
        );
    }
}

/// `401 µs (388 to 414 µs; network ± 5 %, computation ± 1 %)`.
fn simulated_time(figures: &Figures) -> String {
    let time = time_text(Duration::from_secs_f64(figures.simulated_seconds));
    match &figures.trust {
        Some(trust) => format!("{time} ({})", trust.describe()),
        None => time,
    }
}

fn several_workers(figures: &Figures) -> bool {
    figures.workers.is_some_and(|workers| workers > 1)
}

/// `; in 4 worker processes`, if there are several.
fn workers(figures: &Figures) -> String {
    match (figures.workers, &figures.one_worker_because) {
        (_, Some(reason)) => format!("; in one process: {reason}"),
        (Some(workers), None) if several_workers(figures) => format!("; in {workers} worker processes"),
        _ => String::new(),
    }
}

/// Did folded ranks compute for most of a run that was not short? Calls of folded ranks take microseconds.
fn computes_on_one_core(figures: &Figures) -> bool {
    let per_call = figures.cpu_seconds / figures.calls.max(1) as f64;
    figures.workers == Some(1) && figures.wall_seconds > NOT_SHORT && per_call > LONG_BETWEEN_CALLS
}

fn print_network(network: &BTreeMap<String, u64>) {
    let number = |name: &str| network.get(name).copied().unwrap_or(0);
    say!(
        "  network         {}, {} on links; {} dropped, {} lost, {}",
        count(number("connections"), "connection"),
        count(number("frames"), "frame"),
        thousands(number("dropped")),
        thousands(number("lost")),
        count(number("retransmissions"), "retransmission")
    );
}

fn print_files(files: &FileFigures) {
    let storage = match files.on_default_storage {
        true => "; the platform describes no [storage], so each host has a default disk",
        false => "",
    };
    say!(
        "  files           {} opened; {} in {}, {} in {}, which took {} of all ranks{storage}",
        thousands(files.opened),
        bytes(files.bytes_read),
        count(files.reads, "read"),
        bytes(files.bytes_written),
        count(files.writes, "write"),
        Duration::from_secs_f64(files.seconds)
    );
}

/// Prints energy, mean power and energy-delay product; who burns it, and what of it while ranks wait.
pub fn print_energy(energy: &EnergyFigures) {
    let power =
        energy.mean_watts.map(|watts| format!(", {} on average", scaled(watts, "W"))).unwrap_or_default();
    let product = scaled(energy.energy_delay, "J·s");
    say!(
        "  energy          {}{power}; energy-delay product {product}",
        Mark::Result.on(&scaled(energy.joules, "J"))
    );
    let parts =
        [("hosts", energy.hosts_joules), ("links", energy.links_joules), ("memory", energy.memory_joules)];
    let mut words: Vec<String> = parts
        .into_iter()
        .filter(|(_, joules)| *joules > 0.0)
        .map(|(what, joules)| format!("{what} {}", scaled(joules, "J")))
        .collect();
    if let Some(waiting) = energy.waiting.as_ref().filter(|waiting| waiting.joules > 0.0) {
        words.push(format!(
            "ranks inside MPI {} ({:.1} % of their hosts')",
            scaled(waiting.joules, "J"),
            100.0 * waiting.share
        ));
    }
    if words.len() > 1 {
        say!("                  {}", words.join(", "));
    }
}

/// A quantity with the prefix that suits it: `1.23 kJ`.
fn scaled(value: f64, unit: &str) -> String {
    let prefixes = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
    let found = prefixes.into_iter().find(|(scale, _)| value.abs() >= *scale);
    let (scale, prefix) = found.unwrap_or((1.0, ""));
    let number = value / scale;
    let digits = if number.abs() >= 100.0 {
        0
    } else if number.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.digits$} {prefix}{unit}")
}

fn print_spread(spread: &Spread) {
    let [median, low, high] =
        [spread.median_seconds, spread.low_seconds, spread.high_seconds].map(Duration::from_secs_f64);
    say!("  of {:<12} median {median}; 5 to 95 %: {low} to {high}", count(spread.runs as u64, "run"));
    if let Some([fast, slow]) = spread.modes {
        let [fast_time, slow_time] = [fast, slow].map(|mode| Duration::from_secs_f64(mode.seconds));
        say!(
            "                  two modes: {} around {fast_time}, {} around {slow_time}",
            count(fast.runs as u64, "run"),
            count(slow.runs as u64, "run")
        );
    }
}

fn print_balancing(balancing: &BalancingFigures) {
    say!(
        "  load balancing  {}, after {} of AMPI_Migrate each: {}, {} with {}",
        balancing.balancer,
        count(balancing.every.into(), "call"),
        count(balancing.decisions as u64, "decision"),
        count(balancing.moves, "move"),
        bytes(balancing.moved_bytes)
    );
}

/// The lines of an emulation that took so many seconds.
fn print_emulation(emulation: &EmulationFigures, run: f64) {
    let behind = Duration::from_secs_f64(emulation.max_behind_seconds);
    let share = match run {
        0.0 => String::new(),
        _ => format!(" ({:.3} % of the run time)", 100.0 * emulation.max_behind_seconds / run),
    };
    say!("  emulation       {}, {:.3} s of real time", emulation.describe_factor(), emulation.real_seconds);
    say!("  maxBehind       {behind}{share}");
}
