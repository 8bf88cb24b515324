//! Storage as documents and tables, by the names of Juju's. One storage is its own filesystem, so both have
//! the same number; there are no volumes.

use std::collections::BTreeMap;

use periapt_model::Life;
use periapt_model::storage::{StorageId, shown};
use periapt_wire::rest::{StorageAttachmentInfo, StorageInfo};
use serde::Serialize;

use super::document::Named;
use super::status::document::Status;
use super::table::{Cell, Table};
use super::text::{clean, natural};
use super::time::Times;

#[cfg(test)]
mod tests;

/// What `storage` and `status` show.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Combined {
    #[serde(skip_serializing_if = "Named::is_empty")]
    storage: Named<StorageDocument>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    filesystems: Named<FilesystemDocument>,
}

impl Combined {
    pub fn of(storages: &[StorageInfo], times: &Times) -> Self {
        Self {
            storage: documents(storages, times),
            filesystems: filesystems(storages, times),
        }
    }
}

/// A storage, and more of it where that was asked for.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StorageDocument {
    kind: String,
    /// Ours, as all that follows the attachments.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    life: Life,
    status: Status,
    persistent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    attachments: Option<UnitAttachments>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pool: Option<String>,
    /// MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// Whether no more than that fits into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct UnitAttachments {
    units: Named<UnitAttachment>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct UnitAttachment {
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    location: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    read_only: bool,
    life: Life,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FilesystemDocument {
    provider_id: String,
    storage: StorageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    attachments: Option<FilesystemAttachments>,
    pool: String,
    /// MiB.
    size: u64,
    life: Life,
    status: Status,
}

#[derive(Clone, Debug, Serialize)]
struct FilesystemAttachments {
    machines: Named<MachineAttachment>,
    units: Named<UnitAttachment>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct MachineAttachment {
    mount_point: String,
    read_only: bool,
    life: Life,
}

impl StorageDocument {
    pub fn of(storage: &StorageInfo, times: &Times) -> Self {
        let attachments = UnitAttachments {
            units: units(&storage.attachments),
        };
        Self {
            kind: storage.kind.clone(),
            owner: storage.owner.clone(),
            life: storage.life,
            status: status(storage, times),
            persistent: storage.persistent,
            attachments: (!storage.attachments.is_empty()).then_some(attachments),
            pool: None,
            size: None,
            limited: None,
            provider_id: None,
            created: None,
        }
    }

    /// With all that is known of it.
    pub fn whole(storage: &StorageInfo, times: &Times) -> Self {
        Self {
            pool: Some(storage.pool.clone()),
            size: Some(storage.size),
            limited: Some(storage.limited),
            provider_id: Some(storage.provider_id.clone()),
            created: Some(times.micros(storage.created_at)),
            ..Self::of(storage, times)
        }
    }
}

/// By their ids.
pub fn documents(storages: &[StorageInfo], times: &Times) -> Named<StorageDocument> {
    let each = storages.iter();
    each.map(|storage| (storage.id.to_string(), StorageDocument::of(storage, times)))
        .collect()
}

/// By their numbers.
pub fn filesystems(storages: &[StorageInfo], times: &Times) -> Named<FilesystemDocument> {
    let document = |storage: &StorageInfo| {
        let attached = storage.attachments.iter();
        // Several units of one machine may share it.
        let machines: BTreeMap<String, MachineAttachment> = attached
            .filter_map(|attachment| {
                let machine = attachment.machine.as_ref()?.to_string();
                Some((machine, MachineAttachment::of(attachment)))
            })
            .collect();
        let attachments = FilesystemAttachments {
            machines: machines.into_iter().collect(),
            units: units(&storage.attachments),
        };
        let document = FilesystemDocument {
            provider_id: storage.provider_id.clone(),
            storage: storage.id.clone(),
            attachments: (!storage.attachments.is_empty()).then_some(attachments),
            pool: storage.pool.clone(),
            size: storage.size,
            life: storage.life,
            status: status(storage, times),
        };
        (storage.id.number().to_string(), document)
    };
    storages.iter().map(document).collect()
}

impl MachineAttachment {
    fn of(attachment: &StorageAttachmentInfo) -> Self {
        Self {
            mount_point: attachment.location.clone(),
            read_only: attachment.read_only,
            life: attachment.life,
        }
    }
}

fn units(attachments: &[StorageAttachmentInfo]) -> Named<UnitAttachment> {
    let each = attachments.iter().map(|attachment| {
        let document = UnitAttachment {
            machine: attachment.machine.as_ref().map(ToString::to_string),
            location: attachment.location.clone(),
            read_only: attachment.read_only,
            life: attachment.life,
        };
        (attachment.unit.to_string(), document)
    });
    each.collect()
}

fn status(storage: &StorageInfo, times: &Times) -> Status {
    Status {
        current: storage.status.status.to_string(),
        message: clean(&storage.status.message),
        since: times.micros(storage.status.since),
        ..Status::default()
    }
}

/// A storage with one of the units that have it, by the units' names; what nobody has comes last.
fn rows(storages: &[StorageInfo]) -> Vec<(&StorageInfo, Option<&StorageAttachmentInfo>)> {
    let mut rows = Vec::new();
    for storage in storages {
        match storage.attachments.as_slice() {
            [] => rows.push((storage, None)),
            attached => rows.extend(attached.iter().map(|one| (storage, Some(one)))),
        }
    }
    rows.sort_by(|(one, of), (other, of_other)| {
        let names = of.map(|of| of.unit.as_str());
        let other_names = of_other.map(|of| of.unit.as_str());
        let units = match (names, other_names) {
            (Some(one), Some(other)) => natural(one, other),
            (one, other) => other.is_some().cmp(&one.is_some()),
        };
        units.then_with(|| natural(&one.id.to_string(), &other.id.to_string()))
    });
    rows
}

fn unit(attachment: Option<&StorageAttachmentInfo>) -> Cell {
    attachment.map_or("", |of| of.unit.as_str()).into()
}

pub fn table(storages: &[StorageInfo]) -> Table {
    let headers = [
        "Unit",
        "Storage ID",
        "Type",
        "Pool",
        "Size",
        "Status",
        "Message",
    ];
    let mut table = Table::new(&headers);
    for (storage, attachment) in rows(storages) {
        table.row(vec![
            unit(attachment),
            storage.id.to_string().into(),
            (&storage.kind).into(),
            (&storage.pool).into(),
            shown(storage.size).into(),
            Cell::status(storage.status.status.as_str()),
            (&storage.status.message).into(),
        ]);
    }
    table
}

/// As a part of `status`.
pub fn status_table(storages: &[StorageInfo]) -> Table {
    let headers = [
        "Storage Unit",
        "Storage ID",
        "Type",
        "Pool",
        "Mountpoint",
        "Size",
        "Status",
        "Message",
    ];
    let mut table = Table::new(&headers);
    for (storage, attachment) in rows(storages) {
        table.row(vec![
            unit(attachment),
            storage.id.to_string().into(),
            (&storage.kind).into(),
            (&storage.pool).into(),
            attachment.map_or("", |of| of.location.as_str()).into(),
            shown(storage.size).into(),
            Cell::status(storage.status.status.as_str()),
            (&storage.status.message).into(),
        ]);
    }
    table
}

pub fn filesystem_table(storages: &[StorageInfo]) -> Table {
    let headers = [
        "Machine",
        "Unit",
        "Storage ID",
        "ID",
        "Provider ID",
        "Mountpoint",
        "Size",
        "State",
        "Message",
    ];
    let mut table = Table::new(&headers);
    for (storage, attachment) in rows(storages) {
        let machine = attachment.and_then(|of| of.machine.as_ref());
        table.row(vec![
            machine.map(ToString::to_string).unwrap_or_default().into(),
            unit(attachment),
            storage.id.to_string().into(),
            storage.id.number().to_string().into(),
            (&storage.provider_id).into(),
            attachment.map_or("", |of| of.location.as_str()).into(),
            shown(storage.size).into(),
            Cell::status(storage.status.status.as_str()),
            (&storage.status.message).into(),
        ]);
    }
    table
}
