//! Checks that a file is a program that can run here, and finds out which MPI it was built for.
//!
//! A program that was built for another MPI would run, but each of its processes would be a world of one rank and the simulator
//! would see no calls. Its libraries show that: those in `DT_NEEDED`, and those that the dynamic linker would load for them. If there
//! is a front for that MPI, the front replaces its library; else the program is refused.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mpirage_system::is_system_library;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, FileKind};
use thiserror::Error;

use crate::interface::{Interface, is_companion, is_other_mpi, is_replaced, needed_interface};
use crate::program::Program;
use crate::symbols::file_in_map;

/// Why a file is not run.
#[derive(Debug, Error)]
pub enum Unfit {
    /// It cannot be read.
    #[error("cannot read the program {path}: {error}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It is a folder.
    #[error("{0} is a folder, not a program; name the program in it")]
    Folder(PathBuf),
    /// It is a pipe, a device or such.
    #[error("{0} is neither a program nor a script")]
    NotAFile(PathBuf),
    /// Its permissions forbid to run it.
    #[error("{0} is not executable{hint}", hint = how_to_make_it_one(.0))]
    NotExecutable(PathBuf),
    /// The system cannot run its format.
    #[error(
        "{0} is neither a compiled program nor a script that begins with #!; \
         compile it with `mpirage cc`, or name the interpreter before it"
    )]
    UnknownFormat(PathBuf),
    /// A script whose interpreter does not exist.
    #[error(
        "{path} is a script for {interpreter}, which does not exist; correct its first line, or install the interpreter"
    )]
    MissingInterpreter {
        /// The file.
        path: PathBuf,
        /// The program that its first line names.
        interpreter: PathBuf,
    },
    /// It is a program of another processor.
    #[error("{path} is built for {processor}, which this machine is not; build it here with `mpirage cc`")]
    OtherProcessor {
        /// The file.
        path: PathBuf,
        /// The processor that it is built for.
        processor: String,
    },
    /// It is an object file or such.
    #[error("{0} is not linked yet; link it with `mpirage cc {0} -o PROGRAM`")]
    NotLinked(PathBuf),
    /// It is built for another MPI, for which there is no front.
    #[error(
        "{path} is built for another MPI: it links {library}{}; build it again with mpirage's mpicc (`mpirage cc`)",
        if *.through { " through one of its libraries" } else { "" }
    )]
    OtherMpi {
        /// The file.
        path: PathBuf,
        /// The other MPI's library.
        library: String,
        /// Does a library of the program link it?
        through: bool,
    },
    /// Its MPI library is a part of it.
    #[error(
        "{0} is statically linked, so mpirage cannot replace its MPI library; link it without -static, or build it with `mpirage cc`"
    )]
    StaticMpi(PathBuf),
    /// The dynamic linker would not find one of its libraries.
    #[error("{path} needs {library}, which is not found; install it, or name its folder in LD_LIBRARY_PATH")]
    MissingLibrary {
        /// The file.
        path: PathBuf,
        /// The library.
        library: String,
    },
    /// Another interface was asked for than the one that it is built for.
    #[error("{path} is built for {}, not for {}; leave --mpi-abi out", .built.owner(), .wanted.owner())]
    OtherInterface {
        /// The file.
        path: PathBuf,
        /// The interface that it is built for.
        built: Interface,
        /// The interface that was asked for.
        wanted: Interface,
    },
}

fn how_to_make_it_one(path: &Path) -> String {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ["c", "cc", "cpp", "cxx", "C"].contains(&ending) {
        return format!("; compile it with `mpirage cc {}`", path.display());
    }
    if ["o", "a"].contains(&ending) {
        return format!("; link it with `mpirage cc {} -o PROGRAM`", path.display());
    }
    format!("; `chmod +x {}` makes it so", path.display())
}

/// Another MPI's library in a memory map of a process, as `/proc/PID/maps` shows it. Companions of a replaced library are none.
pub(crate) fn other_mpi_in_map(map: &str) -> Option<String> {
    map.lines()
        .filter_map(file_in_map)
        .find(|file| is_other_mpi(file) && !is_companion(file))
        .map(str::to_owned)
}

impl Program {
    /// The other MPI that the program is built for, if there is a front for it. Refuses what cannot run here.
    pub fn check(&self) -> Result<Option<Interface>, Unfit> {
        let path = &self.path;
        let unreadable = |error| Unfit::Unreadable { path: path.clone(), error };
        let kind = std::fs::metadata(path).map_err(unreadable)?;
        if kind.is_dir() {
            return Err(Unfit::Folder(path.clone()));
        }
        if !kind.is_file() {
            return Err(Unfit::NotAFile(path.clone()));
        }
        if kind.permissions().mode() & 0o111 == 0 {
            return Err(Unfit::NotExecutable(path.clone()));
        }
        let mut beginning = Vec::new();
        match File::open(path) {
            Ok(file) => file.take(BEGINNING).read_to_end(&mut beginning).map_err(unreadable)?,
            // A program may be executable without being readable; then nothing more is known of it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        if let Some(interpreter) = interpreter_of(&beginning).filter(|interpreter| !interpreter.exists()) {
            return Err(Unfit::MissingInterpreter { path: path.clone(), interpreter });
        }
        if beginning.starts_with(b"#!") || has_interpreter(path, &beginning) {
            return Ok(None);
        }
        if !beginning.starts_with(&elf::ELFMAG) {
            return Err(Unfit::UnknownFormat(path.clone()));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        self.check_elf(&bytes)
    }

    fn check_elf(&self, bytes: &[u8]) -> Result<Option<Interface>, Unfit> {
        let read = match FileKind::parse(bytes) {
            Ok(FileKind::Elf32) => Elf::read::<FileHeader32<Endianness>>(bytes),
            Ok(FileKind::Elf64) => Elf::read::<FileHeader64<Endianness>>(bytes),
            _ => None,
        };
        // The system reports damaged files better than we could.
        let Some(file) = read else { return Ok(None) };
        if !runs_here(file.machine) {
            let processor = processor_name(file.machine);
            return Err(Unfit::OtherProcessor { path: self.path.clone(), processor });
        }
        if !file.linked {
            return Err(Unfit::NotLinked(self.path.clone()));
        }
        if file.is_static && mentions_mpi(bytes) {
            return Err(Unfit::StaticMpi(self.path.clone()));
        }
        let direct = self.interface_of(&file, &file.needed, false)?;
        if file.needed.iter().all(|library| needs_no_mpi(library)) {
            return Ok(direct);
        }
        let loaded = self.loaded();
        if let Some(missing) = loaded.iter().find(|library| library.is_missing()) {
            let (path, library) = (self.path.clone(), missing.name.clone());
            return Err(Unfit::MissingLibrary { path, library });
        }
        let names: Vec<String> = loaded.into_iter().map(|library| library.name).collect();
        if direct.is_some() { Ok(direct) } else { self.interface_of(&file, &names, true) }
    }

    /// The MPI that the program links, directly or through other libraries; none if it links none. The variables of its environment, which
    /// may bring a front, do not count.
    pub fn linked_interface(&self) -> Option<Interface> {
        let alone = Program { environment: Vec::new(), ..self.clone() };
        alone.check().ok().flatten().or_else(|| self.links_ours().then_some(Interface::Mpi5))
    }

    /// Refuses an interface that the program is not built for. Programs that load MPI later can have any.
    pub fn check_interface(&self, wanted: Interface, found: Option<Interface>) -> Result<(), Unfit> {
        let ours = || self.links_ours().then_some(Interface::Mpi5);
        match found.or_else(ours).filter(|built| *built != wanted) {
            Some(built) => Err(Unfit::OtherInterface { path: self.path.clone(), built, wanted }),
            None => Ok(()),
        }
    }

    /// Does the program itself link our library?
    fn links_ours(&self) -> bool {
        let file = std::fs::read(&self.path).ok();
        let file = file.and_then(|bytes| Elf::read::<FileHeader64<Endianness>>(&bytes));
        let is_ours = |library: &String| Interface::of_library(library) == Some(Interface::Mpi5);
        file.is_some_and(|file| file.needed.iter().any(is_ours))
    }

    /// The interface that these libraries of the program stand for.
    fn interface_of(
        &self,
        file: &Elf,
        libraries: &[String],
        through: bool,
    ) -> Result<Option<Interface>, Unfit> {
        let other = |library: String| Unfit::OtherMpi { path: self.path.clone(), library, through };
        let interface = needed_interface(libraries).map_err(other)?;
        // Fronts are built for this processor alone, not for its 32-bit programs.
        if interface.is_some() && !is_native(file.machine) {
            let library = libraries.iter().find(|library| is_other_mpi(library)).cloned();
            return Err(other(library.unwrap_or_default()));
        }
        Ok(interface)
    }

    /// All libraries that the dynamic linker would load. It is asked: only it knows all its ways to find them.
    fn loaded(&self) -> Vec<Library> {
        let mut command = Command::new(&self.path);
        command.envs(self.environment.iter().map(|(name, value): &(OsString, OsString)| (name, value)));
        command.env("LD_TRACE_LOADED_OBJECTS", "1").stdin(Stdio::null()).stderr(Stdio::null());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let Ok(output) = command.output() else { return Vec::new() };
        String::from_utf8_lossy(&output.stdout).lines().filter_map(Library::from_line).collect()
    }
}

/// The interface of MPI that a library needs, such as a module of Python; none if it links no MPI, or one that is not known.
pub fn interface_of_library(path: &Path) -> Option<Interface> {
    let file = Elf::read::<FileHeader64<Endianness>>(&std::fs::read(path).ok()?)?;
    file.needed.iter().find_map(|library| Interface::of_library(library))
}

/// A library that the dynamic linker looked for.
#[derive(Debug, PartialEq, Eq)]
struct Library {
    name: String,
    found: bool,
}

impl Library {
    /// From a line such as `libm.so.6 => /lib/libm.so.6 (0x00007f…)`.
    fn from_line(line: &str) -> Option<Library> {
        let name = line.split_ascii_whitespace().next()?.to_owned();
        Some(Library { name, found: !line.trim_end().ends_with("=> not found") })
    }

    /// Is it nowhere, and nothing that mpirage brings?
    fn is_missing(&self) -> bool {
        !self.found && !is_replaced(&self.name)
    }
}

/// Does the text of an MPI library occur in the file? Symbols may have been stripped, messages that name functions remain.
fn mentions_mpi(bytes: &[u8]) -> bool {
    bytes.windows(b"MPI_Init".len()).any(|part| part == b"MPI_Init")
}

/// The interpreter that the first line of a script names by an absolute path.
fn interpreter_of(beginning: &[u8]) -> Option<PathBuf> {
    let line = beginning.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    line.split_ascii_whitespace().next().map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Bytes at the beginning of a file that tell its kind.
const BEGINNING: u64 = 256;

/// The properties of an ELF file that matter here.
struct Elf {
    machine: u16,
    linked: bool,
    /// No dynamic linker is named that could load libraries.
    is_static: bool,
    needed: Vec<String>,
}

impl Elf {
    fn read<Header: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Option<Elf> {
        let header = Header::parse(bytes).ok()?;
        let endian = header.endian().ok()?;
        let linked = [elf::ET_EXEC, elf::ET_DYN].contains(&header.e_type(endian));
        let mut needed = Vec::new();
        let segments = header.program_headers(endian, bytes).ok()?;
        for segment in segments {
            let Ok(Some(dynamic)) = segment.dynamic(endian, bytes) else { continue };
            let value = |entry: &Header::Dyn| -> u64 { entry.d_val(endian).into() };
            let strings = dynamic.iter().find(|entry| entry.d_tag(endian) == elf::DT_STRTAB).map(value);
            let Some(strings) = strings.and_then(|at| tail(segments, endian, bytes, at)) else { continue };
            let names = dynamic.iter().filter(|entry| entry.d_tag(endian) == elf::DT_NEEDED).map(value);
            needed.extend(names.filter_map(|at| string(strings, at as usize)));
        }
        let is_static = !segments.iter().any(|segment| segment.p_type(endian) == elf::PT_INTERP);
        Some(Elf { machine: header.e_machine(endian).0, linked, is_static, needed })
    }
}

/// The bytes of a segment from an address on.
fn tail<'a, Segment: ProgramHeader<Endian = Endianness>>(
    segments: &[Segment],
    endian: Endianness,
    bytes: &'a [u8],
    address: u64,
) -> Option<&'a [u8]> {
    segments.iter().filter(|segment| segment.p_type(endian) == elf::PT_LOAD).find_map(|segment| {
        let start: u64 = segment.p_vaddr(endian).into();
        let data = segment.data(endian, bytes).ok()?;
        data.get(usize::try_from(address.checked_sub(start)?).ok()?..).filter(|rest| !rest.is_empty())
    })
}

fn string(strings: &[u8], at: usize) -> Option<String> {
    let rest = strings.get(at..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

/// Is it known that the library links no MPI?
fn needs_no_mpi(library: &str) -> bool {
    is_system_library(library) || library.starts_with("libgomp.so")
}

fn runs_here(machine: u16) -> bool {
    match std::env::consts::ARCH {
        "x86_64" => [elf::EM_X86_64.0, elf::EM_386.0].contains(&machine),
        "aarch64" => [elf::EM_AARCH64.0, elf::EM_ARM.0].contains(&machine),
        _ => true,
    }
}

fn is_native(machine: u16) -> bool {
    match std::env::consts::ARCH {
        "x86_64" => machine == elf::EM_X86_64.0,
        "aarch64" => machine == elf::EM_AARCH64.0,
        _ => false,
    }
}

fn processor_name(machine: u16) -> String {
    let names = [
        (elf::EM_X86_64.0, "x86-64"),
        (elf::EM_386.0, "32-bit x86"),
        (elf::EM_AARCH64.0, "aarch64"),
        (elf::EM_ARM.0, "32-bit ARM"),
        (elf::EM_RISCV.0, "RISC-V"),
        (elf::EM_PPC64.0, "64-bit PowerPC"),
        (elf::EM_S390.0, "S/390"),
    ];
    let known = names.iter().find(|&&(number, _)| number == machine);
    known.map_or_else(|| format!("another processor (ELF machine {machine})"), |&(_, name)| name.to_owned())
}

/// Is an interpreter registered for such files, as emulators of other processors do?
fn has_interpreter(path: &Path, beginning: &[u8]) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc/sys/fs/binfmt_misc") else { return false };
    entries.flatten().any(|entry| {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        registers(&text, path, beginning)
    })
}

/// Is this entry of `binfmt_misc` for such a file?
fn registers(entry: &str, path: &Path, beginning: &[u8]) -> bool {
    let value = |key: &str| entry.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    if !entry.starts_with("enabled") || value("interpreter ").is_none() {
        return false;
    }
    if let Some(ending) = value("extension .") {
        return path.extension().is_some_and(|own| own == ending);
    }
    let Some(magic) = value("magic ").and_then(hexadecimal) else { return false };
    let mask = value("mask ").and_then(hexadecimal).unwrap_or_else(|| vec![0xff; magic.len()]);
    let offset = value("offset ").and_then(|offset| offset.parse().ok()).unwrap_or(0);
    let Some(there) = beginning.get(offset..offset + magic.len()) else { return false };
    there.iter().zip(&magic).zip(&mask).all(|((byte, magic), mask)| byte & mask == magic & mask)
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_shows_another_mpi() {
        let map = "7f0000000000-7f0000001000 r-xp 00000000 fe:00 42   /usr/lib/libmpich.so.12.2.0\n";
        assert_eq!(other_mpi_in_map(map).as_deref(), Some("/usr/lib/libmpich.so.12.2.0"));
        assert_eq!(other_mpi_in_map("7f0000000000-7f0000001000 rw-p 00000000 00:00 0 [heap]"), None);
    }

    #[test]
    fn missing_libraries_are_those_that_mpirage_does_not_bring() {
        let missing = |line: &str| Library::from_line(line).is_some_and(|library| library.is_missing());
        assert!(missing("\tlibhdf5.so.103 => not found"));
        assert!(!missing("\tlibm.so.6 => /lib/libm.so.6 (0x00007f0000000000)"));
        assert!(!missing("\tlibmpi.so.40 => not found") && missing("\tlibmpi_cxx.so.40 => not found"));
    }

    #[test]
    fn the_first_line_names_the_interpreter() {
        assert_eq!(interpreter_of(b"#! /bin/sh -e\nls\n"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(interpreter_of(b"#!sh\n"), None);
        assert_eq!(interpreter_of(b"ls\n"), None);
    }

    #[test]
    fn entries_of_other_formats_are_understood() {
        let entry = "enabled\ninterpreter /usr/bin/qemu\nflags:\noffset 0\nmagic 7f454c46\nmask ffffffff\n";
        assert!(registers(entry, Path::new("a"), b"\x7fELF\x02"));
        assert!(!registers(entry, Path::new("a"), b"#!/bin"));
        assert!(registers("enabled\ninterpreter /x\nextension .jar\n", Path::new("a.jar"), b""));
        assert!(!registers("disabled\ninterpreter /x\nextension .jar\n", Path::new("a.jar"), b""));
    }

    #[test]
    fn this_very_test_is_fit_and_its_folder_is_not() {
        let path = std::env::current_exe().unwrap();
        let program = |path: PathBuf| Program {
            path,
            arguments: vec![],
            environment: vec![],
            folder: None,
            interface: None,
        };
        program(path.clone()).check().unwrap();
        let folder = path.parent().unwrap().to_owned();
        assert!(matches!(program(folder).check(), Err(Unfit::Folder(_))));
    }
}
