//! Operators, each beside the loop over numbers of its type.

use std::hint::black_box;

use mpirage_data::{Basic, Op, apply};

/// Both loops over vectors of so many bytes.
pub struct Case {
    pub name: String,
    op: Op,
    basic: Basic,
    bytes: usize,
    plain: Box<dyn FnMut()>,
}

impl Case {
    /// Prints its row.
    pub fn measure(mut self) {
        let (input, mut inout) = (vec![1; self.bytes], vec![0; self.bytes]);
        let copied = &mut vec![0; self.bytes];
        let times = super::in_turns(&mut [
            &mut || black_box(&mut *copied).copy_from_slice(black_box(&input)),
            &mut self.plain,
            &mut || apply(self.op, self.basic, black_box(&mut inout), black_box(&input)).expect("defined"),
        ]);
        let &[memcpy, plain, applied] = &times[..] else { unreachable!("three were measured") };
        let speed = self.bytes as f64 / memcpy;
        println!(
            "{:34} {speed:4.0} GB/s {:8.2} {:8} {:10.2}",
            self.name,
            applied / memcpy,
            "",
            applied / plain
        );
    }
}

/// One operator on one type, with the type's own loop.
macro_rules! cases {
    ($bytes:expr; $($op:ident $basic:ident $number:ty, $value:expr, $combine:expr;)*) => {
        vec![$({
            let number = $bytes / size_of::<$number>();
            let (input, mut inout): (Vec<$number>, Vec<$number>) = (vec![$value; number], vec![$value; number]);
            let plain = move || {
                for (a, b) in black_box(&mut inout[..]).iter_mut().zip(black_box(&input[..])) {
                    *a = ($combine)(*a, *b);
                }
            };
            let (op, basic) = (Op::$op, Basic::$basic);
            Case { name: format!("{op} of {basic}"), op, basic, bytes: number * size_of::<$number>(), plain: Box::new(plain) }
        }),*]
    };
}

/// Cases of about so many bytes.
pub fn cases(bytes: usize) -> Vec<Case> {
    cases! { bytes;
        Sum Int i32, 1, |a: i32, b: i32| a.wrapping_add(b);
        Max Int i32, 1, |a: i32, b: i32| if a > b { a } else { b };
        Prod Int i32, 1, |a: i32, b: i32| a.wrapping_mul(b);
        Land Int i32, 1, |a: i32, b: i32| i32::from(a != 0 && b != 0);
        Sum Long i64, 1, |a: i64, b: i64| a.wrapping_add(b);
        Min Long i64, 1, |a: i64, b: i64| if a < b { a } else { b };
        Band UnsignedLong u64, 1, |a: u64, b: u64| a & b;
        Max UnsignedChar u8, 1, |a: u8, b: u8| if a > b { a } else { b };
        Sum Short i16, 1, |a: i16, b: i16| a.wrapping_add(b);
        Sum Float f32, 1.0, |a: f32, b: f32| b + a;
        Max Float f32, 1.0, |a: f32, b: f32| if a > b { a } else { b };
        Sum Double f64, 1.0, |a: f64, b: f64| b + a;
        Prod Double f64, 1.0, |a: f64, b: f64| b * a;
        Min Double f64, 1.0, |a: f64, b: f64| if a < b { a } else { b };
        Sum CDoubleComplex (f64, f64), (1.0, 1.0), |a: (f64, f64), b: (f64, f64)| (b.0 + a.0, b.1 + a.1);
        Prod CDoubleComplex (f64, f64), (1.0, 1.0), |a: (f64, f64), b: (f64, f64)| (b.0 * a.0 - b.1 * a.1, b.0 * a.1 + b.1 * a.0);
        Maxloc TwoInt (i32, i32), (1, 1), |a: (i32, i32), b: (i32, i32)| if b.0 > a.0 || b.0 == a.0 && b.1 < a.1 { b } else { a };
    }
}
