use periapt_charm::Hook;
use periapt_charm::testing::Harness;

use super::*;

#[test]
fn files_are_listed_in_order_with_their_sizes_if_wished() {
    let mut harness = Harness::<SiteCharm>::new();
    harness.with_context(Hook::UpdateStatus, |context| {
        let state = context.state_dir();
        assert_eq!(listing(state, true).expect("lists"), "");
        fs::create_dir_all(state.join("site/more")).expect("makes");
        fs::write(state.join("site/index.html"), "12345").expect("writes");
        fs::write(state.join("site/more/a"), "").expect("writes");
        fs::write(state.join("note"), "1").expect("writes");
        assert_eq!(
            listing(state, false).expect("lists"),
            "note\nsite/index.html\nsite/more/a\n"
        );
        assert_eq!(
            listing(state, true).expect("lists"),
            "         1 note\n         5 site/index.html\n         0 site/more/a\n"
        );
    });
}

#[test]
fn what_is_not_understood_ends_with_2() {
    let mut harness = Harness::<SiteCharm>::new();
    for (arguments, code) in [
        (&[] as &[&str], 0),
        (&["--long"], 0),
        (&["--short"], MISUSED),
        (&["--long", "--long"], MISUSED),
    ] {
        let ended = harness.run_command("list", arguments).expect("runs");
        assert_eq!(ended.return_code, code, "{arguments:?}");
    }
}
