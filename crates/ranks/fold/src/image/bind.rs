//! Binds each symbol of an image to its definition, as the dynamic linker does.
//!
//! The first object in the order of the search that defines a name defines it for all: the program, then its libraries. So a
//! library uses the program's function or variable of a name that both have.

use std::collections::HashMap;

use super::symbol::Scope;
use super::{Import, Relocation, RelocationKind, Symbol};

/// A variable that a library defines and the program has in its own data: the program's place, the library's, and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnCopy {
    pub offset: usize,
    pub from: usize,
    pub size: usize,
}

/// Definitions by their names, in the order of the search.
struct Definitions<'a>(HashMap<&'a str, Vec<&'a Symbol>>);

impl<'a> Definitions<'a> {
    fn of(symbols: &'a [Symbol]) -> Self {
        let mut definitions: HashMap<&str, Vec<&Symbol>> = HashMap::new();
        for symbol in symbols.iter().filter(|symbol| symbol.defines_for_others()) {
            definitions.entry(symbol.name.as_str()).or_default().push(symbol);
        }
        Self(definitions)
    }

    fn meant_by(&self, symbol: &Symbol) -> Option<&'a Symbol> {
        let all = self.0.get(symbol.name.as_str())?;
        all.iter().copied().find(|definition| definition.has_version(symbol.version.as_deref()))
    }
}

impl Symbol {
    /// Is it a definition that other objects can refer to?
    pub(crate) fn defines_for_others(&self) -> bool {
        self.import.is_none() && self.scope != Scope::Local && !self.name.is_empty()
    }

    fn has_version(&self, wanted: Option<&str>) -> bool {
        match (self.version.as_deref(), wanted) {
            (None, _) => true,
            (Some(_), None) => !self.old_version,
            (Some(own), Some(wanted)) => own == wanted,
        }
    }
}

/// Gives each symbol the address of the definition that it means. Symbols are in the order of the search; `symbolic` says for
/// each object whether it prefers its own definitions.
pub(super) fn bind(symbols: &mut [Symbol], symbolic: &[bool]) {
    let definitions = Definitions::of(symbols);
    let mut bound = Vec::new();
    for (index, symbol) in symbols.iter().enumerate() {
        let fixed = symbol.scope != Scope::Global || symbolic[symbol.object];
        if symbol.name.is_empty() || symbol.import.is_none() && fixed {
            continue;
        }
        if let Some(definition) = definitions.meant_by(symbol) {
            let Symbol { address, indirect, thread_local, object, .. } = *definition;
            bound.push((index, address, indirect, thread_local, object));
        }
    }
    for (index, address, indirect, thread_local, object) in bound {
        let symbol = &mut symbols[index];
        (symbol.address, symbol.indirect) = (address, indirect);
        (symbol.thread_local, symbol.object) = (thread_local, object);
        symbol.import = None;
    }
}

/// Takes the copies of variables that libraries of this image define out of the relocations and imports. Nothing is bound yet.
pub(super) fn own_copies(
    symbols: &[Symbol],
    relocations: &mut Vec<Relocation>,
    copied: &mut Vec<Import>,
) -> Vec<OwnCopy> {
    let of_libraries: HashMap<&str, &Symbol> = symbols
        .iter()
        .rev()
        .filter(|symbol| symbol.object > 0 && symbol.defines_for_others())
        .map(|symbol| (symbol.name.as_str(), symbol))
        .collect();
    let mut copies = Vec::new();
    relocations.retain(|relocation| {
        let RelocationKind::Copy(index) = relocation.kind else { return true };
        let Some(definition) = of_libraries.get(symbols[index].name.as_str()) else { return true };
        let size = symbols[index].size.min(definition.size);
        copies.push(OwnCopy { offset: relocation.offset, from: definition.address, size });
        false
    });
    copied.retain(|import| !of_libraries.contains_key(import.name.as_str()));
    copies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(object: usize, name: &str, address: usize, imported: bool) -> Symbol {
        let import = Import { name: name.to_owned(), version: None, weak: false, function: true };
        Symbol {
            name: name.to_owned(),
            address,
            size: 8,
            version: None,
            indirect: false,
            thread_local: false,
            scope: Scope::Global,
            old_version: false,
            object,
            import: imported.then_some(import),
        }
    }

    #[test]
    fn imports_get_the_addresses_of_definitions() {
        let mut symbols = vec![
            symbol(0, "write", 0, true),
            symbol(0, "printf", 0, true),
            symbol(1, "write", 0x5000, false),
        ];
        bind(&mut symbols, &[false, false]);
        assert!(symbols[0].import.is_none() && symbols[0].address == 0x5000);
        assert!(symbols[1].import.is_some());
    }

    #[test]
    fn the_first_definition_counts_unless_the_library_is_symbolic_or_protects_its_own() {
        let both = || vec![symbol(0, "error", 0x10, false), symbol(1, "error", 0x5000, false)];
        let mut symbols = both();
        bind(&mut symbols, &[false, false]);
        assert_eq!(symbols[1].address, 0x10);
        let mut symbols = both();
        bind(&mut symbols, &[false, true]);
        assert_eq!(symbols[1].address, 0x5000);
        let mut symbols = both();
        symbols[1].scope = Scope::Protected;
        bind(&mut symbols, &[false, false]);
        assert_eq!(symbols[1].address, 0x5000);
        let mut symbols = both();
        symbols[0].scope = Scope::Local;
        bind(&mut symbols, &[false, false]);
        assert_eq!(symbols[1].address, 0x5000);
    }

    #[test]
    fn versions_are_those_asked_for() {
        let versioned = |address, version: &str, old_version| Symbol {
            version: Some(version.to_owned()),
            old_version,
            ..symbol(1, "plan", address, false)
        };
        let mut symbols =
            vec![symbol(0, "plan", 0, true), versioned(1, "A_1", true), versioned(2, "A_2", false)];
        bind(&mut symbols, &[false, false]);
        assert_eq!(symbols[0].address, 2);
        symbols[0] = Symbol { version: Some("A_1".to_owned()), ..symbol(0, "plan", 0, true) };
        bind(&mut symbols, &[false, false]);
        assert_eq!(symbols[0].address, 1);
    }

    #[test]
    fn a_copied_variable_begins_as_the_librarys() {
        let symbols = vec![symbol(0, "count", 0x40, false), symbol(1, "count", 0x5000, false)];
        let copy = |offset| Relocation { offset, kind: RelocationKind::Copy(0), addend: 0 };
        let mut relocations = vec![copy(0x40)];
        let mut copied = vec![Import { name: "count".into(), version: None, weak: false, function: false }];
        let copies = own_copies(&symbols, &mut relocations, &mut copied);
        assert_eq!(copies, [OwnCopy { offset: 0x40, from: 0x5000, size: 8 }]);
        assert!(relocations.is_empty() && copied.is_empty());
    }
}
