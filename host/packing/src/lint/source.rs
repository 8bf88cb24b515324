//! The source of a project, as far as names in it go: texts, the calls whose first argument they are, and words.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::PackingError;
use crate::error::At;
use crate::project::SERVER;

/// A text that stands in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub text: String,
    /// The method whose first argument it is, as `resource` in `context.resource("theme")`.
    pub call: Option<String>,
    /// `FILE:LINE`.
    pub place: String,
}

/// What a project's source has of names, its tests left out.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub texts: Vec<Text>,
    /// Words outside of texts and comments.
    pub words: BTreeSet<String>,
}

/// Reads the crates of a project.
pub(super) fn read(project: &Path) -> Result<Source, PackingError> {
    let mut source = Source::default();
    for folder in ["src".to_owned(), format!("{SERVER}/src")] {
        let path = project.join(&folder);
        if path.is_dir() {
            walk(&path, &folder, &mut source)?;
        }
    }
    Ok(source)
}

fn walk(folder: &Path, name: &str, source: &mut Source) -> Result<(), PackingError> {
    for entry in fs::read_dir(folder).at(folder)? {
        let entry = entry.at(folder)?;
        let path = entry.path();
        let file = entry.file_name().to_string_lossy().into_owned();
        let inside = format!("{name}/{file}");
        if path.is_dir() {
            if file != "tests" {
                walk(&path, &inside, source)?;
            }
        } else if file.ends_with(".rs") && file != "tests.rs" {
            scan(&fs::read_to_string(&path).at(&path)?, &inside, source);
        }
    }
    Ok(())
}

/// Adds the names in one file.
pub(super) fn scan(text: &str, file: &str, source: &mut Source) {
    let mut reader = Reader {
        rest: text,
        line: 1,
        code: String::new(),
    };
    while let Some(found) = reader.next_text(source) {
        source.texts.push(Text {
            call: call(&reader.code),
            place: format!("{file}:{}", found.1),
            text: found.0,
        });
        // Whatever follows is not the first argument of the same call.
        reader.code.push('"');
    }
}

/// The method that is called where the code ends with `.NAME(`.
fn call(code: &str) -> Option<String> {
    let before = code.trim_end().strip_suffix('(')?;
    let name = before.rsplit(|letter: char| !is_word(letter)).next()?;
    let head = before.strip_suffix(name)?;
    (head.trim_end().ends_with('.') && !name.is_empty()).then(|| name.to_owned())
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    /// The code up to here, without comments.
    code: String,
}

impl Reader<'_> {
    /// The next text with its line, once the code before it was read.
    fn next_text(&mut self, source: &mut Source) -> Option<(String, usize)> {
        loop {
            let letter = self.rest.chars().next()?;
            if self.rest.starts_with("//") {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.skip(end);
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").map_or(self.rest.len(), |end| end + 2);
                self.skip(end);
            } else if letter == '"' {
                return Some(self.quoted());
            } else if letter == '\'' {
                self.letter_or_lifetime();
            } else if is_word(letter) {
                let end = self.rest.find(|one: char| !is_word(one));
                let end = end.unwrap_or(self.rest.len());
                let word = self.rest[..end].to_owned();
                self.skip(end);
                if matches!(word.as_str(), "r" | "br")
                    && let Some(found) = self.raw()
                {
                    return Some(found);
                }
                self.code.push_str(&word);
                source.words.insert(word);
            } else {
                self.code.push(letter);
                self.skip(letter.len_utf8());
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        let (gone, rest) = self.rest.split_at(bytes);
        self.line += gone.matches('\n').count();
        self.rest = rest;
    }

    /// `"…"`. Escapes are left as they are, since names have none.
    fn quoted(&mut self) -> (String, usize) {
        let line = self.line;
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, letter)| {
            let ends = *letter == '"' && !escaped;
            escaped = *letter == '\\' && !escaped;
            ends
        });
        let end = end.map_or(self.rest.len(), |(at, _)| at);
        let text = self.rest.get(1..end).unwrap_or_default().to_owned();
        self.skip((end + 1).min(self.rest.len()));
        (text, line)
    }

    /// What follows the `r` of `r#"…"#`.
    fn raw(&mut self) -> Option<(String, usize)> {
        let marks = self.rest.len() - self.rest.trim_start_matches('#').len();
        let inside = self.rest[marks..].strip_prefix('"')?;
        let line = self.line;
        let close = format!("\"{}", "#".repeat(marks));
        let length = inside.find(&close).unwrap_or(inside.len());
        let text = inside[..length].to_owned();
        self.skip((marks + 1 + length + close.len()).min(self.rest.len()));
        Some((text, line))
    }

    /// `'a'`, `'\n'`, or the beginning of a lifetime.
    fn letter_or_lifetime(&mut self) {
        let mut letters = self.rest.char_indices().skip(1);
        let first = letters.next();
        let closes = match first {
            Some((_, '\\')) => self.rest[2..]
                .char_indices()
                .skip(1)
                .find(|(_, letter)| *letter == '\'')
                .map(|(at, _)| at + 2),
            Some(_) => letters
                .next()
                .filter(|(_, letter)| *letter == '\'')
                .map(|(at, _)| at),
            None => None,
        };
        self.skip(closes.map_or(1, |at| at + 1));
    }
}
