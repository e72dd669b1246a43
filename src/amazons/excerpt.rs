//! Text from outside in an error sentence: short, on one line, and printable.

/// The most characters of a foreign text that an error repeats.
const LENGTH: usize = 40;

/// The beginning of `text`, cut after 40 characters, with control characters escaped.
pub(crate) fn excerpt(text: &str) -> String {
    let mut characters = text.chars();
    let mut excerpt = String::new();
    for character in characters.by_ref().take(LENGTH) {
        if character.is_control() {
            excerpt.extend(character.escape_default());
        } else {
            excerpt.push(character);
        }
    }
    if characters.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}
