//! Text from guests made safe to show: no terminal escapes, no control characters, no marks
//! that reorder text, and not longer than asked.

/// `text` without terminal escape sequences, control characters (a tab stays, a line end
/// becomes a space unless `lines`) and direction marks; cut to `limit` bytes at a character
/// boundary with an ellipsis.
pub(crate) fn clean(text: &str, limit: usize, lines: bool) -> String {
    let mut out = String::with_capacity(text.len().min(limit + 4));
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if out.len() + character.len_utf8() > limit {
            out.push('…');
            break;
        }
        match character {
            '\u{1b}' => skip_escape(&mut characters),
            // The one-character form of "escape [".
            '\u{9b}' => skip_control_sequence(&mut characters),
            '\t' => out.push('\t'),
            '\n' if lines => out.push('\n'),
            '\n' => out.push(' '),
            character if character.is_control() || reorders(character) => {}
            character => out.push(character),
        }
    }
    out
}

/// Marks that make text look different from what it is.
fn reorders(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(characters: &mut Characters<'_>) {
    match characters.peek() {
        Some('[') => {
            characters.next();
            skip_control_sequence(characters);
        }
        // Strings for the terminal (titles, links): up to BEL or "escape \".
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(character) = characters.next() {
                if character == '\u{7}' || character == '\u{9c}' {
                    return;
                }
                if character == '\u{1b}' {
                    characters.next_if_eq(&'\\');
                    return;
                }
            }
        }
        // Two-character sequences, some with an intermediate.
        Some(' '..='/') => {
            while characters
                .next_if(|character| matches!(character, ' '..='/'))
                .is_some()
            {}
            characters.next();
        }
        Some('0'..='~') => {
            characters.next();
        }
        _ => {}
    }
}

fn skip_control_sequence(characters: &mut Characters<'_>) {
    while characters
        .next_if(|character| matches!(character, ' '..='?'))
        .is_some()
    {}
    characters.next_if(|character| matches!(character, '@'..='~'));
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn terminal_sequences_and_control_characters_go() {
        assert_eq!(clean("\u{1b}[31;1mred\u{1b}[0m\u{7}!", 100, false), "red!");
        assert_eq!(clean("\u{1b}]0;owned\u{7}title", 100, false), "title");
        assert_eq!(clean("\u{1b}]8;;http://x\u{1b}\\link", 100, false), "link");
        assert_eq!(clean("\u{9b}2Jgone\u{1b}(Bx\u{1b}c", 100, false), "gonex");
        assert_eq!(clean("a\r\nb\tc\u{0}", 100, false), "a b\tc");
        assert_eq!(clean("safe\u{202e}gpj.exe", 100, false), "safegpj.exe");
        assert_eq!(clean("one\ntwo", 100, true), "one\ntwo");
    }

    #[test]
    fn an_unfinished_sequence_eats_no_more_than_the_rest() {
        assert_eq!(clean("x\u{1b}", 100, false), "x");
        assert_eq!(clean("x\u{1b}[31", 100, false), "x");
        assert_eq!(clean("x\u{1b}]0;y", 100, false), "x");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(clean("ééé", 4, false), "éé…");
        assert_eq!(clean("abc", 3, false), "abc");
    }
}
