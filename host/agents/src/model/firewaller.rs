//! **firewaller**: has the provider carry out who reaches the model's units.
//!
//! Trigger: start, and changes of what units have open, of what is exposed, of relations and of units.
//! Action: it reads the document that follows, and hands it to the provider's firewall if it is another
//! than before. Effect: an exposed port is reached from outside and no other is; status and
//! `reachability` show where each listens and why one does not. A model in which nothing is exposed and no
//! charm has containers costs the provider nothing. It never decides what is reached: that is the model's rule.

use std::sync::Arc;

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerContext, WorkerResult};
use periapt_model::reach::published::Published;
use periapt_providers::{Applied, Provider};
use periapt_wire::ApiConnection;
use periapt_wire::agent::firewaller::{GetReach, SetReached, WatchReach};
use serde_json::json;

use super::{apicaller, credentialvalidator, environ};
use crate::watching::Watching;

pub const NAME: &str = "firewaller";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let provider: Arc<dyn Provider> = context.get(environ::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            run(&worker, &api, provider.as_ref()).await
        }))
    })
    .needs([apicaller::NAME, environ::NAME])
}

async fn run(worker: &WorkerContext, api: &ApiConnection, provider: &dyn Provider) -> WorkerResult {
    let Some(firewall) = provider.firewall() else {
        worker.set_report(json!({ "firewall": false }));
        return worker.or_dying(std::future::pending()).await?;
    };
    let mut applied = firewall.applied();
    let doing = "watching who reaches the model's units";
    let mut watching = Watching::begin(worker, api, &WatchReach {}, doing).await?;
    // What the provider was told; nothing yet.
    let mut last: Option<Option<Published>> = None;
    loop {
        tokio::select! {
            biased;
            changed = watching.changed() => changed?,
            Ok(()) = applied.changed() => {
                let now = applied.borrow_and_update().clone();
                if let (Some(now), Some(Some(_))) = (now, &last) {
                    report(worker, api, now).await?;
                }
                continue;
            }
        }
        let reach = worker.or_dying(api.call(&GetReach {})).await?;
        let reach = reach.while_doing("reading who reaches the model's units")?;
        if last.as_ref() == Some(&reach) {
            continue;
        }
        let answer = worker.or_dying(firewall.apply(reach.clone())).await?;
        if let Err(refused) = &answer {
            credentialvalidator::note_refusal(api, refused).await?;
        }
        let answer = answer.while_doing("having it carried out")?;
        match &reach {
            Some(_) => report(worker, api, answer).await?,
            // Nothing of it shows where nothing is exposed.
            None => {
                if let Some(Some(_)) = last {
                    let answer = Applied::default();
                    let set = worker.or_dying(api.call(&SetReached { answer })).await?;
                    set.while_doing("recording that nothing listens")?;
                }
                worker.set_report(json!({ "exposed": false }));
            }
        }
        last = Some(reach);
    }
}

async fn report(worker: &WorkerContext, api: &ApiConnection, answer: Applied) -> WorkerResult {
    worker.set_report(json!({
        "exposed": true,
        "ingress": answer.ingress,
        "ingress-failed": answer.ingress_failed,
        "listening": answer.listening.len(),
        "not-listening": answer.not_listening.len(),
    }));
    // The number is the provider's own.
    let answer = Applied {
        number: 0,
        ..answer
    };
    let set = worker.or_dying(api.call(&SetReached { answer })).await?;
    set.while_doing("recording what listens").map(drop)
}
