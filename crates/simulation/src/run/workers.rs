//! How many worker processes hold the folded ranks of a run.

use std::sync::Arc;

use mpirage_programs::rank_mode::RankMode;
use mpirage_rank::{Program, WorkerCount, shares_memory};

use super::plan::Purpose;
use super::request::RunRequest;
use crate::failure::{Failure, usage};

/// Workers at most: each has a copy of the tables of all ranks' memory.
const MOST: usize = 1024;

/// The choice of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// How many there are to be: exactly one if this process runs the ranks itself.
    pub count: WorkerCount,
    /// Why there is one although `auto` may choose more.
    pub one_because: Option<String>,
}

/// Chooses workers for a run that may use so many cores.
pub(super) fn choose(
    request: &RunRequest,
    purpose: Purpose,
    rank_mode: &RankMode,
    programs: &[Arc<Program>],
    cores: usize,
) -> Result<Choice, Failure> {
    let wanted = parse(&request.workers, cores)?;
    let one = |one_because| Ok(Choice { count: WorkerCount::Exactly(1), one_because });
    // Programs are read only if there may be several.
    match wanted {
        WorkerCount::Exactly(1) => return one(None),
        WorkerCount::IfItPays(1) => return one(Some("there is one core for it".to_owned())),
        WorkerCount::Exactly(_) | WorkerCount::IfItPays(_) => {}
    }
    match (wanted, obstacle(request, purpose, rank_mode, programs)) {
        (count, None) => Ok(Choice { count, one_because: None }),
        (WorkerCount::IfItPays(_), Some(obstacle)) => one(Some(obstacle).filter(|_| rank_mode.folded)),
        (WorkerCount::Exactly(count), Some(obstacle)) => Err(usage(format!("--workers {count}: {obstacle}"))),
    }
}

fn parse(text: &str, cores: usize) -> Result<WorkerCount, Failure> {
    if text == "auto" {
        return Ok(WorkerCount::IfItPays(cores.clamp(1, MOST)));
    }
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    let wrong = || usage(format!("--workers {text}: expected auto, or a number from 1 to {MOST}"));
    number.map(WorkerCount::Exactly).ok_or_else(wrong)
}

/// Why several workers cannot hold the ranks, and the remedy.
fn obstacle(
    request: &RunRequest,
    purpose: Purpose,
    rank_mode: &RankMode,
    programs: &[Arc<Program>],
) -> Option<String> {
    let cases = [
        (
            purpose == Purpose::Emulated,
            "ranks of an emulation are processes, which use all cores; leave it out",
        ),
        (purpose == Purpose::Checked, "checks run folded ranks in one process; leave it out"),
        (
            request.share_malloc.is_some(),
            "ranks of several workers cannot share allocations (--share-malloc); leave one of the two out",
        ),
        (
            request.migration.balancer.is_some(),
            "ranks of several workers cannot move (--balancer) yet; leave one of the two out",
        ),
    ];
    if let Some((_, text)) = cases.into_iter().find(|(is, _)| *is) {
        return Some(text.to_owned());
    }
    if !rank_mode.folded {
        return Some(format!(
            "workers hold folded ranks, but ranks are processes here ({}), which use all cores; add --ranks-as folded, or leave it out",
            rank_mode.reason
        ));
    }
    let mut distinct = programs.to_vec();
    distinct.dedup_by(|a, b| Arc::ptr_eq(a, b));
    let (name, function) =
        distinct.iter().find_map(|program| Some((program.path.display(), shares_memory(&program.path)?)))?;
    Some(format!(
        "{name} uses {function}, and ranks of several workers cannot share memory; leave --workers out, or use --ranks-as processes"
    ))
}
