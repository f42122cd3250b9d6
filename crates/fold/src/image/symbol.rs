//! The dynamic symbols: what the program has and what it needs.

use object::LittleEndian as LE;
use object::elf::{self, Sym64, Vernaux, Verneed};
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

/// One dynamic symbol.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub name: String,
    pub address: usize,
    pub size: usize,
    /// The version it was linked with.
    pub version: Option<String>,
    /// Its address is what this function returns.
    pub indirect: bool,
    /// Its address is a place among the thread-local variables.
    pub thread_local: bool,
    pub import: Option<Import>,
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
        symbols.push(symbol(raw, name, versions.get(usize::from(version & 0x7fff)).cloned().flatten()));
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
        name,
        import,
    }
}

/// The dynamic section does not say how many symbols there are; another table follows them, or relocations
/// name the last one.
fn count(contents: &[u8], dynamic: &Dynamic) -> Result<usize, Refusal> {
    let size = size_of::<Sym64<LE>>();
    if let Some(end) = dynamic.end_of_symbols() {
        return Ok((end - dynamic.symbols) / size);
    }
    let entries = super::relocation::raw(contents, dynamic)?;
    Ok(entries.map(|(_, info, _)| (info >> 32) as usize + 1).max().unwrap_or(0))
}

/// Version names by their index in the table of versions.
fn version_names(contents: &[u8], dynamic: &Dynamic) -> Result<Vec<Option<String>>, Refusal> {
    let damaged = || Refusal::Damaged("version table");
    let mut names = Vec::new();
    let mut at = match dynamic.version_needs {
        Some(at) => at,
        None => return Ok(names),
    };
    loop {
        let need: &Verneed<LE> = record(contents, at).ok_or_else(damaged)?;
        let mut aux_at = at + need.vn_aux.get(LE) as usize;
        for _ in 0..need.vn_cnt.get(LE) {
            let aux: &Vernaux<LE> = record(contents, aux_at).ok_or_else(damaged)?;
            let index = usize::from(aux.vna_other.get(LE).0 & 0x7fff);
            if names.len() <= index {
                names.resize(index + 1, None);
            }
            names[index] = Some(dynamic.string(contents, aux.vna_name.get(LE) as usize)?);
            aux_at += aux.vna_next.get(LE) as usize;
        }
        match need.vn_next.get(LE) {
            0 => return Ok(names),
            next => at += next as usize,
        }
    }
}

fn record<T: pod::Pod>(contents: &[u8], at: usize) -> Option<&T> {
    pod::from_bytes(contents.get(at..)?).ok().map(|(value, _)| value)
}

fn word(contents: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(contents.get(at..at + 2)?.try_into().ok()?))
}
