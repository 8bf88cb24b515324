//! Attempts on paths that the script names: a test knows where things are that a unit must not
//! see, and the probe tries to get at them in every way the standard library has.

use std::fs;
use std::io;
use std::path::Path;

use periapt_charm::{Context, Result, info};

use crate::Config;

type Attempt = (&'static str, fn(&Path, &Path) -> io::Result<()>);

/// To see that something is there, and what.
const SEE: Attempt = ("see", |path, _| fs::symlink_metadata(path).map(drop));
const LOOK: &[Attempt] = &[
    ("look at", |path, _| fs::metadata(path).map(drop)),
    ("read", |path, _| fs::read(path).map(drop)),
    ("list", |path, _| fs::read_dir(path).map(drop)),
];
const WRITE: &[Attempt] = &[
    ("write", |path, _| {
        fs::OpenOptions::new().append(true).open(path).map(drop)
    }),
    ("overwrite", |path, _| fs::write(path, "reached")),
    ("add to", |path, _| fs::write(path.join("reached"), "x")),
    ("make a folder in", |path, _| {
        fs::create_dir(path.join("reached-folder"))
    }),
];
/// These are about the name itself, not about what a link of that name leads to.
const MOVE: &[Attempt] = &[
    ("link", |path, state| link(path, state)),
    ("put a link in the place of", |path, state| {
        let own = state.join("reach-own");
        fs::write(&own, "x")?;
        let done = fs::rename(&own, path);
        // Only there if it was not moved away.
        let _ = fs::remove_file(&own);
        done
    }),
    ("take", |path, state| {
        fs::rename(path, state.join("reach-taken"))
    }),
    ("remove", |path, _| {
        fs::remove_file(path).or_else(|_| fs::remove_dir(path))
    }),
];

/// What may be tried on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything: the path is none of the unit's business.
    Reach,
    /// What would change it: it may be read.
    Change,
    /// What goes through it: the path is a link that may be seen, and what it leads to may not.
    Follow,
}

impl Extent {
    pub fn word(self) -> &'static str {
        match self {
            Extent::Reach => "reach",
            Extent::Change => "change",
            Extent::Follow => "follow",
        }
    }

    fn attempts(self) -> Vec<Attempt> {
        match self {
            Extent::Reach => [&[SEE], LOOK, WRITE, MOVE].concat(),
            Extent::Change => [WRITE, MOVE].concat(),
            Extent::Follow => [LOOK, WRITE].concat(),
        }
    }
}

/// Tries it all on each path and logs what came of it; the answer names what succeeded.
pub fn attempt(context: &Context<Config>, extent: Extent, paths: &[String]) -> Vec<String> {
    let mut reached = Vec::new();
    for path in paths {
        let mut refusals = Vec::new();
        for (what, attempt) in extent.attempts() {
            match attempt(Path::new(path), context.state_dir()) {
                Ok(()) => reached.push(format!("{what} {path}")),
                Err(error) => refusals.push(format!("{what}: {error}")),
            }
        }
        info!(
            context,
            "{} {path}: refused {}",
            extent.word(),
            refusals.join("; ")
        );
    }
    reached
}

/// Leaves links to the targets in a shared directory, `planted-0` and so on, for a neighbour to
/// fall for. A link that cannot be made is only logged.
#[allow(
    deprecated,
    reason = "the one call that makes links on Unix and WASI alike"
)]
pub fn plant(context: &Context<Config>, name: &str, targets: &[String]) -> Result<()> {
    let shared = context.shared(name)?;
    for (number, target) in targets.iter().enumerate() {
        match fs::soft_link(target, shared.join(format!("planted-{number}"))) {
            Ok(()) => info!(context, "planted {number}: {target}"),
            Err(error) => info!(context, "planted {number}: {target} is refused: {error}"),
        }
    }
    Ok(())
}

/// A second name for the file, through which it could be written.
fn link(path: &Path, state: &Path) -> io::Result<()> {
    let second = state.join("reach-link");
    // An earlier attempt may have left its link.
    let _ = fs::remove_file(&second);
    fs::hard_link(path, second)
}
