//! The words of a match's command line, spelled as in fastchess and cutechess: options with one
//! dash, most of them followed by words of the form `key=value`.

use std::fmt::Display;
use std::str::FromStr;

use thiserror::Error;

/// What is wrong with a command line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WordError {
    /// The first word is no option.
    #[error("'{0}' is no option: options begin with '-'")]
    NoOption(String),
    /// There is no such option.
    #[error("there is no option '{0}'")]
    UnknownOption(String),
    /// An option that can be given once only.
    #[error("{0} is given twice")]
    Twice(String),
    /// Something must follow.
    #[error("{option} must be followed by {wanted}")]
    Missing {
        /// The option.
        option: String,
        /// What must follow.
        wanted: &'static str,
    },
    /// Something follows that does not belong there.
    #[error("'{word}' after {option}: {wanted} is expected there")]
    Unexpected {
        /// The option.
        option: String,
        /// The word.
        word: String,
        /// What could stand there.
        wanted: String,
    },
    /// A value is not what is wanted.
    #[error("'{value}' after {option} {key}: {wanted}")]
    Value {
        /// The option.
        option: String,
        /// The key with its sign, or nothing.
        key: String,
        /// The value.
        value: String,
        /// What is wrong with it.
        wanted: String,
    },
    /// The words are each right, and do not make a match.
    #[error("{0}")]
    Senseless(String),
}

/// An option and the words after it.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The option, with its dash.
    pub option: &'a str,
    /// What follows, up to the next option.
    pub words: &'a [String],
}

/// Divides a command line at its options.
pub fn groups(words: &[String]) -> Result<Vec<Group<'_>>, WordError> {
    let is_option = |word: &String| {
        word.strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let mut groups = Vec::new();
    let mut rest = words;
    while let Some((option, after)) = rest.split_first() {
        if !is_option(option) {
            return Err(WordError::NoOption(option.clone()));
        }
        let end = after.iter().position(is_option).unwrap_or(after.len());
        let (own, others) = after.split_at(end);
        groups.push(Group { option, words: own });
        rest = others;
    }
    Ok(groups)
}

impl<'a> Group<'a> {
    /// The option stands alone.
    pub fn alone(&self) -> Result<(), WordError> {
        match self.words {
            [] => Ok(()),
            [word, ..] => Err(self.unexpected(word, "nothing")),
        }
    }

    /// The only word after the option.
    pub fn only(&self, wanted: &'static str) -> Result<&'a str, WordError> {
        match self.words {
            [] => Err(WordError::Missing { option: self.option.to_owned(), wanted }),
            [word] => Ok(word),
            [_, word, ..] => Err(self.unexpected(word, "nothing more")),
        }
    }

    /// The only word after the option, as a number of at least `least`.
    pub fn number<T: FromStr + PartialOrd + Display + Copy>(
        &self,
        least: T,
    ) -> Result<T, WordError> {
        let word = self.only("a number")?;
        parse_number(word, least)
            .ok_or_else(|| self.unexpected(word, &format!("a number from {least} up")))
    }

    /// A file: `NAME`, or `file=NAME` as the only word.
    pub fn file(&self) -> Result<&'a str, WordError> {
        let word = self.only("the name of a file")?;
        Ok(word.strip_prefix("file=").unwrap_or(word))
    }

    /// The words as keys and values, no key twice. `known` are the keys there are; one that ends
    /// in a dot stands for all that begin with it, and those may repeat.
    pub fn pairs(&self, known: &[&str]) -> Result<Vec<(&'a str, &'a str)>, WordError> {
        let wanted = || {
            let keys = known.iter().map(|key| match key.ends_with('.') {
                true => format!("{key}NAME="),
                false => format!("{key}="),
            });
            format!("one of {}", keys.collect::<Vec<_>>().join(" "))
        };
        if self.words.is_empty() {
            let wanted = "key=value";
            return Err(WordError::Missing { option: self.option.to_owned(), wanted });
        }
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for word in self.words {
            let (key, value) =
                word.split_once('=').ok_or_else(|| self.unexpected(word, &wanted()))?;
            let fits = |name: &&str| match name.strip_suffix('.') {
                Some(_) => key.len() > name.len() && key.starts_with(name),
                None => key == *name,
            };
            let Some(name) = known.iter().copied().find(|name| fits(name)) else {
                return Err(self.unexpected(word, &wanted()));
            };
            if !name.ends_with('.') && pairs.iter().any(|(other, _)| *other == key) {
                return Err(WordError::Twice(format!("{key}= after {}", self.option)));
            }
            pairs.push((key, value));
        }
        Ok(pairs)
    }

    /// The value of a key is wrong.
    pub fn wrong(&self, key: &str, value: &str, wanted: impl Display) -> WordError {
        let key = if key.is_empty() { String::new() } else { format!("{key}=") };
        WordError::Value {
            option: self.option.to_owned(),
            key,
            value: value.to_owned(),
            wanted: wanted.to_string(),
        }
    }

    /// Reads a value.
    pub fn parse<T>(&self, key: &str, value: &str) -> Result<T, WordError>
    where
        T: FromStr<Err: Display>,
    {
        value.parse().map_err(|error| self.wrong(key, value, error))
    }

    /// Reads a number of at least `least`.
    pub fn parse_number<T: FromStr + PartialOrd + Display>(
        &self,
        key: &str,
        value: &str,
        least: T,
    ) -> Result<T, WordError> {
        let wanted = format!("a number from {least} on is expected");
        parse_number(value, least).ok_or_else(|| self.wrong(key, value, wanted))
    }

    /// Reads `on`, `off`, `true` or `false`.
    pub fn parse_switch(&self, key: &str, value: &str) -> Result<bool, WordError> {
        match value {
            "on" | "true" => Ok(true),
            "off" | "false" => Ok(false),
            _ => Err(self.wrong(key, value, "on or off is expected")),
        }
    }

    fn unexpected(&self, word: &str, wanted: &str) -> WordError {
        WordError::Unexpected {
            option: self.option.to_owned(),
            word: word.to_owned(),
            wanted: wanted.to_owned(),
        }
    }
}

fn parse_number<T: FromStr + PartialOrd>(word: &str, least: T) -> Option<T> {
    word.parse().ok().filter(|number| *number >= least)
}

/// Divides the text after `args=` into words, as a shell would: blanks part words, and quotes keep
/// them together.
pub fn split_arguments(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_begin_groups() {
        let words = words("-engine cmd=a tc=1 -sprt elo0=-5 elo1=0 -recover");
        let groups = groups(&words).unwrap();
        let shape: Vec<(&str, usize)> =
            groups.iter().map(|group| (group.option, group.words.len())).collect();
        assert_eq!(shape, [("-engine", 2), ("-sprt", 2), ("-recover", 0)]);
    }

    #[test]
    fn errors_name_the_word() {
        let stray = words("rounds 5");
        assert_eq!(
            groups(&stray).unwrap_err().to_string(),
            "'rounds' is no option: options begin with '-'"
        );
        let line = words("-engine cmd=a comand=b");
        let group = groups(&line).unwrap()[0];
        assert_eq!(
            group.pairs(&["cmd", "option."]).unwrap_err().to_string(),
            "'comand=b' after -engine: one of cmd= option.NAME= is expected there"
        );
        let line = words("-engine cmd=a cmd=b");
        let group = groups(&line).unwrap()[0];
        assert_eq!(
            group.pairs(&["cmd"]).unwrap_err().to_string(),
            "cmd= after -engine is given twice"
        );
        let line = words("-rounds five");
        let group = groups(&line).unwrap()[0];
        assert_eq!(
            group.number(1u32).unwrap_err().to_string(),
            "'five' after -rounds: a number from 1 up is expected there"
        );
    }

    #[test]
    fn arguments_are_divided_as_by_a_shell() {
        let split = |text: &str| split_arguments(text);
        assert_eq!(split("uci  --x"), Some(vec!["uci".into(), "--x".into()]));
        assert_eq!(
            split("a 'b c' \"\" d\"e f\""),
            Some(vec!["a".into(), "b c".into(), String::new(), "de f".into()])
        );
        assert_eq!(split(""), Some(vec![]));
        assert_eq!(split("'a"), None);
    }
}
