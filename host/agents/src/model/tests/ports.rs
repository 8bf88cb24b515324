//! provisioner: "the file that agents are started with names the controller's addresses of this
//! moment; an agent is restarted for a port that it cannot reach, and for nothing else".

use std::collections::BTreeSet;

use periapt_providers::SharedAgent;

use super::bench::Bench;
use crate::agent_config::AgentConfig;

async fn config(bench: &Bench) -> Option<AgentConfig> {
    let bytes = bench.provider.config().await.unwrap()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

#[tokio::test]
async fn agents_are_restarted_for_a_port_that_they_cannot_reach() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.deploy("site", 1).await;
    bench
        .until("the agent has a configuration", || config(&bench))
        .await;
    let (one, two) = ("127.0.0.1:17070", "127.0.0.1:17071");
    // Addresses, ports that may be reached, restarts.
    for (now, ports, restarts) in [
        (vec![one, two], vec![17070, 17071], 1),
        (vec![two], vec![17070, 17071], 1),
        (vec![one, two], vec![17070, 17071], 1),
        (vec![two, "127.0.0.1:17072"], vec![17071, 17072], 2),
    ] {
        let now: Vec<String> = now.into_iter().map(str::to_owned).collect();
        bench.addresses.send_replace(now.clone());
        let config = bench
            .until("the file names them", || async {
                config(&bench)
                    .await
                    .filter(|config| config.api_addresses == now)
            })
            .await;
        assert_eq!(config.ports(), BTreeSet::from_iter(ports));
        assert_eq!(bench.provider.calls("configure restart=true"), restarts);
    }
    bench.close(engine).await;
}
