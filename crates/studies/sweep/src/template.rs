//! Text with places for values: `cluster:16,bandwidth={bandwidth}`.
//!
//! A place is a name between braces, or a name and a field (`{machine.price}`). Other braces are text. `{{name}}` is the text `{name}`.

use std::collections::BTreeSet;

/// A text with places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Place(String),
}

impl Template {
    /// Reads a text.
    pub fn new(text: &str) -> Template {
        let (mut pieces, mut rest, mut plain) = (Vec::new(), text, String::new());
        while let Some(brace) = rest.find('{') {
            plain.push_str(&rest[..brace]);
            rest = &rest[brace..];
            let (taken, piece) = first_piece(rest);
            match piece {
                Piece::Text(text) => plain.push_str(&text),
                place @ Piece::Place(_) => {
                    pieces.extend((!plain.is_empty()).then(|| Piece::Text(std::mem::take(&mut plain))));
                    pieces.push(place);
                }
            }
            rest = &rest[taken..];
        }
        plain.push_str(rest);
        pieces.extend((!plain.is_empty()).then_some(Piece::Text(plain)));
        Template { pieces }
    }

    /// The names of its places.
    pub fn places(&self) -> BTreeSet<&str> {
        let place = |piece: &'_ Piece| match piece {
            Piece::Place(_) => true,
            Piece::Text(_) => false,
        };
        self.pieces.iter().filter(|piece| place(piece)).map(Piece::content).collect()
    }

    /// The name, if the text is a single place.
    pub fn sole_place(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Place(name)] => Some(name),
            _ => None,
        }
    }

    /// The text before each place of this name.
    pub fn text_before(&self, name: &str) -> Vec<&str> {
        let is_meant = |pair: &[Piece]| matches!(&pair[1], Piece::Place(place) if place == name);
        self.pieces.windows(2).filter(|pair| is_meant(pair)).map(|pair| pair[0].content()).collect()
    }

    /// The text as it was written.
    pub fn source(&self) -> String {
        self.fill(|name| format!("{{{name}}}"))
    }

    /// The text with values in its places.
    pub fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let filled = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Place(name) => value(name),
        };
        self.pieces.iter().map(filled).collect()
    }
}

impl Piece {
    fn content(&self) -> &str {
        match self {
            Piece::Text(text) | Piece::Place(text) => text,
        }
    }
}

/// The piece at the beginning of a text that begins with a brace, and its length in the text.
fn first_piece(text: &str) -> (usize, Piece) {
    if let Some(inner) = text.strip_prefix("{{").and_then(name_before_brace)
        && text[inner.len() + 3..].starts_with('}')
    {
        return (inner.len() + 4, Piece::Text(format!("{{{inner}}}")));
    }
    match name_before_brace(&text[1..]) {
        Some(name) => (name.len() + 2, Piece::Place(name.to_owned())),
        None => (1, Piece::Text("{".to_owned())),
    }
}

/// The name that ends at the first closing brace.
fn name_before_brace(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('}')?;
    is_place(name).then_some(name)
}

fn is_place(name: &str) -> bool {
    let (name, field) = name.split_once('.').unwrap_or((name, "field"));
    is_name(name) && is_name(field)
}

/// Letters, digits, `_` and `-`, with a letter first.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_and_other_braces_are_text() {
        let fill = |text: &str| Template::new(text).fill(|name| format!("<{name}>"));
        assert_eq!(fill("a={x},b={m.price}"), "a=<x>,b=<m.price>");
        assert_eq!(fill("{ a = 1 } {} {1} { {é} }"), "{ a = 1 } {} {1} { {é} }");
        assert_eq!(fill("{{x}} {{x} {x}}"), "{x} {<x> <x>}");
        assert_eq!(fill("end {"), "end {");
    }

    #[test]
    fn a_template_knows_its_places() {
        let template = Template::new("bandwidth = \"{bw}\", {net}");
        assert_eq!(template.places(), BTreeSet::from(["bw", "net"]));
        assert_eq!(template.text_before("bw"), ["bandwidth = \""]);
        assert_eq!((template.sole_place(), Template::new("{x}").sole_place()), (None, Some("x")));
    }
}
