//! What the program of this process imports from libraries: the slots of its objects that the dynamic linker fills in.
//!
//! The program is the executable and the libraries that do not belong to the system, as for folded ranks.

use core::ffi::{CStr, c_int, c_void};
use core::{mem, slice};

use mpirage_system::is_system_library;

/// Tags of a dynamic section.
const PLT_BYTES: i64 = 2;
const STRINGS: i64 = 5;
const SYMBOLS: i64 = 6;
const RELOCATIONS: i64 = 7;
const RELOCATION_BYTES: i64 = 8;
const PLT: i64 = 23;
/// Types of relocations that store the address of a function.
#[cfg(target_arch = "x86_64")]
const ADDRESSES: [u32; 3] = [1, 6, 7];
#[cfg(not(target_arch = "x86_64"))]
const ADDRESSES: [u32; 3] = [257, 1025, 1026];

/// The objects of the program.
pub(crate) struct Objects(Vec<Object>);

/// An object in memory.
struct Object {
    base: usize,
    strings: usize,
    symbols: *const libc::Elf64_Sym,
    relocations: [&'static [Relocation]; 2],
    /// What the dynamic linker has made read-only: address and length.
    read_only: Option<(usize, usize)>,
}

#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

impl Objects {
    /// Those of this process.
    pub(crate) fn of_program() -> Objects {
        let mut found = Objects(Vec::new());
        // SAFETY: the callback gets the list back that it fills.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
        found
    }

    /// Does an object import one of these functions?
    pub(crate) fn import_any(&self, names: &[&CStr]) -> bool {
        self.0.iter().any(|object| object.imports().any(|(name, _)| names.contains(&name)))
    }

    /// Lets the objects call other functions instead of those that they import from the system. False, and nothing changes, if
    /// another library provides one of them.
    pub(crate) fn redirect(&self, functions: &[(&CStr, usize)]) -> bool {
        let wanted =
            |name: &CStr| functions.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
        let known = self.0.iter().flat_map(Object::imports).filter(|(name, _)| wanted(name).is_some());
        if !known.into_iter().all(|(name, _)| is_of_system(name)) {
            return false;
        }
        self.0.iter().all(|object| object.redirect(&wanted))
    }
}

/// Does a library of the system provide this function?
fn is_of_system(name: &CStr) -> bool {
    // SAFETY: a string, and a place for the answer, which is valid if the call succeeds.
    unsafe {
        let mut found: libc::Dl_info = mem::zeroed();
        let function = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        let known =
            !function.is_null() && libc::dladdr(function, &mut found) != 0 && !found.dli_fname.is_null();
        known && belongs_to_system(CStr::from_ptr(found.dli_fname))
    }
}

fn belongs_to_system(path: &CStr) -> bool {
    let path = path.to_string_lossy();
    let file = path.rsplit('/').next().unwrap_or_default();
    is_system_library(file) || file.starts_with("libmpirage") || file.starts_with("linux-vdso")
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the C library hands over a valid description and the list that `of_program` gave it.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Objects>()) };
    // SAFETY: as above; the executable has an empty name.
    let is_program = found.0.is_empty() || !belongs_to_system(unsafe { CStr::from_ptr(info.dlpi_name) });
    if is_program {
        // SAFETY: the description is that of an object in memory.
        found.0.extend(unsafe { Object::of(info) });
    }
    0
}

impl Object {
    /// # Safety
    /// The object is in memory and stays there.
    unsafe fn of(info: &libc::dl_phdr_info) -> Option<Object> {
        let base = info.dlpi_addr as usize;
        // SAFETY: by the contract above.
        let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let place = |kind| {
            let header = headers.iter().find(|header| header.p_type == kind)?;
            Some((base + header.p_vaddr as usize, header.p_memsz as usize))
        };
        let (at, bytes) = place(libc::PT_DYNAMIC)?;
        // SAFETY: a dynamic section is an array of such pairs.
        let dynamic = unsafe { slice::from_raw_parts(at as *const Dynamic, bytes / size_of::<Dynamic>()) };
        let value = |tag| dynamic.iter().find(|entry| entry.tag == tag).map(|entry| entry.value as usize);
        // The dynamic linker has added the base to addresses, on most machines.
        let address = |tag| value(tag).map(|value| if value < base { base + value } else { value });
        let table = |at, bytes| {
            let (at, bytes) = (address(at)?, value(bytes)?);
            // SAFETY: the dynamic section says where the relocations are.
            Some(unsafe { slice::from_raw_parts(at as *const Relocation, bytes / size_of::<Relocation>()) })
        };
        Some(Object {
            base,
            strings: address(STRINGS)?,
            symbols: address(SYMBOLS)? as *const libc::Elf64_Sym,
            relocations: [(RELOCATIONS, RELOCATION_BYTES), (PLT, PLT_BYTES)]
                .map(|(at, bytes)| table(at, bytes).unwrap_or_default()),
            read_only: place(libc::PT_GNU_RELRO),
        })
    }

    /// The functions that it imports: name and slot.
    fn imports(&self) -> impl Iterator<Item = (&CStr, *mut usize)> {
        let addresses = self.relocations.into_iter().flatten();
        addresses.filter(|entry| ADDRESSES.contains(&(entry.info as u32))).filter_map(|entry| {
            // SAFETY: relocations name symbols of the object's table, and symbols names in its strings.
            unsafe {
                let symbol = &*self.symbols.add((entry.info >> 32) as usize);
                let name = CStr::from_ptr((self.strings + symbol.st_name as usize) as *const _);
                (symbol.st_shndx == 0).then_some((name, (self.base + entry.offset as usize) as *mut usize))
            }
        })
    }

    fn redirect(&self, wanted: &dyn Fn(&CStr) -> Option<usize>) -> bool {
        if !self.protect(libc::PROT_READ | libc::PROT_WRITE) {
            return false;
        }
        for (name, slot) in self.imports() {
            if let Some(ours) = wanted(name) {
                // SAFETY: a slot for the address of a function of the same type, which nothing else writes while libraries are loaded.
                unsafe { slot.write_unaligned(ours) };
            }
        }
        self.protect(libc::PROT_READ)
    }

    /// Changes how its read-only slots may be used.
    fn protect(&self, access: c_int) -> bool {
        let Some((at, bytes)) = self.read_only else { return true };
        // SAFETY: plain system calls; the pages hold nothing but what the dynamic linker writes.
        unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            // The dynamic linker leaves the last page writable if the stretch ends inside it.
            let (begin, end) = (at & !(page - 1), (at + bytes) & !(page - 1));
            begin >= end || libc::mprotect(begin as *mut c_void, end - begin, access) == 0
        }
    }
}
