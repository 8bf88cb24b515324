//! Who a process is: a user id of its own instead of root's, and no capability.
//!
//! The id follows from a name (an agent's is its model's UUID), so that it is the same at every
//! start without being written down anywhere. Two names may get the same id; that is improbable,
//! and what stands between them then is what stands between two agents of an ordinary user.
//!
//! What this module never does: it changes no owner of any file. Whoever makes the files of the
//! process gives them to [`Identity::own_user`] before.

use std::fs;
use std::ops::Range;

use periapt_model::Digest;
use rustix::process::{Gid, Uid, geteuid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use super::LockdownError;

/// User and group ids of agents that are started as root: far above those that distributions,
/// `useradd`, subordinate ids and systemd give away.
pub const OWN_USERS: Range<u32> = 1_879_048_192..2_013_265_920;

/// The same where a user namespace has only 65,536 ids, as in most containers: a range that
/// Debian and systemd leave free.
pub const OWN_USERS_SMALL: Range<u32> = 40_000..60_000;

/// What the process that starts and ends the agent needs besides, so that an agent with an id of
/// its own does not get out of its hands.
const NEEDED: [(CapabilitySet, &str); 5] = [
    (CapabilitySet::CHOWN, "CAP_CHOWN"),
    (CapabilitySet::DAC_OVERRIDE, "CAP_DAC_OVERRIDE"),
    (CapabilitySet::KILL, "CAP_KILL"),
    (CapabilitySet::SETGID, "CAP_SETGID"),
    (CapabilitySet::SETUID, "CAP_SETUID"),
];

/// A user and group id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User(u32);

impl User {
    /// The number of both ids.
    pub const fn id(self) -> u32 {
        self.0
    }
}

/// Who a process is to become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    become_user: Result<User, Option<String>>,
}

impl Identity {
    /// For a process that is to stay the user it is.
    pub const UNCHANGED: Identity = Identity {
        become_user: Err(None),
    };

    /// Started as root: the id that belongs to `name`, if this process can give it. Otherwise the
    /// user stays, root for a reason that is told.
    pub fn own(name: &str) -> Self {
        if !geteuid().is_root() {
            return Self::UNCHANGED;
        }
        let effective = capabilities(None).map(|sets| sets.effective);
        let maps = ["/proc/self/uid_map", "/proc/self/gid_map"];
        let maps = maps.map(|path| fs::read_to_string(path).unwrap_or_default());
        Self {
            become_user: choose(name, effective.unwrap_or(CapabilitySet::empty()), &maps)
                .map_err(Some),
        }
    }

    /// Started as root: the owner of a file that such a process was given. Root's own, or to any other user,
    /// the user stays.
    pub fn owner(id: u32) -> Self {
        match geteuid().is_root() && id != 0 {
            true => Self {
                become_user: Ok(User(id)),
            },
            false => Self::UNCHANGED,
        }
    }

    /// The user that the process becomes, if that is another than it is.
    pub fn own_user(&self) -> Option<User> {
        self.become_user.clone().ok()
    }

    /// Why the process stays root, if it does.
    pub fn keeps_root(&self) -> Option<&str> {
        self.become_user.as_ref().err()?.as_deref()
    }
}

/// The user for a name, or why there is none.
pub(super) fn choose(
    name: &str,
    effective: CapabilitySet,
    maps: &[String; 2],
) -> Result<User, String> {
    if let Some((_, lacking)) = NEEDED.iter().find(|(one, _)| !effective.contains(*one)) {
        return Err(format!("root has no {lacking} here"));
    }
    let drawn = Digest::of(name)
        .as_bytes()
        .iter()
        .take(4)
        .fold(0, |drawn, byte| drawn << 8 | u32::from(*byte));
    [OWN_USERS, OWN_USERS_SMALL]
        .iter()
        .map(|range| range.start + drawn % (range.end - range.start))
        .find(|id| maps.iter().all(|map| maps_to(map, *id)))
        .map(User)
        .ok_or_else(|| "this user namespace has no user ids to give".to_owned())
}

/// Whether an id exists in the namespace of a map: lines of the first id inside, the first one
/// outside and how many there are.
fn maps_to(map: &str, id: u32) -> bool {
    map.lines().any(|line| {
        let numbers: Vec<u64> = line
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let (Some(first), Some(count)) = (numbers.first(), numbers.get(2)) else {
            return false;
        };
        (*first..first.saturating_add(*count)).contains(&u64::from(id))
    })
}

/// Gives up the capability that most secrets of a kernel are kept for.
pub(super) fn administer_nothing() -> Result<(), LockdownError> {
    let failed = |error: rustix::io::Errno| LockdownError::Privileges(error.to_string());
    let mut held = capabilities(None).map_err(failed)?;
    for set in [
        &mut held.effective,
        &mut held.permitted,
        &mut held.inheritable,
    ] {
        set.remove(CapabilitySet::SYS_ADMIN);
    }
    set_capabilities(None, held).map_err(failed)
}

/// Gives up every capability and, if told to, root's ids. The process's user id afterwards.
pub(super) fn become_user(identity: &Identity) -> Result<u32, LockdownError> {
    let failed = |what: &'static str| {
        move |error: rustix::io::Errno| LockdownError::Privileges(format!("{what}: {error}"))
    };
    let held = capabilities(None).map_err(failed("capabilities"))?;
    // Only who may drop from the bounding set can; without new programs it matters to nobody else.
    if held.effective.contains(CapabilitySet::SETPCAP) {
        for number in 0..u64::BITS {
            // Beyond the last one the kernel knows there is nothing to drop.
            let one = CapabilitySet::from_bits_retain(1 << number);
            if remove_capability_from_bounding_set(one).is_err() {
                break;
            }
        }
    }
    // Kernels without ambient capabilities have none to clear.
    let _ = clear_ambient_capability_set();
    if let Some(User(id)) = identity.own_user() {
        let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
        set_thread_groups(&[]).map_err(failed("groups"))?;
        set_thread_res_gid(group, group, group).map_err(failed("group"))?;
        set_thread_res_uid(user, user, user).map_err(failed("user"))?;
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(failed("capabilities"))?;
    let left = capabilities(None).map_err(failed("capabilities"))?;
    if !(left.effective | left.permitted | left.inheritable).is_empty() {
        return Err(LockdownError::Privileges(format!(
            "capabilities are left: {:?}",
            left.permitted
        )));
    }
    Ok(getuid().as_raw())
}
