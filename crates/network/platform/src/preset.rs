//! Networks by name, such as `hdr200`: link rates, latencies and parameters of models, from published measurements.
//!
//! Each is a text in `presets/`, with its sources in it, which `toml::preset` reads. A platform that says `net = "hdr200"` has its cables and, where the
//! platform's own `[model]` says nothing, its parameters.

use crate::link::Cable;
use crate::settings::ModelSettings;

/// A network of a kind that can be bought, or rented.
#[derive(Clone, Debug)]
pub struct NetworkPreset {
    /// The name that users write.
    pub name: &'static str,
    /// A description for users.
    pub meaning: String,
    /// The published curve that it follows.
    pub follows: String,
    /// Where its numbers are from, one source each.
    pub sources: Vec<String>,
    /// The profile of the MPI library that was measured, for models that know profiles.
    pub profile: Option<String>,
    /// Bytes per second of a cable that messages can use.
    pub bandwidth: f64,
    /// Seconds of a cable and half of a switch.
    pub latency: f64,
    /// Messages within a host, if they were measured.
    pub(crate) loopback: Option<Cable>,
    settings: ModelSettings,
}

impl NetworkPreset {
    /// Parameters of models.
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    pub(crate) fn new(name: &'static str, cable: (f64, f64), settings: ModelSettings) -> NetworkPreset {
        let (bandwidth, latency) = cable;
        NetworkPreset {
            name,
            meaning: String::new(),
            follows: String::new(),
            sources: Vec::new(),
            profile: None,
            bandwidth,
            latency,
            loopback: None,
            settings,
        }
    }
}

/// Where the rates of a platform's cables are from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NetworkSource {
    /// From its file, or from the command line.
    #[default]
    Given,
    /// From a preset, and which curve that follows.
    Preset {
        /// The name of the preset.
        name: String,
        /// The published curve that it follows.
        follows: String,
        /// The profile of the MPI library that was measured.
        profile: Option<String>,
        /// Was only the shape of a built-in platform named?
        is_assumed: bool,
    },
    /// From nowhere: cables of gigabit Ethernet on a built-in platform of which only the shape was named.
    Assumed,
}

impl NetworkSource {
    pub(crate) fn of(preset: &NetworkPreset) -> NetworkSource {
        NetworkSource::Preset {
            name: preset.name.to_owned(),
            follows: preset.follows.clone(),
            profile: preset.profile.clone(),
            is_assumed: false,
        }
    }

    /// The same if the user named nothing but a shape.
    pub(crate) fn assumed(self) -> NetworkSource {
        match self {
            NetworkSource::Preset { name, follows, profile, .. } => {
                NetworkSource::Preset { name, follows, profile, is_assumed: true }
            }
            _ => NetworkSource::Assumed,
        }
    }
}
