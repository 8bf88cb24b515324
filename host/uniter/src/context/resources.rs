//! `resource-get`: what is attached is fetched when the hook asks for it. A hook sees one revision of each,
//! and how long fetching it took is no part of its time.

use std::sync::Arc;

use periapt_model::nearest::suggestion;
use periapt_sandbox::{CallError, ResourcesAnswers};
use periapt_wire::agent::uniter::{GetResource, ResourceContent, SetUnitResource};

use super::UnitContext;
use crate::error::UniterError;
use crate::resources::Resource;

/// How often it is looked again what is attached, where that is replaced while it is fetched.
const TRIES: usize = 3;

impl ResourcesAnswers for UnitContext {
    fn resource(&mut self, name: &str) -> Result<Option<String>, CallError> {
        let Some(file) = self.resources.get(name).cloned() else {
            let known = self.resources.keys().map(String::as_str);
            let message = format!(
                "the charm declares no resource \"{name}\" that is a file{}",
                suggestion(name, known)
            );
            return Err(CallError::not_found(message));
        };
        let path = format!("/resources/{name}/{file}");
        if self.held.directory(name).is_some() {
            return Ok(Some(path));
        }
        let mut last = None;
        for _ in 0..TRIES {
            let content = self.call(&GetResource {
                unit: self.unit.clone(),
                name: name.to_owned(),
            })?;
            let Some(content) = content else {
                return Ok(None);
            };
            match self.fetch(&content, &file)? {
                Ok(resource) => {
                    self.have(name, &content, resource);
                    return Ok(Some(path));
                }
                Err(error) if error.is_gone() => last = Some(error),
                Err(error) => return Err(unavailable(name, &error)),
            }
        }
        let why = "it is replaced again and again".to_owned();
        let why = last.map_or(why, |error| error.to_string());
        Err(CallError::unavailable(format!(
            "resource \"{name}\": {why}"
        )))
    }
}

impl UnitContext {
    /// Fetches without a place and without a part of the hook's time.
    fn fetch(
        &mut self,
        content: &ResourceContent,
        file: &str,
    ) -> Result<Result<Arc<Resource>, UniterError>, CallError> {
        let (all, connection) = (self.all_resources.clone(), self.connection.clone());
        let (began, before) = (self.clock.monotonic(), self.turn.pauses().total());
        let fetched = self.wait(all.get(&connection, &content.sha256, file));
        let took = self.clock.monotonic().saturating_sub(began);
        // The wait for a place within it is counted already.
        let counted = self.turn.pauses().total().saturating_sub(before);
        self.turn.pauses().add(took.saturating_sub(counted));
        fetched
    }

    fn have(&mut self, name: &str, content: &ResourceContent, resource: Arc<Resource>) {
        self.held.hold(name, resource.clone());
        self.all_resources.give(&self.unit, name, resource);
        if content.known == Some(content.revision) {
            return;
        }
        let told = self.call(&SetUnitResource {
            unit: self.unit.clone(),
            name: name.to_owned(),
            revision: content.revision,
        });
        // The next hook that asks says it again.
        if let Err(error) = told {
            tracing::debug!(unit = %self.unit, name, %error, "the revision of a resource is not told");
        }
    }
}

fn unavailable(name: &str, error: &UniterError) -> CallError {
    CallError::unavailable(format!("resource \"{name}\": {error}"))
}
