//! Names and values of measures as people read them.

use mpirage_plot::{AxisLook, Scale, short_number};
use mpirage_units::{Duration, time_text};

/// Names of columns, and what people call them.
const NAMES: [(&str, &str); 2] =
    [("simulated_seconds", "simulated time"), ("repetition.median_seconds", "median simulated time")];

/// The longest time that is shown in units of time.
const LONGEST: f64 = 1e7;

/// What a measure is called.
pub fn name(measure: &str) -> String {
    let known = NAMES.iter().find(|(column, _)| *column == measure);
    known.map_or(measure, |(_, name)| name).to_owned()
}

/// True if the numbers of a measure are seconds.
pub fn is_time(measure: &str) -> bool {
    measure.ends_with("seconds")
}

/// A value of a measure.
pub fn shown(measure: &str, value: f64) -> String {
    match is_time(measure) && (0.0..LONGEST).contains(&value) {
        true => time_text(Duration::from_secs_f64(value)),
        false => short_number(value),
    }
}

/// The interval of a measure.
pub fn interval(measure: &str, (low, high): (f64, f64)) -> String {
    format!("{} to {}", shown(measure, low), shown(measure, high))
}

/// The axis of a measure.
pub(crate) fn axis(measure: &str, scale: Scale) -> AxisLook {
    AxisLook { times: is_time(measure), ..AxisLook::new(&name(measure), scale) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(shown("simulated_seconds", 5.812e-5), "58.1 µs");
        assert_eq!(interval("repetition.median_seconds", (0.001, 0.0012)), "1.00 ms to 1.20 ms");
        assert_eq!(shown("cost", 5.8e-5), "5.8e-5");
        assert_eq!(
            (name("simulated_seconds"), name("cost")),
            ("simulated time".to_owned(), "cost".to_owned())
        );
    }
}
