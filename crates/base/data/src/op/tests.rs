//! Operators on small vectors of every kind of datatype.

use super::*;

fn reduce<T: element::Element>(op: Op, basic: Basic, input: &[T], inout: &[T]) -> Vec<T> {
    let mut bytes = to_bytes(inout);
    apply(op, basic, &mut bytes, &to_bytes(input)).unwrap();
    bytes.chunks_exact(T::SIZE).map(T::read).collect()
}

fn to_bytes<T: element::Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::SIZE];
    for (value, chunk) in values.iter().zip(bytes.chunks_exact_mut(T::SIZE)) {
        value.write(chunk);
    }
    bytes
}

#[test]
fn signed_and_unsigned_integers_compare_differently() {
    assert_eq!(reduce(Op::Max, Basic::Int, &[-1i32, 5], &[1, 4]), [1, 5]);
    assert_eq!(reduce(Op::Max, Basic::Unsigned, &[u32::MAX, 5], &[1, 4]), [u32::MAX, 5]);
    assert_eq!(reduce(Op::Min, Basic::SignedChar, &[-1i8], &[1]), [-1]);
    assert_eq!(reduce(Op::Min, Basic::UnsignedChar, &[0xffu8], &[1]), [1]);
}

#[test]
fn integers_wrap() {
    assert_eq!(reduce(Op::Sum, Basic::Int, &[i32::MAX], &[1]), [i32::MIN]);
    assert_eq!(reduce(Op::Prod, Basic::UnsignedShort, &[0x8001u16], &[2]), [2]);
}

#[test]
fn logical_operators_yield_one_or_zero() {
    assert_eq!(reduce(Op::Land, Basic::Int, &[7, 7, 0], &[8, 0, 0]), [1, 0, 0]);
    assert_eq!(reduce(Op::Lor, Basic::Logical, &[7, 7, 0], &[8, 0, 0]), [1, 1, 0]);
    assert_eq!(reduce(Op::Lxor, Basic::CBool, &[1u8, 1, 0], &[1, 0, 0]), [0, 1, 0]);
}

#[test]
fn bits() {
    assert_eq!(reduce(Op::Band, Basic::Byte, &[0b1100u8], &[0b1010]), [0b1000]);
    assert_eq!(reduce(Op::Bor, Basic::Aint, &[0b1100i64], &[0b1010]), [0b1110]);
    assert_eq!(reduce(Op::Bxor, Basic::Integer2, &[0b1100i16], &[0b1010]), [0b0110]);
}

#[test]
fn with_a_nan_the_incoming_value_stays() {
    assert_eq!(reduce(Op::Max, Basic::Double, &[1.0f64], &[f64::NAN]), [1.0]);
    assert!(reduce(Op::Max, Basic::Double, &[f64::NAN], &[1.0f64])[0].is_nan());
    assert_eq!(reduce(Op::Min, Basic::Float, &[1.0f32], &[f32::NAN]), [1.0]);
}

#[test]
fn complex_numbers_multiply_as_such() {
    let product = reduce(Op::Prod, Basic::CDoubleComplex, &to_complex(1.0, 2.0), &to_complex(3.0, 4.0));
    assert_eq!(to_bytes(&product), to_bytes(&[-5.0f64, 10.0]));
}

fn to_complex(re: f64, im: f64) -> [Complex<f64>; 1] {
    [element::Element::read(&to_bytes(&[re, im]))]
}

#[test]
fn a_tie_takes_the_lower_index() {
    let packed =
        |value: f64, index: i32| [value.to_ne_bytes().to_vec(), index.to_ne_bytes().to_vec()].concat();
    let mut inout = [packed(2.0, 3), packed(2.0, 3), packed(2.0, 3)].concat();
    let input = [packed(2.0, 1), packed(1.0, 9), packed(3.0, 9)].concat();
    apply(Op::Minloc, Basic::DoubleInt, &mut inout, &input).unwrap();
    assert_eq!(inout, [packed(2.0, 1), packed(1.0, 9), packed(2.0, 3)].concat());
    apply(Op::Maxloc, Basic::DoubleInt, &mut inout, &input).unwrap();
    assert_eq!(inout, [packed(2.0, 1), packed(1.0, 9), packed(3.0, 9)].concat());
}

#[test]
fn replace_copies_and_no_op_leaves() {
    assert_eq!(reduce(Op::Replace, Basic::Wchar, &[1i32, 2], &[3, 4]), [1, 2]);
    assert_eq!(reduce(Op::NoOp, Basic::Wchar, &[1i32, 2], &[3, 4]), [3, 4]);
}

#[test]
fn an_undefined_combination_is_named() {
    let error = apply(Op::Band, Basic::Double, &mut [0; 8], &[0; 8]).unwrap_err();
    assert_eq!(error.to_string(), "MPI_BAND is not defined on MPI_DOUBLE");
    let error = apply(Op::Sum, Basic::Int, &mut [0; 8], &[0; 6]).unwrap_err();
    assert_eq!(error.to_string(), "vectors of 8 and 6 bytes are not equally many MPI_INT");
}

#[test]
fn every_combination_either_works_or_is_refused() {
    for op in Op::ALL {
        for &basic in Basic::ALL {
            let mut inout = vec![0; 2 * basic.size()];
            let input = inout.clone();
            match apply(op, basic, &mut inout, &input) {
                Ok(()) => assert!(op.is_defined_on(basic)),
                Err(OpError::NotDefined { .. }) => assert!(!op.is_defined_on(basic)),
                Err(OpError::NotImplemented { .. }) => {
                    assert!(matches!(
                        basic,
                        Basic::Real2 | Basic::Real16 | Basic::Complex4 | Basic::Complex32
                    ));
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Bytes that are all kinds of numbers: NaNs, infinities, zeros of both signs, subnormals, and whatever else comes.
fn all_kinds_of_numbers(length: usize, seed: u64) -> Vec<u8> {
    let special = [
        0,
        1 << 63,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
        1,
        (-1.5f64).to_bits(),
        0x7fc0_0000_8000_0000,
    ];
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let random = state.rotate_left(31);
        special.get((state >> 60) as usize).copied().unwrap_or(random)
    };
    let words: Vec<u8> = (0..length / 8 + 1).flat_map(|_| next().to_ne_bytes()).collect();
    words[..length].to_vec()
}

#[test]
fn long_vectors_are_computed_as_single_elements_are() {
    for (op, basic) in Op::ALL.into_iter().flat_map(|op| Basic::ALL.iter().map(move |&basic| (op, basic))) {
        let length = 177 * basic.size();
        let (input, inout) = (all_kinds_of_numbers(length + 1, 3), all_kinds_of_numbers(length + 1, 4));
        // No address is aligned.
        let (mut together, mut one_by_one) = (inout.clone(), inout);
        let Ok(()) = apply(op, basic, &mut together[1..], &input[1..]) else { continue };
        for (a, b) in
            one_by_one[1..].chunks_exact_mut(basic.size()).zip(input[1..].chunks_exact(basic.size()))
        {
            apply(op, basic, a, b).unwrap();
        }
        assert!(together == one_by_one, "{op} of {basic}");
    }
}
