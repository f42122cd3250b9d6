//! Ranks in a grid, the last dimension running fastest, as MPI's Cartesian topologies have it.

/// The most dimensions a pattern has.
const MOST: usize = 3;

/// A grid of one, two or three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    dims: [u32; MOST],
    strides: [u32; MOST],
    dimensions: usize,
    periodic: bool,
}

impl Grid {
    /// A grid of these extents; at most three of them count.
    pub fn new(extents: &[u32], periodic: bool) -> Grid {
        let dimensions = extents.len().min(MOST);
        let (mut dims, mut strides) = ([1; MOST], [1; MOST]);
        dims[..dimensions].copy_from_slice(&extents[..dimensions]);
        for axis in (0..dimensions.saturating_sub(1)).rev() {
            strides[axis] = strides[axis + 1] * dims[axis + 1];
        }
        Grid { dims, strides, dimensions, periodic }
    }

    /// How many dimensions it has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The neighbour of `rank` one step up or down an axis; none beyond a border, or if it would be the rank itself.
    pub fn neighbour(&self, rank: u32, axis: usize, up: bool) -> Option<u32> {
        let (extent, stride) = (self.dims[axis], self.strides[axis]);
        let place = rank / stride % extent;
        if extent == 1 {
            return None;
        }
        let border = if up { extent - 1 } else { 0 };
        match (place == border, up) {
            (true, _) if !self.periodic => None,
            (true, true) => Some(rank - place * stride),
            (true, false) => Some(rank + (extent - 1) * stride),
            (false, true) => Some(rank + stride),
            (false, false) => Some(rank - stride),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_a_torus_are_mutual() {
        let grid = Grid::new(&[3, 4, 2], true);
        for rank in 0..24 {
            for axis in 0..3 {
                let up = grid.neighbour(rank, axis, true).unwrap();
                assert_eq!(grid.neighbour(up, axis, false), Some(rank));
                assert_ne!(up, rank);
            }
        }
    }

    #[test]
    fn a_border_ends_a_grid_that_is_not_periodic() {
        let grid = Grid::new(&[2, 3], false);
        assert_eq!(grid.neighbour(0, 0, false), None);
        assert_eq!(grid.neighbour(0, 0, true), Some(3));
        assert_eq!(grid.neighbour(2, 1, true), None);
        assert_eq!(grid.neighbour(5, 1, false), Some(4));
    }

    #[test]
    fn nobody_is_its_own_neighbour() {
        let grid = Grid::new(&[4, 1], true);
        assert_eq!(grid.neighbour(2, 1, true), None);
        assert_eq!(grid.neighbour(3, 0, true), Some(0));
    }
}
