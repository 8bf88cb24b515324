//! `export-bundle`: the model as a bundle.
//!
//! Charms are named as the model names them (`local:site-0`): a model that has them can be given
//! the bundle. With a folder for charms they are written there and named by their paths, so that
//! any model can be given it. Files take their places once all of them are written, the bundle's
//! last: there is no bundle without its charms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use periapt_model::ApplicationName;
use periapt_model::bundle::{Bundle, BundleApplication, BundleResource};
use periapt_model::charm::CharmInfo;
use periapt_model::reach::{ExposedEndpoints, Exposure};
use periapt_model::storage::Asked;
use periapt_wire::rest::{ApplicationInfo, StorageInfo};

use super::current;
use crate::arguments::ExportBundle;
use crate::commands::Context;
use crate::commands::download::Whole;
use crate::failure::{Failure, Outcome};
use crate::output::text;
use crate::session::ModelSession;

/// Prints the bundle, or writes it to a file, with its charms if wanted.
pub async fn export(context: &Context, arguments: ExportBundle) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut bundle = bundle(&here).await?;
    let Some(file) = arguments.filename else {
        return context.output.yaml(&bundle);
    };
    let mut written = Vec::new();
    if let Some(folder) = &arguments.charms {
        let named = charms(&here, &bundle, folder, &mut written).await?;
        let folder = relative(folder, file.parent().unwrap_or(Path::new("")))?;
        for application in bundle.applications.values_mut() {
            if let Some(name) = named.get(&application.charm) {
                application.charm = format!("{folder}{name}");
            }
        }
    }
    let text = serde_saphyr::to_string(&bundle)
        .map_err(|error| Failure::failed("the bundle cannot be written").why(error.to_string()))?;
    let whole = Whole::write(&file, text.as_bytes())?;
    let count = written.len() as u64;
    for charm in written {
        charm.keep()?;
    }
    whole.keep()?;
    context.output.say(&match &arguments.charms {
        Some(folder) => format!(
            "Wrote {}, and {} to {}",
            file.display(),
            text::count(count, "charm"),
            folder.display()
        ),
        None => format!("Wrote {}", file.display()),
    });
    Ok(())
}

async fn bundle(here: &ModelSession) -> Outcome<Bundle> {
    let current = current::read(here).await?;
    if current.applications.is_empty() {
        return Err(Failure::usage("there is nothing to export")
            .why("the model has no applications")
            .advice("periapt deploy CHARM"));
    }
    let storages = here.client().storages(&here.model, None).await?;
    let application = |(name, info): (&ApplicationName, &ApplicationInfo)| {
        let known = current.model.applications.get(name);
        // All of it to everybody is a word of its own.
        let everybody = Exposure::read(&ExposedEndpoints::new()).map(|whole| whole.shown());
        let all = everybody.as_ref() == Ok(&info.exposed_endpoints);
        let exported = BundleApplication {
            charm: info.charm.clone(),
            num_units: (!info.subordinate).then(|| known.map_or(0, |known| known.units)),
            to: Vec::new(),
            options: known
                .map(|known| known.settings.clone())
                .unwrap_or_default(),
            expose: info.exposed && all,
            exposed_endpoints: match all {
                true => ExposedEndpoints::new(),
                false => info.exposed_endpoints.clone(),
            },
            resources: known
                .map(|known| known.resources.iter())
                .into_iter()
                .flatten()
                .map(|(name, attached)| (name.clone(), BundleResource::Revision(attached.revision)))
                .collect(),
            storage: given(name, &storages),
            digests: BTreeMap::new(),
            annotations: known
                .map(|known| known.annotations.clone())
                .unwrap_or_default(),
            constraints: info.constraints.clone(),
            trust: info.trust,
        };
        (name.clone(), exported)
    };
    Ok(Bundle {
        applications: current.applications.iter().map(application).collect(),
        relations: current
            .model
            .relations
            .iter()
            .filter_map(|key| current::ends(key))
            .collect(),
        ..Bundle::default()
    })
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

/// Downloads the charms of all applications into a folder, where they do not have their places
/// yet; the name of the file for each URL.
async fn charms(
    here: &ModelSession,
    bundle: &Bundle,
    folder: &Path,
    written: &mut Vec<Whole>,
) -> Outcome<BTreeMap<String, String>> {
    let client = here.client();
    let applications = bundle.applications.values();
    let wanted: BTreeSet<&str> = applications
        .map(|application| application.charm.as_str())
        .collect();
    let mut found = Vec::new();
    for url in wanted {
        found.push(client.charm(&here.model, url).await?);
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::file("the charms cannot be written", folder, &error))?;
    let names = names(&found);
    for charm in &found {
        let archive = client.charm_archive(&here.model, charm).await?;
        if let Some(name) = names.get(&charm.url.to_string()) {
            written.push(Whole::write(&folder.join(name), &archive)?);
        }
    }
    Ok(names)
}

/// `site.charm`, or `site-3.charm` where several revisions are in use.
fn names(charms: &[CharmInfo]) -> BTreeMap<String, String> {
    let name = |charm: &CharmInfo| {
        let several = charms
            .iter()
            .filter(|other| other.name == charm.name)
            .count()
            > 1;
        let name = match several {
            true => format!("{}-{}.charm", charm.name, charm.revision),
            false => format!("{}.charm", charm.name),
        };
        (charm.url.to_string(), name)
    };
    charms.iter().map(name).collect()
}

/// How a bundle in one folder names another: `./`, `./charms/`, `../charms/`.
fn relative(folder: &Path, from: &Path) -> Outcome<String> {
    let plain = |path: &Path| {
        let whole = std::path::absolute(path)
            .map_err(|error| Failure::file("the folder cannot be used", path, &error))?;
        let mut plain = PathBuf::new();
        for part in whole.components() {
            match part {
                Component::ParentDir => {
                    plain.pop();
                }
                part => plain.push(part),
            }
        }
        Ok::<_, Failure>(plain)
    };
    // An empty path is the present folder.
    let from = plain(&Path::new(".").join(from))?;
    let folder = plain(folder)?;
    let common = from
        .components()
        .zip(folder.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = from.components().skip(common).count();
    let mut words = vec![if up == 0 { "." } else { ".." }; up.max(1)];
    let down: Vec<String> = folder
        .components()
        .skip(common)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    words.extend(down.iter().map(String::as_str));
    Ok(format!("{}/", words.join("/")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn charms_are_named_from_where_the_bundle_is() {
        for (folder, from, expected) in [
            ("/a/b", "/a/b", "./"),
            ("/a/b/charms", "/a/b", "./charms/"),
            ("/a/charms", "/a/b", "../charms/"),
            ("/c", "/a/b", "../../c/"),
            ("/a/b/../c", "/a", "./c/"),
            (".", "", "./"),
            ("charms", "", "./charms/"),
            ("charms", "out", "../charms/"),
        ] {
            let found = relative(Path::new(folder), Path::new(from)).unwrap();
            assert_eq!(found, expected, "{folder} from {from}");
        }
    }

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

    #[test]
    fn revisions_are_named_where_there_are_several() {
        let charm = |name: &str, revision: u32| -> CharmInfo {
            serde_json::from_value(json!({
                "url": format!("local:{name}-{revision}"), "name": name, "revision": revision,
                "sha256": "", "size": 0, "metadata": { "name": name },
                "config": { "options": {} }, "hooks": [], "subordinate": false,
            }))
            .unwrap()
        };
        let names = names(&[charm("site", 0), charm("site", 2), charm("front", 4)]);
        let names: Vec<&str> = names.values().map(String::as_str).collect();
        assert_eq!(names, ["front.charm", "site-0.charm", "site-2.charm"]);
    }
}
