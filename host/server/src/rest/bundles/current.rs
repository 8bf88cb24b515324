//! A model as a bundle sees it.

use std::collections::BTreeMap;

use periapt_model::bundle::{CurrentApplication, CurrentModel, CurrentResource, Exported};
use periapt_model::charm::CharmInfo;
use periapt_model::charm::capability::Pattern;
use periapt_model::charm::capability::grant::Standing;
use periapt_model::charm::repository::Index;
use periapt_model::storage::Asked;
use periapt_model::{ApplicationName, ModelUuid, Tag};
use periapt_store::{Store, StoreError};
use periapt_wire::rest::{AnnotationQuery, ApplicationInfo, StorageInfo, StorageQuery};

use crate::charm_revisions;

/// Rows of a page where lists are read page by page.
const PAGE: u64 = 1_000;

/// The model, and what is known of its applications beyond it.
pub(super) struct Current {
    pub model: CurrentModel,
    pub applications: BTreeMap<ApplicationName, ApplicationInfo>,
    /// Those of the model, by URL.
    pub charms: BTreeMap<String, CharmInfo>,
}

impl Current {
    /// Finds out which revisions of the charm repository its applications have.
    pub(super) fn find_revisions(&mut self, index: &Index) {
        for (name, application) in &mut self.model.applications {
            let info = self.applications.get(name);
            application.revision = info
                .and_then(|info| index.revision_of(&info.charm_name, &application.charm_digest));
        }
    }

    /// The channel and the revision under which the charm repository has the charm of an application. One that follows
    /// no channel has its charm from elsewhere, and does not follow one because it was exported.
    fn released(&self, info: &ApplicationInfo, index: &Index) -> Option<(String, u32)> {
        let revision = self.model.applications.get(&info.name)?.revision?;
        let followed = index.newest(&info.charm_name, &info.channel).is_ok();
        followed.then(|| (info.channel.clone(), revision))
    }
}

pub(super) async fn read(store: &Store, model: &ModelUuid) -> Result<Current, StoreError> {
    let mut noted = noted(store, model).await?;
    let charms = store.charms(model).await?.into_iter();
    let charms: BTreeMap<String, CharmInfo> =
        charms.map(|charm| (charm.url.to_string(), charm)).collect();
    let mut current = CurrentModel::default();
    let mut applications = BTreeMap::new();
    for info in store.applications(model).await? {
        let config = match store.application_config(model, &info.name).await {
            Ok(config) => config,
            // It went meanwhile.
            Err(StoreError::NotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let charm = charms.get(&info.charm);
        let declares = charm.is_some_and(|charm| !charm.metadata.resources.is_empty());
        let resources = match declares {
            true => attached(store, model, &info.name).await?,
            false => BTreeMap::new(),
        };
        let declares = charm.is_some_and(|charm| !charm.declared.is_empty());
        let (grants, denies) = match declares {
            true => decided(store, model, &info.name).await?,
            false => Default::default(),
        };
        let application = CurrentApplication {
            charm_digest: charm.map(|charm| charm.sha256.clone()).unwrap_or_default(),
            channel: info.channel.clone(),
            revision: None,
            units: u32::try_from(info.units.len()).unwrap_or(u32::MAX),
            settings: config.settings,
            exposed: info.exposed_endpoints.clone(),
            resources,
            annotations: noted.remove(&info.name).unwrap_or_default(),
            constraints: info.constraints.clone(),
            trust: info.trust,
            grants,
            denies,
        };
        current.applications.insert(info.name.clone(), application);
        applications.insert(info.name.clone(), info);
    }
    let relations = store.relations(model).await?.into_iter();
    // Nobody writes those between the units of one application.
    let relations = relations.filter(|relation| relation.endpoints.len() == 2);
    current.relations = relations.map(|relation| relation.key).collect();
    Ok(Current {
        model: current,
        applications,
        charms,
    })
}

async fn noted(
    store: &Store,
    model: &ModelUuid,
) -> Result<BTreeMap<ApplicationName, BTreeMap<String, String>>, StoreError> {
    let mut noted = BTreeMap::new();
    let mut query = AnnotationQuery {
        limit: Some(PAGE),
        ..AnnotationQuery::default()
    };
    loop {
        let page = store.annotations(model, &query).await?;
        for of in page.items {
            if let Tag::Application(name) = of.entity {
                noted.insert(name, of.annotations);
            }
        }
        if page.next.is_none() {
            return Ok(noted);
        }
        query.after = page.next;
    }
}

async fn attached(
    store: &Store,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<BTreeMap<String, CurrentResource>, StoreError> {
    let found = match store.resources(model, application).await {
        Err(StoreError::NotFound { .. }) => return Ok(BTreeMap::new()),
        found => found?,
    };
    let attached = found.resources.into_iter().filter_map(|resource| {
        let attached = resource.attached?;
        let current = CurrentResource {
            revision: attached.revision,
            sha256: attached.sha256,
        };
        Some((resource.name, current))
    });
    Ok(attached.collect())
}

/// The index of the controller's charm repository, if an application follows a channel. An export does without one that
/// cannot be read: the model's own names of charms hold as well.
async fn index(store: &Store, current: &Current) -> Result<Option<Index>, StoreError> {
    let mut applications = current.applications.values();
    if applications.all(|info| info.channel.is_empty()) {
        return Ok(None);
    }
    match charm_revisions::index(store).await {
        Err(StoreError::Refused { message, .. }) => {
            tracing::warn!(why = %message, "a bundle is exported without revisions of the charm repository");
            Ok(None)
        }
        read => read,
    }
}

/// What people granted an application and denied it.
async fn decided(
    store: &Store,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<(Vec<Pattern>, Vec<Pattern>), StoreError> {
    let found = match store.grants(model, application).await {
        Err(StoreError::NotFound { .. }) => return Ok(Default::default()),
        found => found?.capabilities,
    };
    let those = |standing: Standing| -> Vec<Pattern> {
        let wanted = found.iter().filter(|one| one.standing == standing);
        wanted.map(|one| one.capability.clone().into()).collect()
    };
    Ok((those(Standing::Granted), those(Standing::Denied)))
}

/// What an export says of applications beyond what is compared.
pub(super) async fn exported(
    store: &Store,
    model: &ModelUuid,
    current: &mut Current,
) -> Result<BTreeMap<ApplicationName, Exported>, StoreError> {
    let index = index(store, current).await?;
    if let Some(index) = &index {
        current.find_revisions(index);
    }
    let mut storages = Vec::new();
    let mut query = StorageQuery {
        limit: Some(PAGE),
        ..StorageQuery::default()
    };
    loop {
        let page = store.storages(model, &query).await?;
        storages.extend(page.items);
        if page.next.is_none() {
            break;
        }
        query.after = page.next;
    }
    let exported = current.applications.iter().map(|(name, info)| {
        let index = index.as_ref();
        let released = index.and_then(|index| current.released(info, index));
        let (channel, revision) = released.unzip();
        let exported = Exported {
            charm: match revision {
                Some(_) => info.charm_name.clone(),
                None => info.charm.clone(),
            },
            channel,
            revision,
            subordinate: info.subordinate,
            storage: given(name, &storages),
        };
        (name.clone(), exported)
    });
    Ok(exported.collect())
}

/// What the units of an application have of each storage: of the unit that has most, and as the first of it was
/// made.
fn given(application: &ApplicationName, storages: &[StorageInfo]) -> BTreeMap<String, Asked> {
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut all: BTreeMap<String, Asked> = BTreeMap::new();
    for storage in storages {
        let name = storage.id.name();
        let owner = storage.owner.as_deref().unwrap_or_default();
        if owner.split('/').next() != Some(application.as_str()) {
            continue;
        }
        let count = counts.entry((name, owner)).or_default();
        *count += 1;
        let asked = all.entry(name.to_owned()).or_insert_with(|| Asked {
            pool: Some(storage.pool.clone()),
            size: Some(storage.size),
            count: None,
        });
        asked.count = asked.count.max(Some(*count));
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn storage_is_exported_as_the_unit_with_most_of_it_has_it() {
        let storage = |id: &str, owner: Option<&str>| -> StorageInfo {
            serde_json::from_value(json!({
                "id": id, "kind": "filesystem", "owner": owner, "life": "alive",
                "status": { "status": "attached", "message": "", "data": {}, "since": 0 },
                "pool": "loop", "provider": "loop", "size": 1024, "limited": true, "persistent": true,
                "provider-id": id, "created-at": 0, "attachments": [],
            }))
            .unwrap()
        };
        let storages = [
            storage("data/0", Some("site/0")),
            storage("data/1", Some("site/1")),
            storage("data/2", Some("site/1")),
            storage("data/3", None),
            storage("data/4", Some("sites/0")),
            storage("pool/5", Some("site")),
        ];
        let given = given(&"site".parse().unwrap(), &storages);
        let words: Vec<String> = given
            .iter()
            .map(|(name, asked)| format!("{name}={asked}"))
            .collect();
        assert_eq!(words, ["data=loop,2,1024M", "pool=loop,1,1024M"]);
    }
}
