//! Buffers of `mpi_f08`: the program passes a descriptor, which may be of an array section with gaps.
//!
//! The elements of a section with gaps become a datatype, which stands for the program's count and datatype. MPICH does the same. In blocking
//! collectives whose count and datatype describe two buffers or the parts of several ranks, or that have several counts, the section is
//! copied: there MPICH 4.0 fails or takes no notice of gaps. Their nonblocking forms need buffers without gaps.
//!
//! The library for our own modules and MPICH's front share this file. `array` of each knows its descriptors and its datatypes.

use core::ffi::{c_int, c_void};

use mpirage_front::library::misuse;

use super::array::{Datatype, Dimension, array, c};
use super::representation::FortranHandle;

/// Fortran's arrays have at most so many dimensions.
pub(crate) const MOST_DIMENSIONS: usize = 15;

/// An array section, as a descriptor says it.
pub(crate) struct Array<'a> {
    pub(crate) address: *mut c_void,
    pub(crate) element_bytes: isize,
    /// The unit of strides, in bytes.
    pub(crate) span: isize,
    pub(crate) dimensions: &'a [Dimension],
}

impl Array<'_> {
    fn has_gaps(&self) -> bool {
        let mut expected = self.element_bytes;
        for dimension in self.dimensions {
            if dimension.extent() != 1 && dimension.stride() * self.span != expected {
                return true;
            }
            expected *= dimension.extent();
        }
        false
    }

    /// How many elements it has; none if the size of the last dimension is not known.
    fn elements(&self) -> Option<usize> {
        let extents = self.dimensions.iter().map(|dimension| usize::try_from(dimension.extent()).ok());
        extents.product()
    }

    /// Where the first elements of so many rows are, relative to the first of all. A row is a line of elements along the first dimension.
    fn rows(&self, number: i64) -> Vec<i64> {
        (0..number).map(|row| self.row_start(row)).collect()
    }

    fn row_start(&self, row: i64) -> i64 {
        let (mut rest, mut at) = (row, 0);
        for dimension in &self.dimensions[1..] {
            let extent = (dimension.extent() as i64).max(1);
            let is_last = core::ptr::eq(dimension, &self.dimensions[self.dimensions.len() - 1]);
            let index = if is_last { rest } else { rest % extent };
            rest /= extent;
            at += index * (dimension.stride() * self.span) as i64;
        }
        at
    }

    /// Where an element is, relative to the first.
    fn place(&self, nth: i64) -> i64 {
        let row = self.dimensions[0];
        // The only dimension may have no known end.
        let length = if self.dimensions.len() == 1 { i64::MAX } else { (row.extent() as i64).max(1) };
        self.row_start(nth / length) + nth % length * (row.stride() * self.span) as i64
    }

    /// The datatype of the first so many elements.
    unsafe fn datatype(&self, elements: i64, element: Datatype) -> Datatype {
        let row = self.dimensions[0];
        let stride = (row.stride() * self.span) as i64;
        let length = (row.extent() as i64).max(1);
        let (rows, rest) = (elements / length, elements % length);
        // SAFETY: places of this function, and arrays as long as said.
        unsafe {
            let made = |make: &dyn Fn(*mut Datatype) -> c_int| {
                let mut new = element;
                make(&mut new);
                new
            };
            if rest == 0 {
                let places = self.rows(rows);
                let line = made(&|new| c::MPI_Type_create_hvector_c(length, 1, stride, element, new));
                let all =
                    made(&|new| c::MPI_Type_create_hindexed_block_c(rows, 1, places.as_ptr(), line, new));
                free(line);
                return all;
            }
            let places: Vec<i64> = (0..elements).map(|nth| self.place(nth)).collect();
            made(&|new| c::MPI_Type_create_hindexed_block_c(elements, 1, places.as_ptr(), element, new))
        }
    }
}

/// A buffer of the program: its address, and a datatype if there are gaps between its elements.
pub(crate) struct Section {
    address: *mut c_void,
    datatype: Option<(Datatype, c_int)>,
    /// The count of a section with a datatype, in as many bytes as the largest count has.
    one: i64,
    /// The elements in memory of this library, whose address then is the section's.
    copy: Option<ElementCopy>,
}

/// The elements of a section, one behind the other.
struct ElementCopy {
    /// As strictly aligned as any element.
    memory: Vec<u128>,
    section: *mut u8,
    element_bytes: usize,
    /// Where the elements are in the section.
    places: Vec<i64>,
    /// Does the procedure store there?
    stored: bool,
}

impl ElementCopy {
    /// # Safety
    /// The section has so many elements.
    unsafe fn of(array: &Array, elements: usize, stored: bool) -> ElementCopy {
        let element_bytes = array.element_bytes as usize;
        let words = (elements * element_bytes).div_ceil(size_of::<u128>());
        let (memory, places) = (vec![0; words], (0..elements as i64).map(|nth| array.place(nth)).collect());
        let mut copy = ElementCopy { memory, section: array.address.cast(), element_bytes, places, stored };
        // SAFETY: the caller vouches for it.
        unsafe { copy.move_elements(false) };
        copy
    }

    /// Copies the elements from the section, or back to it.
    ///
    /// # Safety
    /// The section is there.
    unsafe fn move_elements(&mut self, back: bool) {
        let copy = self.memory.as_mut_ptr().cast::<u8>();
        for (nth, place) in self.places.iter().enumerate() {
            // SAFETY: the caller vouches for the section; the copy has room for as many elements.
            unsafe {
                let (inside, outside) =
                    (copy.add(nth * self.element_bytes), self.section.offset(*place as isize));
                let (from, to) = if back { (inside, outside) } else { (outside, inside) };
                from.copy_to_nonoverlapping(to, self.element_bytes);
            }
        }
    }
}

impl Section {
    /// The buffer of a procedure that needs only its address.
    ///
    /// # Safety
    /// The address is that of a descriptor.
    pub(crate) unsafe fn at(descriptor: *mut c_void) -> Section {
        // SAFETY: the caller vouches for it.
        let address = unsafe { array(descriptor).address };
        Section { address, datatype: None, one: 1, copy: None }
    }

    /// A buffer of which the procedure sees a copy if there are gaps between its elements. What it stores there is copied back when the procedure has
    /// ended.
    ///
    /// # Safety
    /// The address is that of a descriptor, and the procedure is a blocking one.
    pub(crate) unsafe fn copied(function: &str, descriptor: *mut c_void, stored: bool) -> Section {
        // SAFETY: the caller vouches for it.
        let array = unsafe { array(descriptor) };
        let elements = match array.elements() {
            _ if !array.has_gaps() => 0,
            Some(elements) => elements,
            None => misuse(&format!(
                "{function} gets an array section with gaps between its elements whose size the program does not tell; pass a contiguous copy of it"
            )),
        };
        if elements == 0 {
            return Section { address: array.address, datatype: None, one: 1, copy: None };
        }
        // SAFETY: the descriptor says that they are there.
        let mut copy = unsafe { ElementCopy::of(&array, elements, stored) };
        Section { address: copy.memory.as_mut_ptr().cast(), datatype: None, one: 1, copy: Some(copy) }
    }

    /// A buffer that must have no gaps. Ends the run if it has some.
    ///
    /// # Safety
    /// The address is that of a descriptor.
    pub(crate) unsafe fn without_gaps(function: &str, descriptor: *mut c_void) -> Section {
        // SAFETY: the caller vouches for it.
        if unsafe { array(descriptor).has_gaps() } {
            misuse(&format!(
                "{function} gets an array section with gaps between its elements, which mpirage does not support in this function; \
                 pass a contiguous copy of it"
            ));
        }
        // SAFETY: the caller vouches for it.
        unsafe { Section::at(descriptor) }
    }

    /// A buffer of so many elements of a datatype.
    ///
    /// # Safety
    /// The address is that of a descriptor.
    pub(crate) unsafe fn of_elements(
        function: &str,
        descriptor: *mut c_void,
        count: i64,
        datatype: Datatype,
    ) -> Section {
        // SAFETY: the caller vouches for it.
        let array = unsafe { array(descriptor) };
        if count <= 0 || !array.has_gaps() {
            return Section { address: array.address, datatype: None, one: 1, copy: None };
        }
        // SAFETY: datatypes that the program passed or this function made.
        let made = unsafe {
            let (element, elements) = element_of(function, &array, count, datatype);
            let mut made = array.datatype(elements, element);
            let next = array.place(elements);
            if next > 0 {
                // The next elements, of another rank in a collective, follow in the section.
                let tight = made;
                c::MPI_Type_create_resized_c(tight, 0, next, &mut made);
                free(tight);
            }
            if element != datatype {
                free(element);
            }
            c::MPI_Type_commit(&mut made);
            made
        };
        Section {
            address: array.address,
            datatype: Some((made, FortranHandle::to_fortran(made))),
            one: 1,
            copy: None,
        }
    }

    /// The address of the first element.
    pub(crate) fn address(&self) -> *mut c_void {
        self.address
    }

    /// The address of the count.
    pub(crate) fn count<Integer>(&self, theirs: *const Integer) -> *const Integer {
        // The first bytes of `one` are 1 in an integer of any length, as the processors at hand are little-endian.
        if self.datatype.is_some() { (&raw const self.one).cast() } else { theirs }
    }

    /// The address of the datatype.
    pub(crate) fn datatype(&self, theirs: *mut c_int) -> *mut c_int {
        match &self.datatype {
            Some((_, integer)) => core::ptr::from_ref(integer).cast_mut(),
            None => theirs,
        }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        if let Some(copy) = self.copy.as_mut().filter(|copy| copy.stored) {
            // SAFETY: the section is an argument of the procedure that ends now.
            unsafe { copy.move_elements(true) };
        }
        if let Some((datatype, _)) = self.datatype {
            // SAFETY: made for this section; MPI keeps it as long as operations need it.
            unsafe { free(datatype) };
        }
    }
}

/// The datatype of one element of the array, and how many elements a count of the program's datatype is.
///
/// # Safety
/// The library is initialised.
unsafe fn element_of(function: &str, array: &Array, count: i64, datatype: Datatype) -> (Datatype, i64) {
    let mut size = 0;
    // SAFETY: a place of this function.
    unsafe { c::MPI_Type_size_c(datatype, &mut size) };
    let bytes = array.element_bytes as i64;
    if size == bytes {
        return (datatype, count);
    }
    let per_element = if size > 0 && bytes % size == 0 { bytes / size } else { 0 };
    if per_element == 0 || count % per_element != 0 {
        misuse(&format!(
            "{function} gets an array section with gaps between its elements of {bytes} bytes, and a datatype of {size} bytes; mpirage \
             supports datatypes that divide an element; pass a contiguous copy of the section"
        ));
    }
    let mut element = datatype;
    // SAFETY: as above.
    unsafe { c::MPI_Type_contiguous_c(per_element, datatype, &mut element) };
    (element, count / per_element)
}

/// # Safety
/// The caller has made the datatype and does not use it afterwards.
unsafe fn free(mut datatype: Datatype) {
    // SAFETY: the caller vouches for it.
    unsafe { c::MPI_Type_free(&mut datatype) };
}
