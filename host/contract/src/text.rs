//! Text of strangers made safe to show: what a charm, a file or a user of another model wrote.
//!
//! A terminal obeys what it is told, and a reader believes what is seen. So two kinds of
//! characters go: those that control (escape sequences with everything in them, C0, C1), and those
//! that are not seen or make text look different from what it is (direction marks, zero widths,
//! tags, every character that Unicode calls ignorable by default). Emoji and letters that are
//! joined by such characters fall apart into their pieces, which is the price.
//!
//! Text is cleaned where it comes in, if it is for people, and again where it goes out to a
//! terminal. Values that programs read are never changed; where such a value is written as JSON or
//! YAML, [`is_hidden`] says what to escape.

use std::iter::Peekable;
use std::str::Chars;

/// The text as it may be shown, with its line ends. A tab becomes a space, a separator of lines or
/// paragraphs a line end.
pub fn clean(text: &str) -> String {
    Clean::of(text).collect()
}

/// [`clean`] on one line: line ends become spaces, and none is left at the end.
pub fn clean_line(text: &str) -> String {
    let mut line: String = Clean::of(text).map(on_one_line).collect();
    line.truncate(line.trim_end().len());
    line
}

/// [`clean`], cut to `bytes` at a character boundary with an ellipsis. No more of the text is
/// looked at than is kept.
pub fn clean_at_most(text: &str, bytes: usize) -> String {
    shorten(Clean::of(text), bytes)
}

/// [`clean_line`], cut likewise.
pub fn clean_line_at_most(text: &str, bytes: usize) -> String {
    shorten(Clean::of(text.trim_end()).map(on_one_line), bytes)
}

/// Whether a character controls a terminal, is not seen, or makes text look different from what
/// it is. Tabs and line ends are none of it.
pub fn is_hidden(character: char) -> bool {
    match character {
        '\t' | '\n' => false,
        character => character.is_control() || separates(character) || is_ignorable(character),
    }
}

fn on_one_line(character: char) -> char {
    match character {
        '\n' => ' ',
        character => character,
    }
}

fn shorten(text: impl Iterator<Item = char>, bytes: usize) -> String {
    let mut out = String::new();
    for character in text {
        if out.len() + character.len_utf8() > bytes {
            out.push('…');
            break;
        }
        out.push(character);
    }
    out
}

/// Line ends under other names.
fn separates(character: char) -> bool {
    matches!(character, '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Unicode's `Default_Ignorable_Code_Point`, in which direction marks, zero widths, variation
/// selectors and tags are, and the marks of annotations.
fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The characters that may be shown.
struct Clean<'a> {
    rest: Peekable<Chars<'a>>,
}

impl<'a> Clean<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            rest: text.chars().peekable(),
        }
    }

    /// After an escape: the sequence it begins.
    fn skip_sequence(&mut self) {
        match self.rest.next_if(|c| matches!(c, ' '..='~')) {
            Some('[') => self.skip_parameters(),
            Some(']' | 'P' | 'X' | '^' | '_') => self.skip_string(),
            // Intermediate bytes, then one final byte.
            Some(' '..='/') => {
                while self.rest.next_if(|c| matches!(c, ' '..='/')).is_some() {}
                self.rest.next_if(|c| matches!(c, '0'..='~'));
            }
            _ => {}
        }
    }

    /// Parameters and intermediates of a control sequence, and its final byte.
    fn skip_parameters(&mut self) {
        while self.rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
        self.rest.next_if(|c| matches!(c, '@'..='~'));
    }

    /// A string for the terminal (titles, links), to its end (BEL or ST) or to the end of the
    /// line: one that never ends eats no other line.
    fn skip_string(&mut self) {
        while let Some(character) = self.rest.next_if(|c| *c != '\n') {
            match character {
                '\u{7}' | '\u{9c}' => return,
                '\u{1b}' => {
                    self.rest.next_if_eq(&'\\');
                    return;
                }
                _ => {}
            }
        }
    }
}

impl Iterator for Clean<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            match self.rest.next()? {
                '\t' => return Some(' '),
                '\u{1b}' => self.skip_sequence(),
                // The same introducers in one character.
                '\u{9b}' => self.skip_parameters(),
                '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.skip_string(),
                character if separates(character) => return Some('\n'),
                character if is_hidden(character) => {}
                character => return Some(character),
            }
        }
    }
}

#[cfg(test)]
mod tests;
