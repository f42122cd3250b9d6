//! Resolves addresses in ranks to source lines.
//!
//! Ranks are started without address randomisation, so the memory map of one rank of a program resolves the addresses of all
//! its ranks, also of those that have ended.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use addr2line::gimli::Reader;
use addr2line::{Frame, Loader, Location};

use crate::fortran_lines;

/// A place in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The function.
    pub function: Option<String>,
    /// File and line.
    pub line: Option<(String, u32)>,
    /// The name of the program or library, if it has no symbols for the place.
    pub stripped: Option<String>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.line, &self.function) {
            (Some((file, line)), Some(function)) => write!(f, "{file}:{line} in {function}"),
            (Some((file, line)), None) => write!(f, "{file}:{line}"),
            (None, Some(function)) => write!(f, "{function} (compile with -g to see the line)"),
            (None, None) => match &self.stripped {
                Some(name) => write!(f, "unknown place in {name} (it has no debug information)"),
                None => f.write_str("unknown place (compile with -g to see it)"),
            },
        }
    }
}

/// Memory maps and debug information, read when first needed.
#[derive(Default)]
pub struct Symbols {
    /// Memory maps as text, in which nothing was looked for yet.
    unread: Vec<String>,
    mappings: Vec<Mapping>,
    instances: Vec<Instances>,
    /// All instances are known.
    complete: bool,
    loaders: HashMap<PathBuf, Option<Loader>>,
    /// There is more in the memory map of this process than was read.
    more_to_read: bool,
}

/// A piece of an executable file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    file: PathBuf,
}

/// A program that is in memory many times, at equal distances.
#[derive(Clone, Debug)]
pub struct Instances {
    /// Where the first is.
    pub start: u64,
    /// From one to the next.
    pub stride: u64,
    /// How many there are.
    pub count: u64,
    /// The program.
    pub file: PathBuf,
    /// The libraries that are copied with it: where in each copy they begin, in this order, and their files.
    pub libraries: Vec<(u64, PathBuf)>,
}

impl Symbols {
    /// Reads the memory map of a process.
    pub fn learn(&mut self, process: u32) {
        self.unread.extend(std::fs::read_to_string(format!("/proc/{process}/maps")));
    }

    /// The addresses are of this process, of which `map` was read early. The whole map, which is long with many folded ranks,
    /// is looked at only for an address that is not in there.
    pub fn learn_own(&mut self, map: String) {
        self.learn_map(map);
        self.more_to_read = true;
    }

    /// Hears of a memory map that was read earlier.
    pub fn learn_map(&mut self, map: String) {
        self.unread.push(map);
    }

    /// Hears of a program that is in this process many times.
    pub fn learn_instances(&mut self, instances: Instances) {
        self.instances.push(instances);
    }

    /// All instances of programs are known, if there are any.
    pub fn learned_all_instances(&mut self) {
        self.complete = true;
    }

    /// The instances of successive ranks that an address belongs to, and the first of these ranks. Nothing if others are still
    /// to come, or it belongs to none.
    pub fn instances_with(&self, address: u64) -> Option<(u32, &Instances)> {
        let mut first = 0;
        self.instances.iter().filter(|_| self.complete).find_map(|instances| {
            let rank = first;
            first += instances.count as u32;
            instances.contain(address).then_some((rank, instances))
        })
    }

    /// Are all programs at the same addresses in every rank, and is that certain?
    pub fn is_in_one_place(&self) -> bool {
        self.complete && self.instances.is_empty()
    }

    /// An address that is the same in all copies of a program.
    pub fn common_address(&self, address: u64) -> u64 {
        match self.instances.iter().find(|instances| instances.contain(address)) {
            Some(instances) => instances.start + (address - instances.start) % instances.stride,
            None => address,
        }
    }

    /// The place of the call that returns to `address`.
    pub fn site(&mut self, address: u64) -> Site {
        // The call instruction lies just before the address it returns to.
        self.place(address.saturating_sub(1))
    }

    /// The place of the call of MPI that returns to `address`.
    pub fn mpi_call(&mut self, address: u64) -> Site {
        let mut site = self.site(address);
        if let Some((file, line)) = &mut site.line {
            *line = fortran_lines::of_mpi_call(file, *line);
        }
        site
    }

    /// The place of the instruction at `address`.
    pub fn place(&mut self, address: u64) -> Site {
        let Some((file, address)) = self.find(address) else { return Site::default() };
        let site = self.loader(&file).map_or_else(Site::default, |loader| locate(loader, address));
        if site.line.is_some() || site.function.is_some() {
            return site;
        }
        Site { stripped: file.file_name().map(|name| name.to_string_lossy().into_owned()), ..site }
    }

    /// The places of the call that returns to `address`, and of the calls of functions that the compiler has inlined around it, the
    /// innermost first. Those without a source line are left out.
    pub fn inlined(&mut self, address: u64) -> Vec<Site> {
        let Some((file, address)) = self.find(address.saturating_sub(1)) else { return Vec::new() };
        let Some(loader) = self.loader(&file) else { return Vec::new() };
        let Ok(mut frames) = loader.find_frames(address) else { return Vec::new() };
        let frames = std::iter::from_fn(|| frames.next().ok().flatten());
        let sites = frames.map(|frame| Site {
            line: line_of(frame.location.as_ref()),
            function: name_of(frame),
            stripped: None,
        });
        sites.filter(|site| site.line.is_some()).collect()
    }

    fn find(&mut self, address: u64) -> Option<(PathBuf, u64)> {
        if self.in_file(address).is_none() && std::mem::take(&mut self.more_to_read) {
            self.learn(std::process::id());
        }
        self.in_file(address)
    }

    /// The innermost of these frames that is the program's own and not a library's below it: where the program was when it
    /// crashed, also if the crash itself was in the C library. Nothing if none is known.
    pub fn place_in_program(&mut self, frames: &[u64]) -> Option<Site> {
        let own = |symbols: &mut Self, address: u64| {
            symbols.in_file(address).is_some_and(|(file, _)| !is_system_library(&file))
        };
        let mut frame = frames.iter().copied().find(|&frame| own(self, frame));
        if frame.is_none() && std::mem::take(&mut self.more_to_read) {
            self.learn(std::process::id());
            frame = frames.iter().copied().find(|&frame| own(self, frame));
        }
        Some(self.place(frame?))
    }

    /// The file an address belongs to, and the address as the file's debug information has it.
    fn in_file(&mut self, address: u64) -> Option<(PathBuf, u64)> {
        if let Some(instances) = self.instances.iter().find(|instances| instances.contain(address)) {
            return Some(instances.in_file((address - instances.start) % instances.stride));
        }
        let unread = std::mem::take(&mut self.unread);
        self.mappings.extend(unread.iter().flat_map(|map| map.lines()).filter_map(parse_mapping));
        let mapping = self.mappings.iter().find(|m| (m.start..m.end).contains(&address))?;
        let offset = address - mapping.start + mapping.offset;
        Some((mapping.file.clone(), virtual_address(&mapping.file, offset).unwrap_or(offset)))
    }

    fn loader(&mut self, file: &Path) -> Option<&Loader> {
        self.loaders.entry(file.to_owned()).or_insert_with(|| Loader::new(file).ok()).as_ref()
    }
}

impl Instances {
    /// The file that has this place of a copy, and the place in that file.
    fn in_file(&self, place: u64) -> (PathBuf, u64) {
        match self.libraries.iter().rev().find(|(start, _)| *start <= place) {
            Some((start, file)) => (file.clone(), place - start),
            None => (self.file.clone(), place),
        }
    }

    fn contain(&self, address: u64) -> bool {
        (self.start..self.start + self.stride * self.count).contains(&address)
    }
}

/// Libraries below a program, in which its mistakes show.
fn is_system_library(file: &Path) -> bool {
    const NAMES: [&str; 12] = [
        "libc.so",
        "libc-",
        "libm.so",
        "libm-",
        "libgcc_s.so",
        "libstdc++.so",
        "libpthread",
        "ld-linux",
        "libmpi_abi.so",
        "libmpi_fortran.so",
        "libgfortran.so",
        "libasan.so",
    ];
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    NAMES.iter().any(|known| name.starts_with(known))
}

fn locate(loader: &Loader, address: u64) -> Site {
    let line = loader.find_location(address).ok().flatten();
    let mut site = Site { line: line_of(line.as_ref()), ..Site::default() };
    if let Ok(mut frames) = loader.find_frames(address)
        && let Ok(Some(frame)) = frames.next()
    {
        site.function = name_of(frame);
    }
    if site.function.is_none() {
        site.function = loader.find_symbol(address).map(str::to_owned);
    }
    site
}

fn line_of(location: Option<&Location<'_>>) -> Option<(String, u32)> {
    let location = location?;
    location.file.zip(location.line).map(|(file, line)| (file.to_owned(), line))
}

fn name_of<R: Reader>(frame: Frame<'_, R>) -> Option<String> {
    frame.function.and_then(|function| function.demangle().ok().map(|name| name.into_owned()))
}

/// The file of a line of a memory map, as `/proc/PID/maps` shows it. Its name may have spaces; it is the sixth field, up to the end of the line.
pub(crate) fn file_in_map(line: &str) -> Option<&str> {
    let after_five =
        (0..5).try_fold(line, |rest, _| rest.trim_start_matches(' ').split_once(' ').map(|(_, rest)| rest));
    after_five.map(|rest| rest.trim_start_matches(' ')).filter(|name| name.starts_with('/'))
}

fn parse_mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let executable = words.next()?.contains('x');
    let offset = words.next()?;
    let file = file_in_map(line).filter(|_| executable)?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping { start: hex(start)?, end: hex(end)?, offset: hex(offset)?, file: PathBuf::from(file) })
}

/// Debug information speaks of virtual addresses, maps of file offsets; the program headers translate.
fn virtual_address(file: &Path, offset: u64) -> Option<u64> {
    let header = read_at(file, 0, 64)?;
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    let half = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let (table, size, count) = (word(&header, 32), half(&header, 54), half(&header, 56));
    let headers = read_at(file, table, usize::from(size) * usize::from(count))?;
    headers.chunks_exact(usize::from(size).max(56)).find_map(|entry| {
        let is_load = entry[..4] == [1, 0, 0, 0];
        let (at, address, length) = (word(entry, 8), word(entry, 16), word(entry, 32));
        (is_load && (at..at + length).contains(&offset)).then(|| offset - at + address)
    })
}

fn read_at(file: &Path, offset: u64, length: usize) -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; length];
    std::fs::File::open(file).ok()?.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_executable_files_are_mapped() {
        let code = "555555555000-555555556000 r-xp 00001000 fe:00 42   /tmp/prog";
        let mapping = parse_mapping(code).unwrap();
        assert_eq!(
            (mapping.start, mapping.offset, mapping.file),
            (0x5555_5555_5000, 0x1000, PathBuf::from("/tmp/prog"))
        );
        let spaces = parse_mapping(&code.replace("/tmp/prog", "/tmp/my  work/a prog")).unwrap();
        assert_eq!(spaces.file, PathBuf::from("/tmp/my  work/a prog"));
        assert_eq!(parse_mapping("7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0"), None);
        assert_eq!(parse_mapping("555555557000-555555558000 rw-p 00002000 fe:00 42   /tmp/prog"), None);
        assert_eq!(parse_mapping("7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0   [vdso]"), None);
    }

    #[inline(never)]
    fn landmark() -> u32 {
        std::process::id().wrapping_add(1)
    }

    #[test]
    fn a_function_of_this_very_program_is_found() {
        let mut symbols = Symbols::default();
        symbols.learn(landmark().wrapping_sub(1));
        let entry = landmark as fn() -> u32 as usize as u64;
        let site = symbols.site(entry + 1);
        assert!(site.function.unwrap_or_default().contains("landmark"));
    }
}
