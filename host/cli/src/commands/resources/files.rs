//! Files that the command line or a bundle names for resources: read and checked before anything goes up.
//!
//! Names are held against the charm before a file is read. An image of a container is given as a reference to a
//! registry, which is no file, and the reason to refuse it is that it is an image.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use periapt_model::Digest;
use periapt_model::bounds::RESOURCE_BYTES;
use periapt_model::charm::{Resource, ResourceKind};
use periapt_model::nearest::suggestion;
use periapt_wire::rest::ApplicationResources;

use super::unreadable;
use crate::commands::Context;
use crate::commands::deploy::progress;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::text;
use crate::session::ModelSession;

/// Paths by the names of resources. None of them has been read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Paths {
    all: BTreeMap<String, PathBuf>,
}

impl Paths {
    /// What words of the form `NAME=FILE` say.
    pub fn parse(words: &[String]) -> Outcome<Self> {
        let mut all = BTreeMap::new();
        for word in words {
            let Some((name, path)) = word.split_once('=') else {
                return Err(unreadable(word));
            };
            if name.is_empty() || path.is_empty() {
                return Err(unreadable(word));
            }
            if all.insert(name.to_owned(), PathBuf::from(path)).is_some() {
                return Err(Failure::usage(format!("\"{name}\" is given twice"))
                    .why("a resource is one file")
                    .advice("leave one of them out"));
            }
        }
        Ok(Self { all })
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The files, where a charm declares them all, as files.
    pub fn read(self, application: &str, declared: &BTreeMap<String, Resource>) -> Outcome<Files> {
        let kinds = declared.iter();
        let kinds = kinds.map(|(name, resource)| (name.as_str(), resource.kind));
        self.require(application, &kinds.collect())?;
        self.read_unchecked()
    }

    /// The same of an application's charm.
    pub fn read_of(self, declared: &ApplicationResources) -> Outcome<Files> {
        let kinds = declared.resources.iter();
        let kinds = kinds.map(|resource| (resource.name.as_str(), resource.kind));
        self.require(declared.application.as_str(), &kinds.collect())?;
        self.read_unchecked()
    }

    /// The files of a charm that only the controller knows, which checks their names.
    pub fn read_unchecked(self) -> Outcome<Files> {
        let all = self.all.into_iter();
        let all = all.map(|(name, path)| Ok::<_, Failure>((name, read(&path)?)));
        let all = all.collect::<Outcome<_>>()?;
        Ok(Files { all })
    }

    fn require(&self, application: &str, kinds: &BTreeMap<&str, ResourceKind>) -> Outcome {
        for name in self.all.keys() {
            match kinds.get(name.as_str()) {
                Some(ResourceKind::File) => {}
                Some(ResourceKind::OciImage) => {
                    return Err(Failure::usage(format!("\"{name}\" is a container image"))
                        .why("container images are not supported (resource-is-image)")
                        .advice("leave it out; workloads are WebAssembly components"));
                }
                None => {
                    let known: Vec<&str> = kinds.keys().copied().collect();
                    let why = match known.as_slice() {
                        [] => "it declares none".to_owned(),
                        known => format!("it declares {}", known.join(", ")),
                    };
                    return Err(Failure::new(
                        Exit::NotFound,
                        format!(
                            "the charm of \"{application}\" has no resource \"{name}\"{}",
                            suggestion(name, known)
                        ),
                    )
                    .why(why)
                    .advice("correct the name; nothing was uploaded"));
                }
            }
        }
        Ok(())
    }
}

impl FromIterator<(String, PathBuf)> for Paths {
    fn from_iter<I: IntoIterator<Item = (String, PathBuf)>>(paths: I) -> Self {
        let all = paths.into_iter().collect();
        Self { all }
    }
}

/// Contents by the names of resources.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Files {
    all: BTreeMap<String, Bytes>,
}

impl Files {
    /// SHA-256 of each.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let all = self.all.iter();
        all.map(|(name, file)| (name.clone(), Digest::of(file).to_string()))
            .collect()
    }

    /// Leaves out those whose names are not wanted.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.all.retain(|name, _| wanted(name));
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn into_all(self) -> BTreeMap<String, Bytes> {
        self.all
    }

    /// Uploads them for a deployment or a refresh: the id of each by its name.
    pub async fn upload(
        self,
        context: &Context,
        here: &ModelSession,
    ) -> Outcome<BTreeMap<String, u64>> {
        let mut ids = BTreeMap::new();
        for (name, file) in self.all {
            let size = file.len() as u64;
            let (bar, progress) = progress(context, size, "storing");
            let client = here.client();
            let uploaded = client.upload_resource(&here.model, file, progress).await;
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
            let uploaded = uploaded?;
            let told = format!("Uploaded resource \"{name}\" ({})", text::bytes(size));
            context.output.say(&told);
            ids.insert(name, uploaded.id);
        }
        Ok(ids)
    }
}

/// The bytes of a file that is no larger than a resource may be.
fn read(path: &Path) -> Outcome<Bytes> {
    let failed = |error| Failure::file("cannot read the resource", path, &error);
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > RESOURCE_BYTES.most {
        return Err(
            Failure::usage(format!("{} is too large for a resource", path.display()))
                .why(format!(
                    "it has {}; the limit is {}",
                    text::bytes(size),
                    text::bytes(RESOURCE_BYTES.most)
                ))
                .advice("make it smaller"),
        );
    }
    Ok(std::fs::read(path).map_err(failed)?.into())
}
