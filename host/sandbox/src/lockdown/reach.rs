//! Landlock: which paths and ports a process can reach, and which processes it can disturb.
//!
//! Kernels learned this by and by. What one does not know is left out, and the result says so.

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, NetPort,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use std::path::Path;

use super::{LockdownError, Walls};

/// The newest Landlock whose rights are asked for; older kernels give what they have.
const WANTED: ABI = ABI::V6;

/// What holds of the walls that the kernel builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Landlock's version in this kernel; 0 when it has none.
    pub version: u32,
}

/// A wall that depends on the kernel's version of Landlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// Only named paths can be opened, made or removed.
    Paths,
    /// Files cannot be cut short unless they may be written.
    Truncation,
    /// Only named TCP ports can be connected to, and none listened on.
    Ports,
    /// Devices take no commands.
    Devices,
    /// Abstract sockets and signals of other processes are out of reach.
    Scopes,
}

impl Wall {
    pub const ALL: [Wall; 5] = [
        Wall::Paths,
        Wall::Truncation,
        Wall::Ports,
        Wall::Devices,
        Wall::Scopes,
    ];

    /// The first version that has it, and the kernel that brought it.
    const fn since(self) -> (u32, &'static str) {
        match self {
            Wall::Paths => (1, "5.13"),
            Wall::Truncation => (3, "6.2"),
            Wall::Ports => (4, "6.7"),
            Wall::Devices => (5, "6.10"),
            Wall::Scopes => (6, "6.12"),
        }
    }

    const fn without(self) -> &'static str {
        match self {
            Wall::Paths => "every file of its user can be reached",
            Wall::Truncation => "files it may only read can be emptied",
            Wall::Ports => "every TCP port can be connected to",
            Wall::Devices => "devices it can open take commands",
            Wall::Scopes => "signals reach other processes of its user",
        }
    }
}

impl Reach {
    /// Whether the kernel builds this wall.
    pub const fn holds(self, wall: Wall) -> bool {
        self.version >= wall.since().0
    }

    pub(super) fn missing(self) -> impl Iterator<Item = String> {
        let missing = Wall::ALL.into_iter().filter(move |wall| !self.holds(*wall));
        missing.map(move |wall| {
            let (version, kernel) = wall.since();
            format!(
                "{}: this needs Landlock {version} (Linux {kernel}), and the kernel has {}",
                wall.without(),
                match self.version {
                    0 => "none, or it is switched off".to_owned(),
                    version => version.to_string(),
                }
            )
        })
    }
}

impl std::fmt::Display for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let yes = |wall, yes: &'static str, no: &'static str| match self.holds(wall) {
            true => yes,
            false => no,
        };
        write!(
            f,
            "{}, {}, {} (Landlock {})",
            yes(Wall::Paths, "own paths only", "paths are NOT restricted"),
            yes(
                Wall::Ports,
                "the controller's ports only",
                "ports are NOT restricted"
            ),
            yes(
                Wall::Scopes,
                "own processes only",
                "signals are NOT restricted"
            ),
            self.version
        )
    }
}

pub(super) fn restrict(walls: &Walls<'_>) -> Result<Reach, LockdownError> {
    let failed = |error: landlock::RulesetError| LockdownError::Reach(error.to_string());
    let all = AccessFs::from_all(WANTED);
    // Reading does not include running: nothing is run.
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|rules| rules.handle_access(AccessNet::from_all(WANTED)))
        .and_then(|rules| rules.scope(Scope::from_all(WANTED)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    let write = all & !AccessFs::Execute;
    for (paths, access) in [(walls.read_write, write), (walls.read_only, read)] {
        for path in paths {
            rules = allow(rules, path, access)?;
        }
    }
    for port in walls.connect {
        let rule = NetPort::new(*port, AccessNet::ConnectTcp);
        rules = rules.add_rule(rule).map_err(failed)?;
    }
    let status = rules.restrict_self().map_err(failed)?;
    let version = match status.landlock {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => kernel_abi
            .and_then(|version| u32::try_from(version).ok())
            .unwrap_or(effective_abi as u32),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    };
    Ok(Reach { version })
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: landlock::BitFlags<AccessFs>,
) -> Result<RulesetCreated, LockdownError> {
    let unreachable = |reason: String| LockdownError::Path {
        path: path.display().to_string(),
        reason,
    };
    let opened = PathFd::new(path).map_err(|error| unreachable(error.to_string()))?;
    // Rights of directories make no sense for a file and would make the rule partial.
    let access = match path.is_dir() {
        true => access,
        false => access & AccessFs::from_file(WANTED),
    };
    rules
        .add_rule(PathBeneath::new(opened, access))
        .map_err(|error| unreachable(error.to_string()))
}
