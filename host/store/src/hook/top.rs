//! Which units' hooks use most, of the runs that are remembered.

use periapt_model::ModelUuid;
use periapt_wire::rest::{HookUsage, TopBy, UnitUsage};

use crate::db::{Cells, Column, columns, params, word};
use crate::{DatabaseError, Result, Store, require_model};

#[cfg(test)]
mod tests;

impl Store {
    /// At most `limit` units of a model with what their hooks used that began at `since` or later,
    /// microseconds UTC; whoever used most of what is asked for first.
    pub async fn top(
        &self,
        model: &ModelUuid,
        by: TopBy,
        since: i64,
        limit: u64,
    ) -> Result<Vec<UnitUsage>> {
        let select = match by {
            TopBy::Time => BY_TIME,
            TopBy::Memory => BY_MEMORY,
            TopBy::HostCalls => BY_HOST_CALLS,
            TopBy::StateDirectory => BY_STATE_DIRECTORY,
            TopBy::Output => BY_OUTPUT,
        };
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        Ok(db.all(select, params![model, since, limit]).await?)
    }
}

macro_rules! top {
    ($used:literal) => {
        concat!(
            "FROM hook_run WHERE model_uuid = $1 AND started_at >= $2 GROUP BY unit, application
            ORDER BY COALESCE(",
            $used,
            ", 0) DESC, unit LIMIT $3"
        )
    };
}

columns! {
    struct Used -> UnitUsage {
        unit = "unit" as word,
        application = "application" as word,
        hooks = "COUNT(*)",
        failed = "CAST(SUM(CASE WHEN code = '' THEN 0 ELSE 1 END) AS BIGINT)",
        time = "CAST(SUM(duration) AS BIGINT)",
        longest = "MAX(duration)",
        most = ["COALESCE(MAX(memory_bytes), 0), COALESCE(MAX(host_calls), 0), COALESCE(MAX(output_bytes), 0),
            COALESCE(MAX(state_directory_bytes), 0)"] as most,
    }
    const BY_TIME = top!("SUM(duration)");
    const BY_MEMORY = top!("MAX(memory_bytes)");
    const BY_HOST_CALLS = top!("MAX(host_calls)");
    const BY_STATE_DIRECTORY = top!("MAX(state_directory_bytes)");
    const BY_OUTPUT = top!("MAX(output_bytes)");
}

fn most(cells: &mut Cells<'_>) -> std::result::Result<HookUsage, DatabaseError> {
    Ok(HookUsage {
        memory_bytes: Column::read(cells)?,
        host_calls: Column::read(cells)?,
        output_bytes: Column::read(cells)?,
        state_directory_bytes: Column::read(cells)?,
    })
}
