//! Source lines of the calls of a running program, for traces and reports.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use mpirage_call::{PATH_SITE, path_site};
use mpirage_interpret::{CALLED_FROM, Copies, Sites};
use mpirage_rank::{Ranks, Site, Symbols};
use mpirage_record::{Record, Recorder};
use rustc_hash::{FxHashMap, FxHasher};

/// Looks up source lines in the debug information of the loaded programs.
#[derive(Default)]
pub struct SourceLines {
    symbols: RefCell<ProgramSymbols>,
    paths: RefCell<Paths>,
    /// Ranks execute several programs, which may lie at the same addresses.
    several_programs: bool,
    /// Calls on different paths have different names.
    tells_paths_apart: bool,
}

/// The call paths of MPI calls; empty without `--call-paths`.
#[derive(Default)]
struct Paths {
    /// The frames of a site, the innermost first. Keys that all ranks share are among the sites.
    frames: FxHashMap<u64, Rc<[u64]>>,
    /// The key of a site of a program.
    keys: FxHashMap<(usize, u64), u64>,
}

/// The bits of a key that are an address or stand for a path. Those above are the number of the program.
const ADDRESS: u64 = (PATH_SITE << 1) - 1;

fn key_in(program: usize, address: u64) -> u64 {
    (program as u64) << ADDRESS.count_ones() | address
}

/// The program of a key, and the address or path.
fn parts_of(key: u64) -> (usize, u64) {
    ((key >> ADDRESS.count_ones()) as usize, key & ADDRESS)
}

impl SourceLines {
    /// For a run of one program, or of several.
    pub fn of_programs(several: bool) -> SourceLines {
        SourceLines { several_programs: several, ..SourceLines::default() }
    }

    /// The same with other names for calls on other paths.
    pub fn telling_paths_apart(self, apart: bool) -> SourceLines {
        SourceLines { tells_paths_apart: apart, ..self }
    }

    /// Looks up source lines here from now on.
    pub fn set(&self, symbols: ProgramSymbols) {
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
    fn key_of_path(&self, program: usize, site: u64) -> u64 {
        if let Some(&key) = self.paths.borrow().keys.get(&(program, site)) {
            return key;
        }
        let Some(frames) = self.frames(site) else { return site };
        let symbols = self.symbols.borrow();
        let common: Rc<[u64]> = frames.iter().map(|&frame| symbols.common_address(program, frame)).collect();
        let mut hasher = FxHasher::default();
        common.hash(&mut hasher);
        let key = key_in(program, path_site(hasher.finish()));
        let mut paths = self.paths.borrow_mut();
        paths.keys.insert((program, site), key);
        paths.frames.entry(key).or_insert(common);
        key
    }

    fn line(&self, program: usize, address: u64, place: fn(&mut Symbols, u64) -> Site) -> Option<String> {
        let site = place(self.symbols.borrow_mut().programs.get_mut(program)?, address);
        site.line.is_some().then(|| site.to_string())
    }
}

impl Sites for SourceLines {
    fn key(&self, rank: u32, site: u64) -> u64 {
        let program = self.symbols.borrow().number_of(rank);
        match site & PATH_SITE {
            0 => key_in(program, self.symbols.borrow().common_address(program, site)),
            _ => self.key_of_path(program, site),
        }
    }

    fn copies(&self, _rank: u32, site: u64) -> Option<Copies> {
        let symbols = self.symbols.borrow();
        // Programs that are processes are not in one place; folded ones are in one list of instances.
        let [symbols] = &symbols.programs[..] else { return None };
        if symbols.is_in_one_place() {
            return (!self.several_programs).then_some(Copies::EVERYWHERE);
        }
        if site & PATH_SITE != 0 {
            return None;
        }
        let (first, instances) = symbols.instances_with(site)?;
        let (start, stride, ranks) = (instances.start, instances.stride, instances.count as u32);
        Some(Copies { first, ranks, start, stride, length: stride })
    }

    fn name(&self, key: u64) -> Option<String> {
        match parts_of(key) {
            (program, address) if address & PATH_SITE == 0 => self.line(program, address, Symbols::mpi_call),
            _ if self.tells_paths_apart => self.path(key),
            (program, _) => self.line(program, *self.frames(key)?.first()?, Symbols::mpi_call),
        }
    }

    /// A path in words: each place, the innermost first, up to `main`. Places without source lines are left out.
    fn path(&self, key: u64) -> Option<String> {
        let frames = self.frames(key)?;
        let (program, _) = parts_of(key);
        let (first, callers) = frames.split_first()?;
        let mut symbols = self.symbols.borrow_mut();
        let symbols = symbols.programs.get_mut(program)?;
        let mut places = symbols.inlined(*first);
        if let Some(call) = places.first_mut() {
            // Fortran's calls of MPI have lines of their own.
            *call = symbols.mpi_call(*first);
        }
        places.extend(callers.iter().flat_map(|&caller| symbols.inlined(caller)));
        let main = places.iter().position(|place| place.function.as_deref() == Some("main"));
        places.truncate(main.map_or(places.len(), |at| at + 1));
        let places: Vec<String> = places.iter().map(Site::to_string).collect();
        (!places.is_empty()).then(|| places.join(CALLED_FROM))
    }
}

/// Symbols for the addresses of each program's ranks. Folded programs have addresses of their own and share one entry.
#[derive(Default)]
pub struct ProgramSymbols {
    programs: Vec<Symbols>,
    /// Successive ranks, and the number of their program.
    ranks: Vec<(Range<u32>, usize)>,
}

impl ProgramSymbols {
    /// Of all programs that are loaded.
    pub fn of(ranks: &mut Ranks) -> ProgramSymbols {
        let mut files: Vec<PathBuf> = Vec::new();
        let mut all = ProgramSymbols::default();
        for (own, file) in ranks.programs() {
            let number = files.iter().position(|known| known == file).unwrap_or_else(|| {
                files.push(file.to_owned());
                all.programs.push(Symbols::default());
                files.len() - 1
            });
            ranks.explain_addresses_of(own.clone(), &mut all.programs[number]);
            all.ranks.push((own, number));
        }
        if all.programs.len() > 1 {
            return all;
        }
        let mut symbols = Symbols::default();
        ranks.explain_addresses(&mut symbols);
        ProgramSymbols::one(symbols)
    }

    /// One program for all ranks.
    pub fn one(symbols: Symbols) -> ProgramSymbols {
        ProgramSymbols { programs: vec![symbols], ranks: vec![(0..u32::MAX, 0)] }
    }

    /// The symbols that explain addresses of a rank.
    pub fn of_rank(&mut self, rank: u32) -> Option<&mut Symbols> {
        let number = self.number_of(rank);
        self.programs.get_mut(number)
    }

    fn number_of(&self, rank: u32) -> usize {
        self.ranks.iter().find(|(own, _)| own.contains(&rank)).map_or(0, |(_, number)| *number)
    }

    fn common_address(&self, program: usize, address: u64) -> u64 {
        self.programs.get(program).map_or(address, |symbols| symbols.common_address(address))
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
