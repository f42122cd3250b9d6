//! The page around the data.

use std::io::{self, Write};

use crate::Container;

/// The page, in one piece; `page/join.py` makes it.
const BUNDLE: &str = include_str!("../page/bundle.html");
/// Where the data goes.
const PLACE: &str = "<!--data-->";

/// Writes a page about one run, or about two side by side.
pub fn write_page(runs: &[Container], out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = BUNDLE.split_once(PLACE).unwrap_or((BUNDLE, ""));
    out.write_all(before.as_bytes())?;
    for (run, id) in runs.iter().zip(["data", "data-b"]) {
        write!(out, "<script id=\"{id}\" type=\"text/plain\">")?;
        run.embed(out)?;
        out.write_all(b"</script>\n")?;
    }
    out.write_all(after.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_place_for_data() {
        assert_eq!(BUNDLE.matches(PLACE).count(), 1);
        let mut page = Vec::new();
        write_page(&[Container::default(), Container::default()], &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("type=\"text/plain\">H4s").count(), 2);
    }
}
