//! `mpirage calibrate`: fits a model to measurements of a real machine.

mod files;
mod measure;
mod predict;
mod show;

use std::path::Path;

use mpirage_calibrate::{
    Calibration, Criterion, FitKind, FitRequest, Format, Measurements, ModelFile, OverheadFit, PieceFit,
    Prediction, ReadOptions, Route, SampleKind, fit, page, plot, read, read_breakpoints, write_model,
};
use mpirage_kernel::{DelaySection, InterfaceDelay};
use mpirage_mpi::Overhead;
use mpirage_platform::HostId;
use mpirage_scenario::Network;
use mpirage_units::{BYTES, Duration};

use crate::arguments::{CalibrateArguments, MachineArguments};
use crate::conflicts::Conflicts;
use crate::exit::{self, Failure, bad_measurements, usage};
use crate::output::{self, say};
use files::Files;
use mpirage_simulation::{Machine, words};
use predict::Written;
use show::Results;

/// Bytes of the largest file of measurements.
const LARGEST: u64 = 1 << 30;
/// The program of `--node`.
const NODE: &str = include_str!("calibrate/node.c");
/// The job script of `--plan`, and the place of that program in it.
const PLAN: &str = include_str!("calibrate/plan.sh");
const PLACE_OF_NODE: &str = "@NODE@";

/// How often the delay of interfaces is fitted again. Requests and answers of a rendezvous cross interfaces, too: as short messages, whose delay the
/// first fit finds.
const ROUNDS: usize = 2;

/// Calibrates.
pub fn command(arguments: &CalibrateArguments) -> Result<u8, Failure> {
    if arguments.node {
        output::line(NODE.trim_end());
        return Ok(0);
    }
    if arguments.plan {
        output::line(PLAN.trim_end().replace(PLACE_OF_NODE, NODE.trim_end()));
        return Ok(0);
    }
    conflicts(arguments).check()?;
    let choices = Choices::of(arguments)?;
    let machine = machine(&arguments.machine, choices.overheads)?;
    let route = route(&machine)?;
    let files = Files::open(arguments)?;
    let (measurements, origin) = measurements(arguments, &choices.reading)?;
    let kind = match choices.overheads {
        false => FitKind::Factors,
        true => FitKind::Overheads(predictions(&machine, &measurements, None)?),
    };
    let mut request = FitRequest {
        measurements: &measurements,
        route,
        kind,
        criterion: choices.criterion,
        segments: arguments.segments.map(std::num::NonZero::get),
        breakpoints: choices.breakpoints,
        eager_limit: choices.eager_limit,
        base_eager_limit: machine.model.protocol.eager_limit,
        hold_out: arguments.hold_out.map(|every| every as usize),
        units_known: arguments.run,
        seed: arguments.machine.seed,
    };
    let mut calibration = fit(&request).map_err(bad_measurements)?;
    for _ in 0..ROUNDS {
        if calibration.interface_delay.is_none() {
            break;
        }
        request.kind = FitKind::Overheads(predictions(&machine, &measurements, Some(&calibration))?);
        calibration = fit(&request).map_err(bad_measurements)?;
    }
    let title = format!("{origin} on {}, model {}", machine.spec, machine.model.name);
    let has_gap = machine.model.describe().iter().any(|line| line.starts_with("gap ="));
    let text = model_text(&calibration, &machine, &title, has_gap);
    let written = Written::new(&arguments.machine, &text)?;
    let results = Results {
        replayed: written.deviation(&calibration)?,
        collectives: written.collectives(&measurements)?,
        calibration: &calibration,
        measurements: &measurements,
        title: &title,
        unused_gaps: (!has_gap).then_some(&machine.model.name),
    };
    warn(&results);
    if !arguments.quiet && !arguments.json.is_shown() {
        results.print();
    }
    let drawing = plot(&calibration, &title);
    files.write(&text, &drawing, &page(&calibration, &title, &text), &results.json())
}

fn warn(results: &Results<'_>) {
    results.calibration.notes.iter().for_each(|note| say!("mpirage: note: {note}"));
    if let [_, ..] = results.measurements.skipped() {
        say!("mpirage: note: not used: {}", results.measurements.skipped().join(", "));
    }
    if results.replayed > predict::SAME {
        output::warn(format_args!(
            "a replayed ping-pong differs from the fit by up to {}",
            mpirage_calibrate::percent(results.replayed)
        ));
    }
}

/// The user's choices, after their names have been checked.
struct Choices {
    reading: ReadOptions,
    criterion: Criterion,
    overheads: bool,
    breakpoints: Vec<u64>,
    eager_limit: Option<u64>,
}

impl Choices {
    fn of(arguments: &CalibrateArguments) -> Result<Choices, Failure> {
        let criteria = [("bic", Criterion::Bic), ("correlation", Criterion::Correlation)];
        let format = arguments
            .format
            .as_deref()
            .map(|name| words::choose("--format", name, &Format::ALL))
            .transpose()?;
        let limit = |text: &str| BYTES.read(text).map(|read| read.value() as u64);
        let eager_limit = arguments.eager_limit.as_deref().map(limit).transpose();
        Ok(Choices {
            reading: ReadOptions { format, mpi: arguments.mpi.clone(), topology: arguments.topology.clone() },
            criterion: words::choose("--criterion", &arguments.criterion, &criteria)?,
            overheads: fits_overheads(arguments)?,
            breakpoints: arguments.breakpoints.as_deref().map(breakpoints).transpose()?.unwrap_or_default(),
            eager_limit: eager_limit.map_err(|error| usage(format!("--eager-limit: {error}")))?,
        })
    }
}

/// Overheads or factors? A profile has the causes of factors, so that only overheads are left to fit.
fn fits_overheads(arguments: &CalibrateArguments) -> Result<bool, Failure> {
    let has_profile = arguments.machine.mpi_profile.is_some();
    let Some(fit) = &arguments.fit else { return Ok(has_profile) };
    match words::choose("--fit", fit, &[("factors", false), ("overheads", true)])? {
        false if has_profile => Err(usage(
            "--fit factors: a profile has the causes of factors by size; fit overheads, or leave --mpi-profile out",
        )),
        overheads => Ok(overheads),
    }
}

/// A list of sizes, or a file.
fn breakpoints(text: &str) -> Result<Vec<u64>, Failure> {
    let path = Path::new(text);
    if path.exists() {
        let content = mpirage_files::read_text(path, LARGEST).map_err(bad_measurements)?;
        return read_breakpoints(text, &content).map_err(bad_measurements);
    }
    let size = |size: &str| BYTES.read(size).map(|read| read.value() as u64);
    let sizes: Result<Vec<u64>, _> = text.split(',').map(size).collect();
    let mut sizes =
        sizes.map_err(|error| usage(format!("--breakpoints: {error}; and there is no file {text}")))?;
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

/// Inputs and outputs, none of which may be another one.
fn conflicts(arguments: &CalibrateArguments) -> Conflicts {
    let mut files = Conflicts::default();
    arguments.measurements.iter().for_each(|file| files.input("the measurements", file));
    arguments.machine.add_inputs(&mut files);
    let outputs = [
        ("-o", &arguments.output),
        ("--plot", &arguments.plot),
        ("--report", &arguments.report),
        ("--save", &arguments.save),
    ];
    for (option, file) in outputs {
        file.iter().for_each(|file| files.output(option, file));
    }
    arguments.json.add_to(&mut files);
    files
}

/// The model that has causes where others have factors by size, and the one with factors that is else like it.
const CAUSES: &str = "flow";
const FACTORS: &str = "flow:factors";

/// The machine with two ranks: on two hosts, unless the user says where they are. Factors are fitted to a model that has some.
fn machine(arguments: &MachineArguments, overheads: bool) -> Result<Machine, Failure> {
    if arguments.platform.is_none() {
        return Err(usage("-p is missing: the platform that was measured"));
    }
    if arguments.model.contains(['/', '.']) {
        let problem = "the model to begin with is one of `mpirage info models`, not a file";
        return Err(usage(format!("--model {}: {problem}", arguments.model)));
    }
    let mut request = with_two_hosts(arguments).request();
    if !overheads && request.model == CAUSES {
        FACTORS.clone_into(&mut request.model);
    }
    let machine = Machine::new(&request, 2)?;
    match &machine.model.network {
        Network::Flow(_) => Ok(machine),
        _ => Err(usage(format!("--model {}: only flow models are calibrated", arguments.model))),
    }
}

fn with_two_hosts(arguments: &MachineArguments) -> MachineArguments {
    MachineArguments { ppn: if is_placed(arguments) { arguments.ppn } else { Some(1) }, ..arguments.clone() }
}

/// Does the user say where ranks are?
fn is_placed(arguments: &MachineArguments) -> bool {
    !arguments.host.is_empty() || arguments.hostfile.is_some() || arguments.ppn.is_some()
}

/// The route between the two ranks, as the model sees it.
fn route(machine: &Machine) -> Result<Route, Failure> {
    let Network::Flow(flow) = &machine.model.network else { unreachable!("checked before") };
    let (one, other): (HostId, HostId) = (machine.placement.hosts[0], machine.placement.hosts[1]);
    let mut links = Vec::new();
    let mut latency = machine.platform.route(one, other, &mut links);
    let mut bandwidth =
        links.iter().map(|&link| machine.platform.link(link).bandwidth).fold(f64::INFINITY, f64::min);
    if links.is_empty() {
        (latency, bandwidth) = (flow.loopback.latency, flow.loopback.bandwidth);
    }
    if latency > 0.0 {
        bandwidth = bandwidth.min(flow.window / (2.0 * latency));
    }
    Ok(Route { latency, bandwidth, header: flow.header })
}

/// The measurements, and a word about where they are from.
fn measurements(
    arguments: &CalibrateArguments,
    reading: &ReadOptions,
) -> Result<(Measurements, String), Failure> {
    if arguments.run {
        let text = measure::run(arguments)?;
        let all = read("the benchmark's output", text.as_bytes(), reading).map_err(bad_measurements)?;
        return Ok((all, format!("measured with {}", arguments.mpirun)));
    }
    let mut all = Measurements::default();
    let mut names = Vec::new();
    for file in &arguments.measurements {
        let name = file.display().to_string();
        let bytes = mpirage_files::read(file, LARGEST).map_err(bad_measurements)?;
        all.extend(read(&name, &bytes, reading).map_err(bad_measurements)?);
        names.push(file.file_name().map_or(name, |name| name.to_string_lossy().into_owned()));
    }
    Ok((all, names.join(", ")))
}

/// The model's predictions without the overheads that are fitted, and without the delay of each message in interfaces. Protocol messages have the
/// delay and the gap of an earlier fit.
fn predictions(
    machine: &Machine,
    measurements: &Measurements,
    earlier: Option<&Calibration>,
) -> Result<Vec<Prediction>, Failure> {
    let mut bare = machine.with_ranks(&[0, 1]);
    let delay = earlier.and_then(|earlier| earlier.interface_delay.as_ref());
    bare.model.protocol.recv_overhead = Overhead::default();
    if measurements.has_windows()
        && let Network::Flow(flow) = &mut bare.model.network
    {
        flow.interface_delay = delay.map(interface_delay).unwrap_or_default();
        let gap = earlier.and_then(|earlier| earlier.interface.gap.as_ref());
        if let (Some(physics), Some(gap)) = (&mut flow.physics, gap) {
            physics.gap = Duration::from_secs_f64(gap.value);
        }
    }
    if !measurements.points(SampleKind::Send).is_empty() {
        bare.model.protocol.send_overhead = Overhead::default();
    }
    bare.model.without_noise();
    let points =
        [SampleKind::PingPong, SampleKind::Exchange].into_iter().flat_map(|kind| measurements.points(kind));
    let mut sizes: Vec<u64> = points.map(|point| point.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
        .into_iter()
        .map(|bytes| {
            let own = delay.map_or(0.0, |delay| delay.at(bytes));
            Ok(Prediction { bytes, seconds: mpirage_simulation::ping_pong(&bare, bytes)? - own })
        })
        .collect()
}

fn interface_delay(fitted: &OverheadFit) -> InterfaceDelay {
    let section = |piece: &PieceFit| DelaySection {
        from: piece.from,
        seconds: piece.latency,
        per_byte: piece.per_byte,
    };
    InterfaceDelay::new(fitted.sections.iter().map(section).collect())
}

fn model_text(calibration: &Calibration, machine: &Machine, title: &str, has_gap: bool) -> String {
    let origin = [format!("Written by mpirage calibrate: {title}.")];
    // A preset is named by what the user wrote; platforms change its parameters, which the platform is there to do again.
    let profile = machine.model.profile.map(|profile| profile.name);
    write_model(calibration, &ModelFile { base: &machine.model.name, profile, origin: &origin, has_gap })
}

/// A model file that was just written cannot be read: an error of ours.
fn unreadable(error: impl std::fmt::Display) -> Failure {
    exit::bad_platform(format!("the fitted model cannot be read back: {error}"))
}
