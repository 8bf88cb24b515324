use std::time::{Duration, Instant};

use periapt_model::hook::Effects;
use periapt_model::uniter::OperationState;

use crate::testing::{fixtures, unit};

/// 64 units that commit one hook after another, each with one key of state.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hooks_of_many_units_share_the_disk() {
    const UNITS: u64 = 64;
    const HOOKS: u64 = 30;
    for fixture in fixtures().await {
        let model = fixture.site(UNITS as u32).await;
        let started = Instant::now();
        let units = (0..UNITS).map(|number| {
            let (store, model) = (fixture.store.clone(), model.clone());
            tokio::spawn(async move {
                let unit = unit(&format!("site/{number}"));
                for hook in 1..=HOOKS {
                    let effects = Effects {
                        state: [("n".to_owned(), Some(hook.to_string()))].into(),
                        ..Default::default()
                    };
                    let operation = OperationState {
                        state_generation: hook,
                        ..Default::default()
                    };
                    store
                        .commit_effects(&model, &unit, effects, &operation)
                        .await
                        .expect("committed");
                }
            })
        });
        for unit in units.collect::<Vec<_>>() {
            unit.await.expect("joined");
        }
        let took = started.elapsed();
        let rate = (UNITS * HOOKS) as f64 / took.as_secs_f64();
        println!(
            "{}: {rate:.0} hook commits a second",
            fixture.store.database_kind()
        );
        // Far below what it does, for a loaded machine with a slow disk.
        assert!(took < Duration::from_secs(60), "{took:?}");
        fixture.end().await;
    }
}
