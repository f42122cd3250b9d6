//! The network presets that come with mpirage. Their files have `meaning`, `follows`, `sources`, `profile`, `[link]`, `loopback`, and tables of settings.

use super::fabrics;
use super::table::{Entry, Table};
use crate::error::{PlatformError, Source};
use crate::preset::NetworkPreset;
use crate::settings::{ModelSettings, preset_file};
use crate::suggest::did_you_mean;

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        /// Names and texts of all presets.
        const TEXTS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../presets/", $name, ".toml")))),*];
    };
}

presets!(
    "edr",
    "hdr100",
    "hdr200",
    "opa100",
    "slingshot11",
    "aries",
    "tofud",
    "roce25",
    "roce50",
    "roce100",
    "efa-hpc7g",
    "efa-hpc6a",
    "gige-tcp",
    "10gige-tcp",
);

/// Names of kinds of networks, each with its preset of today.
const KINDS: [(&str, &str); 12] = [
    ("infiniband", "hdr200"),
    ("ib", "hdr200"),
    ("hdr", "hdr200"),
    ("omni-path", "opa100"),
    ("opa", "opa100"),
    ("slingshot", "slingshot11"),
    ("tofu", "tofud"),
    ("roce", "roce100"),
    ("efa", "efa-hpc7g"),
    ("gige", "gige-tcp"),
    ("10gige", "10gige-tcp"),
    ("ethernet", "10gige-tcp"),
];

/// Kinds for which we found no published times of MPI messages.
const UNPUBLISHED: [&str; 4] = ["ndr", "ndr200", "ndr400", "xdr"];

impl NetworkPreset {
    /// The preset of that name, or of the kind of network that people call so.
    pub fn named(name: &str) -> Result<NetworkPreset, PlatformError> {
        let kind = KINDS.iter().find(|(kind, _)| *kind == name);
        let wanted = kind.map_or(name, |(_, preset)| preset);
        match TEXTS.iter().find(|(known, _)| *known == wanted) {
            Some((name, text)) => read(&Source::new(&preset_file(name), text), name),
            None => Err(unknown(name)),
        }
    }

    /// The names of all presets.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        TEXTS.iter().map(|(name, _)| *name)
    }
}

fn unknown(name: &str) -> PlatformError {
    let error = PlatformError::new(format!("there is no network called `{name}`"));
    if UNPUBLISHED.contains(&name) {
        return error.help(
            "no published times of MPI on it were found, which a preset follows; `hdr200` is the nearest one, and \
             `cluster:N,bandwidth=400Gbps,latency=65ns` has cables of another rate",
        );
    }
    let help = did_you_mean(name, NetworkPreset::names().chain(KINDS.iter().map(|(kind, _)| *kind)));
    error.maybe_help(help.map(|help| format!("{help} `mpirage info networks` lists them")))
}

/// Reads a preset.
fn read(source: &Source<'_>, name: &'static str) -> Result<NetworkPreset, PlatformError> {
    const KEYS: [&str; 8] =
        ["meaning", "follows", "sources", "profile", "link", "loopback", "model", "packet"];
    let document = super::parse(source)?;
    let file = Table::new(source, "a network preset", 0..0, document.get_ref(), &KEYS)?;
    let link = file.need("link")?.table(&["bandwidth", "latency"])?;
    let cable = (link.need("bandwidth")?.bandwidth()?, link.need("latency")?.latency()?);
    let mut settings = ModelSettings::default();
    super::read_settings(&file, &mut settings)?;
    let mut preset = NetworkPreset::new(name, cable, settings);
    preset.meaning = file.need("meaning")?.name()?.to_owned();
    preset.follows = file.need("follows")?.name()?.to_owned();
    preset.sources = file.need("sources")?.list()?.into_iter().map(text).collect::<Result<_, _>>()?;
    preset.profile = file.maybe("profile", text)?;
    preset.loopback = file.maybe("loopback", fabrics::loopback)?;
    Ok(preset)
}

fn text(entry: Entry<'_>) -> Result<String, PlatformError> {
    entry.name().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_sources_and_is_fast_enough_to_be_one() {
        for name in NetworkPreset::names() {
            let preset = NetworkPreset::named(name).unwrap_or_else(|error| panic!("{error}"));
            assert!(!preset.meaning.is_empty() && !preset.follows.is_empty(), "{name}");
            assert!(
                !preset.sources.is_empty() && preset.sources.iter().all(|source| source.len() > 20),
                "{name}"
            );
            assert!(preset.bandwidth >= 1e8 && preset.latency < 1e-4, "{name}");
        }
    }

    #[test]
    fn kinds_of_networks_have_presets() {
        for (kind, preset) in KINDS {
            assert_eq!(NetworkPreset::named(kind).unwrap().name, preset);
        }
        let error = NetworkPreset::named("ndr").unwrap_err().to_string();
        assert!(error.contains("`hdr200` is the nearest one"), "{error}");
    }

    #[test]
    fn a_name_that_is_none_is_refused() {
        let error = NetworkPreset::named("hdr20").unwrap_err().to_string();
        assert!(error.contains("did you mean `hdr200`?"), "{error}");
    }
}
