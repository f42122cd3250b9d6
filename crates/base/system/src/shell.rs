//! Words of a command line: split as shells do, and quoted so that a shell reads them again.

/// Splits a text at blanks, outside of quotes. None if a quote is not closed.
pub fn split_words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) =
        (Vec::new(), None, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The words as a line for a shell.
pub fn quoted<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(quoted_word).collect::<Vec<_>>().join(" ")
}

fn quoted_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_=+./:,@%^".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_quoted() {
        let words = split_words("run  -n 4 'a b' \"it's\" x'y z' ''").unwrap();
        assert_eq!(words, ["run", "-n", "4", "a b", "it's", "xy z", ""]);
        assert_eq!(quoted(words.iter().map(String::as_str)), "run -n 4 'a b' 'it'\\''s' 'xy z' ''");
        assert_eq!(split_words("a 'b"), None);
        assert_eq!(split_words("  "), Some(vec![]));
    }
}
