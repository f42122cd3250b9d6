//! Decides whether a program is safe to fold, by its imports.
//!
//! Lists name the functions that are known to be safe; all others are not. So the only possible mistake is to run ranks as
//! processes without need. Code that makes system calls itself, without the C library, is not known either.

mod system_calls;

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use crate::own::{Library, OwnLibraries, is_known};
use crate::{Image, Import};

/// Can ranks of this program share a process?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Ranks do not notice each other.
    Safe,
    /// The program runs, but its ranks may notice each other; each reason is a clause ("it uses chdir, and …").
    Unsafe(Vec<String>),
    /// The program does not run.
    Impossible(String),
}

/// Judges a program and its libraries. The functions of the C library that read clocks or wait (`time`, `sleep`, …) count as safe: the
/// caller of [`Image::link`] has to replace them.
pub fn verdict(image: &Image, libraries: &OwnLibraries) -> Verdict {
    if let Some(reason) = why_common(image).or_else(|| fixed_blocks(image)) {
        return Verdict::Impossible(reason);
    }
    let common = libraries.common().iter();
    let mut reasons: Vec<String> = common
        .map(|library| {
            format!("its library {} would be shared by all ranks ({})", library.name, library.reason)
        })
        .collect();
    let own = Own::of(image, libraries);
    reasons.extend(own.reasons(image, &|_| false).map(|reason| format!("it {reason}")));
    for Library { name, image } in libraries.own().iter().filter(|library| !is_known(&library.name)) {
        let harmless = |import: &Import| is_harmless_in(name, import);
        reasons.extend(own.reasons(image, &harmless).map(|reason| format!("its library {name} {reason}")));
    }
    if reasons.is_empty() { Verdict::Safe } else { Verdict::Unsafe(reasons) }
}

/// Why an object cannot be loaded many times into one process, by what it imports and defines; a clause ("it …").
pub(crate) fn why_common(image: &Image) -> Option<String> {
    let impossible = |import: &&Import| !import.weak && IMPOSSIBLE.contains_key(import.name.as_str());
    if let Some(import) = image.imports().find(impossible) {
        return Some(format!("it uses {}, which {}", import.name, IMPOSSIBLE[import.name.as_str()]));
    }
    let replaced = image.exports().find(|name| replaces_library(name));
    replaced.map(|name| format!("it defines {name}, which libraries would not use"))
}

/// The names that a rank's own objects define: the program and the libraries that are judged like it.
struct Own<'a>(HashSet<&'a str>);

impl<'a> Own<'a> {
    fn of(image: &'a Image, libraries: &'a OwnLibraries) -> Self {
        let judged = libraries.own().iter().filter(|library| !is_known(&library.name));
        // A variable that the program only has a copy of is the library's.
        let mut names: HashSet<&str> = image.exports().collect();
        image.copied().for_each(|import| _ = names.remove(import.name.as_str()));
        names.extend(judged.flat_map(|library| library.image.exports()));
        Self(names)
    }

    /// The state that ranks would share because of an object's imports, sorted.
    fn reasons(&self, image: &Image, harmless: &dyn Fn(&Import) -> bool) -> std::vec::IntoIter<String> {
        let imports =
            image.imports().filter(|import| !self.0.contains(import.name.as_str()) && !harmless(import));
        let mut reasons: Vec<String> = imports.filter_map(reason).collect();
        reasons.extend(system_calls::first(image).map(|place| {
            format!("makes system calls of its own (at {place:#x}), of which it is not known what ranks would share")
        }));
        reasons.sort();
        reasons.into_iter()
    }
}

static SAFE: LazyLock<HashSet<&str>> = LazyLock::new(|| words(include_str!("verdict/safe.txt")).collect());
static MATH: LazyLock<HashSet<&str>> = LazyLock::new(|| words(include_str!("verdict/math.txt")).collect());
static IMPOSSIBLE: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| pairs(include_str!("verdict/impossible.txt")));
static SHARED: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| pairs(include_str!("verdict/shared.txt")));

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    lines(text).flat_map(str::split_whitespace)
}

fn pairs(text: &'static str) -> BTreeMap<&'static str, &'static str> {
    lines(text).filter_map(|line| line.split_once(' ')).collect()
}

/// Replacements that work only if all libraries use them.
fn replaces_library(name: &str) -> bool {
    // Placement forms cannot be replaced: a compiler that does not inline leaves copies of them in every program.
    let placement = matches!(name, "_ZnwmPv" | "_ZnamPv" | "_ZdlPvS_" | "_ZdaPvS_");
    matches!(name, "malloc" | "free" | "calloc" | "realloc" | "__tls_get_addr")
        || !placement && ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|operator| name.starts_with(operator))
}

fn reason(import: &Import) -> Option<String> {
    let name = import.name.as_str();
    if let Some(what) = SHARED.get(name) {
        return Some(format!("uses {name}, and {what} would be common to all ranks"));
    }
    let known = import.weak || is_mpi(name) || is_safe(name) || is_cpp(import) || is_fortran(name);
    (!known).then(|| format!("uses {name}, of which it is not known what ranks would share"))
}

/// Is this import known to do no harm in this library?
fn is_harmless_in(library: &str, import: &Import) -> bool {
    let of_library = lines(include_str!("verdict/libraries.txt")).filter_map(|line| line.split_once(' '));
    of_library.into_iter().any(|(name, functions)| {
        library.starts_with(name) && functions.split_whitespace().any(|function| function == import.name)
    })
}

fn is_mpi(name: &str) -> bool {
    let fortran = name.ends_with('_') && (name.starts_with("mpi_") || name.starts_with("pmpi_"));
    // `smpi/smpi.h` declares the last two.
    fortran || ["MPI_", "PMPI_", "AMPI_", "smpi_", "mpirage_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Fortran's library belongs to a rank; the lists name its functions that reach further.
fn is_fortran(name: &str) -> bool {
    name.starts_with("_gfortran_") || name.starts_with("__ieee_") || name.starts_with("CFI_")
}

/// A Fortran program of another linker's making refers to its own `MPI_BOTTOM` and others, of which there must be one for all ranks.
fn fixed_blocks(image: &Image) -> Option<String> {
    let fortran = image.needed().iter().any(|name| name.starts_with("libmpi_fortran.so"));
    (fortran && image.is_executable())
        .then(|| "it is a Fortran program that was not linked by mpirage's mpifort".to_owned())
}

fn is_safe(name: &str) -> bool {
    let plain = plain(name);
    SAFE.contains(name) || SAFE.contains(plain) || name.starts_with("_Unwind_") || is_math(plain)
}

fn is_math(name: &str) -> bool {
    let name = name.strip_suffix("_finite").unwrap_or(name);
    let suffixes = ["", "f", "l"];
    suffixes.iter().any(|suffix| name.strip_suffix(suffix).is_some_and(|base| MATH.contains(base)))
}

/// A function under the names that headers and compilers give it.
fn plain(name: &str) -> &str {
    let name =
        ["__isoc99_", "__isoc23_", "__"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let name = name.strip_suffix("_chk").unwrap_or(name);
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    name.strip_suffix("64").unwrap_or(name)
}

/// The C++ library keeps no state but the streams and what is on the lists.
fn is_cpp(import: &Import) -> bool {
    let version = import.version.as_deref().unwrap_or_default();
    import.name.starts_with("_Z") && (version.starts_with("GLIBCXX_") || version.starts_with("CXXABI_"))
}
