//! Datatypes as recipes: a tree that can be built with the library, expanded into a type map by
//! the book, and written as one line of text.

mod text;
mod type_map;

use mpirage_data::{Basic, DarrayDimension, Datatype, DatatypeError, Distribution, Order};
use proptest::prelude::*;

pub use type_map::TypeMap;

/// A datatype constructor and its arguments. Lists hold one tuple per block or dimension.
#[derive(Clone, Debug)]
pub enum Recipe {
    Basic(Basic),
    Dup(Box<Recipe>),
    Contiguous {
        count: i64,
        of: Box<Recipe>,
    },
    Vector {
        count: i64,
        blocklength: i64,
        stride: i64,
        of: Box<Recipe>,
    },
    Hvector {
        count: i64,
        blocklength: i64,
        stride: i64,
        of: Box<Recipe>,
    },
    /// (block length, displacement)
    Indexed {
        blocks: Vec<(i64, i64)>,
        of: Box<Recipe>,
    },
    Hindexed {
        blocks: Vec<(i64, i64)>,
        of: Box<Recipe>,
    },
    IndexedBlock {
        blocklength: i64,
        displacements: Vec<i64>,
        of: Box<Recipe>,
    },
    HindexedBlock {
        blocklength: i64,
        displacements: Vec<i64>,
        of: Box<Recipe>,
    },
    /// (block length, displacement, type)
    Struct {
        members: Vec<(i64, i64, Recipe)>,
    },
    Resized {
        lb: i64,
        extent: i64,
        of: Box<Recipe>,
    },
    /// (size, subsize, start)
    Subarray {
        dimensions: Vec<(i64, i64, i64)>,
        order: Order,
        of: Box<Recipe>,
    },
    Darray {
        rank: i64,
        dimensions: Vec<DarrayDimension>,
        order: Order,
        of: Box<Recipe>,
    },
}

impl Recipe {
    pub fn build(&self) -> Result<Datatype, DatatypeError> {
        match self {
            Recipe::Basic(basic) => Ok(Datatype::basic(*basic)),
            Recipe::Dup(of) => Ok(of.build()?.dup()),
            Recipe::Contiguous { count, of } => of.build()?.contiguous(*count),
            Recipe::Vector { count, blocklength, stride, of } => {
                of.build()?.vector(*count, *blocklength, *stride)
            }
            Recipe::Hvector { count, blocklength, stride, of } => {
                of.build()?.hvector(*count, *blocklength, *stride)
            }
            Recipe::Indexed { blocks, of } => {
                let (lengths, places): (Vec<_>, Vec<_>) = blocks.iter().copied().unzip();
                of.build()?.indexed(&lengths, &places)
            }
            Recipe::Hindexed { blocks, of } => {
                let (lengths, places): (Vec<_>, Vec<_>) = blocks.iter().copied().unzip();
                of.build()?.hindexed(&lengths, &places)
            }
            Recipe::IndexedBlock { blocklength, displacements, of } => {
                of.build()?.indexed_block(*blocklength, displacements)
            }
            Recipe::HindexedBlock { blocklength, displacements, of } => {
                of.build()?.hindexed_block(*blocklength, displacements)
            }
            Recipe::Struct { members } => build_struct(members),
            Recipe::Resized { lb, extent, of } => of.build()?.resized(*lb, *extent),
            Recipe::Subarray { dimensions, order, of } => {
                let sizes: Vec<_> = dimensions.iter().map(|d| d.0).collect();
                let subsizes: Vec<_> = dimensions.iter().map(|d| d.1).collect();
                let starts: Vec<_> = dimensions.iter().map(|d| d.2).collect();
                of.build()?.subarray(&sizes, &subsizes, &starts, *order)
            }
            Recipe::Darray { rank, dimensions, order, of } => {
                let size = dimensions.iter().map(|d| d.psize).product();
                of.build()?.darray(size, *rank, dimensions, *order)
            }
        }
    }
}

fn build_struct(members: &[(i64, i64, Recipe)]) -> Result<Datatype, DatatypeError> {
    let lengths: Vec<_> = members.iter().map(|m| m.0).collect();
    let places: Vec<_> = members.iter().map(|m| m.1).collect();
    let types = members.iter().map(|m| m.2.build()).collect::<Result<Vec<_>, _>>()?;
    Datatype::structure(&lengths, &places, &types)
}

/// The byte that tests put at displacement `at` from the buffer address.
pub fn pattern(at: i64) -> u8 {
    ((at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

/// Random recipes, up to three constructors deep.
pub fn recipes() -> impl Strategy<Value = Recipe> {
    let basics = prop::sample::select(Basic::ALL).prop_map(Recipe::Basic);
    basics.prop_recursive(3, 12, 3, |inner| {
        let of = inner.clone().prop_map(Box::new).boxed();
        let blocks = |reach: i64| prop::collection::vec((0..4i64, -reach..reach), 1..4);
        prop_oneof![
            of.clone().prop_map(Recipe::Dup),
            (0..4i64, of.clone()).prop_map(|(count, of)| Recipe::Contiguous { count, of }),
            (1..4i64, 0..4i64, -5..6i64, of.clone()).prop_map(|(count, blocklength, stride, of)| {
                Recipe::Vector { count, blocklength, stride, of }
            }),
            (1..4i64, 0..4i64, -50..50i64, of.clone()).prop_map(|(count, blocklength, stride, of)| {
                Recipe::Hvector { count, blocklength, stride, of }
            }),
            (blocks(5), of.clone()).prop_map(|(blocks, of)| Recipe::Indexed { blocks, of }),
            (blocks(50), of.clone()).prop_map(|(blocks, of)| Recipe::Hindexed { blocks, of }),
            (1..4i64, prop::collection::vec(-5..5i64, 1..5), of.clone()).prop_map(
                |(blocklength, displacements, of)| Recipe::IndexedBlock { blocklength, displacements, of }
            ),
            (1..4i64, prop::collection::vec(-50..50i64, 1..5), of.clone()).prop_map(
                |(blocklength, displacements, of)| Recipe::HindexedBlock { blocklength, displacements, of }
            ),
            prop::collection::vec((0..3i64, -50..50i64, inner), 1..4)
                .prop_map(|members| Recipe::Struct { members }),
            (-20..20i64, -20..60i64, of.clone()).prop_map(|(lb, extent, of)| Recipe::Resized {
                lb,
                extent,
                of
            }),
            (prop::collection::vec(slices(), 1..4), orders(), of.clone())
                .prop_map(|(dimensions, order, of)| Recipe::Subarray { dimensions, order, of }),
            (0..1000i64, prop::collection::vec(shares(), 1..4), orders(), of).prop_map(
                |(any, dimensions, order, of)| {
                    let rank = any % dimensions.iter().map(|d| d.psize).product::<i64>();
                    Recipe::Darray { rank, dimensions, order, of }
                }
            ),
        ]
    })
}

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::C), Just(Order::Fortran)]
}

fn slices() -> impl Strategy<Value = (i64, i64, i64)> {
    (1..4i64, 0..3i64, 0..3i64).prop_map(|(subsize, start, rest)| (start + subsize + rest, subsize, start))
}

fn shares() -> impl Strategy<Value = DarrayDimension> {
    let distributions =
        prop_oneof![Just(Distribution::Block), Just(Distribution::Cyclic), Just(Distribution::None)];
    (1..9i64, distributions, prop::option::of(0..3i64), 1..4i64).prop_map(
        |(gsize, distribution, darg, psize)| match distribution {
            Distribution::None => DarrayDimension { gsize, distribution, darg: None, psize: 1 },
            Distribution::Cyclic => {
                DarrayDimension { gsize, distribution, darg: darg.map(|extra| extra + 1), psize }
            }
            Distribution::Block => {
                let least = (gsize + psize - 1) / psize;
                DarrayDimension { gsize, distribution, darg: darg.map(|extra| least + extra), psize }
            }
        },
    )
}
