//! Numbers and units as people write them: `125MBps`, `50us`, `1Gf`, `64KiB`.

use crate::quantity::{BANDWIDTH, BYTES, DURATION, QuantityError, SPEED};

/// Bytes per second. `Bps` counts bytes, `bps` bits; prefixes k M G T P and Ki Mi Gi Ti Pi; a bare number is bytes per second.
pub fn parse_bandwidth(text: &str) -> Result<f64, QuantityError> {
    Ok(BANDWIDTH.read(text)?.value())
}

/// Seconds. Units w d h m s ms us (µs) ns ps; a bare number is seconds.
pub fn parse_duration(text: &str) -> Result<f64, QuantityError> {
    Ok(DURATION.read(text)?.value())
}

/// Floating-point operations per second. `f` or `flops` with prefixes; a bare number is flops.
pub fn parse_speed(text: &str) -> Result<f64, QuantityError> {
    Ok(SPEED.read(text)?.value())
}

/// Bytes. `B` counts bytes, `b` bits, with prefixes; a bare number is bytes.
pub fn parse_bytes(text: &str) -> Result<f64, QuantityError> {
    Ok(BYTES.read(text)?.value())
}

pub(crate) fn rate(unit: &str) -> Option<f64> {
    match unit {
        "" => Some(1.0),
        _ => scaled(unit, "Bps", 1.0).or_else(|| scaled(unit, "bps", 0.125)),
    }
}

pub(crate) fn seconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "s" => 1.0,
        "w" => 604_800.0,
        "d" => 86_400.0,
        "h" => 3_600.0,
        "m" => 60.0,
        "ms" => 1e-3,
        "us" | "µs" | "μs" => 1e-6,
        "ns" => 1e-9,
        "ps" => 1e-12,
        _ => return None,
    })
}

pub(crate) fn flops(unit: &str) -> Option<f64> {
    match unit {
        "" => Some(1.0),
        _ => scaled(unit, "flops", 1.0).or_else(|| scaled(unit, "f", 1.0)),
    }
}

pub(crate) fn bits_or_bytes(unit: &str) -> Option<f64> {
    match unit {
        "" => Some(1.0),
        _ => scaled(unit, "B", 1.0).or_else(|| scaled(unit, "b", 0.125)),
    }
}

pub(crate) fn watts(unit: &str) -> Option<f64> {
    small_or_large(unit, "W")
}

pub(crate) fn joules(unit: &str) -> Option<f64> {
    small_or_large(unit, "J")
}

/// A unit whose prefixes go below one.
fn small_or_large(unit: &str, base: &str) -> Option<f64> {
    match unit.strip_suffix(base) {
        None if unit.is_empty() => Some(1.0),
        Some("m") => Some(1e-3),
        Some("u" | "µ" | "μ") => Some(1e-6),
        Some("n") => Some(1e-9),
        Some("p") => Some(1e-12),
        _ => scaled(unit, base, 1.0),
    }
}

/// Length of the leading number. An `e` belongs to it only when an exponent follows, so that `1Ebps` is exabits.
pub(crate) fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mantissa = sign(0) + digits(sign(0));
    if matches!(bytes.get(mantissa), Some(b'e' | b'E')) {
        let start = mantissa + 1 + sign(mantissa + 1);
        let exponent = bytes.get(start..).map_or(0, |_| digits(start));
        if exponent > 0 {
            return start + exponent;
        }
    }
    mantissa
}

fn scaled(unit: &str, base: &str, of_base: f64) -> Option<f64> {
    let prefix = unit.strip_suffix(base)?;
    let scale = match prefix {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" | "ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        "Pi" => 1_125_899_906_842_624.0,
        _ => return None,
    };
    Some(scale * of_base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{ENERGY, POWER};

    #[test]
    fn what_platform_files_contain_is_read() {
        assert_eq!(parse_bandwidth("125MBps"), Ok(125e6));
        assert_eq!(parse_bandwidth("1Gbps"), Ok(125e6));
        assert_eq!(parse_bandwidth("1.25e8"), Ok(1.25e8));
        assert_eq!(parse_duration("50us").unwrap(), 50.0 * 1e-6);
        assert_eq!(parse_duration("1.5E-9"), Ok(1.5e-9));
        assert_eq!(parse_speed("38.1Gf").unwrap(), 38.1e9);
        assert_eq!(parse_speed("1000Mflops").unwrap(), 1e9);
        assert_eq!(parse_bytes("64KiB"), Ok(65_536.0));
        assert_eq!(POWER.read("1.2kW").map(|read| read.value()), Ok(1200.0));
        assert_eq!(ENERGY.read("60pJ").map(|read| read.value()), Ok(60e-12));
    }

    #[test]
    fn what_is_not_a_quantity_is_refused_with_an_example() {
        for bad in ["", "fast", "12 parsecs", "-3us", "1e999", "e5", "1us2"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
        let message = parse_bandwidth("125MB").unwrap_err().to_string();
        assert!(message.contains("125MB") && message.contains("125MBps"), "{message}");
    }
}
