//! An agent reaches the ports that it was started with and no others, and yet the controller's
//! processes wherever they are.

use anyhow::{Result, ensure};
use periapt_tests::kill;
use serde_json::json;

use crate::pair::Pair;

#[test]
fn an_agent_is_restarted_for_a_port_it_cannot_reach_and_for_no_other_change() -> Result<()> {
    let pair = Pair::first()?;
    let home = &pair.home;
    pair.deploy_probe()?;
    let before = home.agent_pids()?;
    ensure!(before.len() == 1, "{before:?}");
    let first = pair.address(&pair.first)?;
    ensure!(pair.agent_config()?["api-addresses"] == json!([first]));

    pair.join()?;
    let both = [first, pair.address(&pair.second)?];
    pair.until("the agent starts anew with both", || {
        let agents = home.agent_pids()?;
        let config = pair.agent_config()?;
        Ok(agents.len() == 1 && agents != before && config["api-addresses"] == json!(both))
    })?;
    let agents = home.agent_pids()?;
    home.until_workload("probe/0", "active")?;

    // The port of the second is within its reach, which only its kernel can tell.
    kill(home.controller_pid_in(&pair.first)?);
    pair.change_probe()?;
    pair.until("the file names who is left", || {
        Ok(pair.agent_config()?["api-addresses"] == json!([both[1]]))
    })?;
    ensure!(
        home.agent_pids()? == agents,
        "no restart for a process that died"
    );

    let mut back = home.run_controller(&pair.first)?;
    pair.until("the file names both again", || {
        Ok(pair.agent_config()?["api-addresses"] == json!(both))
    })?;
    ensure!(
        home.agent_pids()? == agents,
        "no restart for one that came back"
    );
    kill(home.controller_pid_in(&pair.first)?);
    let _ = back.wait();
    Ok(())
}
