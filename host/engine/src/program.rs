//! Where this process finds its own program, to start it again in another role.
//!
//! It owns that one question, because an upgrade or a build may replace the file while the process
//! runs: the kernel then names a path at which nothing is. The kernel keeps the program itself for
//! as long as the process lives, so that one is started instead, which is also of this version.

use std::io;
use std::path::{Path, PathBuf};

/// The program that a process runs, also when its file is gone.
const KEPT_BY_KERNEL: &str = "/proc/self/exe";

/// The path of this program, or what the kernel keeps of it where its file was replaced.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe().map(unless_gone)
}

fn unless_gone(path: PathBuf) -> PathBuf {
    match path.exists() {
        true => path,
        false => Path::new(KEPT_BY_KERNEL).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_path() {
        let path = std::env::current_exe().unwrap();
        assert_eq!(own_program().unwrap(), path);
    }

    #[test]
    fn a_program_whose_file_was_replaced_can_still_be_started() {
        let gone = unless_gone("/nowhere/periapt (deleted)".into());
        let listed = std::process::Command::new(gone)
            .arg("--list")
            .output()
            .unwrap();
        assert!(listed.status.success());
    }
}
