//! Wrong input wherever a person can type: a clear error in three lines, the right exit code,
//! nothing lost.

mod archives;
mod directories;
mod juju_scripts;
mod machine;
mod typing;
