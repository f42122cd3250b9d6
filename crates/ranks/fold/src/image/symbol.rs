//! The dynamic symbols: what the program has and what it needs.

use object::LittleEndian as LE;
use object::elf::{self, Sym64, Verdaux, Verdef, Vernaux, Verneed};
use object::pod;

use super::dynamic::Dynamic;
use crate::Refusal;

/// Something a program needs from a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Its name.
    pub name: String,
    /// The version it was linked with (`GLIBC_2.34`).
    pub version: Option<String>,
    /// May be missing.
    pub weak: bool,
    /// A function, as far as the program knows (linkers often leave the kind open).
    pub function: bool,
}

/// Finds a symbol of a library by name and version.
pub type Resolve<'a> = dyn FnMut(&str, Option<&str>) -> Option<usize> + 'a;

/// One dynamic symbol.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub name: String,
    pub address: usize,
    pub size: usize,
    /// The version it was linked with.
    pub version: Option<String>,
    /// Its address is the result of the function there.
    pub indirect: bool,
    /// Its address is a place among the thread-local variables.
    pub thread_local: bool,
    /// The objects whose references it can satisfy.
    pub scope: Scope,
    /// Only references that ask for this very version mean it.
    pub old_version: bool,
    /// The object that has it: 0 for the program, then the libraries that are included.
    pub object: usize,
    pub import: Option<Import>,
}

/// The objects that can refer to a symbol, and whether its own object may get another symbol of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Only its object.
    Local,
    /// All objects, but its object always means this one.
    Protected,
    /// All objects; the first definition counts for all.
    Global,
}

pub(super) fn read(contents: &[u8], dynamic: &Dynamic) -> Result<Vec<Symbol>, Refusal> {
    let damaged = || Refusal::Damaged("symbol table");
    let versions = version_names(contents, dynamic)?;
    let mut symbols = Vec::new();
    for index in 0..count(contents, dynamic)? {
        let at = dynamic.symbols + index * size_of::<Sym64<LE>>();
        let raw: &Sym64<LE> = record(contents, at).ok_or_else(damaged)?;
        let version = match dynamic.versions {
            Some(table) => word(contents, table + 2 * index).ok_or_else(damaged)?,
            None => 1,
        };
        let name = dynamic.string(contents, raw.st_name.get(LE) as usize)?;
        let version_name = versions.get(usize::from(version & 0x7fff)).cloned().flatten();
        symbols.push(Symbol { old_version: version & 0x8000 != 0, ..symbol(raw, name, version_name) });
    }
    Ok(symbols)
}

pub(super) fn main(symbols: &[Symbol]) -> Option<usize> {
    symbols
        .iter()
        .find(|symbol| symbol.name == "main" && symbol.import.is_none())
        .map(|symbol| symbol.address)
}

fn symbol(raw: &Sym64<LE>, name: String, version: Option<String>) -> Symbol {
    let undefined = raw.st_shndx.get(LE) == elf::SHN_UNDEF && !name.is_empty();
    let import = undefined.then(|| Import {
        name: name.clone(),
        version: version.clone(),
        weak: raw.st_bind() == elf::STB_WEAK,
        function: raw.st_type() == elf::STT_FUNC,
    });
    Symbol {
        address: raw.st_value.get(LE) as usize,
        size: raw.st_size.get(LE) as usize,
        version,
        indirect: raw.st_type() == elf::STT_GNU_IFUNC,
        thread_local: raw.st_type() == elf::STT_TLS,
        scope: scope(raw),
        old_version: false,
        object: 0,
        name,
        import,
    }
}

fn scope(raw: &Sym64<LE>) -> Scope {
    match (raw.st_bind(), raw.st_visibility()) {
        (elf::STB_LOCAL, _) | (_, elf::STV_HIDDEN | elf::STV_INTERNAL) => Scope::Local,
        (_, elf::STV_PROTECTED) => Scope::Protected,
        _ => Scope::Global,
    }
}

/// The dynamic section does not say how many symbols there are; another table follows them, or relocations
/// name the last one.
fn count(contents: &[u8], dynamic: &Dynamic) -> Result<usize, Refusal> {
    let size = size_of::<Sym64<LE>>();
    if let Some(end) = dynamic.end_of_symbols() {
        return Ok((end - dynamic.symbols) / size);
    }
    let entries = dynamic.relocation_entries(contents)?;
    Ok(entries.map(|(_, info, _)| (info >> 32) as usize + 1).max().unwrap_or(0))
}

/// Version names by their index in the table of versions: those that it needs, and those that it defines.
fn version_names(contents: &[u8], dynamic: &Dynamic) -> Result<Vec<Option<String>>, Refusal> {
    let mut names = Vec::new();
    if let Some(at) = dynamic.version_needs {
        needed_versions(contents, dynamic, at, &mut names)?;
    }
    if let Some(at) = dynamic.version_definitions {
        defined_versions(contents, dynamic, at, &mut names)?;
    }
    Ok(names)
}

fn needed_versions(
    contents: &[u8],
    dynamic: &Dynamic,
    mut at: usize,
    names: &mut Vec<Option<String>>,
) -> Result<(), Refusal> {
    let damaged = || Refusal::Damaged("version table");
    loop {
        let need: &Verneed<LE> = record(contents, at).ok_or_else(damaged)?;
        let mut aux_at = at + need.vn_aux.get(LE) as usize;
        for _ in 0..need.vn_cnt.get(LE) {
            let aux: &Vernaux<LE> = record(contents, aux_at).ok_or_else(damaged)?;
            let index = usize::from(aux.vna_other.get(LE).0 & 0x7fff);
            note(names, index, dynamic.string(contents, aux.vna_name.get(LE) as usize)?);
            aux_at += aux.vna_next.get(LE) as usize;
        }
        match need.vn_next.get(LE) {
            0 => return Ok(()),
            next => at += next as usize,
        }
    }
}

/// Of each definition, the first name is its own; the others are those of versions before it.
fn defined_versions(
    contents: &[u8],
    dynamic: &Dynamic,
    mut at: usize,
    names: &mut Vec<Option<String>>,
) -> Result<(), Refusal> {
    let damaged = || Refusal::Damaged("version table");
    loop {
        let definition: &Verdef<LE> = record(contents, at).ok_or_else(damaged)?;
        let aux: &Verdaux<LE> =
            record(contents, at + definition.vd_aux.get(LE) as usize).ok_or_else(damaged)?;
        let index = usize::from(definition.vd_ndx.get(LE).0 & 0x7fff);
        // The first one is the library itself, of which symbols without a version are.
        if index > 1 {
            note(names, index, dynamic.string(contents, aux.vda_name.get(LE) as usize)?);
        }
        match definition.vd_next.get(LE) {
            0 => return Ok(()),
            next => at += next as usize,
        }
    }
}

fn note(names: &mut Vec<Option<String>>, index: usize, name: String) {
    if names.len() <= index {
        names.resize(index + 1, None);
    }
    names[index] = Some(name);
}

fn record<T: pod::Pod>(contents: &[u8], at: usize) -> Option<&T> {
    pod::from_bytes(contents.get(at..)?).ok().map(|(value, _)| value)
}

fn word(contents: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(contents.get(at..at + 2)?.try_into().ok()?))
}
