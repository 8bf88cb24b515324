//! Named steps that a test can make fail for a while, to prove what a failure there does and that
//! it passes.
//!
//! `PERIAPT_FAULT=name@/path` makes the step `name` fail for as long as there is a file at that
//! path. Without the variable a step costs one atomic load.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Environment variable that arms one fault.
pub const VARIABLE: &str = "PERIAPT_FAULT";

static ARMED: OnceLock<Option<(String, PathBuf)>> = OnceLock::new();

/// Fails while the step `name` is to fail.
///
/// # Errors
/// One that names the file that makes it.
pub fn check(name: &str) -> io::Result<()> {
    let armed = ARMED.get_or_init(|| parse(&std::env::var(VARIABLE).ok()?));
    match armed {
        Some((step, path)) if step == name && path.exists() => Err(io::Error::other(format!(
            "a test makes it fail with {}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

fn parse(text: &str) -> Option<(String, PathBuf)> {
    let (name, path) = text.split_once('@')?;
    (!name.is_empty() && !path.is_empty()).then(|| (name.to_owned(), PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_a_step_and_a_file() {
        let armed = parse("upgrade-step-forget-compiled@/tmp/here").expect("valid");
        assert_eq!(
            armed,
            ("upgrade-step-forget-compiled".into(), "/tmp/here".into())
        );
        assert!(parse("").is_none() && parse("x").is_none());
        assert!(parse("@/tmp/here").is_none() && parse("x@").is_none());
    }
}
