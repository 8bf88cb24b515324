//! What is refused of a bundle, with the line of its file that it is about.

use periapt_model::bundle::{BundleError, PlanError, line_of, line_of_key, line_of_plan};
use periapt_model::{ApplicationName, Refusal};
use periapt_wire::Problem;
use periapt_wire::rest::DeployBundle;

use super::super::problem::Answer;

const TITLE: &str = "The bundle cannot be deployed";

/// What cannot be read of the files.
pub(super) fn unreadable(request: &DeployBundle, error: &BundleError) -> Answer {
    let at = match error {
        // The reader's line is one of the file that it read.
        BundleError::Unreadable { line, .. } => {
            let broken = |text: &String| {
                let found = periapt_model::bundle::Bundle::parse(text, &[]);
                matches!(found, Err(BundleError::Unreadable { .. }))
            };
            let overlay = request.overlays.iter().position(broken);
            let in_bundle = broken(&request.bundle);
            line.map(|line| (overlay.filter(|_| !in_bundle), line))
        }
        BundleError::NothingToRemove(_) => overlays_first(request, |text| line_of(error, text)),
        _ => bundle_first(request, |text| line_of(error, text)),
    };
    refused(error.refusal(), at, &error.to_string())
}

/// What does not go with the model or the charms.
pub(super) fn unplanned(request: &DeployBundle, error: &PlanError) -> Answer {
    let at = bundle_first(request, |text| line_of_plan(error, text));
    refused(Refusal::BundleInvalid, at, &error.to_string())
}

/// What is wrong with an application.
pub(super) fn of_application(
    request: &DeployBundle,
    application: &ApplicationName,
    refusal: Refusal,
    why: &str,
) -> Answer {
    let at = bundle_first(request, |text| line_of_key(text, application.as_str()));
    refused(refusal, at, why)
}

/// A file, none for the bundle's own, and a line of it.
type Place = (Option<usize>, u64);

fn bundle_first(request: &DeployBundle, line: impl Fn(&str) -> Option<u64>) -> Option<Place> {
    let of_bundle = line(&request.bundle).map(|line| (None, line));
    of_bundle.or_else(|| in_overlays(request, line))
}

fn overlays_first(request: &DeployBundle, line: impl Fn(&str) -> Option<u64>) -> Option<Place> {
    let of_overlay = in_overlays(request, &line);
    of_overlay.or_else(|| line(&request.bundle).map(|line| (None, line)))
}

fn in_overlays(request: &DeployBundle, line: impl Fn(&str) -> Option<u64>) -> Option<Place> {
    let overlays = request.overlays.iter().enumerate();
    let mut lines = overlays.filter_map(|(index, text)| Some((Some(index), line(text)?)));
    lines.next()
}

fn refused(refusal: Refusal, at: Option<Place>, why: &str) -> Answer {
    let why = match at {
        Some((None, line)) => format!("line {line}: {why}"),
        Some((Some(overlay), line)) => format!("overlay {}, line {line}: {why}", overlay + 1),
        None => why.to_owned(),
    };
    Answer(Problem::new(refusal).titled(TITLE).why(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bundle: &str, overlays: &[&str]) -> Problem {
        let request = DeployBundle {
            bundle: bundle.to_owned(),
            overlays: overlays.iter().map(|text| (*text).to_owned()).collect(),
            ..DeployBundle::default()
        };
        let error = periapt_model::bundle::Bundle::parse(bundle, overlays).unwrap_err();
        unreadable(&request, &error).0
    }

    #[test]
    fn a_refusal_says_in_which_file_and_line_the_mistake_is() {
        const GOOD: &str = "applications:\n  a: {charm: x}\n";
        for (bundle, overlays, code, at) in [
            (
                "applications:\n  a: {num_units: 1}\n",
                &[] as &[&str],
                "bundle-charm-missing",
                "line 2: ",
            ),
            (
                GOOD,
                &["applications:\n  b: null\n"],
                "bundle-overlay-invalid",
                "overlay 1, line 2: ",
            ),
            (
                GOOD,
                &[GOOD, "applications:\n\n  c: {}\n"],
                "bundle-charm-missing",
                "overlay 2, line 3: ",
            ),
        ] {
            let problem = refusal(bundle, overlays);
            assert_eq!((problem.code.as_str(), problem.status), (code, 400));
            assert!(problem.detail.starts_with(at), "{}", problem.detail);
            assert!(!problem.advice.is_empty());
        }
        let broken = refusal(GOOD, &["applications: [\n"]);
        assert_eq!(broken.code, "bundle-unreadable");
        assert!(
            broken.detail.starts_with("overlay 1, line "),
            "{}",
            broken.detail
        );
    }
}
