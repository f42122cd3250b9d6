//! The dynamic section: where everything else is.

use object::LittleEndian as LE;
use object::elf::{self, Dyn64, DynamicTag, Rela64};
use object::pod;

use crate::Refusal;

/// Entries that are addresses of tables.
const TABLES: [DynamicTag; 10] = [
    elf::DT_STRTAB,
    elf::DT_HASH,
    elf::DT_GNU_HASH,
    elf::DT_VERSYM,
    elf::DT_VERNEED,
    elf::DT_VERDEF,
    elf::DT_RELA,
    elf::DT_JMPREL,
    elf::DT_RELR,
    elf::DT_INIT_ARRAY,
];

/// The entries of the dynamic section, with addresses checked against the contents.
#[derive(Debug, Default)]
pub(super) struct Dynamic {
    pub needed: Vec<String>,
    pub run_path: Option<String>,
    pub strings: Table,
    pub symbols: usize,
    /// Where the tables begin, but that of symbols.
    tables: Vec<usize>,
    pub versions: Option<usize>,
    pub version_needs: Option<usize>,
    pub version_definitions: Option<usize>,
    pub relocations: Table,
    pub plt_relocations: Table,
    /// The table of addresses through which the program calls libraries.
    pub linkage: usize,
    /// `DT_RELR`: base-relative relocations, packed.
    pub packed: Table,
    pub init: Functions,
    pub fini: Functions,
    pub text_relocations: bool,
    /// It refers to its own symbols before those of other objects.
    pub symbolic: bool,
    /// Made by `-pie`, not by `-shared`.
    pub executable: bool,
    pub tables_end: usize,
}

/// Functions to call at the start or at the end: one alone, and an array of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Functions {
    pub single: Option<usize>,
    pub array: usize,
    pub count: usize,
}

/// A piece of the contents.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Table {
    pub address: usize,
    pub size: usize,
}

impl Table {
    pub(super) fn of(self, contents: &[u8]) -> Result<&[u8], Refusal> {
        let end = self.address.checked_add(self.size);
        end.and_then(|end| contents.get(self.address..end)).ok_or(Refusal::Damaged("dynamic section"))
    }

    fn end(self) -> usize {
        self.address.saturating_add(self.size)
    }
}

impl Dynamic {
    pub(super) fn read(contents: &[u8], address: usize, size: usize) -> Result<Self, Refusal> {
        let bytes = Table { address, size }.of(contents)?;
        let (entries, _) = pod::slice_from_bytes::<Dyn64<LE>>(bytes, size / size_of::<Dyn64<LE>>())
            .map_err(|()| Refusal::Damaged("dynamic section"))?;
        let mut dynamic = Self::default();
        let mut names = Vec::new();
        let mut run_path = None;
        for entry in entries.iter().take_while(|entry| entry.d_tag.get(LE) != elf::DT_NULL) {
            let value = entry.d_val.get(LE) as usize;
            match entry.d_tag.get(LE) {
                elf::DT_NEEDED => names.push(value),
                elf::DT_RUNPATH | elf::DT_RPATH => run_path = Some(value),
                tag => dynamic.note(tag, value),
            }
        }
        dynamic.needed =
            names.into_iter().map(|at| dynamic.string(contents, at)).collect::<Result<_, _>>()?;
        dynamic.run_path = run_path.map(|at| dynamic.string(contents, at)).transpose()?;
        dynamic.tables_end = dynamic.end_of_tables();
        Ok(dynamic)
    }

    /// A string of the string table.
    pub(super) fn string(&self, contents: &[u8], at: usize) -> Result<String, Refusal> {
        let damaged = Refusal::Damaged("string table");
        let Some(rest) = self.strings.of(contents)?.get(at..) else { return Err(damaged) };
        let Some(end) = rest.iter().position(|&byte| byte == 0) else { return Err(damaged) };
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    /// Where the table of symbols ends at the latest: linkers differ in what they put behind it.
    pub(super) fn end_of_symbols(&self) -> Option<usize> {
        self.tables.iter().copied().filter(|&table| table > self.symbols).min()
    }

    /// The relocations as the file has them: place, kind and symbol, addend.
    pub(super) fn relocation_entries<'a>(
        &self,
        contents: &'a [u8],
    ) -> Result<impl Iterator<Item = (u64, u64, i64)> + use<'a>, Refusal> {
        let mut all = Vec::new();
        for table in [self.relocations, self.plt_relocations] {
            let bytes = table.of(contents)?;
            let (entries, _) =
                pod::slice_from_bytes::<Rela64<LE>>(bytes, bytes.len() / size_of::<Rela64<LE>>())
                    .map_err(|()| Refusal::Damaged("relocation table"))?;
            all.push(entries);
        }
        Ok(all
            .into_iter()
            .flatten()
            .map(|entry| (entry.r_offset.get(LE), entry.r_info.get(LE), entry.r_addend.get(LE))))
    }

    fn note(&mut self, tag: DynamicTag, value: usize) {
        if TABLES.contains(&tag) {
            self.tables.push(value);
        }
        match tag {
            elf::DT_STRTAB => self.strings.address = value,
            elf::DT_STRSZ => self.strings.size = value,
            elf::DT_SYMTAB => self.symbols = value,
            elf::DT_VERSYM => self.versions = Some(value),
            elf::DT_VERNEED => self.version_needs = Some(value),
            elf::DT_VERDEF => self.version_definitions = Some(value),
            elf::DT_SYMBOLIC => self.symbolic = true,
            elf::DT_RELA => self.relocations.address = value,
            elf::DT_RELASZ => self.relocations.size = value,
            elf::DT_JMPREL => self.plt_relocations.address = value,
            elf::DT_PLTRELSZ => self.plt_relocations.size = value,
            elf::DT_PLTGOT => self.linkage = value,
            elf::DT_RELR => self.packed.address = value,
            elf::DT_RELRSZ => self.packed.size = value,
            elf::DT_INIT => self.init.single = Some(value),
            elf::DT_INIT_ARRAY => self.init.array = value,
            elf::DT_INIT_ARRAYSZ => self.init.count = value / 8,
            elf::DT_FINI => self.fini.single = Some(value),
            elf::DT_FINI_ARRAY => self.fini.array = value,
            elf::DT_FINI_ARRAYSZ => self.fini.count = value / 8,
            elf::DT_TEXTREL => self.text_relocations = true,
            elf::DT_FLAGS => {
                self.text_relocations |= has(value, elf::DF_TEXTREL.0);
                self.symbolic |= has(value, elf::DF_SYMBOLIC.0);
            }
            elf::DT_FLAGS_1 => self.executable = has(value, elf::DF_1_PIE.0),
            _ => {}
        }
    }

    fn end_of_tables(&self) -> usize {
        [self.strings, self.relocations, self.plt_relocations, self.packed]
            .map(Table::end)
            .into_iter()
            .max()
            .unwrap_or(0)
    }
}

fn has(flags: usize, flag: impl Into<u64>) -> bool {
    flags as u64 & flag.into() != 0
}
