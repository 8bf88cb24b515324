//! The known name that somebody probably meant: every refusal of an unknown name gives it.

/// The one of `known` that is most like `word`, if any is close: at most one edit in three
/// letters, where a swap of two neighbours is one edit.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Words of strangers; the comparison takes the product of the lengths.
    if word.len() > 128 {
        return None;
    }
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(&lower, &name.to_lowercase()), name))
        .filter(|(distance, name)| {
            let length = name.chars().count().max(lower.chars().count());
            *distance * 3 <= length.max(3)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// `; did you mean "NAME"?`, or nothing.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_another_word_finds_none() {
        let known = ["database", "website", "logs"];
        assert_eq!(nearest("databse", known), Some("database"));
        assert_eq!(nearest("WEBSITE", known), Some("website"));
        assert_eq!(nearest("lgos", known), Some("logs"));
        assert_eq!(nearest("certificates", known), None);
        assert_eq!(nearest(&"x".repeat(1000), known), None);
        assert_eq!(suggestion("lgos", known), "; did you mean \"logs\"?");
        assert_eq!(suggestion("", known), "");
    }
}
