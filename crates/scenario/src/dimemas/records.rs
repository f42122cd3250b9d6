//! Records of a configuration: `"name" {1, 2.5, "text", [2] {0, 1}};;`.

use mpirage_units::{DURATION, Quantity};

use crate::model::ModelError;

/// One record, and where it is.
#[derive(Debug)]
pub(super) struct Record<'t> {
    file: &'t str,
    line: usize,
    pub name: &'t str,
    /// As written, without spaces around.
    pub fields: Vec<&'t str>,
}

impl<'t> Record<'t> {
    /// Something is wrong with it.
    pub fn wrong(&self, problem: &str) -> ModelError {
        ModelError::Dimemas(format!("{}:{}: \"{}\": {problem}", self.file, self.line, self.name))
    }

    fn field(&self, nth: usize) -> Result<&'t str, ModelError> {
        let field = self.fields.get(nth).copied();
        field.ok_or_else(|| {
            self.wrong(&format!("it has {} fields, and {} is needed", self.fields.len(), nth + 1))
        })
    }

    fn bad(&self, nth: usize, what: &str) -> ModelError {
        let field = self.fields.get(nth).copied().unwrap_or_default();
        self.wrong(&format!("field {} is to be {what}, not `{field}`", nth + 1))
    }

    /// A number that is no less than zero and no fraction.
    pub fn whole<T: std::str::FromStr>(&self, nth: usize) -> Result<T, ModelError> {
        self.field(nth)?.parse().map_err(|_| self.bad(nth, "a whole number"))
    }

    /// A number that such a quantity can have; `per` is how much of it the field counts in.
    pub fn quantity(&self, nth: usize, kind: &Quantity, per: f64) -> Result<f64, ModelError> {
        let number: f64 = self.field(nth)?.parse().map_err(|_| self.bad(nth, "a number"))?;
        kind.check(number * per).map_err(|problem| self.wrong(&format!("field {}: {problem}", nth + 1)))
    }

    /// The same, and none for zero.
    pub fn unless_zero(&self, nth: usize, kind: &Quantity, per: f64) -> Result<Option<f64>, ModelError> {
        match self.field(nth)?.parse() {
            Ok(0.0) => Ok(None),
            _ => self.quantity(nth, kind, per).map(Some),
        }
    }

    /// A number that is no less than zero.
    pub fn seconds(&self, nth: usize) -> Result<f64, ModelError> {
        self.quantity(nth, &DURATION, 1.0)
    }

    /// Is the field a number below zero?
    pub fn is_negative(&self, nth: usize) -> bool {
        self.fields.get(nth).is_some_and(|field| field.starts_with('-'))
    }

    /// A text in quotes.
    pub fn text(&self, nth: usize) -> Result<&'t str, ModelError> {
        let field = self.field(nth)?;
        let text = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
        text.ok_or_else(|| self.bad(nth, "a text in quotes"))
    }

    /// `[2] {0, 1}`
    pub fn list(&self, nth: usize) -> Result<Vec<u32>, ModelError> {
        let field = self.field(nth)?;
        let bad = || self.bad(nth, "a list such as [2] {0, 1}");
        let (count, rest) =
            field.strip_prefix('[').and_then(|field| field.split_once(']')).ok_or_else(bad)?;
        let inside = rest.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(bad)?;
        let numbers: Result<Vec<u32>, _> = inside.split(',').map(|number| number.trim().parse()).collect();
        let numbers = numbers.map_err(|_| bad())?;
        if count.trim().parse() == Ok(numbers.len()) { Ok(numbers) } else { Err(bad()) }
    }
}

/// All records of a text.
pub(super) fn records<'t>(file: &'t str, text: &'t str) -> Result<Vec<Record<'t>>, ModelError> {
    let mut reader = Reader { file, text, at: 0 };
    let mut records = Vec::new();
    while let Some(record) = reader.record()? {
        records.push(record);
    }
    Ok(records)
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn wrong(&self, problem: &str) -> ModelError {
        ModelError::Dimemas(format!("{}:{}: {problem}", self.file, self.line(self.at)))
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Passes what means nothing: spaces, comments, lines that start with `#`, what ended the record before.
    fn skip(&mut self) -> Result<(), ModelError> {
        loop {
            self.at += self.rest().len() - self.rest().trim_start_matches([';', ' ', '\t', '\r', '\n']).len();
            let end = match self.rest() {
                comment if comment.starts_with("/*") => comment.find("*/").map(|end| end + 2),
                line if line.starts_with(['#']) || line.starts_with("//") => {
                    Some(line.find('\n').unwrap_or(line.len()))
                }
                _ => return Ok(()),
            };
            self.at += end.ok_or_else(|| self.wrong("this comment has no end"))?;
        }
    }

    fn record(&mut self) -> Result<Option<Record<'t>>, ModelError> {
        self.skip()?;
        if self.rest().is_empty() {
            return Ok(None);
        }
        let line = self.line(self.at);
        let name = self.rest().strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (name, _) = name.ok_or_else(|| self.wrong("a record starts with its name in quotes"))?;
        self.at += name.len() + 2;
        self.skip()?;
        if !self.rest().starts_with('{') {
            return Err(self.wrong("behind the name of a record comes {"));
        }
        self.at += 1;
        let fields = self.fields()?;
        Ok(Some(Record { file: self.file, line, name, fields }))
    }

    /// The fields between commas, up to the brace that closes the record.
    fn fields(&mut self) -> Result<Vec<&'t str>, ModelError> {
        let (mut fields, mut depth, mut quoted) = (Vec::new(), 0, false);
        let mut from = self.at;
        for (offset, symbol) in self.rest().char_indices() {
            let here = self.at + offset;
            match symbol {
                '"' => quoted = !quoted,
                _ if quoted => {}
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' if depth == 0 => {
                    fields.push(self.text[from..here].trim());
                    from = here + 1;
                }
                '}' => {
                    fields.push(self.text[from..here].trim());
                    self.at = here + 1;
                    return Ok(fields);
                }
                _ => {}
            }
        }
        Err(self.wrong("this record has no end; write };; behind its last field"))
    }
}
