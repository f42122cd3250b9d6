//! The frame of pages about studies: one style, light or dark as the reader's browser wishes.

use crate::svg::escaped;

const STYLE: &str = include_str!("page.css");

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
