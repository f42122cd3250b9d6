//! Source lines of the calls of a running program, for traces and reports.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::rc::Rc;

use mpirage_call::{PATH_SITE, path_site};
use mpirage_interpret::{Copies, Sites};
use mpirage_rank::{Ranks, Symbols, Watch};
use mpirage_record::{Record, Recorder};
use rustc_hash::{FxHashMap, FxHasher};

use crate::program_output::ProgramOutput;
use crate::progress::Progress;

/// Looks up source lines in the debug information of the loaded program.
#[derive(Default)]
pub struct SourceLines {
    symbols: RefCell<Symbols>,
    paths: RefCell<Paths>,
}

/// The call paths of MPI calls; empty without `--call-paths`.
#[derive(Default)]
struct Paths {
    /// The frames of a site, the innermost first. Keys that all ranks share are among the sites.
    frames: FxHashMap<u64, Rc<[u64]>>,
    /// The key of a site.
    keys: FxHashMap<u64, u64>,
}

impl SourceLines {
    /// Looks up source lines here from now on.
    pub fn set(&self, symbols: Symbols) {
        *self.symbols.borrow_mut() = symbols;
        self.paths.borrow_mut().keys.clear();
    }

    /// The address of the call itself, if a site stands for a path.
    pub fn innermost(&self, site: u64) -> u64 {
        self.frames(site).and_then(|frames| frames.first().copied()).unwrap_or(site)
    }

    fn frames(&self, site: u64) -> Option<Rc<[u64]>> {
        self.paths.borrow().frames.get(&site).cloned()
    }

    /// The key of a path: folded ranks have copies of the same code at other addresses.
    fn key_of_path(&self, site: u64) -> u64 {
        if let Some(&key) = self.paths.borrow().keys.get(&site) {
            return key;
        }
        let Some(frames) = self.frames(site) else { return site };
        let symbols = self.symbols.borrow();
        let common: Rc<[u64]> = frames.iter().map(|&frame| symbols.common_address(frame)).collect();
        let mut hasher = FxHasher::default();
        common.hash(&mut hasher);
        let key = path_site(hasher.finish());
        let mut paths = self.paths.borrow_mut();
        paths.keys.insert(site, key);
        paths.frames.entry(key).or_insert(common);
        key
    }

    /// A path in words: each place, the innermost first. Places without source lines are left out.
    fn name_of_path(&self, key: u64) -> Option<String> {
        let frames = self.frames(key)?;
        let places: Vec<String> = frames.iter().filter_map(|&frame| self.line(frame)).collect();
        (!places.is_empty()).then(|| places.join(" ← "))
    }

    fn line(&self, address: u64) -> Option<String> {
        let site = self.symbols.borrow_mut().site(address);
        site.line.is_some().then(|| site.to_string())
    }
}

impl Sites for SourceLines {
    fn key(&self, _rank: u32, site: u64) -> u64 {
        match site & PATH_SITE {
            0 => self.symbols.borrow().common_address(site),
            _ => self.key_of_path(site),
        }
    }

    fn copies(&self, _rank: u32, site: u64) -> Option<Copies> {
        let symbols = self.symbols.borrow();
        if symbols.is_in_one_place() {
            return Some(Copies::EVERYWHERE);
        }
        if site & PATH_SITE != 0 {
            return None;
        }
        let (first, instances) = symbols.instances_with(site)?;
        let (start, stride, ranks) = (instances.start, instances.stride, instances.count as u32);
        Some(Copies { first, ranks, start, stride, length: stride })
    }

    fn name(&self, key: u64) -> Option<String> {
        if key & PATH_SITE == 0 { self.line(key) } else { self.name_of_path(key) }
    }
}

/// Remembers the paths on which ranks call MPI.
pub struct PathRecorder(pub Rc<SourceLines>);

impl Recorder for PathRecorder {
    fn record(&mut self, _: &Record<'_>) {}

    fn call_path(&mut self, _rank: u32, site: u64, frames: &[u64]) {
        self.0.paths.borrow_mut().frames.entry(site).or_insert_with(|| frames.into());
    }
}

/// Watches a session: shows progress, passes output on, and reads the program's symbols once it is loaded.
pub struct SessionWatch<'a> {
    /// The progress display.
    pub progress: &'a mut Progress,
    /// Receives the symbols when the program is loaded.
    pub lines: Rc<SourceLines>,
    /// Receives the output of ranks.
    pub output: ProgramOutput,
}

impl Watch for SessionWatch<'_> {
    fn progress(&mut self, simulated: f64, ended: usize) {
        Watch::progress(self.progress, simulated, ended);
    }

    fn loaded(&mut self, ranks: &mut Ranks) {
        let mut symbols = Symbols::default();
        ranks.explain_addresses(&mut symbols);
        self.lines.set(symbols);
    }

    fn output(&mut self, rank: u32) -> Box<dyn Write + '_> {
        Box::new(self.output.of(rank))
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64) {
        self.progress.slow_rank(rank, seconds);
    }
}
