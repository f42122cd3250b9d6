//! The constructors of derived datatypes, each a formula over [`Body`].
//!
//! Arguments are taken as C hands them over, so a negative count is an error here and nowhere
//! later. Displacements of the `h` variants are bytes, of the others extents of the old type.

use crate::basic::Basic;
use crate::body::Body;
use crate::bounds::mul;
use crate::contents::Constructor;
use crate::datatype::Datatype;
use crate::error::DatatypeError;

impl Datatype {
    /// A predefined datatype.
    pub fn basic(basic: Basic) -> Datatype {
        Datatype::new(Constructor::Named(basic), Body::basic(basic))
    }

    /// `MPI_Type_dup`.
    pub fn dup(&self) -> Datatype {
        Datatype::new(Constructor::Dup(self.clone()), self.body().clone())
    }

    /// `MPI_Type_contiguous`.
    pub fn contiguous(&self, count: i64) -> Result<Datatype, DatatypeError> {
        not_negative("count", count)?;
        let body = self.body().array(count)?;
        Ok(Datatype::new(Constructor::Contiguous { count, of: self.clone() }, body))
    }

    /// `MPI_Type_vector`: `count` blocks, a `stride` of extents apart.
    pub fn vector(&self, count: i64, blocklength: i64, stride: i64) -> Result<Datatype, DatatypeError> {
        let body = self.blocks_at_stride(count, blocklength, mul(stride, self.extent())?)?;
        Ok(Datatype::new(Constructor::Vector { count, blocklength, stride, of: self.clone() }, body))
    }

    /// `MPI_Type_create_hvector`: `count` blocks, a `stride` of bytes apart.
    pub fn hvector(&self, count: i64, blocklength: i64, stride: i64) -> Result<Datatype, DatatypeError> {
        let body = self.blocks_at_stride(count, blocklength, stride)?;
        Ok(Datatype::new(Constructor::Hvector { count, blocklength, stride, of: self.clone() }, body))
    }

    /// `MPI_Type_indexed`.
    pub fn indexed(&self, blocklengths: &[i64], displacements: &[i64]) -> Result<Datatype, DatatypeError> {
        same_length("displacements", blocklengths.len(), displacements.len())?;
        let body = self.blocks(blocklengths, &self.in_bytes(displacements)?)?;
        let (blocklengths, displacements) = (blocklengths.to_vec(), displacements.to_vec());
        Ok(Datatype::new(Constructor::Indexed { blocklengths, displacements, of: self.clone() }, body))
    }

    /// `MPI_Type_create_hindexed`.
    pub fn hindexed(&self, blocklengths: &[i64], displacements: &[i64]) -> Result<Datatype, DatatypeError> {
        same_length("displacements", blocklengths.len(), displacements.len())?;
        let body = self.blocks(blocklengths, displacements)?;
        let (blocklengths, displacements) = (blocklengths.to_vec(), displacements.to_vec());
        Ok(Datatype::new(Constructor::Hindexed { blocklengths, displacements, of: self.clone() }, body))
    }

    /// `MPI_Type_create_indexed_block`.
    pub fn indexed_block(&self, blocklength: i64, displacements: &[i64]) -> Result<Datatype, DatatypeError> {
        let body = self.equal_blocks(blocklength, &self.in_bytes(displacements)?)?;
        let displacements = displacements.to_vec();
        Ok(Datatype::new(Constructor::IndexedBlock { blocklength, displacements, of: self.clone() }, body))
    }

    /// `MPI_Type_create_hindexed_block`.
    pub fn hindexed_block(&self, blocklength: i64, displacements: &[i64]) -> Result<Datatype, DatatypeError> {
        let body = self.equal_blocks(blocklength, displacements)?;
        let displacements = displacements.to_vec();
        Ok(Datatype::new(Constructor::HindexedBlock { blocklength, displacements, of: self.clone() }, body))
    }

    /// `MPI_Type_create_struct`. The extent is rounded up to the strictest alignment of the
    /// members, as a C compiler rounds `sizeof`. Members that are all of one type are no struct to
    /// MPICH but blocks of that type, which it does not round; a user who resized the only member
    /// counts on that.
    pub fn structure(
        blocklengths: &[i64],
        displacements: &[i64],
        types: &[Datatype],
    ) -> Result<Datatype, DatatypeError> {
        same_length("displacements", blocklengths.len(), displacements.len())?;
        same_length("types", blocklengths.len(), types.len())?;
        let mut members = Vec::with_capacity(types.len());
        for ((&blocklength, &displacement), of) in blocklengths.iter().zip(displacements).zip(types) {
            members.push(of.block(blocklength, displacement)?);
        }
        let body = Body::sequence(members)?;
        let blocks_of_one_type = types.windows(2).all(|pair| pair[0] == pair[1]);
        let body = if blocks_of_one_type { body } else { body.padded()? };
        let constructor = Constructor::Struct {
            blocklengths: blocklengths.to_vec(),
            displacements: displacements.to_vec(),
            types: types.to_vec(),
        };
        Ok(Datatype::new(constructor, body))
    }

    /// `MPI_Type_create_resized`: the same data with other bounds.
    pub fn resized(&self, lb: i64, extent: i64) -> Result<Datatype, DatatypeError> {
        let body = self.body().clone().resized(lb, extent)?;
        Ok(Datatype::new(Constructor::Resized { lb, extent, of: self.clone() }, body))
    }

    fn blocks_at_stride(&self, count: i64, blocklength: i64, stride: i64) -> Result<Body, DatatypeError> {
        not_negative("count", count)?;
        self.block(blocklength, 0)?.repeat(count, stride)
    }

    fn equal_blocks(&self, blocklength: i64, displacements: &[i64]) -> Result<Body, DatatypeError> {
        let block = self.block(blocklength, 0)?;
        Body::sequence(displacements.iter().map(|&at| block.shift(at)).collect::<Result<_, _>>()?)
    }

    fn blocks(&self, blocklengths: &[i64], displacements: &[i64]) -> Result<Body, DatatypeError> {
        let places = blocklengths.iter().zip(displacements);
        Body::sequence(places.map(|(&n, &at)| self.block(n, at)).collect::<Result<_, _>>()?)
    }

    /// `blocklength` copies side by side, the first moved by `displacement` bytes.
    fn block(&self, blocklength: i64, displacement: i64) -> Result<Body, DatatypeError> {
        not_negative("blocklength", blocklength)?;
        self.body().array(blocklength)?.shift(displacement)
    }

    fn in_bytes(&self, displacements: &[i64]) -> Result<Vec<i64>, DatatypeError> {
        displacements.iter().map(|&at| mul(at, self.extent())).collect()
    }
}

impl From<Basic> for Datatype {
    fn from(basic: Basic) -> Datatype {
        Datatype::basic(basic)
    }
}

pub(crate) fn not_negative(what: &'static str, value: i64) -> Result<(), DatatypeError> {
    if value < 0 { Err(DatatypeError::Negative { what, value }) } else { Ok(()) }
}

pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), DatatypeError> {
    if expected == found { Ok(()) } else { Err(DatatypeError::Length { what, expected, found }) }
}
