//! What is known of a model's errors: the measurements that it was compared with.

use mpirage_platform::{ModelSettings, Setting};

use crate::model::{Model, is_file};
use crate::network::Network;

/// The columns of `make validate` (tests/packet/testbed.py).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// `flow`, told the MPI library.
    Flow,
    /// `flow`, which assumes the library.
    NoOptions,
    /// `packet`, told the MPI library.
    Packet,
    /// Factors by size, as measured on gigabit Ethernet.
    Factors,
}

impl Evidence {
    /// Its name there.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Flow => "flow",
            Evidence::NoOptions => "no-options",
            Evidence::Packet => "packet",
            Evidence::Factors => "factors",
        }
    }
}

impl Model {
    /// The measurements that tell how near this model comes to reality, or why there are none.
    pub fn evidence(&self, platform: &ModelSettings) -> Result<Evidence, &'static str> {
        let is_own = |setting: &Setting| !setting.is_of_preset() && setting.key != "profile";
        if is_file(&self.name) || platform.iter().any(is_own) {
            return Err("the model has parameters of your own; `mpirage compare` shows their error");
        }
        match (&self.network, self.profile) {
            (Network::Flow(_) | Network::Packet(_), Some(_)) if self.profile_is_assumed => {
                Ok(Evidence::NoOptions)
            }
            (Network::Flow(_), Some(_)) => Ok(Evidence::Flow),
            (Network::Packet(_), Some(_)) => Ok(Evidence::Packet),
            (Network::Flow(_), None) if ["flow:factors", "simgrid"].contains(&self.name.as_str()) => {
                Ok(Evidence::Factors)
            }
            _ => Err("this model was compared with no real network"),
        }
    }
}
