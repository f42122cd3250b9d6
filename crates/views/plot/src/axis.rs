//! Axes of charts: where a value is, and which values have labels.

use mpirage_units::{Duration, time_text};

use crate::chart::{AxisLook, Scale};

/// Labels on an axis, roughly.
const TICKS: f64 = 5.0;
/// Pixels of a label of a number, with some space.
const LABEL: f64 = 34.0;

/// An axis of some length.
pub(crate) struct Axis {
    low: f64,
    high: f64,
    length: f64,
    scale: Scale,
    /// The labels that the chart asks for.
    wanted: Vec<(f64, String)>,
    times: bool,
}

impl Axis {
    /// An axis that shows all of these values; none if it cannot.
    pub fn of(look: &AxisLook, values: &[f64], length: f64) -> Option<Axis> {
        let scale = &look.scale;
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(low.is_finite() && high.is_finite()) {
            return None;
        }
        let (low, high) = match scale {
            Scale::Names(names) => (-0.5, names.len() as f64 - 0.5),
            Scale::Logarithmic if low <= 0.0 => return None,
            Scale::Logarithmic => {
                let room = (high / low).powf(0.06).max(1.1);
                (low / room, high * room)
            }
            Scale::Linear => linear_ends(low, high),
        };
        Some(Axis { low, high, length, scale: scale.clone(), wanted: look.ticks.clone(), times: look.times })
    }

    /// The position of a value, in pixels.
    pub fn at(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Linear | Scale::Names(_) => (value - self.low) / (self.high - self.low),
        };
        share * self.length
    }

    /// Values with labels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match &self.scale {
            Scale::Names(names) => (0..).map(f64::from).zip(names.iter().cloned()).collect(),
            _ if !self.wanted.is_empty() => self.wanted_ticks(),
            Scale::Linear => self.labelled(self.linear_ticks()),
            Scale::Logarithmic => self.labelled(self.logarithmic_ticks()),
        }
    }

    fn labelled(&self, values: Vec<f64>) -> Vec<(f64, String)> {
        let text = |value: f64| match self.times && value > 0.0 {
            true => time_text(Duration::from_secs_f64(value)),
            false => number_text(value),
        };
        values.into_iter().map(|value| (value, text(value))).collect()
    }

    /// The labels that the chart asks for; those are left out that would cover the one before.
    fn wanted_ticks(&self) -> Vec<(f64, String)> {
        let mut shown: Vec<(f64, String)> = Vec::new();
        for (value, label) in &self.wanted {
            if shown.last().is_none_or(|(before, _)| self.at(*value) - self.at(*before) >= LABEL) {
                shown.push((*value, label.clone()));
            }
        }
        shown
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn linear_ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / TICKS;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|digit| digit * power)
            .find(|&step| step >= rough)
            .unwrap_or(rough);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(|number| number as f64 * step).collect()
    }

    /// Powers of ten, with 2 and 5 between them if there are few; a narrow axis has linear ticks.
    fn logarithmic_ticks(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let fits = |value: &f64| (self.low..=self.high).contains(value);
        let with = |digits: &[f64]| -> Vec<f64> {
            let powers = (first..=last).map(|exponent| 10f64.powi(exponent));
            powers.flat_map(|power| digits.iter().map(move |digit| digit * power)).filter(fits).collect()
        };
        let decades = with(&[1.0]);
        if decades.len() > 8 {
            return decades.into_iter().step_by(3).collect();
        }
        let fine = with(&[1.0, 2.0, 5.0]);
        match (decades.len(), fine.len()) {
            (4.., _) => decades,
            (_, 3..) => fine,
            _ => self.linear_ticks(),
        }
    }
}

/// The ends of a linear axis: from zero, unless all values are far from it.
fn linear_ends(low: f64, high: f64) -> (f64, f64) {
    let span = if high > low { high - low } else { high.abs().max(1.0) };
    let low_end = if low >= 0.0 && low < 0.6 * high { 0.0 } else { low - 0.08 * span };
    (low_end, high + 0.08 * span)
}

/// Four digits; a suffix of thousands or a power of ten where it is far from 1.
pub(crate) fn number_text(value: f64) -> String {
    let size = value.abs();
    let (scaled, suffix) = match size {
        0.0 => return "0".to_owned(),
        _ if !(1e-4..1e15).contains(&size) => return plain_exponent(value),
        _ if size >= 1e12 => (value / 1e12, "T"),
        _ if size >= 1e9 => (value / 1e9, "G"),
        _ if size >= 1e6 => (value / 1e6, "M"),
        _ if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = (3 - scaled.abs().log10().floor() as i32).clamp(0, 8) as usize;
    format!("{}{suffix}", without_zeros(&format!("{scaled:.digits$}")))
}

/// `2.5e-6`.
fn plain_exponent(value: f64) -> String {
    let text = format!("{value:.3e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", without_zeros(digits))
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale, values: &[f64]) -> Vec<String> {
        let look = AxisLook::new("", scale.clone());
        Axis::of(&look, values, 100.0).unwrap().ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(&Scale::Linear, &[0.0, 9.0]), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(&Scale::Linear, &[100.0, 101.0]), ["100", "100.5", "101"]);
        assert_eq!(labels(&Scale::Logarithmic, &[1.0, 1e4]), ["1", "10", "100", "1000", "10k"]);
        assert_eq!(labels(&Scale::Logarithmic, &[1.0, 64.0]), ["1", "2", "5", "10", "20", "50"]);
        assert!(labels(&Scale::Logarithmic, &[1.0, 1.3]).len() >= 3);
        assert!(!labels(&Scale::Linear, &[3.0]).is_empty());
    }

    #[test]
    fn wanted_ticks_have_room() {
        let ticks = |values: &[f64], length| {
            let look = AxisLook::new("", Scale::Logarithmic).at(values);
            Axis::of(&look, values, length).unwrap().ticks().into_iter().map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(ticks(&[4.0, 8.0, 16.0], 330.0), [4.0, 8.0, 16.0]);
        assert!(ticks(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 100.0).len() < 4);
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 0.000025, 0.5, 0.0078925, 12.0, 1234.0, 2.5e6, 1e16, -3.25].map(number_text);
        assert_eq!(shown, ["0", "2.5e-5", "0.5", "0.007893", "12", "1234", "2.5M", "1e16", "-3.25"]);
    }

    #[test]
    fn values_have_places() {
        let look = |scale| AxisLook::new("", scale);
        let names = look(Scale::Names(vec!["a".to_owned(), "b".to_owned()]));
        let axis = Axis::of(&names, &[0.0, 1.0], 100.0).unwrap();
        assert_eq!((axis.at(0.0), axis.at(1.0)), (25.0, 75.0));
        assert!(
            Axis::of(&look(Scale::Logarithmic), &[0.0, 1.0], 1.0).is_none()
                && Axis::of(&look(Scale::Linear), &[], 1.0).is_none()
        );
    }
}
