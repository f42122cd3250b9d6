//! Chooses the libraries of a program that each rank has a copy of, so that their variables are the rank's own.
//!
//! A library is copied if it can be loaded many times and does nothing that only a process can (it starts no threads, replaces no
//! allocator, …). Others are loaded once and are common to all ranks; so is what they need, for they would use no rank's copy.
//! Libraries of the system are always common: the [C library](crate::clib) has what ranks can see of their state.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mpirage_system::is_system_library;

use crate::image::RelocationKind;
use crate::verdict::why_common;
use crate::{Image, Import, Refusal};

/// Libraries that are known to work in copies, whatever they import: gfortran's has its units, random numbers and command line.
const KNOWN: [&str; 1] = ["libgfortran.so."];

/// The dynamic linker, for objects that name none.
const DYNAMIC_LINKER: &str = "/lib64/ld-linux-x86-64.so.2";

/// The libraries of a program, apart from those of the system.
#[derive(Default)]
pub struct OwnLibraries {
    /// In the order in which the dynamic linker searches them.
    own: Vec<Library>,
    common: Vec<CommonLibrary>,
}

/// A library of which each rank has a copy.
pub(crate) struct Library {
    pub name: String,
    pub image: Image,
}

/// A library that all ranks share.
pub(crate) struct CommonLibrary {
    pub name: String,
    path: PathBuf,
    /// Why; a clause about it ("it …").
    pub reason: String,
}

impl OwnLibraries {
    /// Finds the libraries of a program and judges them.
    pub fn of(program: &Image) -> Result<Self, Refusal> {
        if !program.needed().iter().any(|name| !is_system_library(name)) {
            return Ok(Self::default());
        }
        let files = Files::of(program);
        let mut libraries = Self::default();
        let mut names: Vec<String> = others(program).collect();
        let mut next = 0;
        while next < names.len() {
            let name = names[next].clone();
            let path = files.path(&name)?;
            let needed = libraries.take(&name, &path)?;
            let new: Vec<String> = needed.into_iter().flatten().filter(|new| !names.contains(new)).collect();
            names.extend(new);
            next += 1;
        }
        libraries.leave_to_common(program);
        Ok(libraries)
    }

    /// What the libraries import that each rank has a copy of, with the names of the libraries.
    pub fn imports(&self) -> impl Iterator<Item = (&str, &Import)> {
        self.own
            .iter()
            .flat_map(|library| library.image.imports().map(|import| (library.name.as_str(), import)))
    }

    /// Those of which each rank has a copy.
    pub(crate) fn own(&self) -> &[Library] {
        &self.own
    }

    /// Those that all ranks share.
    pub(crate) fn common(&self) -> &[CommonLibrary] {
        &self.common
    }

    /// The order in which libraries are initialized: each after those that it needs.
    pub(crate) fn initialization_order(&self, needed: &[String]) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        self.visit(needed, &mut seen, &mut order);
        order
    }

    /// The libraries that these libraries and the program need and that are common to all ranks; as files where they are known.
    pub(crate) fn needed_from_elsewhere(&self, needed: &[String]) -> Vec<String> {
        let all = needed.iter().chain(self.own.iter().flat_map(|library| library.image.needed()));
        let mut names: Vec<String> = Vec::new();
        for name in all.filter(|name| !self.has(name)) {
            let common = self.common.iter().find(|library| library.name == *name);
            let name = common.map_or_else(|| name.clone(), |common| common.path.display().to_string());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(crate) fn into_images(self) -> impl Iterator<Item = Image> {
        self.own.into_iter().map(|library| library.image)
    }

    fn has(&self, name: &str) -> bool {
        self.own.iter().any(|library| library.name == name)
    }

    /// Judges a library and returns what it needs, if it can be read.
    fn take(&mut self, name: &str, path: &Path) -> Result<Option<Vec<String>>, Refusal> {
        let common = |reason| CommonLibrary { name: name.to_owned(), path: path.to_owned(), reason };
        let image = match Image::open_library(path) {
            Ok(image) => image,
            Err(refusal) if is_known(name) => return Err(refusal),
            Err(refusal) => {
                self.common.push(common(refusal.to_string()));
                return Ok(None);
            }
        };
        let needed = others(&image).collect();
        match why_common(&image).filter(|_| !is_known(name)) {
            Some(reason) => self.common.push(common(reason)),
            None => self.own.push(Library { name: name.to_owned(), image }),
        }
        Ok(Some(needed))
    }

    /// Makes common what common libraries use, and what has thread-local variables that others address by their distance from the
    /// thread pointer.
    fn leave_to_common(&mut self, program: &Image) {
        loop {
            let users: Vec<(String, Vec<String>)> = self.common.iter().map(needs).collect();
            let user = |name: &String| users.iter().find(|(_, needed)| needed.contains(name));
            let objects = std::iter::once(program).chain(self.own.iter().map(|library| &library.image));
            let distant: HashSet<String> = objects.flat_map(distant_variables).collect();
            let reason = |library: &Library| match user(&library.name) {
                _ if is_known(&library.name) => None,
                Some((user, _)) => Some(format!("{user} uses it, which all ranks share")),
                None => library.image.exports().find(|name| distant.contains(*name)).map(|name| {
                    format!("its thread-local variable {name} is addressed in the initial-exec way")
                }),
            };
            let Some((index, reason)) =
                self.own.iter().enumerate().find_map(|(index, library)| Some((index, reason(library)?)))
            else {
                return;
            };
            let Library { name, image } = self.own.remove(index);
            self.common.push(CommonLibrary { name, path: image.path().to_owned(), reason });
        }
    }

    fn visit<'a>(&'a self, needed: &'a [String], seen: &mut HashSet<&'a str>, order: &mut Vec<usize>) {
        for name in needed.iter().filter(|name| self.has(name)) {
            if !seen.insert(name) {
                continue;
            }
            let library = self.own.iter().position(|library| library.name == *name);
            let Some(index) = library else { continue };
            self.visit(self.own[index].image.needed(), seen, order);
            order.push(index);
        }
    }
}

/// Is the library known to work in copies?
pub(crate) fn is_known(library: &str) -> bool {
    KNOWN.iter().any(|name| library.starts_with(name))
}

/// The libraries that an object names, apart from those of the system.
fn others(image: &Image) -> impl Iterator<Item = String> + '_ {
    image.needed().iter().filter(|name| !is_system_library(name)).cloned()
}

/// A common library and what it needs. One that cannot be read needs nothing that is known.
fn needs(library: &CommonLibrary) -> (String, Vec<String>) {
    let image = Image::open_library(&library.path).ok();
    (library.name.clone(), image.iter().flat_map(others).collect())
}

/// Names of thread-local variables of other objects that this one addresses by their distance from the thread pointer.
fn distant_variables(image: &Image) -> Vec<String> {
    let symbols = image.relocations().iter().filter_map(|relocation| match relocation.kind {
        RelocationKind::TlsDistance(symbol) => Some(&image.symbols()[symbol]),
        _ => None,
    });
    symbols.map(|symbol| symbol.name.clone()).collect()
}

/// Where the dynamic linker finds the libraries of a program. It is asked: only it knows all its ways to find them.
struct Files {
    paths: HashMap<String, PathBuf>,
}

impl Files {
    fn of(program: &Image) -> Self {
        let linker = program.interpreter().unwrap_or(Path::new(DYNAMIC_LINKER));
        let mut command = Command::new(linker);
        command.arg("--list").arg(program.path()).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map(|output| output.stdout).unwrap_or_default();
        let paths = String::from_utf8_lossy(&output).lines().filter_map(file_in).collect();
        Self { paths }
    }

    fn path(&self, name: &str) -> Result<PathBuf, Refusal> {
        let known = self.paths.get(name).cloned();
        let named = Path::new(name).is_absolute().then(|| PathBuf::from(name));
        let missing =
            || Refusal::Library { name: name.to_owned(), reason: "its file is not known".to_owned() };
        known.or(named).ok_or_else(missing)
    }
}

/// From a line such as `libm.so.6 => /lib/libm.so.6 (0x00007f…)`.
fn file_in(line: &str) -> Option<(String, PathBuf)> {
    let (name, rest) = line.trim().split_once(" => ")?;
    let (path, _) = rest.rsplit_once(" (0x")?;
    path.starts_with('/').then(|| (name.to_owned(), PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_dynamic_linker() {
        let line = "\tlibfftw3.so.3 => /lib/a folder/libfftw3.so.3 (0x00007f53)";
        let file = ("libfftw3.so.3".to_owned(), PathBuf::from("/lib/a folder/libfftw3.so.3"));
        assert_eq!(file_in(line), Some(file));
        assert_eq!(file_in("\tlibgone.so => not found"), None);
        assert_eq!(file_in("\tlinux-vdso.so.1 (0x00007ffd)"), None);
    }
}
