//! `mpirage jobs`: several programs and traces beside each other on one machine.

mod alone;
mod ending;
mod run;
mod show;

use std::path::{Path, PathBuf};

use crate::arguments::JobsArguments;
use crate::conflicts::Conflicts;
use crate::exit::{Failure, usage};
use crate::results::JsonOutput;
use mpirage_simulation::jobs::{Job, JobsFile, JobsPlan, JobsRequest, What};
use mpirage_simulation::{Interrupt, host_speed};
use run::Run;

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
    let sharing = file.sharing;
    Run { arguments, plan, sharing, speed, costs_file, alone }.carry_out(json, interrupt)
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
            files.output("--report", &report_file(folder, job));
        }
    }
    arguments.json.add_to(&mut files);
    files
}

fn report_file(folder: &Path, job: &Job) -> PathBuf {
    folder.join(format!("{}.html", job.name))
}
