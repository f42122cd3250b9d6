//! The page around the data.

use std::io::{self, Write};

/// The page in one file, made by `page/join.py`.
const BUNDLE: &str = include_str!("../page/bundle.html");
/// Where the data goes.
const PLACE: &str = "<!--data-->";
/// Marks a page whose server has the data.
const LIVE: &str = "<script id=\"live\" type=\"text/plain\"></script>";
/// Runs of a page, at most.
pub const MOST_RUNS: usize = 26;
/// The element around the data of the run, or of the first of several runs.
const AROUND: (&str, &str) = ("<script id=\"data\" type=\"text/plain\">", "</script>");

/// Writes a page about one run, or about several runs side by side, at most [`MOST_RUNS`]. The data of each comes from
/// [`crate::Container::embedded`]. The first runs have these names; the page finds names for the others.
pub fn write_page(runs: &[String], names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = BUNDLE.split_once(PLACE).unwrap_or((BUNDLE, ""));
    out.write_all(before.as_bytes())?;
    for (run, letter) in runs.iter().zip('a'..='z') {
        let id = if letter == 'a' { "\"data\"".to_owned() } else { format!("\"data-{letter}\"") };
        let begin = AROUND.0.replace("\"data\"", &id);
        writeln!(out, "{begin}{run}{}", AROUND.1)?;
    }
    if !names.is_empty() {
        // No name ends the element.
        let names = serde_json::to_string(names)?.replace('<', "\\u003c");
        writeln!(out, "<script id=\"names\" type=\"application/json\">{names}</script>")?;
    }
    out.write_all(after.as_bytes())
}

/// Writes a page that asks its server for the data of a run again and again, as long as the run goes on.
pub fn write_live_page(out: &mut dyn Write) -> io::Result<()> {
    let page = BUNDLE.replacen("default-src 'none'", "default-src 'none'; connect-src 'self'", 1);
    out.write_all(page.replacen(PLACE, LIVE, 1).as_bytes())
}

/// The data in a page: of its run, or of the first of its runs.
pub fn data_of(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(AROUND.0)?;
    let (data, _) = rest.split_once(AROUND.1)?;
    data.starts_with("H4s").then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Container;

    #[test]
    fn the_page_has_one_place_for_data() {
        assert_eq!(BUNDLE.matches(PLACE).count(), 1);
        let run = Container::default().embedded().unwrap();
        let mut page = Vec::new();
        write_page(&[run.clone(), run.clone(), run.clone()], &["</script>".to_owned()], &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("type=\"text/plain\">H4s").count(), 3);
        assert_eq!(page.matches("<script id=\"data-c\" type=\"text/plain\">").count(), 1);
        assert_eq!(data_of(&page), Some(run.as_str()));
        assert_eq!(page.matches("[\"\\u003c/script>\"]</script>").count(), 1);
        let mut live = Vec::new();
        write_live_page(&mut live).unwrap();
        let live = String::from_utf8(live).unwrap();
        assert_eq!((live.matches(LIVE).count(), live.matches("connect-src 'self'").count()), (1, 1));
        assert_eq!(data_of("<p>something else</p>"), None);
    }
}
