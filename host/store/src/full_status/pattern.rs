//! Which entities a status was asked for.

/// Patterns of names; none means everything.
pub(super) struct Patterns<'a>(&'a [String]);

impl<'a> Patterns<'a> {
    pub(super) fn new(patterns: &'a [String]) -> Self {
        Self(patterns)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of the patterns names exactly this.
    pub(super) fn name(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| matches(pattern, text))
    }
}

/// Whether `text` follows `pattern`, in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let parts: Vec<&str> = rest.split('*').collect();
    let Some((last, middle)) = parts.split_last() else {
        return true;
    };
    for part in middle {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}
