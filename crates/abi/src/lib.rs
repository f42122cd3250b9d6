//! abi: not written yet.
