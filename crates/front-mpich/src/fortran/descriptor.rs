//! Buffers of MPICH's `mpi_f08`: gfortran passes a descriptor, which may be of an array section with gaps.
//!
//! The elements of a section with gaps become a datatype, which stands for the program's count and datatype. MPICH does the same. A
//! procedure whose count and datatype describe two buffers, or that has several counts, needs a buffer without gaps.

use core::ffi::{c_int, c_void};

use mpirage_front::library::misuse;

use crate::dialect::Datatype;
use crate::translations as c;

/// Fortran's arrays have at most so many dimensions.
const MOST_DIMENSIONS: usize = 15;

/// The head of gfortran's descriptor; the dimensions follow.
#[repr(C)]
struct Head {
    address: *mut c_void,
    offset: isize,
    element_bytes: usize,
    version: c_int,
    rank: i8,
    of: i8,
    attribute: i16,
    /// The unit of strides, in bytes.
    span: isize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Dimension {
    stride: isize,
    lower: isize,
    upper: isize,
}

impl Dimension {
    /// How many elements; less than one in the last dimension of an array whose size is not known.
    fn extent(&self) -> isize {
        self.upper - self.lower + 1
    }
}

/// What a descriptor says.
struct Array<'a> {
    address: *mut c_void,
    element_bytes: isize,
    span: isize,
    dimensions: &'a [Dimension],
}

impl Array<'_> {
    /// # Safety
    /// The address is that of a descriptor of gfortran, which lives as long as the result.
    unsafe fn of<'a>(descriptor: *const c_void) -> Array<'a> {
        // SAFETY: the caller vouches for it.
        unsafe {
            let head = &*descriptor.cast::<Head>();
            let rank = usize::try_from(head.rank).unwrap_or(usize::MAX);
            if head.version != 0 || rank > MOST_DIMENSIONS {
                misuse(
                    "the program was compiled with mpi_f08 by another compiler than gfortran, whose array descriptors mpirage does not know; \
                     `mpirage fc` compiles it with mpirage's modules",
                );
            }
            let first = descriptor.cast::<Head>().add(1).cast::<Dimension>();
            let element_bytes = head.element_bytes as isize;
            let span = if head.span == 0 { element_bytes } else { head.span };
            let dimensions = core::slice::from_raw_parts(first, rank);
            Array { address: head.address, element_bytes, span, dimensions }
        }
    }

    fn has_gaps(&self) -> bool {
        let mut expected = self.element_bytes;
        for dimension in self.dimensions {
            if dimension.extent() != 1 && dimension.stride * self.span != expected {
                return true;
            }
            expected *= dimension.extent();
        }
        false
    }

    /// Where the first elements of so many rows are, relative to the first of all. A row is a line of elements along the first dimension.
    fn rows(&self, number: i64) -> Vec<i64> {
        let place = |row: i64| {
            let (mut rest, mut at) = (row, 0);
            for dimension in &self.dimensions[1..] {
                let extent = (dimension.extent() as i64).max(1);
                let is_last = core::ptr::eq(dimension, &self.dimensions[self.dimensions.len() - 1]);
                let index = if is_last { rest } else { rest % extent };
                rest /= extent;
                at += index * (dimension.stride * self.span) as i64;
            }
            at
        };
        (0..number).map(place).collect()
    }

    /// The datatype of the first so many elements.
    unsafe fn datatype(&self, elements: i64, element: Datatype) -> Datatype {
        let row = self.dimensions[0];
        let stride = (row.stride * self.span) as i64;
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
            let starts = self.rows(rows + 1);
            let places: Vec<i64> =
                (0..elements).map(|nth| starts[(nth / length) as usize] + nth % length * stride).collect();
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
}

impl Section {
    /// The buffer of a procedure that needs only its address.
    ///
    /// # Safety
    /// The address is that of a descriptor.
    pub(crate) unsafe fn at(descriptor: *mut c_void) -> Section {
        // SAFETY: the caller vouches for it.
        let address = unsafe { Array::of(descriptor).address };
        Section { address, datatype: None, one: 1 }
    }

    /// A buffer that must have no gaps. Ends the run if it has some.
    ///
    /// # Safety
    /// The address is that of a descriptor.
    pub(crate) unsafe fn without_gaps(function: &str, descriptor: *mut c_void) -> Section {
        // SAFETY: the caller vouches for it.
        if unsafe { Array::of(descriptor).has_gaps() } {
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
        let array = unsafe { Array::of(descriptor) };
        if count <= 0 || !array.has_gaps() {
            return Section { address: array.address, datatype: None, one: 1 };
        }
        // SAFETY: datatypes that the program passed or this function made.
        let made = unsafe {
            let (element, elements) = element_of(function, &array, count, datatype);
            let mut made = array.datatype(elements, element);
            if element != datatype {
                free(element);
            }
            c::MPI_Type_commit(&mut made);
            made
        };
        Section { address: array.address, datatype: Some((made, made.to_fortran())), one: 1 }
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
