//! `export-bundle`: the model as a bundle, as the controller gives it, with its charms if wanted.
//!
//! Charms of the charm repository are named by their revisions there, so that any model of its
//! controllers can be given the bundle; others are named as the model names them (`local:site-0`).
//! With a folder for charms all are written there and named by their paths, so that any model can
//! be given it. Files take their places once all of them are written, the bundle's last: there is
//! no bundle without its charms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use periapt_model::ApplicationName;
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
    let urls = match arguments.include_charm_defaults || arguments.charms.is_some() {
        true => urls(&here, &bundle).await?,
        false => Urls::new(),
    };
    if arguments.include_charm_defaults {
        let schemas = schemas(&here, &urls).await?;
        add_defaults(&mut bundle, &urls, &schemas);
    }
    let Some(file) = arguments.filename else {
        return context.output.yaml(&bundle);
    };
    let mut written = Vec::new();
    if let Some(folder) = &arguments.charms {
        let named = charms(&here, &urls, folder, &mut written).await?;
        let folder = relative(folder, file.parent().unwrap_or(Path::new("")))?;
        name_files(&mut bundle, &urls, &named, &folder);
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

/// The charm of each application as the model names it.
type Urls = BTreeMap<ApplicationName, String>;

/// Those of a bundle, in which charms of the charm repository are named otherwise.
async fn urls(here: &ModelSession, bundle: &Bundle) -> Outcome<Urls> {
    let mut urls = Urls::new();
    for (name, application) in &bundle.applications {
        let url = match application.is_named() {
            true => here.client().application(&here.model, name).await?.charm,
            false => application.charm.clone(),
        };
        urls.insert(name.clone(), url);
    }
    Ok(urls)
}

/// Each charm once, however many applications have it.
fn each(urls: &Urls) -> BTreeSet<&str> {
    urls.values().map(String::as_str).collect()
}

/// The options of each charm, by its URL.
async fn schemas(here: &ModelSession, urls: &Urls) -> Outcome<BTreeMap<String, Schema>> {
    let mut schemas = BTreeMap::new();
    for url in each(urls) {
        let charm = here.client().charm(&here.model, url).await?;
        schemas.insert(url.to_owned(), charm.config);
    }
    Ok(schemas)
}

/// Writes out the options that have the default value of their charm.
fn add_defaults(bundle: &mut Bundle, urls: &Urls, schemas: &BTreeMap<String, Schema>) {
    for (name, application) in &mut bundle.applications {
        let schema = urls.get(name).and_then(|url| schemas.get(url));
        if let Some(schema) = schema {
            application.options = schema.effective(&application.options);
        }
    }
}

/// Names the files of charms in their folder, which have neither revision nor channel.
fn name_files(bundle: &mut Bundle, urls: &Urls, files: &BTreeMap<String, String>, folder: &str) {
    for (name, application) in &mut bundle.applications {
        let file = urls.get(name).and_then(|url| files.get(url));
        if let Some(file) = file {
            application.charm = format!("{folder}{file}");
            application.channel = None;
            application.revision = None;
        }
    }
}

/// Downloads the charms of all applications into a folder, where they do not have their places
/// yet; the name of the file for each URL.
async fn charms(
    here: &ModelSession,
    urls: &Urls,
    folder: &Path,
    written: &mut Vec<Whole>,
) -> Outcome<BTreeMap<String, String>> {
    let client = here.client();
    let mut found = Vec::new();
    for url in each(urls) {
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
        let text = "applications: {site: {charm: site, revision: 3, options: {title: News}}}";
        let mut bundle = Bundle::parse(text, &[]).unwrap();
        let urls = Urls::from([("site".parse().unwrap(), "local:site-0".to_owned())]);
        let schema: Schema = serde_json::from_value(json!({ "options": {
            "title": { "type": "string", "default": "My site" },
            "pages": { "type": "int", "default": 3 },
            "theme": { "type": "string" },
        }}))
        .unwrap();
        let schemas = BTreeMap::from([("local:site-0".to_owned(), schema)]);
        add_defaults(&mut bundle, &urls, &schemas);
        let options = &bundle.applications.values().next().unwrap().options;
        assert_eq!(json!(options), json!({ "title": "News", "pages": 3 }));
    }

    #[test]
    fn a_charm_that_is_written_beside_the_bundle_has_neither_revision_nor_channel() {
        let text = "applications: {site: {charm: site, channel: edge, revision: 3}}";
        let mut bundle = Bundle::parse(text, &[]).unwrap();
        let urls = Urls::from([("site".parse().unwrap(), "local:site-0".to_owned())]);
        let files = BTreeMap::from([("local:site-0".to_owned(), "site.charm".to_owned())]);
        name_files(&mut bundle, &urls, &files, "./");
        let written = serde_saphyr::to_string(&bundle).unwrap();
        let read = Bundle::parse(&written, &[]).unwrap();
        let site = read.applications.values().next().unwrap();
        assert_eq!(site.charm, "./site.charm");
        assert_eq!((site.channel.as_ref(), site.revision), (None, None));
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
