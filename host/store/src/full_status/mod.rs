//! The picture of a model that `status` shows: a dozen indexed statements in one snapshot, however
//! many units and relations there are, and an assembly in memory. Whoever is asked again and again keeps
//! a [`StatusPicture`], which reads and writes only what changed.

use periapt_model::{AgentName, ModelUuid};
use periapt_wire::status::FullStatus;

use crate::{Result, Store};

mod assemble;
mod news;
mod pattern;
mod picture;
mod rows;
mod shown;
#[cfg(test)]
pub(crate) mod tests;
mod texts;

pub(crate) use pattern::matches;
pub(crate) use periapt_model::time::text as rfc3339;
pub use picture::StatusPicture;

use rows::Rows;
use shown::View;

/// Whether a machine's agent is connected.
pub type Presence<'a> = &'a (dyn Fn(&AgentName) -> bool + Send + Sync);

impl Store {
    /// The status of a model, or of what the patterns name: applications, units, machines, with
    /// `*` for any text. Machines whose agent is absent show as down, their units as lost.
    pub async fn full_status(
        &self,
        model: &ModelUuid,
        patterns: &[String],
        presence: Presence<'_>,
    ) -> Result<FullStatus> {
        let mut db = self.snapshot().await?;
        let rows = Rows::load(&mut db, model).await?;
        let now = self.now();
        drop(db);
        let lost = assemble::lost(&rows, presence);
        let patterns = pattern::Patterns::new(patterns);
        let view = View::new(&rows, &lost);
        Ok(assemble::full_status(&view, &patterns, now))
    }
}
