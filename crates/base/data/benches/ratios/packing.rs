//! Datatypes, each beside the loop that packs the same bytes.

use std::hint::black_box;

use mpirage_data::{Basic, Datatype, Order, Origin};

/// A loop that copies from one memory to another.
type Copying = Box<dyn Fn(&[u8], &mut [u8])>;

/// Loops that a program would write.
pub struct Plain {
    pack: Copying,
    unpack: Copying,
}

pub struct Case {
    pub name: &'static str,
    datatype: Datatype,
    count: usize,
    plain: Plain,
}

impl Case {
    /// Prints its row.
    pub fn measure(&self) {
        let (low, high) = self.datatype.span(self.count).expect("small");
        assert_eq!(low, 0, "memory begins with the first element");
        let memory: Vec<u8> = (0..=250).cycle().take(high as usize).collect();
        let bytes = self.datatype.size() * self.count;
        let (source, mut packed, mut again) = (vec![1; bytes], vec![0; bytes], vec![0; bytes]);
        (self.plain.pack)(&memory, &mut again);
        self.datatype.pack_into(self.count, &memory, Origin(0), &mut packed);
        assert!(packed == again, "{}: the loop packs something else", self.name);

        let (mut other, mut third) = (memory.clone(), memory.clone());
        self.datatype.unpack(self.count, &source, &mut other, Origin(0));
        (self.plain.unpack)(&source, &mut third);
        assert!(other == third, "{}: the loop unpacks something else", self.name);
        let copied = &mut vec![0; bytes];
        let times = super::in_turns(&mut [
            &mut || black_box(&mut *copied).copy_from_slice(black_box(&source)),
            &mut || (self.plain.pack)(black_box(&memory), black_box(&mut again)),
            &mut || (self.plain.unpack)(black_box(&source), black_box(&mut third)),
            &mut || {
                self.datatype.pack_into(self.count, black_box(&memory), Origin(0), black_box(&mut packed))
            },
            &mut || {
                self.datatype.unpack(self.count, black_box(&source), black_box(&mut other), Origin(0));
            },
        ]);
        self.print(&times, bytes);
    }

    fn print(&self, times: &[f64], bytes: usize) {
        let &[memcpy, plain_pack, plain_unpack, pack, unpack] = times else {
            unreachable!("five were measured")
        };
        println!(
            "{:34} {:4.0} GB/s {:8.2} {:8.2} {:10.2} {:8.2}",
            self.name,
            bytes as f64 / memcpy,
            pack / memcpy,
            unpack / memcpy,
            pack / plain_pack,
            unpack / plain_unpack
        );
    }
}

/// A loop over blocks of `N` bytes in two levels; `place` gives the block in memory.
fn nest<const N: usize>(
    outer: usize,
    inner: usize,
    place: impl Fn(usize, usize) -> usize + Clone + 'static,
) -> Plain {
    let there = place.clone();
    let pack = move |memory: &[u8], out: &mut [u8]| {
        let (from, to) = (memory.as_chunks::<N>().0, out.as_chunks_mut::<N>().0);
        for (row, to) in to.chunks_exact_mut(inner).take(outer).enumerate() {
            for (column, to) in to.iter_mut().enumerate() {
                *to = from[place(row, column)];
            }
        }
    };
    let unpack = move |packed: &[u8], memory: &mut [u8]| {
        let (from, to) = (packed.as_chunks::<N>().0, memory.as_chunks_mut::<N>().0);
        for (row, from) in from.chunks_exact(inner).take(outer).enumerate() {
            for (column, from) in from.iter().enumerate() {
                to[there(row, column)] = *from;
            }
        }
    };
    Plain { pack: Box::new(pack), unpack: Box::new(unpack) }
}

/// Cases of about so many packed bytes.
pub fn cases(bytes: usize) -> Vec<Case> {
    let mut cases = vec![Case {
        name: "contiguous",
        datatype: double(),
        count: bytes / 8,
        plain: nest::<8>(1, bytes / 8, |_, i| i),
    }];
    cases.extend(vectors(bytes));
    cases.extend([
        interior(bytes),
        face(bytes),
        indexed(bytes),
        blocks(bytes),
        record(bytes),
        particle(bytes),
    ]);
    cases
}

fn double() -> Datatype {
    Datatype::basic(Basic::Double)
}

/// Blocks of basics of `N` bytes. The loops do not know the stride before they run, as loops over a matrix do not.
fn vector<const N: usize>(
    name: &'static str,
    basic: Basic,
    bytes: usize,
    length: usize,
    stride: usize,
) -> Case {
    let blocks = bytes / N / length;
    let datatype = Datatype::basic(basic).vector(blocks as i64, length as i64, stride as i64).expect("small");
    let stride = black_box(stride);
    let plain = match length {
        1 => nest::<N>(1, blocks, move |_, i| i * stride),
        _ => nest::<N>(blocks, length, move |block, i| block * stride + i),
    };
    Case { name, datatype, count: 1, plain }
}

fn vectors(bytes: usize) -> [Case; 7] {
    [
        vector::<8>("vector, 1 double of 2", Basic::Double, bytes, 1, 2),
        vector::<8>("vector, 1 double of 64", Basic::Double, bytes, 1, 64),
        vector::<4>("vector, 1 int of 2", Basic::Int, bytes, 1, 2),
        vector::<1>("vector, 1 char of 4", Basic::Char, bytes, 1, 4),
        vector::<8>("vector, 2 doubles of 5", Basic::Double, bytes, 2, 5),
        vector::<8>("vector, 5 doubles of 9", Basic::Double, bytes, 5, 9),
        vector::<8>("vector, 32 doubles of 64", Basic::Double, bytes, 32, 64),
    ]
}

/// The inner part of a cube of doubles: what a halo surrounds.
fn interior(bytes: usize) -> Case {
    let side = ((bytes / 8) as f64).cbrt() as usize;
    let full = side + 2;
    let datatype = double().subarray(&[full as i64; 3], &[side as i64; 3], &[1; 3], Order::C).expect("small");
    let plain = nest::<8>(side * side, side, move |row, x| (row / side * full + row % side) * full + x);
    Case { name: "subarray, inside of a cube", datatype: at_origin(datatype), count: 1, plain }
}

/// The same datatype with its first byte at the origin.
fn at_origin(datatype: Datatype) -> Datatype {
    let low = datatype.true_lb();
    datatype.hindexed(&[1], &[-low]).expect("small")
}

/// A face of a cube that has one double of each row: 64 rows of some planes, with a halo of one row on both sides.
fn face(bytes: usize) -> Case {
    let planes = bytes / 8 / 64;
    let datatype = double()
        .subarray(&[planes as i64, 66, 6], &[planes as i64, 64, 1], &[0, 1, 5], Order::C)
        .expect("small");
    let plain = nest::<8>(planes, 64, |plane, row| (plane * 66 + row) * 6);
    Case { name: "subarray, face of a cube", datatype: at_origin(datatype), count: 1, plain }
}

/// Doubles at irregular places, one in six beside the one before.
fn indexed(bytes: usize) -> Case {
    let places: Vec<i64> = (0..(bytes / 8) as i64).map(|nth| 3 * nth + nth % 2 + nth % 3 / 2).collect();
    let datatype = double().indexed_block(1, &places).expect("small");
    let plain = nest::<8>(1, places.len(), move |_, i| places[i] as usize);
    Case { name: "indexed_block, irregular doubles", datatype, count: 1, plain }
}

/// Blocks of 1 to 3 doubles at irregular places.
fn blocks(bytes: usize) -> Case {
    let number = bytes / 16;
    let lengths: Vec<i64> = (0..number as i64).map(|nth| 1 + nth * nth / 3 % 3).collect();
    let places: Vec<i64> = (0..number as i64).map(|nth| 5 * nth + nth % 2).collect();
    let datatype = double().indexed(&lengths, &places).expect("small");
    let each = |(&at, &length): (&i64, &i64)| at..at + length;
    let doubles: Vec<i64> = places.iter().zip(&lengths).flat_map(each).collect();
    let plain = nest::<8>(1, doubles.len(), move |_, i| doubles[i] as usize);
    Case { name: "indexed, blocks of 1 to 3 doubles", datatype, count: 1, plain }
}

/// `struct { double; int; char; }` in C: 13 of 16 bytes.
fn record(bytes: usize) -> Case {
    let members = [Basic::Double.into(), Basic::Int.into(), Basic::Char.into()];
    let datatype = Datatype::structure(&[1; 3], &[0, 8, 12], &members).expect("small");
    let count = bytes / 13;
    let pack = |memory: &[u8], out: &mut [u8]| {
        for (from, to) in memory.chunks(16).zip(out.as_chunks_mut::<13>().0) {
            to.copy_from_slice(&from[..13]);
        }
    };
    let unpack = |packed: &[u8], memory: &mut [u8]| {
        for (to, from) in memory.chunks_mut(16).zip(packed.as_chunks::<13>().0) {
            to[..13].copy_from_slice(from);
        }
    };
    let plain = Plain { pack: Box::new(pack), unpack: Box::new(unpack) };
    Case { name: "struct, 13 of 16 bytes", datatype: datatype.resized(0, 16).expect("small"), count, plain }
}

/// A particle's position and velocity, and not what is between them.
fn particle(bytes: usize) -> Case {
    let members = [double(), double()];
    let datatype = Datatype::structure(&[3, 3], &[0, 40], &members).expect("small");
    let count = bytes / 48;
    let plain = nest::<8>(count, 6, |particle, i| particle * 8 + i + if i < 3 { 0 } else { 2 });
    Case {
        name: "struct, 3 + 3 of 8 doubles",
        datatype: datatype.resized(0, 64).expect("small"),
        count,
        plain,
    }
}
