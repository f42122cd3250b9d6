//! Files that are open, and data representations that the program has registered.

use core::ffi::c_int;
use std::path::PathBuf;

use mpirage_call::ContextId;

use crate::constants::*;
use crate::files::descriptor::Descriptor;
use crate::files::representation::{Representation, UserRepresentation};
use crate::files::view::View;
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::ground::handles::Handles;
use crate::objects::info::Info;
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_File, MPI_Request};

/// A file, as one of the processes sees it that have it open.
#[derive(Debug)]
pub(crate) struct File {
    /// The communicator that was made for it; the program does not know it.
    pub comm: MPI_Comm,
    /// Its number, which is the file's.
    pub context: ContextId,
    pub descriptor: Descriptor,
    pub path: PathBuf,
    /// `MPI_MODE_*`.
    pub amode: c_int,
    pub view: View,
    /// The view as the program gave it.
    pub etype: MPI_Datatype,
    pub filetype: MPI_Datatype,
    pub representation: Representation,
    pub representation_name: String,
    /// The individual file pointer, in etypes.
    pub position: u64,
    pub atomic: bool,
    pub errhandler: MPI_Errhandler,
    pub hints: Info,
    /// The split collective access that has begun.
    pub split: Option<Split>,
}

/// A split collective access between its beginning and its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub kind: SplitKind,
    pub request: MPI_Request,
}

/// The kind of a split collective access: its begin and end must be of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SplitKind {
    ReadAll,
    ReadAtAll,
    ReadOrdered,
    WriteAll,
    WriteAtAll,
    WriteOrdered,
}

impl File {
    /// May the program read?
    pub(crate) fn check_readable(&self) -> Result<()> {
        ensure(self.amode & MPI_MODE_WRONLY == 0, MPI_ERR_ACCESS, || {
            "the file is open for writing only".to_owned()
        })
    }

    /// May the program write?
    pub(crate) fn check_writable(&self) -> Result<()> {
        ensure(self.amode & MPI_MODE_RDONLY == 0, MPI_ERR_READ_ONLY, || {
            "the file is open for reading only".to_owned()
        })
    }

    /// Files that are opened as sequential have the shared file pointer only.
    pub(crate) fn check_random_access(&self) -> Result<()> {
        ensure(self.amode & MPI_MODE_SEQUENTIAL == 0, MPI_ERR_UNSUPPORTED_OPERATION, || {
            "the file is open with MPI_MODE_SEQUENTIAL".to_owned()
        })
    }
}

/// All files of this rank.
#[derive(Debug)]
pub(crate) struct Files {
    handles: Handles<File>,
    /// The error handler of `MPI_FILE_NULL`, which new files get.
    pub errhandler: MPI_Errhandler,
    representations: Vec<(String, UserRepresentation)>,
}

impl Files {
    pub(crate) const fn new() -> Files {
        Files { handles: Handles::new(), errhandler: MPI_ERRORS_RETURN, representations: Vec::new() }
    }

    pub(crate) fn insert(&mut self, file: File) -> MPI_File {
        MPI_File(self.handles.insert(file))
    }

    pub(crate) fn get(&self, file: MPI_File) -> Result<&File> {
        self.handles.get(file.0).ok_or_else(|| self.invalid(file))
    }

    pub(crate) fn get_mut(&mut self, file: MPI_File) -> Result<&mut File> {
        self.get(file)?;
        Ok(self.handles.get_mut(file.0).expect("it is there"))
    }

    pub(crate) fn remove(&mut self, file: MPI_File) -> Result<File> {
        self.get(file)?;
        Ok(self.handles.remove(file.0).expect("it is there"))
    }

    /// The error handler of a file; that of `MPI_FILE_NULL` if there is no such file.
    pub(crate) fn errhandler_of(&self, file: MPI_File) -> MPI_Errhandler {
        self.handles.get(file.0).map_or(self.errhandler, |file| file.errhandler)
    }

    /// Registers a data representation.
    pub(crate) fn register(&mut self, name: String, representation: UserRepresentation) -> Result<()> {
        if self.representation(&name).is_ok() {
            fail!(MPI_ERR_DUP_DATAREP, "there is a data representation {name:?} already");
        }
        self.representations.push((name, representation));
        Ok(())
    }

    /// The data representation of this name.
    pub(crate) fn representation(&self, name: &str) -> Result<Representation> {
        match name.to_ascii_lowercase().as_str() {
            "native" | "internal" => return Ok(Representation::Native),
            "external32" => return Ok(Representation::External32),
            _ => {}
        }
        match self.representations.iter().find(|(known, _)| known == name) {
            Some(&(_, user)) => Ok(Representation::User(user)),
            None => fail!(MPI_ERR_UNSUPPORTED_DATAREP, "there is no data representation {name:?}"),
        }
    }

    #[cold]
    fn invalid(&self, file: MPI_File) -> MpiError {
        let text = match file {
            MPI_FILE_NULL => "the file is MPI_FILE_NULL".to_owned(),
            MPI_File(handle) if self.handles.is_stale(handle) => {
                format!("the file {handle:#x} has been closed already")
            }
            MPI_File(handle) => format!("{handle:#x} is not a file"),
        };
        MpiError::new(MPI_ERR_FILE, text)
    }
}
