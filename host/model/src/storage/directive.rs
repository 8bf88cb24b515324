//! What an application's units are given: what a person asked for with `--storage`, completed by the charm's
//! metadata.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::pool::is_pool_name;
use super::{CountRange, Pools, invalid, mib_of, refused};
use crate::charm::{Storage, StorageKind};
use crate::hook::commit::Refused;
use crate::nearest::suggestion;
use crate::refusal::Refusal;

/// The size of what neither the charm nor a person gives one.
pub const DEFAULT_SIZE_MIB: u64 = 1024;

/// What a person asks for; what is left out is the charm's and the model's to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct Asked {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

impl fmt::Display for Asked {
    /// As it is read: `loop,3,10240M`; nothing where nothing is asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size.map(|size| format!("{size}M"));
        let count = self.count.map(|count| count.to_string());
        let parts = [self.pool.clone(), count, size];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(","))
    }
}

impl FromStr for Asked {
    type Err = Refused;

    /// `loop,3,10G`: each at most once, in any order.
    fn from_str(text: &str) -> Result<Self, Refused> {
        let mut asked = Self::default();
        for part in text.split(',') {
            let twice = if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
                let count = part.parse::<u32>().ok().filter(|count| *count > 0);
                let count = count
                    .ok_or_else(|| invalid(format!("\"{part}\" is not a number of storages")))?;
                asked.count.replace(count).is_some()
            } else if part.starts_with(|c: char| c.is_ascii_digit()) {
                asked.size.replace(mib_of(part).map_err(invalid)?).is_some()
            } else if is_pool_name(part) {
                asked.pool.replace(part.to_owned()).is_some()
            } else {
                return Err(invalid(format!(
                    "\"{part}\" is not a pool, count or size: write POOL,COUNT,SIZE as in loop,1,10G"
                )));
            };
            if twice {
                return Err(invalid(format!(
                    "\"{text}\" says twice what there is once: a pool, a count and a size"
                )));
            }
        }
        Ok(asked)
    }
}

/// What each unit of an application is given of one storage of its charm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Directive {
    pub pool: String,
    /// MiB.
    pub size: u64,
    pub count: u32,
}

/// What the units of an application are given of each storage of its charm.
///
/// # Errors
/// Something is asked for that the charm does not declare or the model does not have, too few or too many of
/// it, less than the charm needs, or a block device.
pub fn directives(
    charm: &BTreeMap<String, Storage>,
    asked: &BTreeMap<String, Asked>,
    pools: &Pools,
    default_pool: &str,
) -> Result<BTreeMap<String, Directive>, Refused> {
    if let Some(name) = asked.keys().find(|name| !charm.contains_key(*name)) {
        return Err(invalid(format!(
            "the charm declares no storage \"{name}\"{}",
            suggestion(name, charm.keys().map(String::as_str))
        )));
    }
    let nothing = Asked::default();
    let each = charm.iter().map(|(name, storage)| {
        let asked = asked.get(name).unwrap_or(&nothing);
        Ok((
            name.clone(),
            directive(name, storage, asked, pools, default_pool)?,
        ))
    });
    each.collect()
}

fn directive(
    name: &str,
    storage: &Storage,
    asked: &Asked,
    pools: &Pools,
    default_pool: &str,
) -> Result<Directive, Refused> {
    let range = CountRange::of(storage.multiple.as_ref()).map_err(invalid)?;
    let count = match asked.count {
        Some(count) => count,
        None if *asked == Asked::default() => range.least,
        None => range.least.max(1),
    };
    if !range.contains(count) {
        return Err(invalid(format!(
            "a unit has {range} of the storage \"{name}\", not {count}"
        )));
    }
    if storage.kind == StorageKind::Block && count > 0 {
        return Err(refused(
            Refusal::StorageKindUnsupported,
            format!("the charm needs \"{name}\" as a block device, and sandboxes have none"),
        ));
    }
    let least = storage.minimum_size.as_deref().map(mib_of).transpose();
    let least = least.map_err(invalid)?;
    let size = asked.size.or(least).unwrap_or(DEFAULT_SIZE_MIB);
    if size == 0 || least.is_some_and(|least| size < least) {
        return Err(invalid(format!(
            "{size} MiB are too small for the storage \"{name}\", which needs {} at least",
            least.unwrap_or(1)
        )));
    }
    let pool = asked.pool.as_deref().unwrap_or(default_pool);
    pools.find(pool)?;
    Ok(Directive {
        pool: pool.to_owned(),
        size,
        count,
    })
}

/// How many are made for a new unit that is given `attached` existing ones.
#[must_use]
pub fn to_create(directive: &Directive, attached: u32) -> u32 {
    directive.count.saturating_sub(attached)
}
