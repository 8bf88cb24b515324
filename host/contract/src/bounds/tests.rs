use super::*;

#[test]
fn a_text_is_cut_between_characters_and_fits() {
    let bound = Bound::new("texts", 8, "bytes", "cut");
    assert_eq!(bound.cut("eight by"), "eight by");
    assert_eq!(bound.cut("nine byte"), "nine …");
    assert_eq!(bound.cut("ééééé"), "éé…");
}
