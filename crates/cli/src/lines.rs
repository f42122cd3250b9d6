//! Source lines of the program while it runs, for whoever writes about it.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use mpirage_interpret::{Copies, Sites};
use mpirage_rank::{Ranks, Symbols, Watch};

use crate::program_output::ProgramOutput;
use crate::progress::Progress;

/// Lines of the program that is in memory.
#[derive(Default)]
pub struct Lines(RefCell<Symbols>);

impl Sites for Lines {
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

/// Shows progress, and learns where the program is as soon as it is in memory.
pub struct Attentive<'a> {
    /// Who shows progress.
    pub progress: &'a mut Progress,
    /// Who learns.
    pub lines: Rc<Lines>,
    /// Where the program's output goes.
    pub output: ProgramOutput,
}

impl Watch for Attentive<'_> {
    fn progress(&mut self, simulated: f64, ended: usize) {
        Watch::progress(self.progress, simulated, ended);
    }

    fn loaded(&mut self, ranks: &mut Ranks) {
        let mut symbols = Symbols::default();
        ranks.explain_addresses(&mut symbols);
        *self.lines.0.borrow_mut() = symbols;
    }

    fn output(&mut self, rank: u32) -> Box<dyn Write + '_> {
        Box::new(self.output.of(rank))
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64) {
        self.progress.slow_rank(rank, seconds);
    }
}
