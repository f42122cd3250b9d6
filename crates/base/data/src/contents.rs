//! How a datatype was made, and the lists `MPI_Type_get_contents` returns of it.

use crate::basic::Basic;
use crate::datatype::Datatype;

/// The index of an array that varies fastest in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last, as in C.
    C,
    /// The first, as in Fortran.
    Fortran,
}

/// How one dimension of an array is dealt out to the processes along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// One block each.
    Block,
    /// Blocks in turn.
    Cyclic,
    /// Not at all; one process has the whole dimension.
    None,
}

/// One dimension of a distributed array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DarrayDimension {
    /// Elements of the whole array.
    pub gsize: i64,
    /// How they are dealt out.
    pub distribution: Distribution,
    /// Elements of a block; `None` is `MPI_DISTRIBUTE_DFLT_DARG`.
    pub darg: Option<i64>,
    /// Processes along this dimension.
    pub psize: i64,
}

/// The constructor call that made a datatype, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields are the arguments of the MPI function of the variant's name
pub enum Constructor {
    Named(Basic),
    Dup(Datatype),
    Contiguous { count: i64, of: Datatype },
    Vector { count: i64, blocklength: i64, stride: i64, of: Datatype },
    Hvector { count: i64, blocklength: i64, stride: i64, of: Datatype },
    Indexed { blocklengths: Vec<i64>, displacements: Vec<i64>, of: Datatype },
    Hindexed { blocklengths: Vec<i64>, displacements: Vec<i64>, of: Datatype },
    IndexedBlock { blocklength: i64, displacements: Vec<i64>, of: Datatype },
    HindexedBlock { blocklength: i64, displacements: Vec<i64>, of: Datatype },
    Struct { blocklengths: Vec<i64>, displacements: Vec<i64>, types: Vec<Datatype> },
    Subarray { sizes: Vec<i64>, subsizes: Vec<i64>, starts: Vec<i64>, order: Order, of: Datatype },
    Darray { size: i64, rank: i64, dimensions: Vec<DarrayDimension>, order: Order, of: Datatype },
    Resized { lb: i64, extent: i64, of: Datatype },
}

/// `MPI_COMBINER_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Combiner {
    Named,
    Dup,
    Contiguous,
    Vector,
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
    Resized,
}

/// The MPI interface that asks: `int` and `MPI_Aint`, or `MPI_Count` for both (`_c`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Counts among the integers, displacements in bytes among the addresses.
    Classic,
    /// Counts and displacements in bytes among the large counts.
    Large,
}

/// The numbers an ABI gives to the constants that appear in the lists.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // MPI_ORDER_* and MPI_DISTRIBUTE_*
pub struct Codes {
    pub order_c: i64,
    pub order_fortran: i64,
    pub block: i64,
    pub cyclic: i64,
    pub none: i64,
    pub default_darg: i64,
}

/// The answer of `MPI_Type_get_contents`; the lengths of its lists are that of
/// `MPI_Type_get_envelope`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// `array_of_integers`.
    pub integers: Vec<i64>,
    /// `array_of_addresses`.
    pub addresses: Vec<i64>,
    /// `array_of_large_counts`, empty for the classic interface.
    pub counts: Vec<i64>,
    /// `array_of_datatypes`.
    pub datatypes: Vec<Datatype>,
}

impl Constructor {
    /// The function that made it.
    pub fn combiner(&self) -> Combiner {
        match self {
            Constructor::Named(_) => Combiner::Named,
            Constructor::Dup(_) => Combiner::Dup,
            Constructor::Contiguous { .. } => Combiner::Contiguous,
            Constructor::Vector { .. } => Combiner::Vector,
            Constructor::Hvector { .. } => Combiner::Hvector,
            Constructor::Indexed { .. } => Combiner::Indexed,
            Constructor::Hindexed { .. } => Combiner::Hindexed,
            Constructor::IndexedBlock { .. } => Combiner::IndexedBlock,
            Constructor::HindexedBlock { .. } => Combiner::HindexedBlock,
            Constructor::Struct { .. } => Combiner::Struct,
            Constructor::Subarray { .. } => Combiner::Subarray,
            Constructor::Darray { .. } => Combiner::Darray,
            Constructor::Resized { .. } => Combiner::Resized,
        }
    }

    /// Its arguments, in the order the standard lists them.
    pub fn contents(&self, interface: Interface, codes: &Codes) -> Contents {
        let mut lists = Lists { interface, contents: Contents::default() };
        match self {
            Constructor::Named(_) => {}
            Constructor::Dup(of) => lists.datatype(of),
            Constructor::Contiguous { count, of } => {
                lists.counts(&[*count]);
                lists.datatype(of);
            }
            Constructor::Vector { count, blocklength, stride, of } => {
                lists.counts(&[*count, *blocklength, *stride]);
                lists.datatype(of);
            }
            Constructor::Hvector { count, blocklength, stride, of } => {
                lists.counts(&[*count, *blocklength]);
                lists.bytes(&[*stride]);
                lists.datatype(of);
            }
            Constructor::Indexed { blocklengths, displacements, of } => {
                lists.counted(blocklengths);
                lists.counts(displacements);
                lists.datatype(of);
            }
            Constructor::Hindexed { blocklengths, displacements, of } => {
                lists.counted(blocklengths);
                lists.bytes(displacements);
                lists.datatype(of);
            }
            Constructor::IndexedBlock { blocklength, displacements, of } => {
                lists.counts(&[displacements.len() as i64, *blocklength]);
                lists.counts(displacements);
                lists.datatype(of);
            }
            Constructor::HindexedBlock { blocklength, displacements, of } => {
                lists.counts(&[displacements.len() as i64, *blocklength]);
                lists.bytes(displacements);
                lists.datatype(of);
            }
            Constructor::Struct { blocklengths, displacements, types } => {
                lists.counted(blocklengths);
                lists.bytes(displacements);
                types.iter().for_each(|of| lists.datatype(of));
            }
            Constructor::Subarray { sizes, subsizes, starts, order, of } => {
                lists.integers(&[sizes.len() as i64]);
                [sizes, subsizes, starts].iter().for_each(|list| lists.counts(list));
                lists.integers(&[codes.order(*order)]);
                lists.datatype(of);
            }
            Constructor::Darray { size, rank, dimensions, order, of } => {
                lists.integers(&[*size, *rank, dimensions.len() as i64]);
                dimensions.iter().for_each(|d| lists.counts(&[d.gsize]));
                dimensions.iter().for_each(|d| lists.integers(&[codes.distribution(d.distribution)]));
                dimensions.iter().for_each(|d| lists.integers(&[d.darg.unwrap_or(codes.default_darg)]));
                dimensions.iter().for_each(|d| lists.integers(&[d.psize]));
                lists.integers(&[codes.order(*order)]);
                lists.datatype(of);
            }
            Constructor::Resized { lb, extent, of } => {
                lists.bytes(&[*lb, *extent]);
                lists.datatype(of);
            }
        }
        lists.contents
    }
}

impl Codes {
    fn order(&self, order: Order) -> i64 {
        match order {
            Order::C => self.order_c,
            Order::Fortran => self.order_fortran,
        }
    }

    fn distribution(&self, distribution: Distribution) -> i64 {
        match distribution {
            Distribution::Block => self.block,
            Distribution::Cyclic => self.cyclic,
            Distribution::None => self.none,
        }
    }
}

/// Sorts arguments into the lists by what they are.
struct Lists {
    interface: Interface,
    contents: Contents,
}

impl Lists {
    fn integers(&mut self, values: &[i64]) {
        self.contents.integers.extend_from_slice(values);
    }

    fn counts(&mut self, values: &[i64]) {
        match self.interface {
            Interface::Classic => self.contents.integers.extend_from_slice(values),
            Interface::Large => self.contents.counts.extend_from_slice(values),
        }
    }

    /// A list after its length.
    fn counted(&mut self, values: &[i64]) {
        self.counts(&[values.len() as i64]);
        self.counts(values);
    }

    fn bytes(&mut self, values: &[i64]) {
        match self.interface {
            Interface::Classic => self.contents.addresses.extend_from_slice(values),
            Interface::Large => self.contents.counts.extend_from_slice(values),
        }
    }

    fn datatype(&mut self, of: &Datatype) {
        self.contents.datatypes.push(of.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: Codes =
        Codes { order_c: 56, order_fortran: 57, block: 121, cyclic: 122, none: 123, default_darg: -49767 };

    #[test]
    fn an_indexed_type_lists_its_count_first() {
        let int = Datatype::basic(Basic::Int);
        let indexed = int.indexed(&[1, 2], &[5, 9]).unwrap();
        let contents = indexed.constructor().contents(Interface::Classic, &CODES);
        assert_eq!(indexed.constructor().combiner(), Combiner::Indexed);
        assert_eq!(contents.integers, [2, 1, 2, 5, 9]);
        assert_eq!(contents.datatypes, [int]);
    }

    #[test]
    fn the_large_interface_moves_counts_and_addresses() {
        let int = Datatype::basic(Basic::Int);
        let structure = Datatype::structure(&[1, 2], &[0, 8], &[int.clone(), int.clone()]).unwrap();
        let classic = structure.constructor().contents(Interface::Classic, &CODES);
        assert_eq!((classic.integers, classic.addresses), (vec![2, 1, 2], vec![0, 8]));
        let large = structure.constructor().contents(Interface::Large, &CODES);
        assert_eq!((large.integers, large.counts), (vec![], vec![2, 1, 2, 0, 8]));
    }

    #[test]
    fn a_darray_tells_its_grid() {
        let dimension = |distribution, darg, psize| DarrayDimension { gsize: 10, distribution, darg, psize };
        let dimensions =
            [dimension(Distribution::Block, None, 2), dimension(Distribution::Cyclic, Some(3), 2)];
        let darray = Datatype::basic(Basic::Int).darray(4, 1, &dimensions, Order::Fortran).unwrap();
        let contents = darray.constructor().contents(Interface::Classic, &CODES);
        assert_eq!(contents.integers, [4, 1, 2, 10, 10, 121, 122, -49767, 3, 2, 2, 57]);
    }
}
