//! `charm lint`: what a charm declares against what it answers.

use std::fs;

use periapt_model::charm::COMPONENT;
use periapt_packing::{Finding, Severity};
use serde::Serialize;

use super::super::Context;
use super::{build, failed};
use crate::arguments::{CharmLint, DetailFormat};
use crate::failure::{Failure, Outcome};
use crate::output::text::{clean_line, count};
use crate::processes;

/// A finding as data.
#[derive(Serialize)]
struct Row {
    severity: &'static str,
    place: String,
    message: String,
}

pub fn lint(context: &Context, arguments: &CharmLint) -> Outcome {
    let found = findings(context, arguments)?;
    let rows = found.iter().map(|finding| Row {
        severity: finding.severity.as_str(),
        place: clean_line(&finding.place),
        message: clean_line(&finding.what),
    });
    match arguments.format {
        Some(DetailFormat::Json) => context.output.json(&rows.collect::<Vec<_>>())?,
        Some(DetailFormat::Yaml) => context.output.yaml(&rows.collect::<Vec<_>>())?,
        None => {
            for row in rows {
                let line = format!("{}: {}: {}", row.severity, row.place, row.message);
                context.output.data(&line)?;
            }
        }
    }
    let of =
        |severity: Severity| found.iter().filter(|one| one.severity == severity).count() as u64;
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let counted = format!(
        "{} and {}",
        count(errors, "error"),
        count(warnings, "warning")
    );
    match errors > 0 || arguments.strict && warnings > 0 {
        true => Err(Failure::failed("the charm does not match its declarations")
            .why(counted)
            .advice("correct the files or the code as the findings say")),
        false => {
            context.output.say(&match warnings {
                0 => "The charm matches its declarations".to_owned(),
                _ => counted,
            });
            Ok(())
        }
    }
}

fn findings(context: &Context, arguments: &CharmLint) -> Outcome<Vec<Finding>> {
    let project = &arguments.build.project;
    let unread = |error| failed("cannot check the charm", &error);
    // What the files say wrongly is not worth a compilation.
    let files = periapt_packing::lint(project, None).map_err(unread)?;
    if files.iter().any(|one| one.severity == Severity::Error) {
        return Ok(files);
    }
    if !arguments.no_build {
        build(context, &arguments.build)?;
    }
    let path = project.join("build").join(COMPONENT);
    if !path.is_file() {
        return Ok(files);
    }
    let bytes = fs::read(&path)
        .map_err(|error| Failure::file("cannot read the component", &path, &error))?;
    let outside = periapt_packing::inspect(&bytes).map_err(unread)?;
    let inside = processes::inspect(&bytes)?;
    periapt_packing::lint(project, Some((&outside, inside.hooks.as_slice()))).map_err(unread)
}
