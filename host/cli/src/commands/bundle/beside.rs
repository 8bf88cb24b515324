//! What a bundle names beside it: packed charms, and files for resources. All of it is read and checked before anything
//! is sent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bytes::Bytes;
use periapt_model::ApplicationName;
use periapt_model::bundle::{Bundle, BundleApplication, BundleResource};
use periapt_model::charm::Archive;
use periapt_wire::rest::{BundleCharm, BundleFile, BundlePlan, DeployBundle};

use crate::commands::Context;
use crate::commands::deploy::{read_archive, upload};
use crate::commands::resources::{Files, Paths};
use crate::failure::{Exit, Failure, Outcome};
use crate::session::ModelSession;

/// Charms by the path that the bundle has for them, and files by application.
pub struct Beside {
    charms: BTreeMap<String, (Archive, Bytes)>,
    files: BTreeMap<ApplicationName, Files>,
    /// Which charm each application has, where it is one of these.
    named: BTreeMap<ApplicationName, String>,
}

impl Beside {
    /// Paths are relative to the bundle.
    pub fn read(bundle: &Bundle, folder: &Path) -> Outcome<Self> {
        let mut charms: BTreeMap<String, (Archive, Bytes)> = BTreeMap::new();
        let mut files = BTreeMap::new();
        let mut named = BTreeMap::new();
        for (name, application) in &bundle.applications {
            let charm = &application.charm;
            if is_beside(application, folder) {
                if let Some(revision) = application.revision {
                    return Err(without_revisions(name, application, revision, folder));
                }
                if !charms.contains_key(charm) {
                    charms.insert(charm.clone(), on_disk(name, charm, folder)?);
                }
                named.insert(name.clone(), charm.clone());
            }
            let paths = application.resources.iter();
            let paths = paths.filter_map(|(resource, given)| match given {
                BundleResource::File(path) => Some((resource.clone(), folder.join(path))),
                BundleResource::Revision(_) => None,
            });
            let paths: Paths = paths.collect();
            let of_application = match charms.get(charm) {
                Some((archive, _)) => paths.read(name.as_str(), &archive.metadata.resources)?,
                None => paths.read_unchecked()?,
            };
            if !of_application.is_empty() {
                files.insert(name.clone(), of_application);
            }
        }
        Ok(Self {
            charms,
            files,
            named,
        })
    }

    /// The request with what is in them.
    pub fn told(&self, mut request: DeployBundle) -> DeployBundle {
        let charms = self.charms.iter().map(|(path, (archive, _))| {
            let charm = BundleCharm {
                sha256: archive.sha256.clone(),
                metadata: Some(archive.metadata.clone()),
                config: Some(archive.config.clone()),
            };
            (path.clone(), charm)
        });
        request.charms = charms.collect();
        let files = self.files.iter().map(|(application, files)| {
            let told = |(name, sha256)| {
                let upload = None;
                (name, BundleFile { sha256, upload })
            };
            let told: BTreeMap<String, BundleFile> =
                files.digests().into_iter().map(told).collect();
            (application.clone(), told)
        });
        request.resources = files.collect();
        request
    }

    /// Uploads what a plan needs of them, and names the uploads in the request.
    pub async fn upload(
        self,
        context: &Context,
        here: &ModelSession,
        plan: &BundlePlan,
        request: &mut DeployBundle,
    ) -> Outcome {
        let needs = Needs::of(plan, &self.named);
        for (path, (archive, bytes)) in self.charms {
            if needs.charms.contains(&path) {
                upload(context, here, &archive.metadata.name, bytes).await?;
            }
        }
        for (application, mut files) in self.files {
            files.retain(|name| needs.file(&application, name));
            let uploads = files.upload(context, here).await?;
            let Some(told) = request.resources.get_mut(&application) else {
                continue;
            };
            for (name, id) in uploads {
                if let Some(file) = told.get_mut(&name) {
                    file.upload = Some(id);
                }
            }
        }
        Ok(())
    }
}

/// What the changes of a plan are made with.
struct Needs {
    /// Their paths.
    charms: BTreeSet<String>,
    deployed: BTreeSet<ApplicationName>,
    /// Words of the changes that attach files.
    attached: BTreeSet<String>,
}

impl Needs {
    fn of(plan: &BundlePlan, named: &BTreeMap<ApplicationName, String>) -> Self {
        use periapt_model::bundle::StepKind;
        let mut needs = Needs {
            charms: BTreeSet::new(),
            deployed: BTreeSet::new(),
            attached: BTreeSet::new(),
        };
        for change in &plan.changes {
            let Some(application) = &change.application else {
                continue;
            };
            match change.kind {
                StepKind::Deploy => {
                    needs.deployed.insert(application.clone());
                    needs.charms.extend(named.get(application).cloned());
                }
                StepKind::Refresh => needs.charms.extend(named.get(application).cloned()),
                StepKind::Attach => {
                    needs.attached.insert(change.words.clone());
                }
                StepKind::Configure
                | StepKind::AddUnits
                | StepKind::Expose
                | StepKind::Annotate
                | StepKind::Constrain
                | StepKind::Trust
                | StepKind::Integrate => {}
            }
        }
        needs
    }

    fn file(&self, application: &ApplicationName, name: &str) -> bool {
        let attached = format!("attach {name} to {application}");
        self.deployed.contains(application) || self.attached.contains(&attached)
    }
}

/// Whether its charm is a file rather than one of the model or of a charm repository, which whoever names a channel
/// means.
fn is_beside(application: &BundleApplication, folder: &Path) -> bool {
    let charm = &application.charm;
    if charm.starts_with("local:") {
        return false;
    }
    !application.is_named() || (application.channel.is_none() && folder.join(charm).exists())
}

/// A file that is called as a charm could be is taken first, and has no revisions.
fn without_revisions(
    name: &ApplicationName,
    application: &BundleApplication,
    revision: u32,
    folder: &Path,
) -> Failure {
    let error = application.revision_of_file(name, revision);
    let file = folder.join(&application.charm);
    Failure::usage(error.to_string())
        .why(format!(
            "{} exists and would be deployed ({})",
            file.display(),
            error.code()
        ))
        .advice("name a channel of the charm repository as well, or leave out the revision")
}

fn on_disk(application: &ApplicationName, charm: &str, folder: &Path) -> Outcome<(Archive, Bytes)> {
    let path = folder.join(charm);
    if !path.exists() {
        return Err(Failure::new(
            Exit::NotFound,
            format!("the charm of \"{application}\" was not found"),
        )
        .why(format!("{} does not exist", path.display()))
        .advice(
            "give a path relative to the bundle, local:NAME-REVISION of an uploaded charm, or the name of a charm in the charm repository",
        ));
    }
    let bytes = read_archive(&path)?;
    let archive = Archive::read(&bytes).map_err(|error| {
        Failure::usage(format!("{} is no charm", path.display()))
            .why(format!("{error} ({})", error.refusal()))
            .advice(error.refusal().advice())
    })?;
    Ok((archive, bytes))
}

#[cfg(test)]
mod tests {
    use periapt_model::bundle::StepKind;
    use periapt_wire::rest::BundleChange;

    use super::*;

    #[test]
    fn what_is_no_file_is_a_charm_of_the_model_or_of_a_repository() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("packed"), "").unwrap();
        for (charm, channel, beside) in [
            ("local:site-0", None, false),
            ("site", None, false),
            ("packed", None, true),
            ("packed", Some("edge"), false),
            ("./site.charm", None, true),
            ("site.charm", None, true),
        ] {
            let application = BundleApplication {
                charm: charm.to_owned(),
                channel: channel.map(str::to_owned),
                ..BundleApplication::default()
            };
            let found = is_beside(&application, folder.path());
            assert_eq!(found, beside, "{charm} {channel:?}");
        }
    }

    #[test]
    fn a_revision_of_a_file_beside_the_bundle_is_refused_unless_a_channel_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("packed"), "").unwrap();
        let read = |application: &str| {
            let text = format!("applications: {{site: {application}}}");
            Beside::read(&Bundle::parse(&text, &[]).unwrap(), folder.path())
        };
        let refused = read("{charm: packed, revision: 3}").err().unwrap();
        assert_eq!(refused.exit, Exit::Usage);
        let told = refused.to_string();
        assert_eq!(told.lines().count(), 3, "{told}");
        assert!(told.contains("bundle-revision-invalid"), "{told}");
        assert!(read("{charm: packed, channel: edge, revision: 3}").is_ok());
    }

    #[test]
    fn only_what_a_plan_needs_goes_up() {
        let change = |kind, words: &str, application: &str| BundleChange {
            kind,
            words: words.to_owned(),
            application: Some(application.parse().unwrap()),
            endpoints: Vec::new(),
            units: None,
        };
        let plan = BundlePlan {
            changes: vec![
                change(StepKind::Deploy, "deploy new with 1 unit", "new"),
                change(StepKind::Attach, "attach theme to docs", "docs"),
                change(StepKind::Configure, "configure same: title", "same"),
            ],
            difference: Default::default(),
            ignored: Vec::new(),
            trusted: Vec::new(),
            missing: Vec::new(),
            apply: None,
        };
        let named: BTreeMap<ApplicationName, String> = BTreeMap::from([
            ("new".parse().unwrap(), "./new.charm".to_owned()),
            ("docs".parse().unwrap(), "./docs.charm".to_owned()),
            ("same".parse().unwrap(), "./same.charm".to_owned()),
        ]);
        let needs = Needs::of(&plan, &named);
        assert_eq!(needs.charms, BTreeSet::from(["./new.charm".to_owned()]));
        let file = |application: &str, name: &str| needs.file(&application.parse().unwrap(), name);
        assert!(file("new", "theme") && file("docs", "theme"));
        assert!(!file("docs", "other") && !file("same", "theme"));
    }
}
