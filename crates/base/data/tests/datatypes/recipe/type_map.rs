//! The oracle: a datatype as the plain list of its basics and displacements, made by applying the
//! standard's definitions literally, one element at a time.

use mpirage_data::{Basic, DarrayDimension, Distribution, Order};

use super::{Recipe, pattern};

#[derive(Clone, Debug)]
pub struct TypeMap {
    pub entries: Vec<(Basic, i64)>,
    /// Lower and upper bound, `None` if the map is empty and was never resized.
    pub bounds: Option<(i64, i64)>,
    pub alignment: i64,
}

impl TypeMap {
    pub fn of(recipe: &Recipe) -> TypeMap {
        match recipe {
            Recipe::Basic(basic) => TypeMap::basic(*basic),
            Recipe::Dup(of) => TypeMap::of(of),
            Recipe::Contiguous { count, of } => copies(&TypeMap::of(of), &[(*count, 0)]),
            Recipe::Vector { count, blocklength, stride, of } => {
                let of = TypeMap::of(of);
                let blocks: Vec<_> = (0..*count).map(|i| (*blocklength, i * stride * of.extent())).collect();
                copies(&of, &blocks)
            }
            Recipe::Hvector { count, blocklength, stride, of } => {
                let blocks: Vec<_> = (0..*count).map(|i| (*blocklength, i * stride)).collect();
                copies(&TypeMap::of(of), &blocks)
            }
            Recipe::Indexed { blocks, of } => {
                let of = TypeMap::of(of);
                copies(&of, &blocks.iter().map(|&(n, at)| (n, at * of.extent())).collect::<Vec<_>>())
            }
            Recipe::Hindexed { blocks, of } => copies(&TypeMap::of(of), blocks),
            Recipe::IndexedBlock { blocklength, displacements, of } => {
                let of = TypeMap::of(of);
                let blocks: Vec<_> =
                    displacements.iter().map(|at| (*blocklength, at * of.extent())).collect();
                copies(&of, &blocks)
            }
            Recipe::HindexedBlock { blocklength, displacements, of } => {
                let blocks: Vec<_> = displacements.iter().map(|at| (*blocklength, *at)).collect();
                copies(&TypeMap::of(of), &blocks)
            }
            Recipe::Struct { members } => structure(members),
            Recipe::Resized { lb, extent, of } => {
                TypeMap { bounds: Some((*lb, lb + extent)), ..TypeMap::of(of) }
            }
            Recipe::Subarray { dimensions, order, of } => {
                let chosen =
                    dimensions.iter().map(|&(_, sub, start)| (start..start + sub).collect()).collect();
                grid(&TypeMap::of(of), dimensions.iter().map(|d| d.0).collect(), chosen, *order)
            }
            Recipe::Darray { rank, dimensions, order, of } => {
                let sizes = dimensions.iter().map(|d| d.gsize).collect();
                grid(&TypeMap::of(of), sizes, shares(*rank, dimensions), *order)
            }
        }
    }

    fn basic(basic: Basic) -> TypeMap {
        let entries = match basic.pair() {
            None => vec![(basic, 0)],
            Some((value, index)) => {
                let at = value.size().next_multiple_of(index.alignment()) as i64;
                vec![(value, 0), (index, at)]
            }
        };
        TypeMap { entries, bounds: Some((0, basic.extent() as i64)), alignment: basic.alignment() as i64 }
    }

    fn empty() -> TypeMap {
        TypeMap { entries: vec![], bounds: None, alignment: 1 }
    }

    pub fn lb(&self) -> i64 {
        self.bounds.map_or(0, |bounds| bounds.0)
    }

    pub fn extent(&self) -> i64 {
        self.bounds.map_or(0, |(lb, ub)| ub - lb)
    }

    pub fn size(&self) -> usize {
        self.entries.iter().map(|(basic, _)| basic.size()).sum()
    }

    pub fn true_lb(&self) -> i64 {
        self.entries.iter().map(|&(_, at)| at).min().unwrap_or(0)
    }

    pub fn true_ub(&self) -> i64 {
        self.entries.iter().map(|&(basic, at)| at + basic.size() as i64).max().unwrap_or(0)
    }

    /// `count` elements as an array has them.
    pub fn array(&self, count: usize) -> TypeMap {
        place(self, &[(count as i64, 0)])
    }

    /// The packed bytes of a memory that holds [`pattern`].
    pub fn packed_pattern(&self) -> Vec<u8> {
        self.displacements().map(pattern).collect()
    }

    /// Displacement of every byte of data, in packing order.
    pub fn displacements(&self) -> impl Iterator<Item = i64> {
        self.entries.iter().flat_map(|&(basic, at)| at..at + basic.size() as i64)
    }

    /// Whether a byte has two places in the data, which MPI forbids where data is received.
    pub fn overlaps(&self) -> bool {
        let mut bytes: Vec<i64> = self.displacements().collect();
        bytes.sort_unstable();
        bytes.windows(2).any(|pair| pair[0] == pair[1])
    }

    fn append(&mut self, other: &TypeMap, at: i64) {
        self.entries.extend(other.entries.iter().map(|&(basic, place)| (basic, place + at)));
        self.bounds = match (self.bounds, other.bounds.map(|(lb, ub)| (lb + at, ub + at))) {
            (Some((lb, ub)), Some((l, u))) => Some((lb.min(l), ub.max(u))),
            (mine, theirs) => mine.or(theirs),
        };
        self.alignment = self.alignment.max(other.alignment);
    }
}

/// Blocks of (length, displacement in bytes).
fn place(of: &TypeMap, blocks: &[(i64, i64)]) -> TypeMap {
    let mut map = TypeMap::empty();
    for &(length, at) in blocks {
        (0..length).for_each(|i| map.append(of, at + i * of.extent()));
    }
    map
}

/// Copies of a type without data are nothing, as MPICH has it.
fn copies(of: &TypeMap, blocks: &[(i64, i64)]) -> TypeMap {
    if of.entries.is_empty() { TypeMap::empty() } else { place(of, blocks) }
}

/// Members without data count where they stand, unless all are without data.
fn structure(members: &[(i64, i64, Recipe)]) -> TypeMap {
    let mut map = TypeMap::empty();
    for (length, at, of) in members {
        let of = TypeMap::of(of);
        let of = TypeMap { bounds: of.bounds.or(Some((0, 0))), ..of };
        (0..*length).for_each(|i| map.append(&of, at + i * of.extent()));
    }
    if map.entries.is_empty() {
        return TypeMap::empty();
    }
    if is_of_one_type(members) {
        return map;
    }
    while map.extent() % map.alignment != 0 {
        let (lb, ub) = map.bounds.unwrap();
        map.bounds = Some((lb, ub + 1));
    }
    map
}

/// Members count as of one type if their handles would be equal.
fn is_of_one_type(members: &[(i64, i64, Recipe)]) -> bool {
    members.windows(2).all(|pair| match (&pair[0].2, &pair[1].2) {
        (Recipe::Basic(a), Recipe::Basic(b)) => a == b,
        _ => false,
    })
}

/// The chosen indices of each dimension of an array of `sizes`.
fn grid(of: &TypeMap, mut sizes: Vec<i64>, mut chosen: Vec<Vec<i64>>, order: Order) -> TypeMap {
    if order == Order::Fortran {
        sizes.reverse();
        chosen.reverse();
    }
    let mut map = TypeMap::empty();
    let mut indices: Vec<i64> = vec![0];
    for (size, chosen) in sizes.iter().zip(&chosen) {
        indices = indices.iter().flat_map(|base| chosen.iter().map(move |i| base * size + i)).collect();
    }
    indices.iter().for_each(|index| map.append(of, index * of.extent()));
    let total: i64 = sizes.iter().product();
    TypeMap { bounds: Some((0, total * of.extent())), ..map }
}

/// The indices of each dimension that belong to `rank`.
fn shares(rank: i64, dimensions: &[DarrayDimension]) -> Vec<Vec<i64>> {
    let mut processes: i64 = dimensions.iter().map(|d| d.psize).product();
    let mut left = rank;
    let mut chosen = Vec::new();
    for dimension in dimensions {
        processes /= dimension.psize;
        let coordinate = left / processes;
        left %= processes;
        chosen.push((0..dimension.gsize).filter(|&i| owner(dimension, i) == coordinate).collect());
    }
    chosen
}

fn owner(dimension: &DarrayDimension, index: i64) -> i64 {
    let DarrayDimension { gsize, distribution, darg, psize } = *dimension;
    match distribution {
        Distribution::None => 0,
        Distribution::Block => index / darg.unwrap_or((gsize + psize - 1) / psize),
        Distribution::Cyclic => index / darg.unwrap_or(1) % psize,
    }
}
