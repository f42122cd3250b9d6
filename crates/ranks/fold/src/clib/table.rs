//! All functions of the C and C++ library that ranks get replacements of.

use std::collections::HashMap;

use super::{
    Function, descriptors, environment, exit, files, getopt, keys, mappings, random, signals, streams, text,
    time,
};

/// The address of what replaces a function of the C or C++ library in folded ranks.
pub fn c_library(name: &str) -> Option<usize> {
    thread_local! {
        static TABLE: HashMap<&'static str, usize> = all().into_iter().flatten().collect();
    }
    TABLE.with(|table| table.get(name).copied())
}

fn all() -> [Vec<Function>; 12] {
    [
        descriptors::functions(),
        environment::functions(),
        exit::functions(),
        files::functions(),
        getopt::functions(),
        keys::functions(),
        mappings::functions(),
        random::functions(),
        signals::functions(),
        streams::functions(),
        text::functions(),
        time::functions(),
    ]
}
