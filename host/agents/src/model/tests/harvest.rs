//! Instances that the model does not account for, and what its option says of them.

use periapt_model::config::Value;
use periapt_store::Setter;
use periapt_wire::rest::ConfigChange;

use super::bench::Bench;
use crate::model::provisioner;

async fn mode(bench: &Bench, mode: &str) {
    let change = ConfigChange {
        set: [(
            "provisioner-harvest-mode".to_owned(),
            Value::Text(mode.to_owned()),
        )]
        .into(),
        reset: Vec::new(),
    };
    let set = bench
        .store
        .set_model_config(&bench.model, change, Setter::Admin);
    set.await.unwrap();
}

#[tokio::test]
async fn the_harvest_mode_of_the_model_decides_about_instances_of_no_machine() {
    for (word, stays) in [
        ("destroyed", true),
        ("none", true),
        ("unknown", false),
        ("all", false),
    ] {
        let bench = Bench::new().await;
        mode(&bench, word).await;
        bench.provider.stray("99");
        let engine = bench.engine();
        bench.until_running(&engine, provisioner::NAME).await;
        bench.deploy("site", 1).await;
        bench
            .until(
                "the machine has an instance, so the first look is over",
                || async { bench.machines().await.first()?.instance_id.clone() },
            )
            .await;
        let there = bench.provider.names().contains(&"99".to_owned());
        assert_eq!(there, stays, "{word}");
        bench.close(engine).await;
    }
}
