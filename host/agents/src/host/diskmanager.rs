//! **diskmanager**: the block devices of the machine, told to the controller.
//!
//! Trigger: a new connection, then every 30 seconds. Action: it looks which devices the kernel has, where they are
//! mounted and how much is free there, and tells of all of them, in order, where that is another list than the last
//! time. Effect: a machine's block devices are shown, the one with the agent's own directory among them.
//!
//! The kernel tells in two files that were opened before the process gave up what it does not need: `/sys` and every
//! other file are out of its reach by now. Nothing is mounted or changed here: devices are not what units get.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_providers::mountinfo::{self, Mounted};
use periapt_wire::ApiConnection;
use periapt_wire::agent::disk_manager::SetBlockDevices;
use periapt_wire::rest::BlockDevice;
use rustix::fs::{major, minor, statvfs};
use serde_json::json;

use super::kernel_file::KernelFile;
use super::{AgentContext, agent, apicaller};

#[cfg(test)]
mod tests;

pub const NAME: &str = "disk-manager";

/// Between two looks.
const EVERY: Duration = Duration::from_secs(30);
/// Devices with a size, and their numbers.
const PARTITIONS: &str = "/proc/partitions";
/// What is mounted where.
const MOUNTS: &str = "/proc/self/mountinfo";
/// What is free is told in steps of so small a part of the device, so that a file that grows is no news each time.
const PARTS: u64 = 100;

/// The kernel's lists.
#[derive(Debug)]
pub struct Disks {
    partitions: KernelFile,
    mounts: KernelFile,
}

impl Disks {
    pub fn open() -> Self {
        Self::of(PARTITIONS, MOUNTS)
    }

    /// Lists that are elsewhere.
    pub(super) fn of(partitions: impl AsRef<Path>, mounts: impl AsRef<Path>) -> Self {
        Self {
            partitions: KernelFile::open(partitions),
            mounts: KernelFile::open(mounts),
        }
    }

    /// What there is now, for an agent with this directory. Blocks.
    fn list(&self, directory: &Path) -> Vec<BlockDevice> {
        let own = std::fs::metadata(directory).ok();
        let own = own.map(|found| (major(found.dev()), minor(found.dev())));
        devices(&self.partitions.read(), &self.mounts.read(), own, free)
    }
}

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let mut told = None;
            loop {
                let (disks, directory) = (agent.disks.clone(), agent.conf.current().directory);
                let found = tokio::task::spawn_blocking(move || disks.list(&directory));
                // A disk that does not answer holds nobody up who wants this to end.
                let found = worker.or_dying(found).await?;
                let found = found.while_doing("looking at block devices")?;
                if told.as_ref() != Some(&found) {
                    let call = SetBlockDevices {
                        devices: found.clone(),
                    };
                    let said = worker.or_dying(connection.call(&call)).await?;
                    said.while_doing("telling of block devices")?;
                    worker.set_report(json!({ "devices": found.len() }));
                    told = Some(found);
                }
                worker.or_dying(clock.sleep(EVERY)).await?;
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

/// Numbers of a device.
type Numbers = (u32, u32);

/// The devices by their names, from the kernel's lists.
fn devices(
    partitions: &str,
    mounts: &str,
    own: Option<Numbers>,
    free: impl Fn(&str) -> Option<u64>,
) -> Vec<BlockDevice> {
    let mounts = mountinfo::mounted(mounts);
    let listed: Vec<(Numbers, u64, &str)> = partitions.lines().filter_map(listed).collect();
    let device = |(numbers, size, name): &(Numbers, u64, &str)| {
        let path = format!("/dev/{name}");
        let of = |mounted: &&Mounted| mounted.numbers == *numbers || mounted.source == path;
        let here = mounts.iter().find(of);
        BlockDevice {
            name: (*name).to_owned(),
            size: *size,
            filesystem_type: here.map_or_else(String::new, |here| here.filesystem.clone()),
            mount_point: here.map_or_else(String::new, |here| here.point.clone()),
            free: here.and_then(|here| free(&here.point)).map(|free| {
                let step = (size / PARTS).max(1);
                free - free % step
            }),
            in_use: here.is_some() || listed.iter().any(|(_, _, other)| is_part(other, name)),
            of_agent: own == Some(*numbers) || here.is_some_and(|here| own == Some(here.numbers)),
        }
    };
    let mut devices: Vec<BlockDevice> = listed.iter().map(device).collect();
    devices.sort_by(|one, other| one.name.cmp(&other.name));
    devices.dedup_by(|one, other| one.name == other.name);
    devices
}

/// Numbers, size in MiB and name of a line `major minor #blocks name`, whose blocks are of 1 KiB.
fn listed(line: &str) -> Option<(Numbers, u64, &str)> {
    let mut fields = line.split_whitespace();
    let major = fields.next()?.parse().ok()?;
    let minor = fields.next()?.parse().ok()?;
    let blocks: u64 = fields.next()?.parse().ok()?;
    Some(((major, minor), blocks / 1024, fields.next()?))
}

/// Whether a device is a part of a disk: `sda1` of `sda`, `nvme0n1p1` of `nvme0n1`.
fn is_part(name: &str, disk: &str) -> bool {
    let Some(rest) = name.strip_prefix(disk) else {
        return false;
    };
    let number = match disk.ends_with(|last: char| last.is_ascii_digit()) {
        true => rest.strip_prefix('p').unwrap_or_default(),
        false => rest,
    };
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// MiB that are free for everybody in what is mounted there.
fn free(point: &str) -> Option<u64> {
    let found = statvfs(point).ok()?;
    let bytes = u128::from(found.f_bavail) * u128::from(found.f_frsize);
    u64::try_from(bytes >> 20).ok()
}
