//! An element of a SimGrid file, asked for its attributes: every refusal names the element, the
//! line and what would be right.

use std::ops::Range;

use mpirage_units::{BANDWIDTH, LATENCY, Quantity};
use roxmltree::Node;

use crate::core_speed::CoreSpeed;
use crate::error::{FilePlace, PlatformError, Source};
use crate::quantity;
use crate::suggest::did_you_mean;

/// An element all of whose attributes are known.
#[derive(Clone, Copy)]
pub(crate) struct Element<'d> {
    pub source: &'d Source<'d>,
    pub node: Node<'d, 'd>,
}

impl<'d> Element<'d> {
    pub fn tag(&self) -> &'d str {
        self.node.tag_name().name()
    }

    /// The elements inside, in order. Text between them is refused.
    pub fn children(&self) -> Result<Vec<Element<'d>>, PlatformError> {
        let source = self.source;
        if let Some(text) = self.node.children().find(|node| node.is_text() && has_content(*node)) {
            let blank = text.text().map_or(0, |text| text.len() - text.trim_start().len());
            let span = text.range().start + blank..text.range().end;
            return Err(source.error(span, format!("<{}> holds elements, not text", self.tag())));
        }
        Ok(self.node.children().filter(Node::is_element).map(|node| Element { source, node }).collect())
    }

    /// Refuses attributes that are not among `known`.
    pub fn check_attributes(&self, known: &[&str]) -> Result<(), PlatformError> {
        match self.node.attributes().find(|attribute| !known.contains(&attribute.name())) {
            None => Ok(()),
            Some(stranger) => {
                let message = format!("<{}> has no attribute `{}`", self.tag(), stranger.name());
                let help = did_you_mean(stranger.name(), known.iter().copied());
                Err(self.source.error(stranger.range(), message).maybe_help(help))
            }
        }
    }

    /// Refuses attributes that SimGrid knows and we cannot honour, unless they are empty.
    pub fn refuse(&self, attributes: &[&str], because: &str) -> Result<(), PlatformError> {
        match attributes.iter().find(|name| self.get(name).is_some()) {
            None => Ok(()),
            Some(name) => {
                Err(self.wrong(name, format!("`{name}` of <{}> is not supported: {because}", self.tag())))
            }
        }
    }

    /// Warns of attributes that SimGrid reads and does not use.
    pub fn leave_aside(&self, attributes: &[&str], because: &str) {
        for name in attributes.iter().filter(|name| self.get(name).is_some()) {
            self.source.doubt(self.span(), format!("`{name}` of <{}> is left aside: {because}", self.tag()));
        }
    }

    /// An attribute, unless it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&'d str> {
        self.node.attribute(name).filter(|value| !value.trim().is_empty())
    }

    pub fn need(&self, name: &str) -> Result<&'d str, PlatformError> {
        self.get(name).ok_or_else(|| self.error(format!("<{}> needs the attribute `{name}`", self.tag())))
    }

    /// An attribute that must be there but may be empty.
    pub fn text(&self, name: &str) -> Result<&'d str, PlatformError> {
        let missing = || self.error(format!("<{}> needs the attribute `{name}`", self.tag()));
        self.node.attribute(name).ok_or_else(missing)
    }

    /// An attribute that is one of some words; the first is the default.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&'static str, T)]) -> Result<T, PlatformError> {
        let Some(written) = self.get(name) else { return Ok(choices[0].1) };
        match choices.iter().find(|(word, _)| word.eq_ignore_ascii_case(written)) {
            Some((_, choice)) => Ok(*choice),
            None => {
                let help = did_you_mean(written, choices.iter().map(|(word, _)| *word));
                Err(self.wrong(name, format!("`{name}` cannot be `{written}`")).maybe_help(help))
            }
        }
    }

    /// An integer from 1 on.
    pub fn count(&self, name: &str, default: u32) -> Result<u32, PlatformError> {
        let Some(written) = self.get(name) else { return Ok(default) };
        match written.trim().parse() {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(self.wrong(name, format!("`{name}` is `{written}`, not a positive integer"))),
        }
    }

    pub fn bandwidth(&self, name: &str) -> Result<f64, PlatformError> {
        self.quantity(name, &BANDWIDTH)
    }

    pub fn latency(&self, name: &str) -> Result<f64, PlatformError> {
        self.quantity(name, &LATENCY)
    }

    /// The speed of a core in a performance state.
    pub fn speed(&self, name: &str, state: usize) -> Result<CoreSpeed, PlatformError> {
        let (speed, doubt) = self.read(name, |text| quantity::speed_in_state(text, state))?;
        self.doubt(name, doubt);
        Ok(CoreSpeed::Nominal(speed))
    }

    /// SimGrid takes bare numbers, so only their size can be doubtful.
    fn quantity(&self, name: &str, kind: &Quantity) -> Result<f64, PlatformError> {
        let (value, doubt) = self.read(name, |text| {
            let read = kind.read(text).map_err(|problem| problem.to_string())?;
            Ok((read.value(), read.unlikely_doubt()))
        })?;
        self.doubt(name, doubt);
        Ok(value)
    }

    fn doubt(&self, name: &str, doubt: Option<String>) {
        if let Some(doubt) = doubt {
            self.source.doubt(self.span(), format!("`{name}` of <{}>: {doubt}", self.tag()));
        }
    }

    /// A bandwidth or latency that may be missing; 0 means missing too.
    pub fn optional(&self, name: &str, kind: &Quantity) -> Result<Option<f64>, PlatformError> {
        match self.get(name) {
            None => Ok(None),
            // Whatever its unit, nothing is nothing.
            Some(text) if quantity::is_zero(text) => Ok(None),
            Some(_) => self.quantity(name, kind).map(Some),
        }
    }

    pub fn read<T>(&self, name: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<T, PlatformError> {
        read(self.need(name)?).map_err(|problem| self.wrong(name, format!("`{name}`: {problem}")))
    }

    /// The offset of the element in the file.
    pub fn place(&self) -> FilePlace {
        self.source.place(self.span())
    }

    /// An error about the element.
    pub fn error(&self, message: impl Into<String>) -> PlatformError {
        self.place().error(message)
    }

    /// An error about the value of an attribute.
    pub fn wrong(&self, attribute: &str, message: impl Into<String>) -> PlatformError {
        let span =
            self.node.attribute_node(attribute).map_or_else(|| self.span(), |found| found.range_value());
        self.source.error(span, message)
    }

    /// An error about an element that cannot stand here.
    pub fn unexpected(&self, inside: &str, known: &[&str]) -> PlatformError {
        let help = did_you_mean(self.tag(), known.iter().copied());
        self.error(format!("<{}> cannot stand in {inside}", self.tag())).maybe_help(help)
    }

    /// The start tag: an element itself may span half the file.
    fn span(&self) -> Range<usize> {
        let range = self.node.range();
        let end = self.source.text()[range.clone()].find('>').map_or(range.end, |end| range.start + end + 1);
        range.start..end
    }
}

fn has_content(node: Node<'_, '_>) -> bool {
    node.text().is_some_and(|text| !text.trim().is_empty())
}
