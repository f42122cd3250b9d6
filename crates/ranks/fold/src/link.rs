//! A program linked once, as a template for all ranks that run it.
//!
//! An instance is the image followed by what the rank has of libraries: variables of the C library, C++ streams and the
//! thread-local variables. All of that lies at fixed distances from the instance's base, so that loading means copying the
//! prepared bytes and writing `base + value` at the places in [`Program::based`].
//!
//! ```text
//! base ── code, constants, data ── .bss ── variables │ streams │ thread-local ── end
//!         `contents`                        `tail`
//! ```

use std::ffi::CString;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use crate::clib::streams::{self, Stream};
use crate::clib::variables::{self, Variables};
use crate::clib::zeroed;
use crate::image::{Functions, OwnCopy, Part, Relocation, RelocationKind, Resolve, Segment, UnwindTable};
use crate::own::is_known;
use crate::{Image, Refusal, memory, tls, unwind};

/// A program whose imports are resolved; cheap to clone.
#[derive(Clone)]
pub struct Linked(pub(crate) Rc<Program>);

/// The template.
pub(crate) struct Program {
    pub path: std::path::PathBuf,
    /// The same, for debuggers.
    pub name: CString,
    pub contents: Vec<u8>,
    /// Bytes at the start that only a dynamic linker reads.
    pub unused: usize,
    pub segments: Vec<Segment>,
    pub tail: Tail,
    /// Bytes of one instance.
    pub size: usize,
    /// Sorted by place.
    pub based: Vec<Based>,
    pub indirect: Vec<Indirect>,
    pub streams: Vec<(usize, Stream)>,
    pub variables: usize,
    pub has_variables: bool,
    /// Variables of libraries that lie in the program's own data.
    pub copies: Vec<Copied>,
    /// Those of libraries that are parts of the instance.
    pub own_copies: Vec<OwnCopy>,
    /// Those of them that ranks have for themselves anyway: a copy's address is a place in [`Variables`].
    pub copied_variables: Vec<Copied>,
    pub main: usize,
    /// Places that each rank is likely to touch when it is resumed.
    pub hot: [usize; 2],
    pub starters: Vec<Functions>,
    pub finishers: Vec<Functions>,
    pub unwind_tables: Vec<UnwindTable>,
    /// The libraries of which each rank has a copy.
    pub parts: Vec<Part>,
    /// Those of them that belong to a compiler.
    pub below: Vec<Range<usize>>,
    /// Bytes of the program and these libraries.
    pub image_size: usize,
    /// `__cxa_get_globals`, if the program is C++.
    pub exceptions: Option<usize>,
}

/// The initial bytes behind `.bss`.
#[derive(Default)]
pub(crate) struct Tail {
    pub offset: usize,
    pub bytes: Vec<u8>,
}

/// A place that holds an address in the instance.
#[derive(Clone, Copy)]
pub(crate) struct Based {
    pub offset: usize,
    pub value: usize,
}

/// A place that holds a copy of a variable.
#[derive(Clone, Copy)]
pub(crate) struct Copied {
    pub offset: usize,
    pub address: usize,
    pub size: usize,
}

/// A place that holds what a function of the instance returns.
#[derive(Clone, Copy)]
pub(crate) struct Indirect {
    pub offset: usize,
    pub function: usize,
}

impl Image {
    /// Resolves what the program imports.
    ///
    /// `resolve` is asked for everything but the variables that each rank has for itself (`environ`, `optind`, …). It
    /// should try [`c_library`](crate::c_library) before the real libraries. Thread-local variables of libraries are resolved for the calling thread,
    /// so the ranks have to run on it.
    pub fn link(&self, resolve: &mut Resolve) -> Result<Linked, Refusal> {
        let mut linker = Linker::new(self, resolve);
        for relocation in self.relocations() {
            linker.relocate(relocation)?;
        }
        linker.copy_thread_local();
        linker.finish()
    }
}

impl Linked {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The libraries of which each rank has a copy: where in an instance each begins, and its file.
    pub fn libraries(&self) -> impl Iterator<Item = (usize, &Path)> {
        self.0.parts.iter().map(|part| (part.start, part.path.as_path()))
    }

    /// Bytes of address space of one instance.
    pub fn size(&self) -> usize {
        self.0.size
    }
}

/// The value of a symbol in an instance.
#[derive(Clone, Copy)]
enum Bound {
    Fixed(usize),
    Based(usize),
    Indirect(usize),
}

struct Linker<'a, 'r> {
    image: &'a Image,
    resolve: &'a mut Resolve<'r>,
    bound: Vec<Option<Bound>>,
    contents: Vec<u8>,
    based: Vec<Based>,
    indirect: Vec<Indirect>,
    streams: Vec<(usize, Stream)>,
    copies: Vec<Copied>,
    copied_variables: Vec<Copied>,
    has_variables: bool,
    variables: usize,
    /// Where copies of the thread-local variables begin, for each of the image's segments of them.
    thread_local: Vec<usize>,
    size: usize,
}

impl<'a, 'r> Linker<'a, 'r> {
    fn new(image: &'a Image, resolve: &'a mut Resolve<'r>) -> Self {
        let variables = image.end().next_multiple_of(64);
        let mut end = variables + size_of::<Variables>();
        let streams = streams::imported(image, &mut end, resolve);
        let mut thread_local = Vec::new();
        for tls in image.tls() {
            thread_local.push(end.next_multiple_of(tls.align));
            end = end.next_multiple_of(tls.align) + tls.memory_size;
        }
        Self {
            image,
            resolve,
            bound: vec![None; image.symbols().len()],
            contents: memory::sparse_copy(image.contents()),
            based: Vec::new(),
            indirect: Vec::new(),
            streams,
            copies: Vec::new(),
            copied_variables: Vec::new(),
            has_variables: false,
            variables,
            thread_local,
            size: memory::round_to_page(end),
        }
    }

    fn relocate(&mut self, relocation: &Relocation) -> Result<(), Refusal> {
        let addend = relocation.addend as usize;
        let value = match relocation.kind {
            RelocationKind::Base => Bound::Based(addend),
            RelocationKind::Indirect => Bound::Indirect(addend),
            RelocationKind::Copy(symbol) => return self.copy(relocation.offset, symbol),
            RelocationKind::Symbol(0) => Bound::Fixed(addend),
            RelocationKind::Symbol(symbol) => self.symbol(symbol)?.plus(addend),
            RelocationKind::TlsModule(symbol) if self.imported(symbol) => self.symbol(symbol)?,
            RelocationKind::TlsModule(0) => Bound::Based(self.thread_local_at(relocation.offset)),
            RelocationKind::TlsModule(symbol) => Bound::Based(self.thread_local_of(symbol)),
            RelocationKind::TlsOffset(symbol) if self.imported(symbol) => Bound::Fixed(addend),
            RelocationKind::TlsOffset(symbol) => {
                Bound::Fixed(self.image.symbols()[symbol].address.wrapping_add(addend))
            }
            RelocationKind::TlsDistance(symbol) => self.distance(symbol)?.plus(addend),
        };
        self.put(relocation.offset, value);
        Ok(())
    }

    /// Where the thread-local variables are of the program or library that has this place.
    fn thread_local_at(&self, offset: usize) -> usize {
        let owner = self.image.tls().iter().position(|tls| offset < tls.owner_end);
        owner.map_or(0, |owner| self.thread_local[owner])
    }

    /// Where the thread-local variables are of the program or library that defines this symbol.
    fn thread_local_of(&self, symbol: usize) -> usize {
        let object = self.image.symbols()[symbol].object;
        let owner = self.image.tls().iter().position(|tls| tls.object == object);
        owner.map_or(0, |owner| self.thread_local[owner])
    }

    /// The program has a library's variable in its own data, at `offset`.
    fn copy(&mut self, offset: usize, symbol: usize) -> Result<(), Refusal> {
        let symbol = &self.image.symbols()[symbol];
        let (name, size) = (symbol.name.as_str(), symbol.size);
        if let Some(address) = variables::offset(name) {
            self.has_variables = true;
            self.copied_variables.push(Copied { offset, address, size });
        } else if let Some(stream) = self.streams.iter_mut().find(|(_, stream)| stream.name == name) {
            stream.0 = offset;
        } else {
            let missing = || Refusal::Missing(name.into());
            let address = (self.resolve)(name, symbol.version.as_deref()).ok_or_else(missing)?;
            self.copies.push(Copied { offset, address, size });
        }
        Ok(())
    }

    fn imported(&self, symbol: usize) -> bool {
        self.image.symbols()[symbol].import.is_some()
    }

    fn put(&mut self, offset: usize, value: Bound) {
        match value {
            Bound::Fixed(value) => self.contents[offset..offset + 8].copy_from_slice(&value.to_le_bytes()),
            Bound::Based(value) => self.based.push(Based { offset, value }),
            Bound::Indirect(function) => self.indirect.push(Indirect { offset, function }),
        }
    }

    fn symbol(&mut self, index: usize) -> Result<Bound, Refusal> {
        if let Some(bound) = self.bound[index] {
            return Ok(bound);
        }
        let symbol = &self.image.symbols()[index];
        let bound = match &symbol.import {
            None if symbol.indirect => Bound::Indirect(symbol.address),
            None => Bound::Based(symbol.address),
            Some(import) => self.import(&import.name, import.version.as_deref(), import.weak)?,
        };
        self.bound[index] = Some(bound);
        Ok(bound)
    }

    fn import(&mut self, name: &str, version: Option<&str>, weak: bool) -> Result<Bound, Refusal> {
        if let Some(offset) = variables::offset(name) {
            self.has_variables = true;
            return Ok(Bound::Based(self.variables + offset));
        }
        if let Some((offset, _)) = self.streams.iter().find(|(_, stream)| stream.name == name) {
            return Ok(Bound::Based(*offset));
        }
        if name == "__tls_get_addr" {
            return Ok(Bound::Fixed(tls::address_of_get()));
        }
        // An unwinder that is linked into the program asks for instances too.
        if name == "_dl_find_object" && unwind::possible() {
            return Ok(Bound::Fixed(unwind::address_of_find()));
        }
        match (self.resolve)(name, version).map(zeroed::instead_of) {
            Some(address) => Ok(Bound::Fixed(address)),
            None if weak => Ok(Bound::Fixed(0)),
            None => Err(Refusal::Missing(name.into())),
        }
    }

    fn distance(&mut self, index: usize) -> Result<Bound, Refusal> {
        match self.symbol(index)? {
            Bound::Fixed(address) => Ok(Bound::Fixed(address.wrapping_sub(tls::thread_pointer()))),
            _ => Err(Refusal::InitialExecTls(self.image.symbols()[index].name.clone())),
        }
    }

    /// Addresses in the initial contents of thread-local variables stand in each rank's copy, too.
    fn copy_thread_local(&mut self) {
        for (tls, &copy) in self.image.tls().iter().zip(&self.thread_local) {
            let range = tls.address..tls.address + tls.file_size;
            let moved = copy.wrapping_sub(tls.address);
            let copies = self.based.iter().filter(|based| range.contains(&based.offset));
            let copies: Vec<_> =
                copies.map(|based| Based { offset: based.offset.wrapping_add(moved), ..*based }).collect();
            self.based.extend(copies);
            let copies = self.indirect.iter().filter(|indirect| range.contains(&indirect.offset));
            let copies: Vec<_> = copies
                .map(|indirect| Indirect { offset: indirect.offset.wrapping_add(moved), ..*indirect })
                .collect();
            self.indirect.extend(copies);
        }
    }

    fn tail(&self) -> Tail {
        let mut bytes = if self.has_variables { Variables::initial() } else { Vec::new() };
        for (tls, &copy) in self.image.tls().iter().zip(&self.thread_local) {
            let initial = self.contents.get(tls.address..tls.address + tls.file_size).unwrap_or(&[]);
            if !initial.is_empty() {
                bytes.resize(copy - self.variables, 0);
                bytes.extend_from_slice(initial);
            }
        }
        Tail { offset: self.variables, bytes }
    }

    fn finish(mut self) -> Result<Linked, Refusal> {
        let image = self.image;
        let exceptions = self.exceptions()?;
        self.based.sort_by_key(|based| based.offset);
        Ok(Linked(Rc::new(Program {
            path: image.path().into(),
            name: CString::new(image.path().as_os_str().as_encoded_bytes()).unwrap_or_default(),
            tail: self.tail(),
            unused: unused(image),
            segments: image.segments().to_vec(),
            size: self.size,
            contents: self.contents,
            based: self.based,
            indirect: self.indirect,
            streams: self.streams,
            copies: self.copies,
            own_copies: image.own_copies().to_vec(),
            copied_variables: self.copied_variables,
            variables: self.variables,
            has_variables: self.has_variables,
            main: image.main(),
            hot: image.hot(),
            starters: image.starters().to_vec(),
            finishers: image.finishers().to_vec(),
            unwind_tables: image.unwind_tables().to_vec(),
            parts: image.parts().to_vec(),
            below: below(image),
            image_size: image.memory_size(),
            exceptions,
        })))
    }

    fn exceptions(&mut self) -> Result<Option<usize>, Refusal> {
        if !self
            .image
            .imports()
            .any(|import| import.name.starts_with("__cxa_") && import.name.contains("throw"))
            && !self.image.needed().iter().any(|name| name.starts_with("libstdc++"))
        {
            return Ok(None);
        }
        if !unwind::possible() {
            return Err(Refusal::Unwinding);
        }
        Ok((self.resolve)("__cxa_get_globals", Some("CXXABI_1.3")))
    }
}

impl Bound {
    fn plus(self, addend: usize) -> Self {
        match self {
            Self::Fixed(value) => Self::Fixed(value.wrapping_add(addend)),
            Self::Based(value) => Self::Based(value.wrapping_add(addend)),
            Self::Indirect(value) => Self::Indirect(value),
        }
    }
}

/// Where an image has libraries of a compiler.
fn below(image: &Image) -> Vec<Range<usize>> {
    let ends = image.parts().iter().skip(1).map(|part| part.start).chain([image.memory_size()]);
    let parts = image.parts().iter().zip(ends);
    let known =
        parts.filter(|(part, _)| part.path.file_name().is_some_and(|name| is_known(&name.to_string_lossy())));
    known.map(|(part, end)| part.start..end).collect()
}

/// Linkers put the tables of symbols and relocations into a segment of their own, in front of the code.
fn unused(image: &Image) -> usize {
    const PADDING: usize = 64;
    let Some(first) = image.segments().first() else { return 0 };
    let end = first.address + first.memory_size;
    let only_tables = !first.writable
        && !first.executable
        && image.segments().len() > 1
        && image.linker_tables_end() + PADDING > end
        && image.unwind_tables().iter().all(|table| table.address >= end)
        && image.tls().iter().all(|tls| tls.address >= end);
    if only_tables { end / memory::PAGE * memory::PAGE + memory::PAGE } else { 0 }
}
