//! What a plan may name of its charm: the components it brings and the ports it declares.

use super::Container;
use super::layer::{Kind, Service};
use super::plan::Plan;
use crate::CallError;
use crate::ports::Protocol;

/// Refuses those of these services that cannot run in `container`. What an earlier revision of the
/// charm planned is not held against this one.
pub(super) fn check<'a>(
    container: &Container,
    plan: &Plan,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), CallError> {
    for name in names {
        if let Some(service) = plan.services.get(name) {
            runs_in(container, service)
                .map_err(|reason| CallError::invalid(format!("service \"{name}\": {reason}")))?;
        }
    }
    Ok(())
}

/// Whether a service can run in `container`, and else why not.
///
/// # Errors
/// A kind that is not run, or a component or a port that the charm has not.
pub fn runs_in(container: &Container, service: &Service) -> Result<(), String> {
    match service.kind() {
        Kind::Http => {}
        Kind::Native => {
            return Err(
                "this version runs no programs of the machine; give it kind: http and a component"
                    .to_owned(),
            );
        }
        Kind::Command => {
            return Err("this version runs no components of kind command, only http".to_owned());
        }
    }
    if let Some(component) = &service.component
        && !container.components.contains(component)
    {
        return Err(match container.components.as_slice() {
            [] => format!("the charm has no component \"{component}\", nor any other"),
            known => format!(
                "the charm has no component \"{component}\"; it has {}",
                known.join(", ")
            ),
        });
    }
    if let Some(port) = service.port
        && !container.ports.iter().any(|range| {
            range.protocol == Protocol::Tcp && (range.start..=range.end).contains(&port)
        })
    {
        let container = &container.name;
        return Err(format!(
            "port {port}/tcp is not declared; name it under capabilities.workload.{container}.ports"
        ));
    }
    Ok(())
}
