//! `export-bundle`: the model as a bundle, as the controller gives it, with its charms if wanted.
//!
//! Charms are named as the model names them (`local:site-0`): a model that has them can be given
//! the bundle. With a folder for charms they are written there and named by their paths, so that
//! any model can be given it. Files take their places once all of them are written, the bundle's
//! last: there is no bundle without its charms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use periapt_model::bundle::Bundle;
use periapt_model::charm::CharmInfo;
use periapt_model::config::Schema;

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
    if arguments.include_charm_defaults {
        let schemas = schemas(&here, &bundle).await?;
        add_defaults(&mut bundle, &schemas);
    }
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
        .map_err(|error| Failure::failed("cannot write the bundle").why(error.to_string()))?;
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
    let exported = here.client().export_bundle(&here.model).await?;
    Bundle::parse(&exported.bundle, &[]).map_err(|error| {
        Failure::failed("cannot read the controller's bundle")
            .why(format!("{error} ({})", error.code()))
            .advice("use a client with the controller's version")
    })
}

/// The options of each charm, by its URL.
async fn schemas(here: &ModelSession, bundle: &Bundle) -> Outcome<BTreeMap<String, Schema>> {
    let applications = bundle.applications.values();
    let urls: BTreeSet<&str> = applications
        .map(|application| application.charm.as_str())
        .collect();
    let mut schemas = BTreeMap::new();
    for url in urls {
        let charm = here.client().charm(&here.model, url).await?;
        schemas.insert(url.to_owned(), charm.config);
    }
    Ok(schemas)
}

/// Writes out the options that have the default value of their charm.
fn add_defaults(bundle: &mut Bundle, schemas: &BTreeMap<String, Schema>) {
    for application in bundle.applications.values_mut() {
        if let Some(schema) = schemas.get(&application.charm) {
            application.options = schema.effective(&application.options);
        }
    }
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
        .map_err(|error| Failure::file("cannot write the charms", folder, &error))?;
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
            .map_err(|error| Failure::file("cannot use the folder", path, &error))?;
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
    fn defaults_are_written_out_beside_what_was_set() {
        let text = "applications: {site: {charm: local:site-0, options: {title: News}}}";
        let mut bundle = Bundle::parse(text, &[]).unwrap();
        let schema: Schema = serde_json::from_value(json!({ "options": {
            "title": { "type": "string", "default": "My site" },
            "pages": { "type": "int", "default": 3 },
            "theme": { "type": "string" },
        }}))
        .unwrap();
        let schemas = BTreeMap::from([("local:site-0".to_owned(), schema)]);
        add_defaults(&mut bundle, &schemas);
        let options = &bundle.applications.values().next().unwrap().options;
        assert_eq!(json!(options), json!({ "title": "News", "pages": 3 }));
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
