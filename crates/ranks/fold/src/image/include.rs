//! Libraries of which each rank has a copy of its own: they become parts of the program's image, behind its end.
//!
//! ```text
//! base ── program: code, data, .bss ── library: code, data, .bss ── …
//! ```
//!
//! All parts keep their distances in every instance. So what one part imports from another is an address in the instance, like a function
//! of the program itself.

use std::path::{Path, PathBuf};

use super::bind::{bind, own_copies};
use super::{Functions, Image, Import, Relocation, RelocationKind};
use crate::Refusal;
use crate::memory::{filled_pages, round_to_page};
use crate::own::OwnLibraries;

/// A library in an image.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Where it begins.
    pub start: usize,
    pub path: PathBuf,
}

impl Image {
    /// Makes libraries of which each rank has its own copy parts of this image. From then on it needs what they need.
    pub fn include(&mut self, libraries: OwnLibraries) {
        let order = libraries.initialization_order(self.needed());
        self.dynamic.needed = libraries.needed_from_elsewhere(self.needed());
        let mut symbolic = vec![self.dynamic.symbolic];
        let mut starters: Vec<Functions> = Vec::new();
        for library in libraries.into_images() {
            symbolic.push(library.dynamic.symbolic);
            starters.push(self.append(library, symbolic.len() - 1));
        }
        self.own_copies = own_copies(&self.symbols, &mut self.relocations, &mut self.copied);
        bind(&mut self.symbols, &symbolic);
        let finishers: Vec<Functions> = self.finishers.split_off(1);
        self.finishers.extend(order.iter().rev().map(|&library| finishers[library]));
        self.starters.splice(0..0, order.iter().map(|&library| starters[library]));
    }

    /// Binds these symbols of the program to those of a library, so that all ranks have them at one address.
    pub fn share(&mut self, is_shared: &dyn Fn(&str) -> bool) {
        for symbol in self.symbols.iter_mut().filter(|symbol| is_shared(&symbol.name)) {
            let name = symbol.name.clone();
            symbol.import = Some(Import { name, version: None, weak: false, function: false });
        }
    }

    pub(crate) fn open_library(path: &Path) -> Result<Image, Refusal> {
        let bytes =
            std::fs::read(path).map_err(|source| Refusal::Unreadable { path: path.into(), source })?;
        Self::parse_library(path, &bytes)
    }

    /// Appends a library and returns what it calls at the start.
    fn append(&mut self, mut library: Image, object: usize) -> Functions {
        let start = round_to_page(self.end());
        library.shift(start, self.symbols.len(), object);
        self.contents = joined(&self.contents, start, &library.contents);
        self.symbols.append(&mut library.symbols);
        self.relocations.append(&mut library.relocations);
        self.segments.append(&mut library.segments);
        self.tls.append(&mut library.tls);
        self.unwind_tables.append(&mut library.unwind_tables);
        self.finishers.append(&mut library.finishers);
        self.parts.push(Part { start, path: library.path });
        library.starters.first().copied().unwrap_or_default()
    }

    /// Moves everything by `distance`, and behind as many symbols of others.
    fn shift(&mut self, distance: usize, symbols: usize, object: usize) {
        for symbol in &mut self.symbols {
            symbol.object = object;
            // The place of a thread-local variable is one among those of its object.
            if !symbol.thread_local {
                symbol.address += distance;
            }
        }
        self.relocations.iter_mut().for_each(|relocation| shift_relocation(relocation, distance, symbols));
        self.segments.iter_mut().for_each(|segment| segment.address += distance);
        for tls in &mut self.tls {
            tls.object = object;
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
