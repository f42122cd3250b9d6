//! Views: which bytes of a file a process sees, and in which order.
//!
//! A view repeats a filetype from a displacement on. What the process sees is a stream of bytes; [`View::places`] tells where a part
//! of the stream lies in the file.
//!
//! ```text
//! file    |displacement|##..###.|##..###.|##..###.|      # bytes of the filetype
//! stream               01  234   56  789   …
//! ```

use std::sync::Arc;

use mpirage_data::{Basic, Datatype};

use crate::constants::{MPI_ERR_ARG, MPI_ERR_IO};
use crate::ground::error::{MpiError, Result, ensure};

/// The part of a file that a process sees.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub displacement: u64,
    /// Bytes of an elementary datatype in the file.
    unit: u64,
    tile: Arc<Tile>,
}

/// One filetype.
#[derive(Debug)]
struct Tile {
    /// Its bytes in the stream.
    size: u64,
    /// From one filetype to the next in the file.
    extent: u64,
    /// The stretches of its bytes: where each begins in the stream and in the file, and its length.
    stretches: Vec<Stretch>,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    stream: u64,
    file: u64,
    length: u64,
}

/// Adjacent bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRange {
    pub offset: u64,
    pub length: u64,
}

impl View {
    /// The whole file as bytes.
    pub(crate) fn of_bytes() -> View {
        let byte = Datatype::basic(Basic::Byte);
        View::new(0, &byte, &byte).expect("bytes are a view")
    }

    /// A view of these datatypes, as they are in the file.
    pub(crate) fn new(displacement: u64, etype: &Datatype, filetype: &Datatype) -> Result<View> {
        stretches("etype", etype)?;
        let unit = etype.size() as u64;
        ensure(unit > 0, MPI_ERR_ARG, || "etype has no data".to_owned())?;
        let size = filetype.size() as u64;
        let whole = size.is_multiple_of(unit);
        ensure(whole, MPI_ERR_ARG, || {
            format!("filetype has {size} bytes of data, which are no whole number of etypes of {unit} bytes")
        })?;
        let tile = Tile {
            size,
            extent: filetype.extent().max(0) as u64,
            stretches: stretches("filetype", filetype)?,
        };
        Ok(View { displacement, unit, tile: Arc::new(tile) })
    }

    /// Does a filetype have the same bytes of the file twice?
    pub(crate) fn overlaps(&self) -> bool {
        self.tile.stretches.windows(2).any(|pair| pair[1].file < pair[0].file + pair[0].length)
    }

    /// Bytes of an elementary datatype in the file.
    pub(crate) fn unit(&self) -> u64 {
        self.unit
    }

    /// Where a part of the stream lies, in the order of the stream; adjacent places are one.
    pub(crate) fn places(&self, start: u64, length: u64) -> Places<'_> {
        let (tile, within) = (start.checked_div(self.tile.size).unwrap_or(0), start % self.tile.size.max(1));
        let after = self.tile.stretches.partition_point(|stretch| stretch.stream <= within);
        Places { view: self, tile, stretch: after.saturating_sub(1), within, left: length }
    }

    /// Where a byte of the stream lies in the file.
    pub(crate) fn offset_of(&self, position: u64) -> u64 {
        self.places(position, 1).next().map_or(self.displacement, |place| place.offset)
    }

    /// The bytes of the stream in front of a place of the file.
    pub(crate) fn stream_before(&self, end: u64) -> u64 {
        let Some(inside) = end.checked_sub(self.displacement) else { return 0 };
        let Tile { size, extent, stretches } = &*self.tile;
        let Some(last) = stretches.last() else { return 0 };
        let Some(tiles) = inside.checked_div(*extent) else { return 0 };
        // A filetype may reach beyond its extent, so those before may have bytes here too.
        let reach = (last.file + last.length).div_ceil(*extent).max(1);
        let first = (tiles + 1).saturating_sub(reach);
        let in_tile = |tile: u64| {
            let rest = inside - tile * extent;
            stretches.iter().map(|stretch| rest.saturating_sub(stretch.file).min(stretch.length)).sum::<u64>()
        };
        first * size + (first..=tiles).map(in_tile).sum::<u64>()
    }
}

/// Places of a part of the stream.
pub(crate) struct Places<'a> {
    view: &'a View,
    tile: u64,
    stretch: usize,
    /// Position in the stream of the tile.
    within: u64,
    left: u64,
}

impl Places<'_> {
    /// The rest of the current stretch.
    fn current(&self) -> Option<FileRange> {
        let Tile { extent, stretches, .. } = &*self.view.tile;
        let stretch = stretches.get(self.stretch)?;
        let skipped = self.within - stretch.stream;
        let offset = self.view.displacement + self.tile * extent + stretch.file + skipped;
        Some(FileRange { offset, length: (stretch.length - skipped).min(self.left) })
    }

    fn advance(&mut self, by: u64) {
        self.left -= by;
        self.within += by;
        let stretches = &self.view.tile.stretches;
        if stretches.get(self.stretch).is_some_and(|now| self.within >= now.stream + now.length) {
            self.stretch += 1;
            if self.stretch == stretches.len() {
                (self.stretch, self.within, self.tile) = (0, 0, self.tile + 1);
            }
        }
    }

    /// Whole tiles whose bytes are all adjacent, at once.
    fn jump(&mut self) -> Option<FileRange> {
        let Tile { size, extent, stretches } = &*self.view.tile;
        let dense = stretches.len() == 1 && size == extent;
        (dense && self.left > 0).then(|| {
            let offset = self.current().map_or(self.view.displacement, |place| place.offset);
            let length = std::mem::take(&mut self.left);
            FileRange { offset, length }
        })
    }
}

impl Iterator for Places<'_> {
    type Item = FileRange;

    fn next(&mut self) -> Option<FileRange> {
        if let Some(all) = self.jump() {
            return Some(all);
        }
        if self.left == 0 {
            return None;
        }
        let mut place = self.current()?;
        self.advance(place.length);
        while self.left > 0 {
            let next = self.current()?;
            if next.offset != place.offset + place.length {
                break;
            }
            place.length += next.length;
            self.advance(next.length);
        }
        Some(place)
    }
}

fn stretches(what: &str, datatype: &Datatype) -> Result<Vec<Stretch>> {
    let (mut stream, mut before, mut found) = (0, 0, Vec::new());
    for (displacement, length) in datatype.stretches(1) {
        // ROMIO, whose classes of errors MPICH has, gives this class for both.
        let wrong = |how: &str| {
            MpiError::new(MPI_ERR_IO, format!("{what} has a displacement of {displacement} bytes{how}"))
        };
        let file = u64::try_from(displacement).map_err(|_| wrong(""))?;
        if file < before {
            return Err(wrong(&format!(" after one of {before} bytes")));
        }
        found.push(Stretch { stream, file, length: length as u64 });
        stream += length as u64;
        before = file;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(view: &View, start: u64, length: u64) -> Vec<(u64, u64)> {
        view.places(start, length).map(|place| (place.offset, place.length)).collect()
    }

    /// Ints at 0 and 8 of every 16 bytes, from byte 100 on.
    fn every_other() -> View {
        let int = Datatype::basic(Basic::Int);
        let pair = int.vector(2, 1, 2).unwrap().resized(0, 16).unwrap();
        View::new(100, &int, &pair).unwrap()
    }

    #[test]
    fn a_stream_lies_in_the_stretches_of_its_filetypes() {
        let view = every_other();
        assert_eq!(places(&view, 0, 12), [(100, 4), (108, 4), (116, 4)]);
        assert_eq!(places(&view, 6, 8), [(110, 2), (116, 4), (124, 2)]);
        assert_eq!(places(&view, 4, 0), []);
        assert_eq!([0, 4, 8, 9].map(|position| view.offset_of(position)), [100, 108, 116, 117]);
    }

    #[test]
    fn adjacent_bytes_are_one_place() {
        assert_eq!(places(&View::of_bytes(), 7, 1 << 40), [(7, 1 << 40)]);
        let int = Datatype::basic(Basic::Int);
        // The last int of a filetype touches the first of the next one.
        let ends = int.indexed(&[1, 1], &[0, 2]).unwrap();
        let view = View::new(0, &int, &ends).unwrap();
        assert_eq!(places(&view, 0, 16), [(0, 4), (8, 8), (20, 4)]);
    }

    #[test]
    fn the_stream_in_front_of_the_end_of_a_file() {
        let view = every_other();
        assert_eq!(
            [0, 100, 102, 104, 108, 115, 116, 118].map(|end| view.stream_before(end)),
            [0, 0, 2, 4, 4, 8, 8, 10]
        );
        assert_eq!(View::of_bytes().stream_before(9), 9);
    }

    #[test]
    fn filetypes_are_whole_numbers_of_etypes() {
        let (int, byte) = (Datatype::basic(Basic::Int), Datatype::basic(Basic::Byte));
        assert!(View::new(0, &int, &byte.contiguous(6).unwrap()).is_err());
        assert!(View::new(0, &int.contiguous(0).unwrap(), &int).is_err());
        let backwards = int.indexed(&[1, 1], &[3, 0]).unwrap();
        let error = View::new(0, &int, &backwards).unwrap_err();
        assert_eq!(error.text, "filetype has a displacement of 0 bytes after one of 12 bytes");
        assert!(View::new(0, &backwards, &backwards).unwrap_err().text.starts_with("etype"));
        let twice = int.indexed(&[3, 1], &[0, 1]).unwrap();
        assert!(View::new(0, &int, &twice).unwrap().overlaps());
        assert!(!every_other().overlaps());
    }
}
