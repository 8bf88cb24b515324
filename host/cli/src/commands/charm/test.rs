//! `charm test`: the tests of a project, then its scenarios.

use periapt_packing::TestOptions;

use super::super::Context;
use super::{build, failed, target_dir};
use crate::arguments::CharmTest;
use crate::failure::Outcome;

pub fn test(context: &Context, arguments: &CharmTest) -> Outcome {
    let project = &arguments.build.project;
    let options = TestOptions {
        target_dir: target_dir(&arguments.build)?,
        jobs: arguments.build.jobs,
        arguments: arguments.arguments.clone(),
    };
    let fails = |error| failed("the charm's tests failed", &error);
    periapt_packing::test(project, &options).map_err(fails)?;
    context.output.say("The tests pass");
    if !periapt_packing::has_scenarios(project) {
        return Ok(());
    }
    build(context, &arguments.build)?;
    let packed = periapt_packing::pack(project, project)
        .map_err(|error| failed("the charm was not packed", &error))?;
    periapt_packing::test_scenarios(project, &packed.path, &options)
        .map_err(|error| failed("the charm's scenarios failed", &error))?;
    context.output.say("The scenarios pass");
    Ok(())
}
