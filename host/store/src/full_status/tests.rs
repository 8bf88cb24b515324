use super::pattern::matches;

#[test]
fn a_star_stands_for_any_text() {
    for (pattern, text) in [
        ("site", "site"),
        ("site/*", "site/10"),
        ("*", ""),
        ("s*e", "site"),
        ("*it*", "site"),
        ("a*b*c", "axxbyyc"),
    ] {
        assert!(matches(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in [
        ("site", "site2"),
        ("site/*", "site"),
        ("s*x", "site"),
        ("ab*ba", "aba"),
    ] {
        assert!(!matches(pattern, text), "{pattern} {text}");
    }
}
