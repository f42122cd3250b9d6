//! Elements of a datatype in the program's memory, and their way to and from packed bytes.

use core::ffi::c_void;
use core::slice;

use mpirage_data::{Datatype, Origin, TypeSignature};
use mpirage_units::counted;

use crate::constants::{MPI_ERR_BUFFER, MPI_ERR_COUNT};
use crate::ground::arguments::{Number, count};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::datatype::Datatypes;
use crate::sharing;
use crate::types::MPI_Datatype;

/// A number of elements of a datatype at an address.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    address: usize,
    count: usize,
    datatype: Datatype,
    /// The number of its packed bytes.
    bytes: usize,
    /// Do the bytes lie contiguously in memory?
    plain: bool,
}

impl Region {
    /// The elements that three arguments of a call name; `what` is the name of the buffer argument.
    #[inline(always)]
    pub(crate) fn of_arguments(
        datatypes: &Datatypes,
        what: &str,
        buffer: *const c_void,
        elements: impl Number,
        datatype: MPI_Datatype,
    ) -> Result<Region> {
        let elements = count("count", elements)?;
        let datatype = datatypes.committed(datatype)?;
        let (address, bytes) = (buffer.addr(), packed_bytes(elements, datatype)?);
        if is_nowhere(address, bytes, datatype) {
            return Err(no_buffer(what, bytes));
        }
        // Made last, so that it is not moved.
        let plain = datatype.is_contiguous();
        Ok(Region { address, count: elements, plain, datatype: datatype.clone(), bytes })
    }

    /// The same without a check of the address.
    #[inline(always)]
    pub(crate) fn new(address: usize, count: usize, datatype: &Datatype) -> Result<Region> {
        let bytes = packed_bytes(count, datatype)?;
        Ok(Region { address, count, plain: datatype.is_contiguous(), datatype: datatype.clone(), bytes })
    }

    /// Refuses data at the null address.
    pub(crate) fn check_address(&self, what: &str) -> Result<()> {
        match is_nowhere(self.address, self.bytes, &self.datatype) {
            true => Err(no_buffer(what, self.bytes)),
            false => Ok(()),
        }
    }

    /// One of `parts` parts of as many elements each.
    pub(crate) fn part(&self, index: usize, parts: usize) -> Result<Region> {
        let count = self.count / parts.max(1);
        let address = displaced(self.address, (index * count) as i64, &self.datatype)?;
        Region::new(address, count, &self.datatype)
    }

    /// Packed bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn address(&self) -> usize {
        self.address
    }

    pub(crate) fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// The type signature of the first of its packed bytes.
    pub(crate) fn signature_of(&self, bytes: usize) -> TypeSignature {
        self.datatype.signature_of_bytes(bytes.min(self.bytes))
    }

    /// Its elements in words: `4 MPI_INT`.
    pub(crate) fn in_words(&self) -> String {
        match self.datatype.uniform_basic() {
            Some(basic) => format!("{} {basic}", self.bytes / basic.size()),
            None => format!("{} elements of a datatype with {} bytes", self.count, self.datatype.size()),
        }
    }

    /// The stretches of memory that it covers: addresses and lengths.
    pub(crate) fn stretches(&self) -> Vec<(usize, usize)> {
        let at = |(offset, length): (i64, usize)| (self.pointer_to(offset).addr(), length);
        self.datatype.stretches(self.count).into_iter().map(at).collect()
    }

    /// Does it lie wholly in shared memory? Then its contents are meaningless and only its size counts.
    pub(crate) fn is_shared(&self) -> bool {
        if self.bytes == 0 || !sharing::is_used() {
            return false;
        }
        let (first, length) = self.span();
        sharing::is_shared(self.pointer_to(first).addr(), length)
    }

    /// Do the packed bytes lie contiguously in memory, from the address on?
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The packed bytes, if they lie contiguously in memory.
    ///
    /// # Safety
    /// The program's memory is as it says, and is not written while the slice is used.
    pub(crate) unsafe fn plain<'a>(&self) -> Option<&'a [u8]> {
        match (self.is_plain(), self.bytes) {
            (_, 0) => Some(&[]),
            // SAFETY: `bytes` bytes from the address on, for which the caller vouches.
            (true, bytes) => Some(unsafe { slice::from_raw_parts(self.address as *const u8, bytes) }),
            (false, _) => None,
        }
    }

    /// The same to be written.
    ///
    /// # Safety
    /// The program's memory is as it says, and no other code uses it meanwhile.
    pub(crate) unsafe fn plain_mut<'a>(&self) -> Option<&'a mut [u8]> {
        match (self.is_plain(), self.bytes) {
            (_, 0) => Some(&mut []),
            // SAFETY: `bytes` bytes from the address on, for which the caller vouches.
            (true, bytes) => Some(unsafe { slice::from_raw_parts_mut(self.address as *mut u8, bytes) }),
            (false, _) => None,
        }
    }

    /// Appends the packed bytes.
    ///
    /// # Safety
    /// As for [`Region::plain`].
    pub(crate) unsafe fn pack(&self, out: &mut Vec<u8>) {
        // SAFETY: the caller vouches for the memory.
        if let Some(plain) = unsafe { self.plain() } {
            return out.extend_from_slice(plain);
        }
        let (first, length) = self.span();
        // SAFETY: the span is what the elements cover, for which the caller vouches.
        let memory = unsafe { slice::from_raw_parts(self.pointer_to(first), length) };
        self.datatype.pack(self.count, memory, Origin(origin(first)), out);
    }

    /// Stores the packed bytes at an address.
    ///
    /// # Safety
    /// As for [`Region::plain`]. As many bytes can be written at the address, and none of them belongs to the elements.
    pub(crate) unsafe fn pack_to(&self, to: *mut u8) {
        if self.bytes == 0 {
            return;
        }
        let (first, length) = self.span();
        // SAFETY: the span is what the elements cover; the caller vouches for both memories.
        let (memory, out) = unsafe {
            (slice::from_raw_parts(self.pointer_to(first), length), slice::from_raw_parts_mut(to, self.bytes))
        };
        self.datatype.pack_into(self.count, memory, Origin(origin(first)), out);
    }

    /// Does memory of so many bytes have one in common with what the elements cover?
    pub(crate) fn touches(&self, address: usize, bytes: usize) -> bool {
        let (first, length) = self.span();
        let start = self.pointer_to(first).addr();
        address < start.saturating_add(length) && start < address.saturating_add(bytes)
    }

    /// Fills the elements from packed bytes, of which there may be fewer than fit.
    ///
    /// # Safety
    /// The program's memory is as it says, and no other code uses it meanwhile.
    pub(crate) unsafe fn unpack(&self, packed: &[u8]) {
        if packed.is_empty() || self.bytes == 0 {
            return;
        }
        let (first, length) = self.span();
        // SAFETY: the span is what the elements cover, for which the caller vouches.
        let memory = unsafe { slice::from_raw_parts_mut(self.pointer_to(first).cast_mut(), length) };
        self.datatype.unpack(self.count, packed, memory, Origin(origin(first)));
    }

    /// The displacement of the first byte, and the bytes from there to the last.
    fn span(&self) -> (i64, usize) {
        let (first, behind) = self.datatype.span(self.count).unwrap_or((0, 0));
        (first, (behind - first) as usize)
    }

    fn pointer_to(&self, displacement: i64) -> *const u8 {
        self.address.wrapping_add_signed(displacement as isize) as *const u8
    }
}

#[inline(always)]
fn packed_bytes(count: usize, datatype: &Datatype) -> Result<usize> {
    match count.checked_mul(datatype.size()) {
        Some(bytes) => Ok(bytes),
        None => fail!(MPI_ERR_COUNT, "count is {count}, more than the memory of any machine holds"),
    }
}

/// Are these bytes of a datatype said to be at the null address?
#[inline(always)]
fn is_nowhere(address: usize, bytes: usize, datatype: &Datatype) -> bool {
    bytes > 0 && address == 0 && datatype.true_lb() == 0
}

#[cold]
fn no_buffer(what: &str, bytes: usize) -> MpiError {
    let text = format!("{what} is a null pointer, but there is data of {}", counted(bytes, "byte"));
    MpiError::new(MPI_ERR_BUFFER, text)
}

/// Where the buffer address is in a slice that begins at displacement `first`. May lie outside the slice.
fn origin(first: i64) -> usize {
    first.wrapping_neg() as usize
}

/// An address `elements` extents of `datatype` away.
pub(crate) fn displaced(address: usize, elements: i64, datatype: &Datatype) -> Result<usize> {
    let bytes = elements.checked_mul(datatype.extent()).ok_or_else(too_far)?;
    Ok(address.wrapping_add_signed(bytes as isize))
}

fn too_far() -> MpiError {
    MpiError::new(MPI_ERR_COUNT, "a displacement exceeds 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_data::Basic;

    #[test]
    fn a_column_is_packed_and_unpacked() {
        let matrix = [1_i32, 2, 3, 4, 5, 6];
        let column = Datatype::basic(Basic::Int).vector(3, 1, 2).unwrap();
        let region = Region::new(matrix.as_ptr().addr() + 4, 1, &column).unwrap();
        let mut packed = Vec::new();
        // SAFETY: the region is the matrix' second column.
        unsafe { region.pack(&mut packed) };
        assert_eq!(packed, [2_i32, 4, 6].map(i32::to_ne_bytes).concat());

        let mut other = [0_i32; 6];
        let region = Region::new(other.as_mut_ptr().addr(), 1, &column).unwrap();
        // SAFETY: the region is the first column of another matrix.
        unsafe { region.unpack(&packed) };
        assert_eq!(other, [2, 0, 4, 0, 6, 0]);
    }

    #[test]
    fn the_gaps_of_elements_belong_to_them() {
        let numbers = [1_i32, 2, 3, 4, 5, 6];
        let column = Datatype::basic(Basic::Int).vector(2, 1, 2).unwrap();
        let region = Region::new(numbers.as_ptr().addr() + 4, 1, &column).unwrap();
        let touched: Vec<bool> =
            numbers.iter().map(|number| region.touches((&raw const *number).addr(), 4)).collect();
        assert_eq!(touched, [false, true, true, true, false, false]);
    }

    #[test]
    fn absolute_addresses_start_at_the_bottom() {
        let number = 7_i32;
        let displacement = (&raw const number).addr() as i64;
        let absolute = Datatype::basic(Basic::Int).hindexed(&[1], &[displacement]).unwrap();
        let region = Region::new(0, 1, &absolute).unwrap();
        assert!(region.check_address("buf").is_ok());
        let mut packed = Vec::new();
        // SAFETY: the only element is `number`.
        unsafe { region.pack(&mut packed) };
        assert_eq!(packed, 7_i32.to_ne_bytes());
    }

    #[test]
    fn data_at_the_null_address_is_refused() {
        let region = Region::new(0, 3, &Basic::Int.into()).unwrap();
        assert_eq!(region.check_address("buf").unwrap_err().class, MPI_ERR_BUFFER);
        assert!(Region::new(0, 0, &Basic::Int.into()).unwrap().check_address("buf").is_ok());
    }
}
