//! Annotations: what people note of a model and of what is in it, texts by key. Nothing here or elsewhere
//! goes by what they say.

use crate::bounds::{ANNOTATION_KEY_BYTES, ANNOTATION_VALUE_BYTES};
use crate::text::is_hidden;
use crate::{NameError, Tag};

#[cfg(test)]
mod tests;

/// What is to be annotated, by its tag, or by its name as people write it: `site`, `site/0`, `0`. A tag
/// comes first, so that an application called `application-site` is `application-application-site`.
///
/// # Errors
/// It is no name of a model, an application, a unit or a machine.
pub fn entity(text: &str) -> Result<Tag, NameError> {
    if let Ok(tag @ (Tag::Model(_) | Tag::Application(_) | Tag::Unit(_) | Tag::Machine(_))) =
        text.parse::<Tag>()
    {
        return Ok(tag);
    }
    if let Ok(id) = text.parse() {
        return Ok(Tag::Machine(id));
    }
    match text.contains('/') {
        true => Ok(Tag::Unit(text.parse()?)),
        false => Ok(Tag::Application(text.parse()?)),
    }
}

/// Holds a key and its text against their bounds.
///
/// # Errors
/// Says what is wrong with them.
pub fn check(key: &str, value: &str) -> Result<(), String> {
    let shown: String = key.chars().take(80).filter(|c| !is_hidden(*c)).collect();
    if key.is_empty() {
        return Err("the key of an annotation is empty".to_owned());
    }
    if ANNOTATION_KEY_BYTES.exceeded_by(key.len()) {
        return Err(format!(
            "the key \"{shown}…\" has {} bytes, more than the {} allowed",
            key.len(),
            ANNOTATION_KEY_BYTES.most
        ));
    }
    let odd = |c: char| c == '=' || c.is_whitespace() || c.is_control() || is_hidden(c);
    if key.contains(odd) {
        return Err(format!(
            "the key \"{shown}\" has a blank, = or a control character in it"
        ));
    }
    if ANNOTATION_VALUE_BYTES.exceeded_by(value.len()) {
        return Err(format!(
            "the text of \"{shown}\" has {} bytes, more than the {} allowed",
            value.len(),
            ANNOTATION_VALUE_BYTES.most
        ));
    }
    Ok(())
}
