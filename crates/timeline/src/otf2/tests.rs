//! A small run as an archive. `tests/otf2.py` reads archives with libotf2.
