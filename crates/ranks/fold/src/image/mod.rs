//! A program's file, read and checked.
//!
//! Everything is read the way the dynamic linker reads it: from the segments in memory layout, never from sections,
//! so that a stripped program is as good as any.

mod bind;
mod dynamic;
mod entry;
mod include;
mod relocation;
mod symbol;

use std::path::{Path, PathBuf};

use object::LittleEndian as LE;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader, ProgramHeader};

use crate::Refusal;
pub(crate) use bind::OwnCopy;
use dynamic::Dynamic;
pub(crate) use dynamic::Functions;
pub(crate) use include::Part;
pub(crate) use relocation::{Relocation, RelocationKind};
pub(crate) use symbol::Symbol;
pub use symbol::{Import, Resolve};

/// A program that can be loaded many times.
pub struct Image {
    path: PathBuf,
    /// The segments' bytes at their addresses, up to the last one the file has.
    contents: Vec<u8>,
    segments: Vec<Segment>,
    /// Of the program and of the libraries that are included.
    tls: Vec<TlsSegment>,
    unwind_tables: Vec<UnwindTable>,
    starters: Vec<Functions>,
    finishers: Vec<Functions>,
    dynamic: Dynamic,
    symbols: Vec<Symbol>,
    relocations: Vec<Relocation>,
    /// Variables of libraries that the program has in its own data, as an ordinary executable does.
    copied: Vec<Import>,
    /// Variables of libraries that are included, likewise.
    own_copies: Vec<OwnCopy>,
    /// The libraries that are included.
    parts: Vec<Part>,
    interpreter: Option<PathBuf>,
    main: usize,
}

/// One `PT_LOAD`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub address: usize,
    pub memory_size: usize,
    pub writable: bool,
    pub executable: bool,
}

/// `PT_TLS`: the initial contents of thread-local variables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TlsSegment {
    /// The object that has them: 0 for the program, then the libraries that are included.
    pub object: usize,
    /// Where the program or library that has them ends.
    pub owner_end: usize,
    pub address: usize,
    pub file_size: usize,
    pub memory_size: usize,
    pub align: usize,
}

/// `PT_GNU_EH_FRAME` of the program or of a library: its place, and the end of what it describes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnwindTable {
    pub address: usize,
    pub end: usize,
}

impl Image {
    /// Reads a program and checks that it can be folded.
    pub fn open(path: &Path) -> Result<Self, Refusal> {
        let bytes =
            std::fs::read(path).map_err(|source| Refusal::Unreadable { path: path.into(), source })?;
        if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
            return Err(Refusal::Unsupported);
        }
        Self::parse(path, &bytes)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, Refusal> {
        let mut image = Self::parse_library(path, bytes)?;
        let entry = check_header(bytes)?.e_entry(LE) as usize;
        image.main = symbol::main(&image.symbols)
            .or_else(|| entry::main(&image.contents, entry, &image.relocations))
            .ok_or(Refusal::NoMain)?;
        Ok(image)
    }

    /// Everything but the place of `main`, which a library has not.
    fn parse_library(path: &Path, bytes: &[u8]) -> Result<Self, Refusal> {
        let header = check_header(bytes)?;
        let programs = header.program_headers(LE, bytes).map_err(|_| Refusal::Damaged("program header"))?;
        let segments: Vec<Segment> = loads(programs).collect();
        let contents = lay_out(programs, bytes)?;
        let find = |kind| programs.iter().find(|program| program.p_type(LE) == kind);
        let dynamic = find(elf::PT_DYNAMIC).ok_or(Refusal::Static)?;
        let dynamic = Dynamic::read(&contents, dynamic.p_vaddr(LE) as usize, dynamic.p_filesz(LE) as usize)?;
        let symbols = symbol::read(&contents, &dynamic)?;
        let end = end_of(&segments);
        let tls = find(elf::PT_TLS).map(|program| tls_segment(program, end));
        let tls = tls.filter(|tls| tls.memory_size > 0);
        check(&dynamic, tls.as_ref())?;
        let relocations = relocation::read(&contents, &dynamic, &symbols, end)?;
        let copied = copied(&symbols, &relocations)?;
        let unwind_table = find(elf::PT_GNU_EH_FRAME)
            .map(|program| UnwindTable { address: program.p_vaddr(LE) as usize, end });
        Ok(Self {
            path: path.into(),
            main: 0,
            unwind_tables: unwind_table.into_iter().collect(),
            starters: vec![dynamic.init],
            finishers: vec![dynamic.fini],
            contents,
            segments,
            tls: tls.into_iter().collect(),
            dynamic,
            symbols,
            relocations,
            copied,
            own_copies: Vec::new(),
            parts: Vec::new(),
            interpreter: find(elf::PT_INTERP).and_then(|program| interpreter(program, bytes)),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The symbols it needs from libraries, in the order of its symbol table; last the variables it has in its own data.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.symbols.iter().filter_map(|symbol| symbol.import.as_ref()).chain(&self.copied)
    }

    /// Variables of libraries that the program has in its own data.
    pub(crate) fn copied(&self) -> impl Iterator<Item = &Import> {
        self.copied.iter()
    }

    /// The names of functions and variables that other objects could find in it.
    pub fn exports(&self) -> impl Iterator<Item = &str> {
        self.symbols.iter().filter(|symbol| symbol.import.is_none()).map(|symbol| symbol.name.as_str())
    }

    /// The libraries it names (`DT_NEEDED`).
    pub fn needed(&self) -> &[String] {
        &self.dynamic.needed
    }

    /// Where it looks for them, as written (`DT_RUNPATH` or `DT_RPATH`).
    pub fn run_path(&self) -> Option<&str> {
        self.dynamic.run_path.as_deref()
    }

    /// The dynamic linker that it names.
    pub(crate) fn interpreter(&self) -> Option<&Path> {
        self.interpreter.as_deref()
    }

    /// The libraries that are included.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The variables that the program has in its own data and that libraries define which are included.
    pub(crate) fn own_copies(&self) -> &[OwnCopy] {
        &self.own_copies
    }

    /// Is it an ordinary executable, in which references to its own variables are fixed?
    pub(crate) fn is_executable(&self) -> bool {
        self.dynamic.executable
    }

    /// Bytes from its first address to behind its last, rounded up to pages.
    pub fn memory_size(&self) -> usize {
        crate::memory::round_to_page(self.end())
    }

    pub(crate) fn end(&self) -> usize {
        end_of(&self.segments)
    }

    pub(crate) fn contents(&self) -> &[u8] {
        &self.contents
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(crate) fn tls(&self) -> &[TlsSegment] {
        &self.tls
    }

    pub(crate) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    pub(crate) fn relocations(&self) -> &[Relocation] {
        &self.relocations
    }

    pub(crate) fn unwind_tables(&self) -> &[UnwindTable] {
        &self.unwind_tables
    }

    pub(crate) fn main(&self) -> usize {
        self.main
    }

    /// Where its code, and the addresses through which it calls libraries, begin.
    pub(crate) fn hot(&self) -> [usize; 2] {
        [self.main, self.dynamic.linkage]
    }

    /// In the order in which they are called: libraries first.
    pub(crate) fn starters(&self) -> &[Functions] {
        &self.starters
    }

    /// In the order in which they are called: libraries last.
    pub(crate) fn finishers(&self) -> &[Functions] {
        &self.finishers
    }

    /// The end of what only a dynamic linker reads, if the file starts with that.
    pub(crate) fn linker_tables_end(&self) -> usize {
        self.dynamic.tables_end
    }
}

fn end_of(segments: &[Segment]) -> usize {
    segments.iter().map(|segment| segment.address + segment.memory_size).max().unwrap_or(0)
}

/// The variables of libraries that the program has in its own data.
fn copied(symbols: &[Symbol], relocations: &[Relocation]) -> Result<Vec<Import>, Refusal> {
    let names = relocations.iter().filter_map(|relocation| match relocation.kind {
        RelocationKind::Copy(symbol) => Some(&symbols[symbol]),
        _ => None,
    });
    let import = |symbol: &Symbol| Import {
        name: symbol.name.clone(),
        version: symbol.version.clone(),
        weak: false,
        function: false,
    };
    let copied: Vec<Import> = names.map(import).collect();
    // The C library's variable changes when a rank opens another standard input, and the copy would not.
    let has = |name: &str| symbols.iter().any(|symbol| symbol.import.is_some() && symbol.name == name);
    match copied.iter().find(|import| import.name == "stdin" && (has("freopen") || has("freopen64"))) {
        Some(import) => Err(Refusal::CopyRelocation(import.name.clone())),
        None => Ok(copied),
    }
}

fn check_header(bytes: &[u8]) -> Result<&FileHeader64<LE>, Refusal> {
    let header = FileHeader64::<LE>::parse(bytes).map_err(|_| Refusal::NotElf)?;
    if !header.is_little_endian() || !header.is_class_64() {
        return Err(Refusal::NotElf);
    }
    match (header.e_machine(LE), header.e_type(LE)) {
        (elf::EM_X86_64, elf::ET_DYN) => Ok(header),
        (elf::EM_X86_64, elf::ET_EXEC) => Err(Refusal::FixedAddress),
        (elf::EM_X86_64, kind) => Err(Refusal::Kind(kind.0)),
        (machine, _) => Err(Refusal::Machine(machine.0)),
    }
}

fn loads(programs: &[ProgramHeader64<LE>]) -> impl Iterator<Item = Segment> {
    programs.iter().filter(|program| program.p_type(LE) == elf::PT_LOAD).map(|program| Segment {
        address: program.p_vaddr(LE) as usize,
        memory_size: program.p_memsz(LE) as usize,
        writable: program.p_flags(LE) & elf::PF_W != elf::ProgramFlags(0),
        executable: program.p_flags(LE) & elf::PF_X != elf::ProgramFlags(0),
    })
}

fn interpreter(program: &ProgramHeader64<LE>, bytes: &[u8]) -> Option<PathBuf> {
    let name = program.data(LE, bytes).ok()?.split(|&byte| byte == 0).next()?;
    std::str::from_utf8(name).ok().map(PathBuf::from)
}

fn tls_segment(program: &ProgramHeader64<LE>, owner_end: usize) -> TlsSegment {
    TlsSegment {
        object: 0,
        owner_end,
        address: program.p_vaddr(LE) as usize,
        file_size: program.p_filesz(LE) as usize,
        memory_size: program.p_memsz(LE) as usize,
        align: (program.p_align(LE) as usize).max(1),
    }
}

/// The bytes of all segments at their addresses.
fn lay_out(programs: &[ProgramHeader64<LE>], bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    const LIMIT: u64 = 1 << 40;
    let damaged = Refusal::Damaged("program header");
    let mut contents = Vec::new();
    for program in programs.iter().filter(|program| program.p_type(LE) == elf::PT_LOAD) {
        let Ok(data) = program.data(LE, bytes) else { return Err(damaged) };
        let (address, size) = (program.p_vaddr(LE), program.p_memsz(LE));
        if address > LIMIT
            || size > LIMIT
            || (data.len() as u64) > size
            || address as usize > bytes.len() * 64 + (1 << 24)
        {
            return Err(damaged);
        }
        let end = address as usize + data.len();
        if contents.len() < end {
            contents.resize(end, 0);
        }
        contents[address as usize..end].copy_from_slice(data);
    }
    Ok(contents)
}

fn check(dynamic: &Dynamic, tls: Option<&TlsSegment>) -> Result<(), Refusal> {
    if dynamic.executable && dynamic.needed.is_empty() {
        return Err(Refusal::Static);
    }
    if dynamic.text_relocations {
        return Err(Refusal::TextRelocations);
    }
    if dynamic.executable && tls.is_some() {
        return Err(Refusal::ExecutableTls);
    }
    Ok(())
}
