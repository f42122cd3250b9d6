//! Data representations: how elements look in a file (section 14.5 of the standard).

use core::ffi::{c_int, c_void};

use mpirage_data::{Constructor, Datatype};

use crate::constants::{MPI_ERR_CONVERSION, MPI_SUCCESS};
use crate::ground::callbacks::{self, Conversion};
use crate::ground::error::{MpiError, Result};
use crate::operations::external32;
use crate::operations::region::Region;
use crate::types::{MPI_Datarep_extent_function, MPI_Datatype};

/// How elements look in a file.
#[derive(Clone, Debug, Default)]
pub(crate) enum Representation {
    /// `native` and `internal`: as in memory.
    #[default]
    Native,
    /// `external32`: the standard's own.
    External32,
    /// The program's own.
    User(UserRepresentation),
}

/// A representation that the program has registered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserRepresentation {
    /// None: as in memory.
    pub read: Option<Conversion>,
    pub write: Option<Conversion>,
    pub extent: MPI_Datarep_extent_function,
    /// The extra state that the program gave with it.
    pub extra_state: usize,
}

/// The elements of an access.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub region: Region,
    pub handle: MPI_Datatype,
}

impl Elements {
    fn count(&self) -> usize {
        self.region.bytes().checked_div(self.region.datatype().size()).unwrap_or(0)
    }

    /// The bytes in memory, packed.
    pub(crate) fn pack(&self) -> Vec<u8> {
        let mut packed = Vec::new();
        // SAFETY: the program gave this memory to MPI to read for the access that is carried out just now.
        unsafe { self.region.pack(&mut packed) };
        packed
    }

    fn unpack(&self, packed: &[u8]) {
        // SAFETY: the program gave this memory to MPI to write to for the access that is carried out just now.
        unsafe { self.region.unpack(packed) };
    }
}

impl Representation {
    /// A datatype with the sizes that its elements have in a file.
    pub(crate) fn in_file(&self, datatype: &Datatype, handle: MPI_Datatype) -> Result<Datatype> {
        match self {
            Representation::Native => Ok(datatype.clone()),
            Representation::External32 if external32::size(datatype) == datatype.size() => {
                Ok(datatype.clone())
            }
            Representation::External32 => {
                replace_basics(datatype, &mut |basic| Ok(external32::size(basic) as i64))
            }
            Representation::User(user) => match datatype.as_basic() {
                Some(_) => bytes(user.extent_of(handle)?),
                None => replace_basics(datatype, &mut |basic| {
                    user.extent_of(crate::objects::predefined_types::handle_of(
                        basic.as_basic().expect("a basic datatype"),
                    ))
                }),
            },
        }
    }

    /// The bytes that elements take in a file.
    pub(crate) fn bytes_of(&self, elements: &Elements) -> Result<u64> {
        let bytes = elements.region.bytes();
        Ok(match self {
            Representation::Native => bytes as u64,
            Representation::External32 => {
                (external32::size(elements.region.datatype()) * elements.count()) as u64
            }
            Representation::User(_) => {
                let in_file = self.in_file(elements.region.datatype(), elements.handle)?;
                (in_file.size() * elements.count()) as u64
            }
        })
    }

    /// The elements of memory as they look in a file.
    pub(crate) fn encode(&self, elements: &Elements) -> Result<Vec<u8>> {
        match self {
            Representation::External32 => {
                Ok(external32::encode(elements.region.datatype(), &elements.pack()))
            }
            Representation::User(user) => match user.write {
                None => Ok(elements.pack()),
                Some(write) => {
                    let mut file = vec![0; self.bytes_of(elements)? as usize];
                    user.convert(write, elements, &mut file, elements.count())?;
                    Ok(file)
                }
            },
            Representation::Native => Ok(elements.pack()),
        }
    }

    /// Stores elements of a file, perhaps fewer than there is room for; gives their bytes in memory.
    pub(crate) fn decode(&self, elements: &Elements, file: &mut [u8]) -> Result<u64> {
        let packed = match self {
            Representation::External32 => external32::decode(elements.region.datatype(), file),
            Representation::User(UserRepresentation { read: Some(read), .. }) => {
                let Representation::User(user) = self else { unreachable!("matched") };
                let each = self.bytes_of(elements)?.checked_div(elements.count() as u64).unwrap_or(0);
                let count = (file.len() as u64).checked_div(each).unwrap_or(0) as usize;
                user.convert(*read, elements, file, count)?;
                return Ok((count * elements.region.datatype().size()) as u64);
            }
            Representation::User(_) | Representation::Native => {
                elements.unpack(file);
                return Ok(file.len() as u64);
            }
        };
        elements.unpack(&packed);
        Ok(packed.len() as u64)
    }
}

impl UserRepresentation {
    /// The extent of a basic datatype in a file.
    fn extent_of(&self, datatype: MPI_Datatype) -> Result<i64> {
        let mut extent = 0;
        // SAFETY: the program registered the function for this.
        let code = unsafe {
            callbacks::datarep_extent(self.extent, datatype, &mut extent, self.extra_state as *mut c_void)
        };
        succeeded(code)?;
        Ok(extent as i64)
    }

    /// Converts elements between memory and the bytes of a file.
    fn convert(&self, how: Conversion, elements: &Elements, file: &mut [u8], count: usize) -> Result<()> {
        let memory = elements.region.address() as *mut c_void;
        // SAFETY: the program registered the function for this; memory and file have so many elements.
        let code = unsafe {
            callbacks::convert(how, memory, elements.handle, count, file, self.extra_state as *mut c_void)
        };
        succeeded(code)
    }
}

fn succeeded(code: c_int) -> Result<()> {
    match code {
        MPI_SUCCESS => Ok(()),
        code => Err(MpiError::new(
            MPI_ERR_CONVERSION,
            format!("a function of the data representation returned the error {code}"),
        )),
    }
}

fn bytes(count: i64) -> Result<Datatype> {
    Ok(Datatype::basic(mpirage_data::Basic::Byte).contiguous(count)?)
}

/// The same datatype with basics of other sizes. Displacements in bytes stay: the program computes them from extents in the file.
fn replace_basics(of: &Datatype, size: &mut impl FnMut(&Datatype) -> Result<i64>) -> Result<Datatype> {
    Ok(match of.constructor() {
        Constructor::Named(_) => bytes(size(of)?)?,
        Constructor::Dup(of) => replace_basics(of, size)?.dup(),
        Constructor::Contiguous { count, of } => replace_basics(of, size)?.contiguous(*count)?,
        Constructor::Vector { count, blocklength, stride, of } => {
            replace_basics(of, size)?.vector(*count, *blocklength, *stride)?
        }
        Constructor::Hvector { count, blocklength, stride, of } => {
            replace_basics(of, size)?.hvector(*count, *blocklength, *stride)?
        }
        Constructor::Indexed { blocklengths, displacements, of } => {
            replace_basics(of, size)?.indexed(blocklengths, displacements)?
        }
        Constructor::Hindexed { blocklengths, displacements, of } => {
            replace_basics(of, size)?.hindexed(blocklengths, displacements)?
        }
        Constructor::IndexedBlock { blocklength, displacements, of } => {
            replace_basics(of, size)?.indexed_block(*blocklength, displacements)?
        }
        Constructor::HindexedBlock { blocklength, displacements, of } => {
            replace_basics(of, size)?.hindexed_block(*blocklength, displacements)?
        }
        Constructor::Struct { blocklengths, displacements, types } => {
            let types: Vec<Datatype> =
                types.iter().map(|of| replace_basics(of, size)).collect::<Result<_>>()?;
            Datatype::structure(blocklengths, displacements, &types)?
        }
        Constructor::Subarray { sizes, subsizes, starts, order, of } => {
            replace_basics(of, size)?.subarray(sizes, subsizes, starts, *order)?
        }
        Constructor::Darray { size: processes, rank, dimensions, order, of } => {
            replace_basics(of, size)?.darray(*processes, *rank, dimensions, *order)?
        }
        Constructor::Resized { lb, extent, of } => replace_basics(of, size)?.resized(*lb, *extent)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::MPI_LONG;
    use mpirage_data::Basic;

    #[test]
    fn datatypes_have_the_sizes_of_the_representation() {
        let long = Datatype::basic(Basic::Long);
        let pairs = long.vector(2, 1, 2).unwrap();
        let external = Representation::External32.in_file(&pairs, MPI_LONG).unwrap();
        assert_eq!((external.size(), external.extent()), (8, 12));
        let native = Representation::Native.in_file(&pairs, MPI_LONG).unwrap();
        assert_eq!((native.size(), native.extent()), (16, 24));
    }
}
