//! The frame of pages about studies: one style, light or dark as the reader's browser wishes.

use crate::svg::escaped;

const STYLE: &str = include_str!("page.css");

/// The answer of a study, in a few sentences, for the top of its page; empty if there is nothing to say.
pub fn verdict(sentences: &[String]) -> String {
    match sentences {
        [] => String::new(),
        _ => format!("<div class=\"verdict\"><p>{}</p></div>\n", escaped_all(sentences).join("</p>\n<p>")),
    }
}

fn escaped_all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| escaped(text)).collect()
}

/// A page: its title, what its own style adds, its body and its script. It links to nothing.
pub fn page(title: &str, style: &str, body: &str, script: &str) -> String {
    let script = match script {
        "" => String::new(),
        _ => format!("<script>{script}</script>"),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>{STYLE}{style}</style></head>\n\
         <body>{body}<footer>mpirage {}</footer>{script}</body></html>\n",
        escaped(title),
        env!("CARGO_PKG_VERSION")
    )
}
