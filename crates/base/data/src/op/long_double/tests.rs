//! Results of gcc's `long double` on x86-64, one operation per line.

use super::*;

fn parse(hex: &str) -> LongDouble {
    let (sign_exponent, significand) = hex.split_at(4);
    let sign_exponent = u16::from_str_radix(sign_exponent, 16).unwrap();
    LongDouble {
        negative: sign_exponent >> 15 == 1,
        exponent: sign_exponent & EXPONENT_MAX,
        significand: u64::from_str_radix(significand, 16).unwrap(),
    }
}

fn bits(value: LongDouble) -> (bool, u16, u64) {
    (value.negative, value.exponent, value.significand)
}

#[test]
fn agrees_with_the_processor() {
    for line in include_str!("x87.txt").lines() {
        let numbers: Vec<LongDouble> = line.split(' ').skip(1).map(parse).collect();
        let [a, b, sum, product] = numbers[..] else { panic!("{line}") };
        for (ours, expected) in [(a + b, sum), (a * b, product)] {
            assert!(
                bits(ours) == bits(expected) || (ours.is_nan() && expected.is_nan()),
                "{line}: {ours:x?}"
            );
        }
        let relation = match a.partial_cmp(&b) {
            Some(Ordering::Less) => "<",
            Some(Ordering::Equal) => "=",
            Some(Ordering::Greater) => ">",
            None => "?",
        };
        assert!(line.starts_with(relation), "{line}: found {relation}");
    }
}
