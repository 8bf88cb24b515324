use std::time::Duration;

use super::{COURSE, Heard, Line, ONE_CORE, course, sum_of_warnings};

#[test]
fn cargos_progress_is_read_and_its_messages_are_passed_on() {
    assert_eq!(
        Heard::from("    Building [====>        ] 213/412: wasmtime, cranelift-codegen(build)"),
        Heard::Progress {
            built: 213,
            all: 412,
            now: "wasmtime, cranelift-codegen(build)"
        }
    );
    assert_eq!(
        Heard::from("\u{1b}[K   Compiling serde v1.0.229"),
        Heard::Routine
    );
    assert_eq!(Heard::from(""), Heard::Routine);
    for message in [
        "error[E0308]: mismatched types",
        "warning: unused variable: `x`",
        "  --> src/lib.rs:3:5",
        "   |",
    ] {
        assert_eq!(Heard::from(message), Heard::Message, "{message}");
    }
}

#[test]
fn the_course_only_ever_goes_forward_and_ends_at_the_end() {
    assert_eq!(
        (COURSE[0], COURSE[COURSE.len() - 1]),
        ((0.0, 0.0), (1.0, 1.0))
    );
    assert!(
        COURSE
            .windows(2)
            .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1)
    );
    assert_eq!((course(0.0), course(1.0)), (0.0, 1.0));
}

#[test]
fn what_is_left_is_told_from_the_first_line_on_and_then_from_this_machines_speed() {
    let mut line = Line::new(2);
    let first = line.words(0, 400, "serde", Duration::from_secs(1));
    let expected = (ONE_CORE / 2).as_secs().div_ceil(60);
    assert!(
        first.contains(&format!("about {expected} min left: serde")),
        "{first}"
    );

    // A machine that needs an hour for it says so before half an hour has gone.
    let at = 320;
    let spent = Duration::from_secs(3600).mul_f64(course(0.8));
    let later = line.words(at, 400, "wasmtime", spent);
    let left = (3600.0 * (1.0 - course(0.8)) / 60.0).ceil();
    assert!(later.contains(&format!("about {left} min left")), "{later}");

    // What an earlier build left is no speed of this one.
    let mut warm = Line::new(2);
    let words = warm.words(395, 400, "periapt-cli", Duration::from_secs(1));
    assert!(!words.contains(&format!("about {expected} min")), "{words}");
}

#[test]
fn the_sum_of_a_targets_warnings_is_heard_and_no_single_one() {
    let sum = "warning: `periapt-model` (lib test) generated 2 warnings (1 duplicate)";
    assert_eq!(sum_of_warnings(sum).as_deref(), Some(sum));
    let cleared = format!("\u{1b}[K{sum}");
    assert_eq!(sum_of_warnings(&cleared).as_deref(), Some(sum));
    assert_eq!(sum_of_warnings("warning: unused variable: `x`"), None);
    assert_eq!(
        sum_of_warnings("warning: build failed, waiting for other jobs to finish..."),
        None
    );
}
