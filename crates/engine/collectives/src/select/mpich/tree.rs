//! The JSON that MPICH reads: objects of objects, whose keys say everything. Their order counts.

/// A key, the line it is in, and what is below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// Without blanks.
    pub key: String,
    pub line: usize,
    pub below: Vec<Branch>,
}

/// A syntax error, and its line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub line: usize,
    pub expected: &'static str,
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Vec<Branch>, Unreadable> {
    let mut reader = Reader { text, at: 0 };
    let tree = reader.object()?;
    match reader.peek() {
        None => Ok(tree),
        Some(_) => Err(reader.expected("nothing after the last }")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn line(&self) -> usize {
        self.text[..self.at].matches('\n').count() + 1
    }

    fn expected(&mut self, expected: &'static str) -> Unreadable {
        Unreadable { line: self.line(), expected }
    }

    fn take(&mut self, wanted: char, expected: &'static str) -> Result<(), Unreadable> {
        if self.peek() != Some(wanted) {
            return Err(self.expected(expected));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn object(&mut self) -> Result<Vec<Branch>, Unreadable> {
        self.take('{', "an object in braces; MPICH's selection files have no other values")?;
        let mut branches = Vec::new();
        while self.peek() != Some('}') {
            if !branches.is_empty() {
                self.take(',', "a comma or a closing brace")?;
            }
            let (key, line) = self.key()?;
            self.take(':', "a colon after the key")?;
            branches.push(Branch { key, line, below: self.object()? });
        }
        self.at += 1;
        Ok(branches)
    }

    fn key(&mut self) -> Result<(String, usize), Unreadable> {
        self.take('"', "a key in quotes")?;
        let line = self.line();
        let rest = &self.text[self.at..];
        let Some(end) = rest.find(['"', '\\']).filter(|&end| rest[end..].starts_with('"')) else {
            return Err(self.expected("a key that ends with a quote and has no backslash"));
        };
        self.at += end + 1;
        Ok((rest[..end].chars().filter(|letter| !letter.is_whitespace()).collect(), line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_keep_the_order_of_their_keys() {
        let tree = parse("{ \"b < 3\": {}, \"a\":\n{\"c\":{}}}").unwrap();
        let keys: Vec<_> = tree.iter().map(|branch| (&branch.key[..], branch.line)).collect();
        assert_eq!(keys, [("b<3", 1), ("a", 1)]);
        assert_eq!((&tree[1].below[0].key[..], tree[1].below[0].line), ("c", 2));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text| parse(text).map_err(|error| (error.line, error.expected)).unwrap_err();
        assert_eq!(
            error("{\n\"a\": 1}"),
            (2, "an object in braces; MPICH's selection files have no other values")
        );
        assert_eq!(error("{\"a\": {}\n\"b\": {}}"), (2, "a comma or a closing brace"));
        assert_eq!(error("{} x"), (1, "nothing after the last }"));
        assert_eq!(error("{\"a"), (1, "a key that ends with a quote and has no backslash"));
    }
}
