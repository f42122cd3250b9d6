//! Source lines of the calls of a running program, for traces and reports.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use mpirage_interpret::{Copies, Sites};
use mpirage_rank::{Ranks, Symbols, Watch};

use crate::program_output::ProgramOutput;
use crate::progress::Progress;

/// Looks up source lines in the debug information of the loaded program.
#[derive(Default)]
pub struct SourceLines(RefCell<Symbols>);

impl Sites for SourceLines {
    fn key(&self, _rank: u32, site: u64) -> u64 {
        self.0.borrow().common_address(site)
    }

    fn copies(&self, _rank: u32, site: u64) -> Option<Copies> {
        let symbols = self.0.borrow();
        if symbols.is_in_one_place() {
            return Some(Copies::EVERYWHERE);
        }
        let (first, instances) = symbols.instances_with(site)?;
        let (start, stride, ranks) = (instances.start, instances.stride, instances.count as u32);
        Some(Copies { first, ranks, start, stride, length: stride })
    }

    fn name(&self, key: u64) -> Option<String> {
        let site = self.0.borrow_mut().site(key);
        site.line.is_some().then(|| site.to_string())
    }
}

impl SourceLines {
    /// Looks up source lines here from now on.
    pub fn set(&self, symbols: Symbols) {
        *self.0.borrow_mut() = symbols;
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
