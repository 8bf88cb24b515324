//! Has the controller apply a bundle, and tells of each step once it is taken. What was taken stays when one fails:
//! applied again the bundle goes on from there.

use periapt_wire::rest::{BundleApply, BundleApplyState, BundlePlan, BundleWait, DeployBundle};

use super::beside::Beside;
use super::nothing_to_do;
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

/// Seconds for which the controller is asked to wait at a time.
const WAIT: u64 = 60;

pub async fn apply(
    context: &Context,
    here: &ModelSession,
    mut request: DeployBundle,
    plan: &BundlePlan,
    beside: Beside,
) -> Outcome {
    if !request.trust {
        require_no_trust(plan)?;
    }
    beside.upload(context, here, plan, &mut request).await?;
    let begun = here.client().deploy_bundle(&here.model, &request).await?;
    let Some(apply) = begun.apply else {
        return Err(
            Failure::failed("the controller did not start the deployment")
                .why("its answer has no deployment to follow")
                .advice("check periapt status, then deploy it again"),
        );
    };
    let ended = follow(context, here, apply).await?;
    match ended.state {
        BundleApplyState::Completed | BundleApplyState::Running => {
            if ended.changes.is_empty() {
                nothing_to_do(context);
            }
            Ok(())
        }
        BundleApplyState::Failed | BundleApplyState::Interrupted => Err(stopped(context, &ended)),
    }
}

/// Refuses to trust an application because a file says so.
fn require_no_trust(plan: &BundlePlan) -> Outcome {
    if plan.trusted.is_empty() {
        return Ok(());
    }
    let trusted: Vec<&str> = plan.trusted.iter().map(|name| name.as_str()).collect();
    Err(
        Failure::usage("the bundle asks to trust applications with the cloud's credential")
            .why(format!("it says so of {}", trusted.join(", ")))
            .advice("deploy it with --trust if you trust them; nothing was changed"),
    )
}

/// Tells of steps until there are no more.
async fn follow(
    context: &Context,
    here: &ModelSession,
    mut apply: BundleApply,
) -> Outcome<BundleApply> {
    let mut told = 0;
    loop {
        let total = apply.changes.len();
        let taken = usize::try_from(apply.taken).unwrap_or(total).min(total);
        for (index, change) in apply.changes.iter().enumerate().take(taken).skip(told) {
            let line = format!("[{}/{total}] {}", index + 1, change.words);
            context.output.say(&line);
        }
        told = taken;
        if apply.state.has_ended() {
            return Ok(apply);
        }
        let query = BundleWait {
            wait: Some(WAIT),
            taken: Some(apply.taken),
        };
        let id = apply.id;
        apply = here.client().bundle(&here.model, id, &query).await?;
    }
}

fn stopped(context: &Context, ended: &BundleApply) -> Failure {
    let (taken, total) = (ended.taken, ended.changes.len());
    context
        .output
        .say(&format!("{taken} of {total} steps were completed"));
    Failure::failed("the bundle was only partly applied")
        .why(ended.message.clone())
        .advice("fix the cause, then deploy the bundle again: it continues from there")
}
