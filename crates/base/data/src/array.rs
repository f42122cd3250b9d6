//! Parts of multidimensional arrays: one rectangle (`subarray`), or one process's share of an
//! array distributed over a grid of processes (`darray`).
//!
//! Both are built one dimension at a time, the fastest-varying first: what was built so far is the
//! element of the next dimension. After each dimension the bounds are set to those of the whole
//! array, `0..size`, so that the next one finds the right extent.

use crate::body::Body;
use crate::bounds::mul;
use crate::construct::same_length;
use crate::contents::{Constructor, DarrayDimension, Distribution, Order};
use crate::datatype::Datatype;
use crate::error::DatatypeError;

impl Datatype {
    /// `MPI_Type_create_subarray`.
    pub fn subarray(
        &self,
        sizes: &[i64],
        subsizes: &[i64],
        starts: &[i64],
        order: Order,
    ) -> Result<Datatype, DatatypeError> {
        same_length("subsizes", sizes.len(), subsizes.len())?;
        same_length("starts", sizes.len(), starts.len())?;
        let mut body = self.body().clone();
        for d in fastest_first(sizes.len(), order) {
            in_range("a size", sizes[d], 1, i64::MAX)?;
            in_range("a subsize", subsizes[d], 1, sizes[d])?;
            in_range("a start", starts[d], 0, sizes[d] - subsizes[d])?;
            body = slice(&body, sizes[d], subsizes[d], starts[d])?;
        }
        let (sizes, subsizes, starts) = (sizes.to_vec(), subsizes.to_vec(), starts.to_vec());
        Ok(Datatype::new(Constructor::Subarray { sizes, subsizes, starts, order, of: self.clone() }, body))
    }

    /// `MPI_Type_create_darray`: the share of process `rank` of `size`. The process grid is always
    /// numbered with the last coordinate fastest, whatever the order of the array.
    pub fn darray(
        &self,
        size: i64,
        rank: i64,
        dimensions: &[DarrayDimension],
        order: Order,
    ) -> Result<Datatype, DatatypeError> {
        let coordinates = grid_coordinates(size, rank, dimensions)?;
        let mut body = self.body().clone();
        for d in fastest_first(dimensions.len(), order) {
            body = share(&body, &dimensions[d], coordinates[d])?;
        }
        let dimensions = dimensions.to_vec();
        Ok(Datatype::new(Constructor::Darray { size, rank, dimensions, order, of: self.clone() }, body))
    }
}

impl DarrayDimension {
    /// Elements per block. A dimension that is not distributed is one block.
    fn block(&self) -> Result<i64, DatatypeError> {
        let DarrayDimension { gsize, psize, darg, .. } = *self;
        match (self.distribution, darg) {
            (Distribution::None, _) => {
                in_range("the process grid's side in a dimension not distributed", psize, 1, 1)?;
                Ok(gsize)
            }
            (Distribution::Block, None) => Ok((gsize - 1) / psize + 1),
            (Distribution::Cyclic, None) => Ok(1),
            (Distribution::Block, Some(darg)) => {
                in_range("the block of a block distribution", darg, (gsize - 1) / psize + 1, i64::MAX)?;
                Ok(darg)
            }
            (Distribution::Cyclic, Some(darg)) => {
                in_range("the block of a cyclic distribution", darg, 1, i64::MAX)?;
                Ok(darg)
            }
        }
    }
}

/// Elements `start..start + subsize` of an array of `size`.
fn slice(element: &Body, size: i64, subsize: i64, start: i64) -> Result<Body, DatatypeError> {
    let extent = element.extent();
    element.array(subsize)?.shift(mul(start, extent)?)?.resized(0, mul(size, extent)?)
}

/// The blocks of process `coordinate`: every `psize`-th, of which the array's end may cut the last.
fn share(element: &Body, dimension: &DarrayDimension, coordinate: i64) -> Result<Body, DatatypeError> {
    let (extent, gsize) = (element.extent(), dimension.gsize);
    let block = dimension.block()?;
    let first = mul(coordinate, block)?;
    let round = mul(block, dimension.psize)?;
    let beyond_first = (gsize - first).max(0);
    let whole = beyond_first / round + i64::from(beyond_first % round >= block);
    let rest = if beyond_first % round < block { beyond_first % round } else { 0 };

    let blocks = element.array(block)?.repeat(whole, mul(round, extent)?)?;
    let cut = element.array(rest)?.shift(mul(mul(whole, round)?, extent)?)?;
    let share = Body::sequence(vec![blocks, cut])?.shift(mul(first, extent)?)?;
    share.resized(0, mul(gsize, extent)?)
}

fn grid_coordinates(size: i64, rank: i64, dimensions: &[DarrayDimension]) -> Result<Vec<i64>, DatatypeError> {
    let mut grid = 1;
    for dimension in dimensions {
        in_range("a global size", dimension.gsize, 1, i64::MAX)?;
        in_range("a side of the process grid", dimension.psize, 1, i64::MAX)?;
        grid = mul(grid, dimension.psize)?;
    }
    if grid != size {
        return Err(DatatypeError::Grid { grid, processes: size });
    }
    in_range("the rank", rank, 0, size - 1)?;
    let mut left = rank;
    let mut coordinates: Vec<i64> = Vec::with_capacity(dimensions.len());
    for dimension in dimensions.iter().rev() {
        coordinates.push(left % dimension.psize);
        left /= dimension.psize;
    }
    coordinates.reverse();
    Ok(coordinates)
}

fn fastest_first(dimensions: usize, order: Order) -> Vec<usize> {
    match order {
        Order::C => (0..dimensions).rev().collect(),
        Order::Fortran => (0..dimensions).collect(),
    }
}

fn in_range(what: &'static str, value: i64, low: i64, high: i64) -> Result<(), DatatypeError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(DatatypeError::OutOfRange { what, value, low, high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basic;
    use crate::pack::Origin;

    fn elements(datatype: &Datatype, of: i64) -> Vec<u8> {
        let mut packed = Vec::new();
        datatype.pack(1, &(0..of as u8).collect::<Vec<_>>(), Origin(0), &mut packed);
        packed
    }

    #[test]
    fn a_rectangle_in_both_orders() {
        let byte = Datatype::basic(Basic::Byte);
        let c = byte.subarray(&[3, 4], &[2, 2], &[1, 1], Order::C).unwrap();
        assert_eq!(elements(&c, 12), [5, 6, 9, 10]);
        let fortran = byte.subarray(&[3, 4], &[2, 2], &[1, 1], Order::Fortran).unwrap();
        assert_eq!(elements(&fortran, 12), [4, 5, 7, 8]);
        assert_eq!((c.lb(), c.extent(), c.true_lb()), (0, 12, 5));
    }

    #[test]
    fn every_element_belongs_to_one_process() {
        let dimension =
            |gsize, distribution, darg, psize| DarrayDimension { gsize, distribution, darg, psize };
        let dimensions = [
            dimension(5, Distribution::Block, None, 2),
            dimension(3, Distribution::None, None, 1),
            dimension(7, Distribution::Cyclic, Some(2), 3),
        ];
        let byte = Datatype::basic(Basic::Byte);
        let mut all: Vec<u8> = (0..6)
            .flat_map(|rank| elements(&byte.darray(6, rank, &dimensions, Order::C).unwrap(), 105))
            .collect();
        all.sort_unstable();
        assert_eq!(all, (0..105).collect::<Vec<u8>>());
    }

    #[test]
    fn impossible_arrays_are_refused() {
        let byte = Datatype::basic(Basic::Byte);
        let error = byte.subarray(&[3], &[2], &[2], Order::C).unwrap_err();
        assert_eq!(error.to_string(), "a start is 2, outside 0..=1");
        let block = DarrayDimension { gsize: 9, distribution: Distribution::Block, darg: Some(2), psize: 4 };
        let error = byte.darray(4, 0, &[block], Order::C).unwrap_err();
        let largest = i64::MAX;
        assert_eq!(
            error.to_string(),
            format!("the block of a block distribution is 2, outside 3..={largest}")
        );
        assert_eq!(byte.darray(3, 0, &[block], Order::C), Err(DatatypeError::Grid { grid: 4, processes: 3 }));
    }
}
