//! `--share-malloc`: the large allocations of unmodified programs, folded.

use std::ffi::OsString;

use anyhow::{anyhow, bail};
use mpirage_units::parse_bytes;

use crate::exit::{Failure, usage};
use crate::install::{Install, MALLOC};

/// Smaller allocations than a page are never folded.
const SMALLEST: u64 = 4096;
/// The variable by which the library in front of `malloc` knows the size.
const SIZE_VARIABLE: &str = "MPIRAGE_SHARE_MALLOC";
const PRELOAD_VARIABLE: &str = "LD_PRELOAD";

/// The smallest allocation that is folded; zero if none is.
pub fn parse(text: Option<&str>) -> Result<u64, Failure> {
    let Some(text) = text else { return Ok(0) };
    match parse_bytes(text) {
        Ok(bytes) if bytes >= SMALLEST as f64 => Ok(bytes as u64),
        Ok(_) => Err(usage(format!("--share-malloc {text}: it must be at least {SMALLEST} bytes"))),
        Err(error) => Err(usage(format!("--share-malloc: {error}"))),
    }
}

/// Lets a program's allocations of at least `smallest` bytes come to us.
pub fn add_variables(variables: &mut Vec<(OsString, OsString)>, smallest: u64) -> Result<(), Failure> {
    if smallest == 0 {
        return Ok(());
    }
    let mut preload = front_library()?;
    let already = variables.iter().find(|(name, _)| name == PRELOAD_VARIABLE).map(|(_, value)| value.clone());
    if let Some(others) =
        already.or_else(|| std::env::var_os(PRELOAD_VARIABLE)).filter(|text| !text.is_empty())
    {
        preload.push(":");
        preload.push(others);
    }
    variables.retain(|(name, _)| name != PRELOAD_VARIABLE);
    variables.push((PRELOAD_VARIABLE.into(), preload));
    variables.push((SIZE_VARIABLE.into(), smallest.to_string().into()));
    Ok(())
}

fn front_library() -> anyhow::Result<OsString> {
    let path = Install::locate()?.library.join(MALLOC);
    if !path.exists() {
        bail!(anyhow!("--share-malloc needs {}; `make` builds it", path.display()));
    }
    Ok(path.into_os_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_checked() {
        assert_eq!(parse(None).unwrap(), 0);
        assert_eq!(parse(Some("1MiB")).unwrap(), 1 << 20);
        assert!(parse(Some("12")).unwrap_err().error.to_string().contains("at least 4096"));
        assert!(parse(Some("much")).unwrap_err().error.to_string().contains("number of bytes"));
    }
}
