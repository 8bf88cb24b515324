//! Attempts to reach what is not the unit's own.
//!
//! Each attempt goes through the standard library, as a curious or hostile author's would.
//! Where the guest was built for WASI preview 1 the library has no sockets to try; the attempts
//! then fail inside the guest.

use std::fs;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;

use periapt_charm::{Context, Result};

use crate::Config;

/// Variables of the agent's own environment. What a hook gets on purpose has other names.
const INHERITED: &[&str] = &["PATH", "HOME", "USER", "SHELL", "PWD", "TERM", "HOSTNAME"];

type Attempt = (&'static str, fn(&Path, &Path) -> bool);

const OUTSIDE: &[Attempt] = &[
    ("absolute path", |_, _| reads("/etc/passwd")),
    ("root folder", |_, _| {
        fs::read_dir("/").is_ok_and(|entries| entries.count() > 0)
    }),
    ("parent of state", |state, _| {
        reads(state.join("../etc/passwd")) || lists(state.join(".."))
    }),
    ("many parents", |state, _| {
        reads(state.join("../../../../../../../../etc/passwd"))
    }),
    ("parent through a folder", |state, _| {
        let folder = state.join("escape-folder");
        // Without the folder the attempt fails as it should.
        let _ = fs::create_dir(&folder);
        reads(folder.join("../../../../../../etc/passwd"))
    }),
    ("relative path", |_, _| {
        reads("etc/passwd") || reads("../etc/passwd")
    }),
    ("absolute link", |state, _| {
        through_link(state, "/etc", "passwd")
    }),
    ("relative link", |state, _| {
        through_link(state, "../../../../../../etc", "passwd")
    }),
    ("link to the parent", |state, _| {
        through_link(state, "..", "etc/passwd") || lists(state.join("escape-link"))
    }),
    ("process files", |_, _| {
        reads("/proc/self/environ") || reads("/proc/self/maps") || reads("/proc/1/cmdline")
    }),
    ("devices", |_, _| {
        reads_some("/dev/urandom") || fs::write("/dev/null", "x").is_ok()
    }),
    ("hard link out", |state, _| {
        fs::hard_link("/etc/passwd", state.join("escape-hard")).is_ok()
    }),
    ("writing the charm", |_, charm| {
        fs::write(charm.join("metadata.yaml"), "x").is_ok()
    }),
    ("adding to the charm", |_, charm| {
        fs::write(charm.join("escape"), "x").is_ok() || fs::create_dir(charm.join("escape")).is_ok()
    }),
    ("removing from the charm", |_, charm| {
        fs::remove_file(charm.join("metadata.yaml")).is_ok()
    }),
    ("moving the charm's files", |state, charm| {
        fs::rename(charm.join("metadata.yaml"), state.join("escape-moved")).is_ok()
    }),
    ("linking the charm's files", |state, charm| {
        let link = state.join("escape-charm");
        fs::hard_link(charm.join("metadata.yaml"), &link).is_ok() && fs::write(link, "x").is_ok()
    }),
    ("environment", |_, _| {
        INHERITED
            .iter()
            .any(|name| std::env::var_os(name).is_some())
    }),
    ("arguments", |_, _| std::env::args_os().len() > 1),
    ("tcp out", |_, _| {
        ["127.0.0.1:22", "127.0.0.1:80", "[::1]:22", "10.0.0.1:80"]
            .iter()
            .any(|at| TcpStream::connect(at).is_ok())
    }),
    ("tcp in", |_, _| TcpListener::bind("127.0.0.1:0").is_ok()),
    ("udp", |_, _| UdpSocket::bind("127.0.0.1:0").is_ok()),
    ("names", |_, _| {
        std::net::ToSocketAddrs::to_socket_addrs("localhost:80")
            .is_ok_and(|mut found| found.next().is_some())
    }),
    ("processes", |_, _| {
        std::process::Command::new("/bin/true").status().is_ok()
    }),
];

/// Tries everything; the answer names what succeeded.
pub fn try_everything(context: &Context<Config>) -> Vec<&'static str> {
    let (state, charm) = (context.state_dir(), context.charm_dir());
    OUTSIDE
        .iter()
        .filter(|(_, attempt)| attempt(state, charm))
        .map(|(name, _)| *name)
        .collect()
}

type FromShared = (&'static str, fn(&Path) -> bool);

/// Attempts that start at a shared directory, to reach what is not shared under its name. They
/// get the directory.
const FROM_SHARED: &[FromShared] = &[
    ("parent", |shared| {
        lists(shared.join("..")) || lists(shared.join("../.."))
    }),
    ("many parents", |shared| {
        reads(shared.join("../../../../../../../../etc/passwd"))
    }),
    ("all shared directories", |_| {
        lists("/shared/..") || lists("/shared/.")
    }),
    ("parent through a folder", |shared| {
        let folder = shared.join("escape-folder");
        // Without the folder the attempt fails as it should.
        let _ = fs::create_dir(&folder);
        let reached = lists(folder.join("../..")) || reads(folder.join("../../../../etc/passwd"));
        let _ = fs::remove_dir(&folder);
        reached
    }),
    ("absolute link", |shared| {
        through_link(shared, "/etc", "passwd")
    }),
    ("relative link", |shared| {
        through_link(shared, "../../../../../../etc", "passwd")
    }),
    ("link to the parent", |shared| {
        through_link(shared, "..", "passwd") || lists(shared.join("escape-link"))
    }),
    ("link of another", |shared| {
        // A neighbour may have left one for us to follow.
        fs::read_dir(shared).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                entry.file_type().is_ok_and(|kind| kind.is_symlink())
                    && (reads(entry.path()) || lists(entry.path()))
            })
        })
    }),
    ("hard link in", |shared| {
        fs::hard_link("/etc/passwd", shared.join("escape-hard")).is_ok()
    }),
    ("moving out of the parent", |shared| {
        fs::rename(shared.join("../../state"), shared.join("escape-moved")).is_ok()
    }),
];

/// Tries everything that may lead out of the shared directory `name`; the answer names what
/// succeeded.
pub fn try_shared(context: &Context<Config>, name: &str) -> Result<Vec<&'static str>> {
    let shared = context.shared(name)?;
    let reached = FROM_SHARED
        .iter()
        .filter(|(_, attempt)| attempt(&shared))
        .map(|(name, _)| *name)
        .collect();
    // What the attempts leave behind would be in the neighbours' way.
    let _ = fs::remove_file(shared.join("escape-link"));
    Ok(reached)
}

fn reads(path: impl AsRef<Path>) -> bool {
    fs::read(path).is_ok()
}

/// As [`reads`], for what never ends.
fn reads_some(path: &str) -> bool {
    use std::io::Read;
    fs::File::open(path).is_ok_and(|mut file| file.read(&mut [0; 8]).is_ok())
}

fn lists(path: impl AsRef<Path>) -> bool {
    fs::read_dir(path).is_ok_and(|entries| entries.count() > 0)
}

/// Makes a link in the state folder and looks through it. `soft_link` is deprecated for what it
/// does on Windows; it is the one call that makes links on Unix and WASI alike.
#[allow(deprecated)]
fn through_link(state: &Path, target: &str, file: &str) -> bool {
    let link = state.join("escape-link");
    // An earlier attempt may have left its link; whether this one can be made is the question.
    let _ = fs::remove_file(&link);
    fs::soft_link(target, &link).is_ok() && reads(link.join(file))
}
