//! Relocations, reduced to the few kinds position-independent code needs.

use object::elf::{self, RelocationType};

use super::Symbol;
use super::dynamic::Dynamic;
use crate::Refusal;

/// One place that has to be filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relocation {
    pub offset: usize,
    pub kind: RelocationKind,
    pub addend: i64,
}

/// With what. Numbers are indices of symbols; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelocationKind {
    /// The base address.
    Base,
    /// The address of a symbol.
    Symbol(usize),
    /// The result of the function at the addend.
    Indirect,
    /// The initial contents of a library's variable of this name: the program has the variable in its own data.
    Copy(usize),
    /// Where thread-local variables are: of the program, or of the library that has the symbol.
    TlsModule(usize),
    /// The place of a thread-local variable in there.
    TlsOffset(usize),
    /// The distance of a library's thread-local variable from the thread pointer.
    TlsDistance(usize),
}

pub(super) fn read(
    contents: &[u8],
    dynamic: &Dynamic,
    symbols: &[Symbol],
    room: usize,
) -> Result<Vec<Relocation>, Refusal> {
    let mut relocations = unpack(contents, dynamic)?;
    for (offset, info, addend) in dynamic.relocation_entries(contents)? {
        let (kind, symbol) = (info as u32, (info >> 32) as usize);
        if let Some(kind) = self::kind(kind, symbol, symbols, offset)? {
            relocations.push(Relocation { offset: offset as usize, kind, addend });
        }
    }
    // Copies lie where the file has nothing; the whole image is their room.
    let outside = |relocation: &Relocation| match relocation.kind {
        RelocationKind::Copy(symbol) => {
            relocation.offset.checked_add(symbols[symbol].size).is_none_or(|end| end > room)
        }
        _ => relocation.offset.checked_add(8).is_none_or(|end| end > contents.len()),
    };
    if relocations.iter().any(outside) {
        return Err(Refusal::Damaged("relocation table"));
    }
    Ok(relocations)
}

fn kind(
    kind: u32,
    symbol: usize,
    symbols: &[Symbol],
    offset: u64,
) -> Result<Option<RelocationKind>, Refusal> {
    let named = symbols.get(symbol).ok_or(Refusal::Damaged("relocation table"))?;
    Ok(Some(match RelocationType(kind) {
        elf::R_X86_64_NONE => return Ok(None),
        elf::R_X86_64_RELATIVE | elf::R_X86_64_RELATIVE64 => RelocationKind::Base,
        elf::R_X86_64_64 | elf::R_X86_64_GLOB_DAT | elf::R_X86_64_JUMP_SLOT => RelocationKind::Symbol(symbol),
        elf::R_X86_64_IRELATIVE => RelocationKind::Indirect,
        elf::R_X86_64_DTPMOD64 => RelocationKind::TlsModule(symbol),
        elf::R_X86_64_DTPOFF64 => RelocationKind::TlsOffset(symbol),
        elf::R_X86_64_TPOFF64 if named.import.is_some() => RelocationKind::TlsDistance(symbol),
        elf::R_X86_64_TPOFF64 => return Err(Refusal::InitialExecTls(named.name.clone())),
        elf::R_X86_64_TLSDESC => return Err(Refusal::TlsDescriptor),
        elf::R_X86_64_COPY => RelocationKind::Copy(symbol),
        _ => return Err(Refusal::Relocation { kind, offset }),
    }))
}

/// `DT_RELR`: an even word is an address, an odd one a map of the 63 words behind.
fn unpack(contents: &[u8], dynamic: &Dynamic) -> Result<Vec<Relocation>, Refusal> {
    let mut relocations = Vec::new();
    let mut next = 0;
    for word in dynamic.packed.of(contents)?.chunks_exact(8).map(|bytes| u64_at(bytes, 0).unwrap_or(0)) {
        if word & 1 == 0 {
            relocations.push(packed(contents, word as usize)?);
            next = word as usize + 8;
        } else {
            for bit in (1..64).filter(|bit| word >> bit & 1 == 1) {
                relocations.push(packed(contents, next + (bit - 1) * 8)?);
            }
            next += 63 * 8;
        }
    }
    Ok(relocations)
}

/// The addend of a packed relocation is what stands in its place.
fn packed(contents: &[u8], offset: usize) -> Result<Relocation, Refusal> {
    let addend = u64_at(contents, offset).ok_or(Refusal::Damaged("relocation table"))?;
    Ok(Relocation { offset, kind: RelocationKind::Base, addend: addend as i64 })
}

fn u64_at(contents: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(contents.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
