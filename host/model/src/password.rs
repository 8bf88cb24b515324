//! What may be a password. The rules are few, so that people can keep to them: long enough to
//! resist guessing, and not the first thing anybody would guess.

use thiserror::Error;

use crate::bounds::PASSWORD_BYTES;
use crate::{Refusal, UserName};

/// Characters of the shortest password.
pub const SHORTEST: usize = 8;
/// Bytes of the longest one. It is far beyond what people type and keeps hashing cheap.
pub const LONGEST: usize = PASSWORD_BYTES.length();

/// Why a text is no password. `Display` is the rule, for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordError {
    #[error("a password has at least {SHORTEST} characters")]
    Short,
    #[error("a password has at most {LONGEST} bytes")]
    Long,
    #[error("a password must not contain line ends or other control characters")]
    Control,
    #[error("a password must not be the user's name")]
    Name,
    #[error("a password must not be one character repeated")]
    Repeated,
}

impl PasswordError {
    /// Stable, lower case with dashes.
    pub fn refusal(&self) -> Refusal {
        Refusal::PasswordRefused
    }
}

/// Whether `user` may take this password.
pub fn check(user: &UserName, password: &str) -> Result<(), PasswordError> {
    if password.chars().count() < SHORTEST {
        return Err(PasswordError::Short);
    }
    if password.len() > LONGEST {
        return Err(PasswordError::Long);
    }
    if password.chars().any(char::is_control) {
        return Err(PasswordError::Control);
    }
    if password.to_lowercase() == user.as_str().to_lowercase() {
        return Err(PasswordError::Name);
    }
    let mut characters = password.chars();
    let first = characters.next();
    if characters.all(|character| Some(character) == first) {
        return Err(PasswordError::Repeated);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_long_enough_and_not_the_first_guess() {
        let user: UserName = "bob-the-builder".parse().unwrap();
        let long = "x1".repeat(513);
        let cases = [
            ("", Err(PasswordError::Short)),
            ("1234567", Err(PasswordError::Short)),
            ("pässwör", Err(PasswordError::Short)),
            ("Bob-The-Builder", Err(PasswordError::Name)),
            ("aaaaaaaaaaaa", Err(PasswordError::Repeated)),
            ("with a\nline end", Err(PasswordError::Control)),
            (long.as_str(), Err(PasswordError::Long)),
            ("correct horse", Ok(())),
            ("пароль-8", Ok(())),
        ];
        for (password, expected) in cases {
            assert_eq!(check(&user, password), expected, "{password}");
        }
    }
}
