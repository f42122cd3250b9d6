//! Lines of `Key=Value` pairs, as in Slurm's files: comments, continued lines, quotes, keys in any case.

use std::ops::Range;

use mpirage_platform::{PlatformError, Source};

/// One logical line.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// Its pairs, or the bare words of an `Include`.
    pub fields: Vec<Field<'t>>,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(super) struct Field<'t> {
    pub key: &'t str,
    pub value: &'t str,
    pub span: Range<usize>,
}

impl<'t> Line<'t> {
    /// The value of a key, in any case.
    pub fn get(&self, key: &str) -> Option<&Field<'t>> {
        self.fields.iter().find(|field| field.key.eq_ignore_ascii_case(key))
    }
}

/// All lines of a text that are not empty.
pub(super) fn read<'t>(source: &Source<'t>) -> Result<Vec<Line<'t>>, PlatformError> {
    let text = source.text();
    let (mut lines, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let mut fields = Vec::new();
        at = logical_line(source, at, &mut fields)?;
        if !fields.is_empty() {
            lines.push(Line { fields });
        }
    }
    Ok(lines)
}

/// Reads the fields of one logical line, which a backslash continues; gives where the next one begins.
fn logical_line<'t>(
    source: &Source<'t>,
    start: usize,
    fields: &mut Vec<Field<'t>>,
) -> Result<usize, PlatformError> {
    let text = source.text();
    let mut from = start;
    loop {
        let end = text[from..].find('\n').map_or(text.len(), |length| from + length);
        let whole = text[from..end].trim_end();
        let code = &whole[..comment_start(whole)];
        let (code, goes_on) = match code.strip_suffix('\\') {
            Some(code) => (code, true),
            None => (code, false),
        };
        physical_line(source, from..from + code.len(), fields)?;
        from = end + 1;
        if !goes_on || from >= text.len() {
            return Ok(from);
        }
    }
}

/// Where a comment begins, outside of quotes.
fn comment_start(line: &str) -> usize {
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted => return at,
            _ => {}
        }
    }
    line.len()
}

fn physical_line<'t>(
    source: &Source<'t>,
    span: Range<usize>,
    fields: &mut Vec<Field<'t>>,
) -> Result<(), PlatformError> {
    let text = source.text();
    let mut at = span.start;
    loop {
        at += text[at..span.end].len() - text[at..span.end].trim_start().len();
        if at >= span.end {
            return Ok(());
        }
        let (field, next) = field(source, at..span.end)?;
        fields.push(field);
        at = next;
    }
}

/// The pair that begins at the start of the span, and where it ends. `Include FILE` has no equals sign.
fn field<'t>(source: &Source<'t>, span: Range<usize>) -> Result<(Field<'t>, usize), PlatformError> {
    let rest = &source.text()[span.clone()];
    let key_length = rest.find(|letter: char| letter == '=' || letter.is_whitespace()).unwrap_or(rest.len());
    let key = &rest[..key_length];
    let behind = rest[key_length..].trim_start();
    let value = match behind.strip_prefix('=') {
        Some(value) => value.trim_start(),
        None if key.eq_ignore_ascii_case("include") => behind,
        None => {
            let word = span.start..span.start + key_length.max(1);
            return Err(source.error(word, "this is not `Key=Value`"));
        }
    };
    let begin = rest.len() - value.len();
    let (value, length) = match value.strip_prefix('"') {
        Some(quoted) => match quoted.split_once('"') {
            Some((value, _)) => (value, value.len() + 2),
            None => return Err(source.error(span.start + begin..span.end, "this quote is not closed")),
        },
        None => {
            let length = value.find(char::is_whitespace).unwrap_or(value.len());
            (&value[..length], length)
        }
    };
    let end = span.start + begin + length;
    if value.is_empty() {
        return Err(source.error(span.start..end, format!("`{key}` has no value")));
    }
    Ok((Field { key, value, span: span.start..end }, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_comments_quotes_and_continued_lines() {
        let text = "# all\nNodeName = n[1-2] \\\n  CPUs=4 Reason=\"too # hot\" # why\n\nInclude more.conf\n";
        let lines = read(&Source::new("slurm.conf", text)).unwrap();
        assert_eq!(lines.len(), 2);
        let values: Vec<_> = lines[0].fields.iter().map(|field| (field.key, field.value)).collect();
        assert_eq!(values, [("NodeName", "n[1-2]"), ("CPUs", "4"), ("Reason", "too # hot")]);
        assert_eq!(lines[1].get("INCLUDE").unwrap().value, "more.conf");
    }

    #[test]
    fn damaged_lines_are_shown_with_their_place() {
        for (text, place) in [("a=1\nNodeName\n", "f:2"), ("a=\"x\n", "f:1"), ("a=1 b=\n", "f:1")] {
            let error = read(&Source::new("f", text)).unwrap_err().to_string();
            assert!(error.contains(place), "{error}");
        }
    }
}
