use proptest::prelude::*;

use super::*;

#[test]
fn terminal_control_is_taken_out() {
    for (text, shown) in [
        ("\u{1b}[31;1mred\u{1b}[0m\u{7}!", "red!"),
        ("\u{1b}]0;owned\u{7}title", "title"),
        ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
        ("\u{9b}2Jgone\u{1b}(Bx\u{1b}c", "gonex"),
        ("\u{9d}0;title\u{9c}text\r\u{8}\u{0}\u{7f}", "text"),
        ("grüße, 世界", "grüße, 世界"),
        ("one\ntwo\tthree", "one\ntwo three"),
    ] {
        assert_eq!(clean(text), shown, "{text:?}");
    }
    assert_eq!(clean_line("a\r\nb\tc\u{0}\n"), "a b c");
}

#[test]
fn what_is_not_seen_is_not_there() {
    for hidden in [
        '\u{ad}',
        '\u{61c}',
        '\u{180e}',
        '\u{200b}',
        '\u{200d}',
        '\u{200e}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{206f}',
        '\u{3164}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{fff9}',
        '\u{e0041}',
        '\u{e007f}',
        '\u{e01ef}',
    ] {
        assert_eq!(clean(&format!("a{hidden}b")), "ab", "{hidden:?}");
        assert!(is_hidden(hidden));
    }
    for end in ['\u{85}', '\u{2028}', '\u{2029}'] {
        assert_eq!(clean(&format!("a{end}b")), "a\nb");
        assert_eq!(clean_line(&format!("a{end}b")), "a b");
    }
}

#[test]
fn an_unfinished_sequence_eats_no_more_than_its_line() {
    assert_eq!(clean("x\u{1b}"), "x");
    assert_eq!(clean("x\u{1b}[31"), "x");
    assert_eq!(clean("x\u{1b}]0;y\nz"), "x\nz");
}

#[test]
fn long_text_is_cut_between_characters() {
    assert_eq!(clean_at_most("ééé", 4), "éé…");
    assert_eq!(clean_at_most("abc", 3), "abc");
    assert_eq!(clean_line_at_most("ab\ncd\n", 5), "ab cd");
    assert_eq!(clean_line_at_most("ab\ncd\n", 4), "ab c…");
}

/// Texts as an attacker writes them: any characters, with those that matter more often.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "\\PC{0,8}".prop_map(|text| text),
        proptest::char::any().prop_map(String::from),
        prop_oneof![
            Just('\u{1b}'),
            Just('\u{9b}'),
            Just('\u{9d}'),
            Just('['),
            Just(']'),
            Just('\u{7}'),
            Just('\u{202e}'),
            Just('\u{200b}'),
            Just('\u{2028}'),
            Just('\u{e0041}'),
        ]
        .prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_that_controls_or_hides_survives(text in hostile()) {
        let cleaned = clean(&text);
        prop_assert!(!cleaned.contains(is_hidden), "{cleaned:?}");
        prop_assert!(!cleaned.contains('\t'));
        prop_assert_eq!(&clean(&cleaned), &cleaned);
        let line = clean_line(&text);
        prop_assert!(!line.contains(is_hidden) && !line.contains('\n'), "{line:?}");
    }

    #[test]
    fn a_bound_is_kept(text in hostile(), bytes in 0_usize..40) {
        for cut in [clean_at_most(&text, bytes), clean_line_at_most(&text, bytes)] {
            prop_assert!(cut.len() <= bytes + '…'.len_utf8(), "{cut:?}");
            prop_assert!(!cut.contains(is_hidden));
        }
    }

    #[test]
    fn plain_text_stays_as_it_is(text in "[ -~äöüß世界\\n]{0,40}") {
        prop_assert_eq!(clean(&text), text);
    }
}
