//! `--share-malloc`: large allocations of unmodified programs share memory between ranks.

use std::ffi::OsString;

use anyhow::{Result, bail};
use mpirage_units::parse_bytes;

use crate::install::{Install, MALLOC};

/// Allocations smaller than a page are never shared.
const SMALLEST: u64 = 4096;
/// The environment variable that tells the preloaded library the size.
const SIZE_VARIABLE: &str = "MPIRAGE_SHARE_MALLOC";
const PRELOAD_VARIABLE: &str = "LD_PRELOAD";

/// The size of the smallest allocation that is shared; zero: none is.
pub fn parse(text: Option<&str>) -> Result<u64> {
    let Some(text) = text else { return Ok(0) };
    match parse_bytes(text) {
        Ok(bytes) if bytes >= SMALLEST as f64 => Ok(bytes as u64),
        Ok(_) => bail!("--share-malloc {text}: expected at least {SMALLEST} bytes"),
        Err(error) => bail!("--share-malloc: {error}"),
    }
}

/// Preloads the library that replaces `malloc`, for allocations of at least `smallest` bytes.
pub fn add_variables(variables: &mut Vec<(OsString, OsString)>, smallest: u64) -> Result<()> {
    if smallest == 0 {
        return Ok(());
    }
    let mut preload = preloaded_library()?;
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

fn preloaded_library() -> Result<OsString> {
    let path = Install::locate()?.library.join(MALLOC);
    if !path.exists() {
        bail!("--share-malloc needs {}; `make` builds it", path.display());
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
        assert!(parse(Some("12")).unwrap_err().to_string().contains("at least 4096"));
        assert!(parse(Some("much")).unwrap_err().to_string().contains("number of bytes"));
    }
}
