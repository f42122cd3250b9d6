//! Nothing but benches: see `benches/` and docs/performance.md.
