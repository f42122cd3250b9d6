//! Process grids.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The extents of a process grid. Ranks are numbered as `MPI_Cart_create` numbers them: the last coordinate changes fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessGrid {
    extents: Vec<u32>,
}

/// A grid that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GridError {
    /// The text is not a grid.
    #[error("`{0}` is not a process grid; expected extents such as 16x16")]
    Text(String),
    /// The box of a coarse rank would have a part of a fine rank.
    #[error("a grid of {fine} cannot become one of {coarse}: each extent must be a multiple")]
    Multiple {
        /// The fine grid.
        fine: ProcessGrid,
        /// The coarse grid.
        coarse: ProcessGrid,
    },
}

impl ProcessGrid {
    /// The number of ranks.
    pub fn ranks(&self) -> u32 {
        self.extents.iter().product()
    }

    /// For each rank of this grid the rank of the coarser grid that stands for it.
    pub fn coarsen(&self, coarse: &ProcessGrid) -> Result<Vec<u32>, GridError> {
        let pairs = || self.extents.iter().zip(&coarse.extents);
        if self.extents.len() != coarse.extents.len() || pairs().any(|(fine, coarse)| fine % coarse != 0) {
            return Err(GridError::Multiple { fine: self.clone(), coarse: coarse.clone() });
        }
        Ok((0..self.ranks()).map(|rank| self.owner(coarse, rank)).collect())
    }

    fn owner(&self, coarse: &ProcessGrid, rank: u32) -> u32 {
        let (mut rest, mut stride, mut owner) = (rank, 1, 0);
        for (&extent, &parts) in self.extents.iter().zip(&coarse.extents).rev() {
            owner += rest % extent / (extent / parts) * stride;
            stride *= parts;
            rest /= extent;
        }
        owner
    }
}

impl FromStr for ProcessGrid {
    type Err = GridError;

    fn from_str(text: &str) -> Result<ProcessGrid, GridError> {
        let extents: Option<Vec<u32>> = text.split('x').map(|extent| extent.parse().ok()).collect();
        let ranks =
            |extents: &Vec<u32>| extents.iter().try_fold(1u32, |all, &extent| all.checked_mul(extent));
        let extents = extents.filter(|extents| ranks(extents).is_some_and(|ranks| ranks > 0));
        extents.map(|extents| ProcessGrid { extents }).ok_or_else(|| GridError::Text(text.to_owned()))
    }
}

impl fmt::Display for ProcessGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents: Vec<String> = self.extents.iter().map(u32::to_string).collect();
        f.write_str(&extents.join("x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(text: &str) -> ProcessGrid {
        text.parse().unwrap()
    }

    #[test]
    fn boxes_of_neighbours_become_one_rank() {
        assert_eq!(grid("4x2").coarsen(&grid("2x2")).unwrap(), [0, 1, 0, 1, 2, 3, 2, 3]);
        assert_eq!(grid("2x4").coarsen(&grid("1x2")).unwrap(), [0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(grid("6").coarsen(&grid("2")).unwrap(), [0, 0, 0, 1, 1, 1]);
        assert_eq!(grid("3x2").coarsen(&grid("3x2")).unwrap(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn grids_that_do_not_fit_are_refused() {
        for coarse in ["3x2", "4", "8x2", "2x2x1"] {
            assert!(
                matches!(grid("4x2").coarsen(&grid(coarse)), Err(GridError::Multiple { .. })),
                "{coarse}"
            );
        }
        for text in ["", "x", "4x", "4x0", "-1x2", "65536x65536", "4 x 4"] {
            assert!(matches!(text.parse::<ProcessGrid>(), Err(GridError::Text(_))), "{text}");
        }
    }
}
