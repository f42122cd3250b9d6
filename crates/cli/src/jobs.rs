//! `mpirage jobs`: several programs and traces beside each other on one machine.

mod alone;
mod show;

use std::ops::Range;
use std::path::Path;

use mpirage_simulation::jobs::{JobsEnded, JobsFile, JobsPlan, JobsRequest, JobsRun, What};
use mpirage_simulation::{Interrupt, host_speed};

use crate::arguments::JobsArguments;
use crate::conflicts::Conflicts;
use crate::exit::{Failure, usage};
use crate::output::{self, say};
use crate::program_output::ProgramOutput;
use crate::progress::Progress;
use crate::results::{self, JsonOutput};
use crate::session_watch::{PassedOn, SessionWatch};

/// Runs the jobs of a file.
pub fn command(arguments: &JobsArguments) -> Result<u8, Failure> {
    let mut arguments = arguments.clone();
    let costs_file = alone::apply_environment(&mut arguments);
    if !["measured", "none"].contains(&arguments.compute.as_str()) {
        return Err(usage(format!("--compute {}: expected measured or none", arguments.compute)));
    }
    let file = JobsFile::read(&arguments.file)?;
    let speed = speed_of_this_machine(&arguments, &file)?;
    let plan = JobsPlan::new(&request(&arguments), &file, speed)?;
    files(&arguments, &plan).check()?;
    let interrupt = Interrupt::watch()?;
    let json = JsonOutput::open(&arguments.json)?;
    if let Some(folder) = &arguments.report {
        std::fs::create_dir_all(folder)
            .map_err(|error| usage(format!("--report {}: {error}", folder.display())))?;
    }
    let alone = match plan.jobs.len() > 1 && !arguments.no_alone {
        true => Some(alone::run(&plan, speed, interrupt)?),
        false => None,
    };
    let mut watch = SessionWatch {
        progress: Progress::new(plan.machine.ranks(), arguments.quiet),
        output: output_of(&plan, &arguments),
    };
    let run = JobsRun {
        plan,
        sharing: file.sharing,
        speed,
        costs_file,
        alone,
        report: arguments.report,
        rank_timeout: arguments.rank_timeout,
        call_paths: arguments.call_paths.call_paths,
    };
    let ended = run.run(&mut watch, interrupt);
    let passed_on = watch.finish();
    show(ended?, passed_on, arguments.quiet, json)
}

/// Shows the result; gives the exit code.
fn show(ended: JobsEnded, passed_on: PassedOn, quiet: bool, json: JsonOutput) -> Result<u8, Failure> {
    let JobsEnded { figures, code, failures, remarks } = ended;
    remarks.iter().for_each(|line| say!("mpirage: {line}"));
    let failures = failures.after(passed_on.written);
    results::report(&failures);
    if !quiet {
        show::print(&figures);
    }
    figures.warnings.iter().for_each(output::warn);
    let shown = json.write_after(if passed_on.ends_within_line { "\n" } else { "" }, &figures);
    Ok(results::conclude(failures, shown, code))
}

/// Where the output of programs goes.
fn output_of(plan: &JobsPlan, arguments: &JobsArguments) -> ProgramOutput {
    let output = match arguments.tag_output {
        false => ProgramOutput::new(false),
        true => {
            let names: Vec<(Range<u32>, String)> =
                plan.jobs.iter().map(|job| (job.ranks.clone(), job.name.clone())).collect();
            ProgramOutput::with_tags(move |rank| {
                let job = names.iter().find(|(ranks, _)| ranks.contains(&rank));
                job.map(|(ranks, name)| format!("[{name},{}]: ", rank - ranks.start)).unwrap_or_default()
            })
        }
    };
    output.elsewhere(arguments.json.is_alone())
}

fn request(arguments: &JobsArguments) -> JobsRequest {
    JobsRequest {
        machine: arguments.machine.request(),
        measured: arguments.compute != "none",
        host_speed: arguments.host_speed.clone(),
        only: arguments.only.clone(),
    }
}

/// The speed of this machine, if it is needed.
fn speed_of_this_machine(arguments: &JobsArguments, file: &JobsFile) -> Result<Option<f64>, Failure> {
    let programs = file.jobs.iter().any(|job| matches!(job.what, What::Program { .. }));
    if !programs || arguments.compute == "none" {
        return Ok(None);
    }
    Ok(Some(host_speed::of_this_machine(arguments.host_speed.as_deref())?.flops))
}

/// The files that the command reads and writes.
fn files(arguments: &JobsArguments, plan: &JobsPlan) -> Conflicts {
    let mut files = Conflicts::default();
    files.input("the jobs", &arguments.file);
    arguments.machine.add_inputs(&mut files);
    for job in &plan.jobs {
        match &job.program {
            Some(program) => files.input("the program", &program.path),
            None => files.input("the trace", Path::new(&job.what)),
        }
        if let Some(folder) = &arguments.report {
            files.output("--report", &job.report_file(folder));
        }
    }
    arguments.json.add_to(&mut files);
    files
}
