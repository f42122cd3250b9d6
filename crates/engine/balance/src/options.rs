//! Numbers that users set for balancers: `refine:tolerance=1.02`.

use crate::BalanceError;

/// A number that users can set for a balancer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BalancerOption {
    /// The name that users type.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// Its value if it is not given.
    pub default: f64,
    pub(crate) least: f64,
}

/// An option of all balancers.
pub const ABOVE: BalancerOption = BalancerOption {
    name: "above",
    meaning: "decide only if the busiest core has more than so many times the average load",
    default: 1.0,
    least: 1.0,
};

/// The options in a text.
pub(crate) struct Options<'a>(Vec<(&'a str, f64)>);

impl<'a> Options<'a> {
    /// The options behind the name of a balancer, which has `known` ones.
    pub(crate) fn parse(text: &'a str, known: &[BalancerOption]) -> Result<Options<'a>, BalanceError> {
        let mut options: Vec<(&str, f64)> = Vec::new();
        for word in text.split(':').skip(1) {
            let bad = |problem: String| BalanceError::Option { text: text.to_owned(), problem };
            let (name, value) =
                word.split_once('=').ok_or_else(|| bad(format!("`{word}` is not NAME=NUMBER")))?;
            let option = known.iter().chain([&ABOVE]).find(|option| option.name == name);
            let option = option.ok_or_else(|| {
                let names: Vec<&str> = known.iter().chain([&ABOVE]).map(|option| option.name).collect();
                bad(format!("there is no option {name}, only {}", names.join(", ")))
            })?;
            let number =
                value.parse().ok().filter(|number: &f64| number.is_finite() && *number >= option.least);
            let number = number.ok_or_else(|| {
                bad(format!("{name} is to be a number from {} on, not `{value}`", option.least))
            })?;
            if options.iter().any(|(given, _)| *given == name) {
                return Err(bad(format!("{name} is given twice")));
            }
            options.push((name, number));
        }
        Ok(Options(options))
    }

    /// The value that the user has given.
    pub(crate) fn given(&self, option: &BalancerOption) -> Option<f64> {
        self.0.iter().find(|(name, _)| *name == option.name).map(|(_, value)| *value)
    }

    /// The value of an option.
    pub(crate) fn get(&self, option: &BalancerOption) -> f64 {
        self.given(option).unwrap_or(option.default)
    }
}

/// The file of an executable, and the value of `above` behind it.
pub(crate) fn with_above(text: &str) -> Result<Option<(&str, f64)>, BalanceError> {
    let Some((file, _)) = text.rsplit_once(":above=") else { return Ok(None) };
    let options = Options::parse(&text[file.len()..], &[])?;
    Ok(options.given(&ABOVE).map(|above| (file, above)))
}
