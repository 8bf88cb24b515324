//! Files of a unit are the same whichever process is asked, although its agent is connected to one.

use anyhow::{Context, Result, ensure};
use periapt_model::UnitName;
use periapt_tests::charm;
use periapt_wire::rest::AuditQuery;

use crate::pair::Pair;

/// More than an agent is asked for at a time.
const BYTES: usize = 2_000_000;

#[test]
fn files_of_a_unit_are_read_through_the_process_to_which_its_agent_is_not_connected() -> Result<()>
{
    let pair = Pair::start()?;
    let home = &pair.home;
    let file = charm("probe").display().to_string();
    let script = format!("script=start: write {BYTES}\nstart: status active ready");
    home.ok(["deploy", &file, "probe", "--config", &script])?;
    home.until_workload("probe/0", "active")?;
    let model = pair.model()?;
    pair.until("one process has the agent and the other knows it", || {
        let mut states = Vec::new();
        for directory in [&pair.first, &pair.second] {
            let presence = pair.introspect(directory, "presence")?;
            let rows = presence.as_array().context("rows")?;
            let row = rows.iter().find(|row| row["model"] == model.as_str());
            states.push(row.context("no agent")?["state"].clone());
        }
        let both = ["connected", "connected elsewhere"];
        Ok(both.iter().all(|state| states.contains(&(*state).into())))
    })?;

    let unit: UnitName = "probe/0".parse()?;
    tokio::runtime::Runtime::new()?.block_on(async {
        for directory in [&pair.first, &pair.second] {
            let client = pair.client(directory).await?;
            let listing = client.unit_files(&model, &unit, "/state").await?;
            let entry = listing.entries.iter().find(|entry| entry.name == "filled");
            let entry = entry.context("the file is not listed")?;
            ensure!(entry.bytes == BYTES as u64, "{listing:?}");
            let mut read = Vec::new();
            let take = |part: &[u8]| {
                read.extend_from_slice(part);
                Ok(())
            };
            let path = "/state/filled";
            client.read_unit_file(&model, &unit, path, take).await?;
            ensure!(read == vec![b'x'; BYTES], "{} bytes", read.len());
            let none = client
                .unit_files(&model, &unit, "/state/none")
                .await
                .err()
                .context("it is listed")?;
            ensure!(none.code() == "file-not-found", "{none}");
        }
        // A look is on record once, whichever process the agent is connected to.
        let client = pair.client(&pair.first).await?;
        let query = AuditQuery {
            matching: Some("/files/read".to_owned()),
            ..AuditQuery::default()
        };
        let records = client.audit(Some(&model), &query).await?;
        ensure!(records.items.len() == 2, "{:?}", records.items);
        Ok(())
    })
}
