//! How many worker processes hold the folded ranks of a run.

use std::sync::Arc;

use mpirage_programs::rank_mode::RankMode;
use mpirage_rank::{Program, shares_memory};

use super::plan::Purpose;
use super::request::RunRequest;
use crate::failure::{Failure, usage};

/// Workers at most: each has a copy of the tables of all ranks' memory.
const MOST: usize = 1024;

/// The number of workers: 1 if this process runs the ranks itself.
pub(super) fn choose(
    request: &RunRequest,
    purpose: Purpose,
    rank_mode: &RankMode,
    programs: &[Arc<Program>],
) -> Result<usize, Failure> {
    let wanted = parse(&request.workers)?;
    if wanted == 1 {
        return Ok(1);
    }
    match obstacle(request, purpose, rank_mode, programs) {
        None => Ok(wanted),
        Some(obstacle) => Err(usage(format!("--workers {wanted}: {obstacle}"))),
    }
}

fn parse(text: &str) -> Result<usize, Failure> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| usage(format!("--workers {text}: expected a number from 1 to {MOST}")))
}

/// Why several workers cannot hold the ranks, and the remedy.
fn obstacle(
    request: &RunRequest,
    purpose: Purpose,
    rank_mode: &RankMode,
    programs: &[Arc<Program>],
) -> Option<String> {
    let cases = [
        (purpose == Purpose::Emulated, "ranks of an emulation are processes, which use all cores; leave it out"),
        (purpose == Purpose::Checked, "checks run folded ranks in one process; leave it out"),
        (request.share_malloc.is_some(), "ranks of several workers cannot share allocations (--share-malloc); leave one of the two out"),
        (request.migration.balancer.is_some(), "ranks of several workers cannot move (--balancer) yet; leave one of the two out"),
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
