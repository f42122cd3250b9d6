//! Libraries of which each rank has a copy of its own: they become parts of the program's image, behind its end.
//!
//! ```text
//! base ── program: code, data, .bss ── library: code, data, .bss ── …
//! ```
//!
//! All parts keep their distances in every instance. So what one part imports from another is an address in the instance, like a function
//! of the program itself.

use std::collections::HashMap;
use std::path::Path;

use super::{Image, Import, Relocation, RelocationKind, Symbol};
use crate::memory::{filled_pages, round_to_page};
use crate::{Libraries, Refusal};

/// Names of libraries that keep state for their program: gfortran's has its units, random numbers and command line.
const OWN: [&str; 1] = ["libgfortran.so."];

/// Does each rank have its own copy of this library?
pub(crate) fn is_own(library: &str) -> bool {
    OWN.iter().any(|name| library.starts_with(name))
}

impl Image {
    /// Makes the libraries that keep state for a program parts of this image.
    pub fn include_own_libraries(&mut self, libraries: &Libraries) -> Result<(), Refusal> {
        for name in self.needed().to_vec().iter().filter(|name| is_own(name)) {
            let reason =
                || Refusal::Library { name: name.clone(), reason: "its file is not known".to_owned() };
            let path = libraries.path(name).ok_or_else(reason)?;
            self.include(Image::open_library(&path)?);
        }
        Ok(())
    }

    /// Binds these symbols of the program to those of a library, so that all ranks have them at one address.
    pub fn share(&mut self, is_shared: &dyn Fn(&str) -> bool) {
        for symbol in self.symbols.iter_mut().filter(|symbol| is_shared(&symbol.name)) {
            let name = symbol.name.clone();
            symbol.import = Some(Import { name, version: None, weak: false, function: false });
        }
    }

    fn open_library(path: &Path) -> Result<Image, Refusal> {
        let bytes =
            std::fs::read(path).map_err(|source| Refusal::Unreadable { path: path.into(), source })?;
        Self::parse_library(path, &bytes)
    }

    fn include(&mut self, mut library: Image) {
        let start = round_to_page(self.end());
        library.shift(start, self.symbols.len());
        define(&mut self.symbols, &library.symbols);
        define(&mut library.symbols, &self.symbols);
        self.contents = joined(&self.contents, start, &library.contents);
        self.symbols.append(&mut library.symbols);
        self.relocations.append(&mut library.relocations);
        self.segments.append(&mut library.segments);
        self.tls.append(&mut library.tls);
        self.unwind_tables.append(&mut library.unwind_tables);
        self.starters.splice(0..0, library.starters);
        self.finishers.append(&mut library.finishers);
    }

    /// Moves everything by `distance`, and behind as many symbols of others.
    fn shift(&mut self, distance: usize, symbols: usize) {
        for symbol in self.symbols.iter_mut().filter(|symbol| !symbol.thread_local) {
            symbol.address += distance;
        }
        self.relocations.iter_mut().for_each(|relocation| shift_relocation(relocation, distance, symbols));
        self.segments.iter_mut().for_each(|segment| segment.address += distance);
        for tls in &mut self.tls {
            tls.address += distance;
            tls.owner_end += distance;
        }
        for table in &mut self.unwind_tables {
            table.address += distance;
            table.end += distance;
        }
        for functions in self.starters.iter_mut().chain(&mut self.finishers) {
            functions.array += distance;
            functions.single = functions.single.map(|address| address + distance);
        }
    }
}

fn shift_relocation(relocation: &mut Relocation, distance: usize, symbols: usize) {
    relocation.offset += distance;
    match &mut relocation.kind {
        RelocationKind::Base | RelocationKind::Indirect => relocation.addend += distance as i64,
        RelocationKind::Symbol(0) | RelocationKind::TlsModule(0) | RelocationKind::TlsOffset(0) => {}
        RelocationKind::Symbol(index)
        | RelocationKind::Copy(index)
        | RelocationKind::TlsModule(index)
        | RelocationKind::TlsOffset(index)
        | RelocationKind::TlsDistance(index) => *index += symbols,
    }
}

/// Gives imports the addresses of what others define.
fn define(symbols: &mut [Symbol], others: &[Symbol]) {
    let defined = others.iter().filter(|symbol| symbol.import.is_none() && !symbol.name.is_empty());
    let defined: HashMap<&str, &Symbol> = defined.map(|symbol| (symbol.name.as_str(), symbol)).collect();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.import.is_some()) {
        if let Some(definition) = defined.get(symbol.name.as_str()) {
            symbol.import = None;
            symbol.address = definition.address;
            symbol.indirect = definition.indirect;
            symbol.thread_local = definition.thread_local;
        }
    }
}

/// The first contents, zeros, and from `start` on the second. Zeros take no memory.
fn joined(first: &[u8], start: usize, second: &[u8]) -> Vec<u8> {
    let mut contents = vec![0; start + second.len()];
    let pages = filled_pages(second).map(|(offset, page)| (start + offset, page));
    for (offset, page) in filled_pages(first).chain(pages) {
        contents[offset..offset + page.len()].copy_from_slice(page);
    }
    contents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, address: usize, imported: bool) -> Symbol {
        let import = Import { name: name.to_owned(), version: None, weak: false, function: true };
        Symbol {
            name: name.to_owned(),
            address,
            size: 8,
            version: None,
            indirect: false,
            thread_local: false,
            import: imported.then_some(import),
        }
    }

    #[test]
    fn imports_get_the_addresses_of_definitions() {
        let mut program = vec![symbol("", 0, false), symbol("write", 0, true), symbol("printf", 0, true)];
        define(&mut program, &[symbol("write", 0x5000, false), symbol("printf", 0, true)]);
        assert!(program[1].import.is_none() && program[1].address == 0x5000);
        assert!(program[2].import.is_some());
    }

    #[test]
    fn a_relocation_without_symbol_keeps_none() {
        let mut relocation = Relocation { offset: 16, kind: RelocationKind::TlsModule(0), addend: 0 };
        shift_relocation(&mut relocation, 0x1000, 7);
        assert_eq!((relocation.offset, relocation.kind), (0x1010, RelocationKind::TlsModule(0)));
        let mut relocation = Relocation { offset: 16, kind: RelocationKind::Symbol(2), addend: 4 };
        shift_relocation(&mut relocation, 0x1000, 7);
        assert_eq!((relocation.kind, relocation.addend), (RelocationKind::Symbol(9), 4));
    }

    #[test]
    fn parts_lie_behind_each_other() {
        let contents = joined(&[1; 10], 0x2000, &[2; 3]);
        assert_eq!((contents.len(), contents[9], contents[10], contents[0x2002]), (0x2003, 1, 0, 2));
    }
}
