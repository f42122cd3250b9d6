//! Datatypes as the program holds them: by handle, with a name and attributes.

use crate::caller::Caller;
use crate::constants::*;
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::ground::handles::Handles;
use crate::objects::keyval::Attributes;
use crate::objects::predefined_types::{PREDEFINED, default_name, handle_of};
use crate::types::MPI_Datatype;
use core::ffi::c_int;
use mpirage_data::{Basic, Datatype, Interface};
use std::sync::LazyLock;

/// All datatypes of this rank.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Datatypes {
    /// Those the program made, and predefined ones that it changed.
    handles: Handles<DatatypeObject>,
    /// The parameterized types of Fortran, each made once.
    parameterized: Vec<(Parameters, MPI_Datatype)>,
}

/// A datatype with what the program may attach to it.
#[derive(Clone, Debug)]
pub(crate) struct DatatypeObject {
    pub datatype: Datatype,
    pub committed: bool,
    pub name: String,
    pub attributes: Attributes,
    pub kind: DatatypeKind,
    /// The form of the constructor that made it; `MPI_Type_get_contents_c` tells.
    pub interface: Interface,
}

/// Where a datatype is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DatatypeKind {
    /// The standard.
    Predefined,
    /// `MPI_Type_create_f90_*`: predefined too, but without a name.
    Parameterized(Parameters),
    /// The program.
    Derived,
}

/// The parameters of a parameterized type of Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameters {
    /// `MPI_COMBINER_F90_REAL` and its like.
    pub combiner: c_int,
    /// Decimal digits, unless it is an integer.
    pub precision: Option<c_int>,
    /// Decimal exponent.
    pub range: c_int,
}

impl Datatypes {
    pub const fn new() -> Datatypes {
        Datatypes { handles: Handles::new(), parameterized: Vec::new() }
    }

    /// Keeps a datatype of the library's own, which the program need not free.
    pub fn keep(&mut self, object: DatatypeObject) -> MPI_Datatype {
        let handle = self.insert(object);
        self.handles.disown(handle.0);
        handle
    }

    /// From now on, remembers which calls make them.
    pub fn remember_makers(&mut self) {
        self.handles.remember_makers();
    }

    /// The calls that made the datatypes that the program has not freed.
    pub fn unfreed(&self) -> impl Iterator<Item = Caller> {
        self.handles
            .unfreed()
            .filter(|(_, object)| object.kind == DatatypeKind::Derived)
            .map(|(maker, _)| maker)
    }

    #[inline]
    pub fn get(&self, datatype: MPI_Datatype) -> Result<&DatatypeObject> {
        self.handles.get(datatype.0).or_else(|| standard(datatype)).ok_or_else(|| invalid(datatype))
    }

    /// A predefined one that is to be changed (named, given attributes) becomes this rank's own.
    pub fn get_mut(&mut self, datatype: MPI_Datatype) -> Result<&mut DatatypeObject> {
        if let (None, Some(shared)) = (self.handles.get(datatype.0), standard(datatype)) {
            self.handles.predefine(datatype.0, shared.clone());
        }
        self.handles.get_mut(datatype.0).ok_or_else(|| invalid(datatype))
    }

    /// A datatype that data may be moved with: a committed one.
    #[inline]
    pub fn committed(&self, datatype: MPI_Datatype) -> Result<&Datatype> {
        let object = self.get(datatype)?;
        ensure(object.committed, MPI_ERR_TYPE, || match object.name.as_str() {
            "" => "the datatype is not committed".to_owned(),
            name => format!("the datatype \"{name}\" is not committed"),
        })?;
        Ok(&object.datatype)
    }

    pub fn insert(&mut self, object: DatatypeObject) -> MPI_Datatype {
        MPI_Datatype(self.handles.insert(object))
    }

    /// A datatype that the program may free.
    pub fn get_derived(&self, datatype: MPI_Datatype) -> Result<&DatatypeObject> {
        let object = self.get(datatype)?;
        match object.kind {
            DatatypeKind::Derived => Ok(object),
            DatatypeKind::Predefined => {
                fail!(MPI_ERR_TYPE, "{} is predefined and cannot be freed", object.name)
            }
            DatatypeKind::Parameterized(_) => fail!(MPI_ERR_TYPE, "a predefined datatype cannot be freed"),
        }
    }

    /// The program gives up its handle. Others, and messages under way, keep what they have.
    pub fn remove(&mut self, datatype: MPI_Datatype) -> Result<DatatypeObject> {
        self.get_derived(datatype)?;
        self.handles.remove(datatype.0).ok_or_else(|| invalid(datatype))
    }

    /// A handle of a part of another datatype: the standard's if it is predefined, else a new one.
    pub fn handle_of_part(&mut self, part: &Datatype) -> MPI_Datatype {
        if let Some(basic) = part.as_basic() {
            return handle_of(basic);
        }
        let known = |&&(_, handle): &&(Parameters, MPI_Datatype)| {
            self.get(handle).is_ok_and(|object| object.datatype == *part)
        };
        match self.parameterized.iter().find(known) {
            Some(&(_, handle)) => handle,
            None => self.insert(DatatypeObject { committed: true, ..DatatypeObject::derived(part.clone()) }),
        }
    }

    /// The type of Fortran with these parameters, which is represented as `basic`.
    pub fn parameterized(&mut self, parameters: Parameters, basic: Basic) -> MPI_Datatype {
        if let Some(&(_, handle)) = self.parameterized.iter().find(|(known, _)| *known == parameters) {
            return handle;
        }
        let handle = self.insert(DatatypeObject {
            committed: true,
            kind: DatatypeKind::Parameterized(parameters),
            ..DatatypeObject::derived(Datatype::basic(basic).dup())
        });
        self.parameterized.push((parameters, handle));
        handle
    }
}

/// A predefined datatype as the standard has it: one for all ranks.
fn standard(datatype: MPI_Datatype) -> Option<&'static DatatypeObject> {
    static STANDARD: LazyLock<Vec<Option<DatatypeObject>>> = LazyLock::new(|| {
        let last = PREDEFINED.iter().map(|(handle, _)| handle.0).max().unwrap_or(0);
        let mut table = vec![None; last + 1];
        for (handle, basic) in PREDEFINED {
            table[handle.0] = Some(DatatypeObject::predefined(basic));
        }
        table
    });
    STANDARD.get(datatype.0)?.as_ref()
}

impl DatatypeObject {
    fn predefined(basic: Basic) -> DatatypeObject {
        DatatypeObject {
            datatype: Datatype::basic(basic),
            committed: true,
            name: default_name(basic).to_owned(),
            attributes: Attributes::default(),
            kind: DatatypeKind::Predefined,
            interface: Interface::Classic,
        }
    }

    /// A datatype the program has just made.
    pub fn derived(datatype: Datatype) -> DatatypeObject {
        DatatypeObject {
            datatype,
            committed: false,
            name: String::new(),
            attributes: Attributes::default(),
            kind: DatatypeKind::Derived,
            interface: Interface::Classic,
        }
    }
}

#[cold]
fn invalid(datatype: MPI_Datatype) -> MpiError {
    match datatype {
        MPI_DATATYPE_NULL => MpiError::new(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL"),
        MPI_Datatype(handle) => MpiError::new(MPI_ERR_TYPE, format!("{handle:#x} is not a datatype")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datatype_must_be_committed_before_use() {
        let mut datatypes = Datatypes::new();
        let pair = datatypes.get(MPI_INT).unwrap().datatype.contiguous(2).unwrap();
        let handle = datatypes.insert(DatatypeObject::derived(pair));
        assert_eq!(datatypes.committed(handle).unwrap_err().text, "the datatype is not committed");
        datatypes.get_mut(handle).unwrap().committed = true;
        assert_eq!(datatypes.committed(handle).unwrap().size(), 8);
    }

    #[test]
    fn predefined_datatypes_stay() {
        let mut datatypes = Datatypes::new();
        assert_eq!(datatypes.remove(MPI_INT).unwrap_err().class, MPI_ERR_TYPE);
        assert_eq!(
            datatypes.remove(MPI_DATATYPE_NULL).unwrap_err().text,
            "the datatype is MPI_DATATYPE_NULL"
        );
    }

    #[test]
    fn a_parameterized_type_is_made_once() {
        let mut datatypes = Datatypes::new();
        let parameters = Parameters { combiner: MPI_COMBINER_F90_REAL, precision: Some(6), range: 30 };
        let handle = datatypes.parameterized(parameters, Basic::Real4);
        assert_eq!(datatypes.parameterized(parameters, Basic::Real4), handle);
        let part = datatypes.get(handle).unwrap().datatype.clone();
        assert_eq!(datatypes.handle_of_part(&part), handle);
    }
}
