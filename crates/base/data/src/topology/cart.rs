//! Cartesian grids of processes. Ranks run along the last dimension first, as in C.

use super::{TopologyError, below, same_length};

/// A grid: its sides, and which of them close to a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cart {
    dims: Vec<u32>,
    periodic: Vec<bool>,
}

/// The two neighbours of `MPI_Cart_shift`; `None` is `MPI_PROC_NULL`, beyond a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The rank that sends to me.
    pub source: Option<u32>,
    /// The rank that I send to.
    pub destination: Option<u32>,
}

/// Where a rank lands in `MPI_Cart_sub`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubGrid {
    /// The number of its slice, counted along the dimensions dropped.
    pub color: u32,
    /// Its rank there.
    pub rank: u32,
}

impl Cart {
    /// A grid of these sides. Without dimensions it has one process.
    pub fn new(dims: &[i32], periodic: &[bool]) -> Result<Cart, TopologyError> {
        same_length("periods", dims.len(), periodic.len())?;
        let mut size: i32 = 1;
        for &side in dims {
            if side <= 0 {
                return Err(TopologyError::NotPositive { what: "a dimension", value: side.into() });
            }
            size = size.checked_mul(side).ok_or(TopologyError::TooLarge)?;
        }
        Ok(Cart { dims: dims.iter().map(|&side| side as u32).collect(), periodic: periodic.to_vec() })
    }

    /// Sides of the grid.
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// For each dimension, whether it closes to a ring.
    pub fn periodic(&self) -> &[bool] {
        &self.periodic
    }

    /// Number of processes.
    pub fn size(&self) -> u32 {
        self.dims.iter().product()
    }

    /// `MPI_Cart_rank`. Coordinates beyond a periodic side come back in at the other end.
    pub fn rank(&self, coordinates: &[i32]) -> Result<u32, TopologyError> {
        same_length("coordinates", self.dims.len(), coordinates.len())?;
        let mut rank = 0;
        for (d, &coordinate) in coordinates.iter().enumerate() {
            rank = rank * self.dims[d] + self.wrap(d, coordinate.into())?;
        }
        Ok(rank)
    }

    /// `MPI_Cart_coords`.
    pub fn coordinates(&self, rank: i32) -> Result<Vec<u32>, TopologyError> {
        let mut left = below("rank", rank.into(), self.size().into())?;
        let mut coordinates: Vec<u32> = self
            .dims
            .iter()
            .rev()
            .map(|&side| {
                let coordinate = left % side;
                left /= side;
                coordinate
            })
            .collect();
        coordinates.reverse();
        Ok(coordinates)
    }

    /// `MPI_Cart_shift` for process `rank`.
    pub fn shift(&self, rank: i32, direction: i32, displacement: i32) -> Result<Shift, TopologyError> {
        let direction = below("direction", direction.into(), self.dims.len() as i64)? as usize;
        let here = self.coordinates(rank)?[direction];
        let stride: u32 = self.dims[direction + 1..].iter().product();
        let at = |distance: i64| {
            let there = self.wrap(direction, i64::from(here) + distance).ok()?;
            Some((rank as u32 - here * stride) + there * stride)
        };
        Ok(Shift { source: at(-i64::from(displacement)), destination: at(displacement.into()) })
    }

    /// Neighbours in the order of neighbourhood collectives: for each dimension the one before and
    /// the one after.
    pub fn neighbors(&self, rank: i32) -> Result<Vec<Option<u32>>, TopologyError> {
        let mut neighbors = Vec::with_capacity(2 * self.dims.len());
        for direction in 0..self.dims.len() {
            let Shift { source, destination } = self.shift(rank, direction as i32, 1)?;
            neighbors.extend([source, destination]);
        }
        Ok(neighbors)
    }

    /// The grid of each slice of `MPI_Cart_sub`.
    pub fn sub(&self, remain: &[bool]) -> Result<Cart, TopologyError> {
        same_length("flags", self.dims.len(), remain.len())?;
        let kept: Vec<usize> = (0..remain.len()).filter(|&d| remain[d]).collect();
        Ok(Cart {
            dims: kept.iter().map(|&d| self.dims[d]).collect(),
            periodic: kept.iter().map(|&d| self.periodic[d]).collect(),
        })
    }

    /// The slice that `rank` belongs to in `MPI_Cart_sub`, and its rank there.
    pub fn sub_grid(&self, rank: i32, remain: &[bool]) -> Result<SubGrid, TopologyError> {
        same_length("flags", self.dims.len(), remain.len())?;
        let mut place = SubGrid { color: 0, rank: 0 };
        for (d, coordinate) in self.coordinates(rank)?.into_iter().enumerate() {
            let number = if remain[d] { &mut place.rank } else { &mut place.color };
            *number = *number * self.dims[d] + coordinate;
        }
        Ok(place)
    }

    fn wrap(&self, dimension: usize, coordinate: i64) -> Result<u32, TopologyError> {
        let side = i64::from(self.dims[dimension]);
        let coordinate = if self.periodic[dimension] { coordinate.rem_euclid(side) } else { coordinate };
        below("coordinate", coordinate, side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rows that end, of four columns that close.
    fn cylinder() -> Cart {
        Cart::new(&[3, 4], &[false, true]).unwrap()
    }

    #[test]
    fn ranks_and_coordinates_invert_each_other() {
        let cart = Cart::new(&[3, 1, 4, 2], &[false; 4]).unwrap();
        for rank in 0..24 {
            let coordinates: Vec<i32> = cart.coordinates(rank).unwrap().iter().map(|&c| c as i32).collect();
            assert_eq!(cart.rank(&coordinates), Ok(rank as u32));
        }
        assert_eq!(cart.coordinates(23), Ok(vec![2, 0, 3, 1]));
    }

    #[test]
    fn rings_wrap_and_borders_do_not() {
        assert_eq!(cylinder().rank(&[1, -1]), Ok(7));
        assert_eq!(cylinder().rank(&[1, 9]), Ok(5));
        let error = cylinder().rank(&[3, 0]).unwrap_err();
        assert_eq!(error.to_string(), "coordinate 3 is outside 0..3");
    }

    #[test]
    fn shifts_end_at_a_border() {
        assert_eq!(cylinder().shift(0, 0, 1), Ok(Shift { source: None, destination: Some(4) }));
        assert_eq!(cylinder().shift(0, 1, 1), Ok(Shift { source: Some(3), destination: Some(1) }));
        assert_eq!(cylinder().shift(5, 0, -2), Ok(Shift { source: None, destination: None }));
        assert_eq!(cylinder().shift(5, 1, 0), Ok(Shift { source: Some(5), destination: Some(5) }));
        assert_eq!(cylinder().neighbors(4), Ok(vec![Some(0), Some(8), Some(7), Some(5)]));
        assert!(cylinder().shift(0, 2, 1).is_err());
    }

    #[test]
    fn slices_keep_the_chosen_dimensions() {
        let cart = Cart::new(&[2, 3, 4], &[true, false, true]).unwrap();
        let remain = [true, false, true];
        assert_eq!(cart.sub(&remain), Cart::new(&[2, 4], &[true, true]));
        // coordinates (1, 2, 3)
        assert_eq!(cart.sub_grid(23, &remain), Ok(SubGrid { color: 2, rank: 7 }));
        assert_eq!(cart.sub(&[false; 3]).unwrap().size(), 1);
    }

    #[test]
    fn impossible_grids_are_refused() {
        assert!(Cart::new(&[2, 0], &[false; 2]).is_err());
        assert_eq!(Cart::new(&[1 << 20, 1 << 20], &[false; 2]), Err(TopologyError::TooLarge));
    }
}
