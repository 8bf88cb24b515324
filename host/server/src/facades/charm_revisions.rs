//! `CharmRevisionUpdater`: what the charms of a model could be refreshed to.

use periapt_wire::agent::charm_revisions::UpdateLatestRevisions;

use crate::charm_revisions::index;

handlers! { for periapt_wire::agent::charm_revisions:
    UpdateLatestRevisions: |session, _| {
        let index = index(session.store()).await?.unwrap_or_default();
        let upgrades = session.store().note_charm_revisions(session.model()?, index).await?;
        Ok(upgrades.len() as u64)
    };
}
