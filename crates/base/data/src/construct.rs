//! The constructors of derived datatypes, each a formula over type maps.
//!
//! Arguments are taken as C hands them over, so a negative count is an error here and nowhere
//! later. Displacements of the `h` variants are bytes, of the others extents of the old type.
//!
//! The standard does not say where types without data begin and end. MPICH decides: copies of a type without data are nothing, at zero,
//! even if the old type was given bounds. In a structure with data, a member without data counts where it stands; a structure without
//! data is nothing.

use std::borrow::Cow;

use crate::basic::Basic;
use crate::body::Body;
use crate::bounds::mul;
use crate::contents::Constructor;
use crate::datatype::Datatype;
use crate::error::DatatypeError;

impl Datatype {
    /// `MPI_Type_dup`.
    pub fn dup(&self) -> Datatype {
        Datatype::new(Constructor::Dup(self.clone()), self.body().clone())
    }

    /// `MPI_Type_contiguous`.
    pub fn contiguous(&self, count: i64) -> Result<Datatype, DatatypeError> {
        not_negative("count", count)?;
        let body = self.copied().array(count)?;
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
            let member = of.block(blocklength, displacement)?;
            members.push(if blocklength > 0 { member.marked_at(displacement) } else { member });
        }
        let body = Body::sequence(members)?;
        let body = if body.signature.summary.size == 0 { Body::nothing() } else { body };
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
        not_negative("blocklength", blocklength)?;
        self.copied().array(blocklength)?.repeat(count, stride)
    }

    fn equal_blocks(&self, blocklength: i64, displacements: &[i64]) -> Result<Body, DatatypeError> {
        not_negative("blocklength", blocklength)?;
        self.copied().blocks(displacements.iter().map(|&at| (blocklength, at)))
    }

    fn blocks(&self, blocklengths: &[i64], displacements: &[i64]) -> Result<Body, DatatypeError> {
        blocklengths.iter().try_for_each(|&length| not_negative("blocklength", length))?;
        self.copied().blocks(blocklengths.iter().copied().zip(displacements.iter().copied()))
    }

    /// The body that constructors with one old type copy.
    fn copied(&self) -> Cow<'_, Body> {
        if self.size() == 0 { Cow::Owned(Body::nothing()) } else { Cow::Borrowed(self.body()) }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn int() -> Datatype {
        Datatype::basic(Basic::Int)
    }

    fn double_char() -> Datatype {
        Datatype::structure(&[1, 1], &[0, 8], &[Basic::Double.into(), Basic::Char.into()]).unwrap()
    }

    fn shape(datatype: &Datatype) -> (usize, i64, i64, i64, i64) {
        let (lb, extent) = (datatype.lb(), datatype.extent());
        (datatype.size(), lb, extent, datatype.true_lb(), datatype.true_extent())
    }

    #[test]
    fn a_struct_is_padded_like_in_c() {
        assert_eq!(shape(&double_char()), (9, 0, 16, 0, 9));
        let three = Datatype::structure(
            &[2, 1, 3],
            &[0, 16, 26],
            &[Basic::Float.into(), double_char(), Basic::Char.into()],
        );
        assert_eq!(shape(&three.unwrap()), (20, 0, 32, 0, 29));
    }

    #[test]
    fn a_vector_ends_with_its_last_block() {
        let vector = double_char().vector(2, 3, 4).unwrap();
        assert_eq!(shape(&vector), (54, 0, 112, 0, 105));
        assert_eq!(shape(&int().hvector(3, 1, -6).unwrap()), (12, -12, 16, -12, 16));
    }

    #[test]
    fn resizing_leaves_the_data() {
        let resized = int().resized(-3, 9).unwrap();
        assert_eq!(shape(&resized), (4, -3, 9, 0, 4));
        assert_eq!(shape(&resized.contiguous(2).unwrap()), (8, -3, 18, 0, 13));
        assert_eq!(resized.contiguous(2).unwrap().uniform_basic(), Some(Basic::Int));
    }

    #[test]
    fn an_empty_type_is_at_zero() {
        assert_eq!(shape(&int().contiguous(0).unwrap()), (0, 0, 0, 0, 0));
        assert_eq!(shape(&int().indexed(&[0, 0], &[5, 9]).unwrap()), (0, 0, 0, 0, 0));
        assert_eq!(shape(&Datatype::structure(&[], &[], &[]).unwrap()), (0, 0, 0, 0, 0));
    }

    #[test]
    fn copies_of_an_empty_type_are_nothing() {
        let marked = int().contiguous(0).unwrap().resized(5, 27).unwrap();
        assert_eq!(shape(&marked), (0, 5, 27, 0, 0));
        let copies = [
            marked.contiguous(3),
            marked.vector(2, 1, 3),
            marked.hvector(2, 1, 40),
            marked.indexed(&[1, 2], &[1, 5]),
            marked.hindexed(&[1], &[24]),
            marked.indexed_block(2, &[4]),
            marked.hindexed_block(2, &[4]),
            Datatype::structure(&[2, 0], &[29, 8], &[marked.clone(), Basic::Int.into()]),
        ];
        for copied in copies {
            assert_eq!(shape(&copied.unwrap()), (0, 0, 0, 0, 0));
        }
        assert_eq!(shape(&marked.dup()), (0, 5, 27, 0, 0));
    }

    #[test]
    fn an_empty_member_counts_where_it_stands() {
        let empty = int().contiguous(0).unwrap();
        let double: Datatype = Basic::Double.into();
        let before = Datatype::structure(&[2, 3], &[30, 0], &[double.clone(), empty.clone()]).unwrap();
        assert_eq!(shape(&before), (16, 0, 48, 30, 16));
        let behind = Datatype::structure(&[1, 2], &[0, 36], &[double.clone(), empty.clone()]).unwrap();
        assert_eq!(shape(&behind), (8, 0, 40, 0, 8));
        let none = Datatype::structure(&[1, 0], &[0, 36], &[double, empty]).unwrap();
        assert_eq!(shape(&none), (8, 0, 8, 0, 8));
    }

    #[test]
    fn contiguous_is_more_than_gapless() {
        assert!(int().vector(3, 2, 2).unwrap().is_contiguous());
        assert!(!int().hindexed(&[1], &[4]).unwrap().is_contiguous());
        assert!(!int().resized(0, 8).unwrap().is_contiguous());
        assert!(!int().indexed(&[1, 1], &[1, 0]).unwrap().is_contiguous());
    }

    #[test]
    fn received_bytes_become_elements_and_counts() {
        let two = Datatype::structure(&[1, 1], &[0, 8], &[Basic::Int.into(), Basic::Double.into()]).unwrap();
        assert_eq!((two.elements(24), two.get_count(24)), (Some(4), Some(2)));
        assert_eq!((two.elements(16), two.get_count(16)), (Some(3), None));
        assert_eq!((two.elements(14), two.get_count(14)), (None, None));
        let empty = int().contiguous(0).unwrap();
        assert_eq!((empty.elements(0), empty.get_count(0)), (Some(0), Some(0)));
    }

    #[test]
    fn errors_name_the_argument() {
        let error = int().vector(2, -1, 1).unwrap_err();
        assert_eq!(error.to_string(), "blocklength must not be negative, but is -1");
        let error = int().indexed(&[1, 2], &[0]).unwrap_err();
        assert_eq!(error.to_string(), "displacements has 1 entries where 2 are needed");
    }

    #[test]
    fn what_leaves_64_bits_is_refused() {
        let large = int().contiguous(1 << 60).unwrap();
        assert_eq!(large.contiguous(4), Err(DatatypeError::Overflow));
        assert_eq!(int().hvector(3, 1, i64::MAX / 2), Err(DatatypeError::Overflow));
        assert_eq!(int().hindexed(&[1, 1], &[i64::MIN, 0]), Err(DatatypeError::Overflow));
        assert_eq!(int().resized(i64::MAX, 1), Err(DatatypeError::Overflow));
        assert_eq!(large.span(100), Err(DatatypeError::Overflow));
    }
}
