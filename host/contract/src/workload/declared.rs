//! What a plan may name of its charm, and what can be done with it: a key that would do nothing is refused
//! where the charm hears of it.

use super::Container;
use super::layer::{CONCURRENCY, Check, Kind, OnSuccess, Probe, Ready, Reload, Service};
use super::plan::Plan;
use crate::CallError;
use crate::ports::Protocol;

/// As a check may call the unit itself.
const SELF: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Refuses those of these services and checks that cannot run in `container`. What an earlier revision of
/// the charm planned is not held against this one.
pub(super) fn check<'a>(
    container: &Container,
    plan: &Plan,
    services: impl Iterator<Item = &'a String>,
    checks: impl Iterator<Item = &'a String>,
) -> Result<(), CallError> {
    let invalid = |kind: &str, name: &str, reason: String| {
        CallError::invalid(format!("{kind} \"{name}\": {reason}"))
    };
    for name in services {
        if let Some(service) = plan.services.get(name) {
            runs_in(container, service)
                .and_then(|()| heeded(service))
                .and_then(|()| leaves_room(service))
                .map_err(|reason| invalid("service", name, reason))?;
        }
    }
    for name in checks {
        if let Some(check) = plan.checks.get(name) {
            looks(check).map_err(|reason| invalid("check", name, reason))?;
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

/// Whether everything that is written of a service of kind `http` has an effect. Each request has an instance of its
/// own, which is no process and ends with it.
fn heeded(service: &Service) -> Result<(), String> {
    const NO_PROCESS: &str = "it has no process";
    const NO_END: &str = "it does not end by itself";
    let unheeded = [
        ("user", service.user.is_some(), NO_PROCESS),
        ("user-id", service.user_id.is_some(), NO_PROCESS),
        ("group", service.group.is_some(), NO_PROCESS),
        ("group-id", service.group_id.is_some(), NO_PROCESS),
        ("working-dir", service.working_dir.is_some(), NO_PROCESS),
        ("kill-signal", service.kill_signal.is_some(), NO_PROCESS),
        ("kill-delay", service.kill_delay.is_some(), NO_PROCESS),
        (
            "ready",
            matches!(service.ready, Some(Ready::Notify | Ready::After(_))),
            "it is ready once it is loaded, or by check:NAME",
        ),
        (
            "reload",
            service
                .reload
                .is_some_and(|reload| reload != Reload::Nothing),
            "each request sees its files as they were committed last",
        ),
        (
            "reuse",
            service.reuse() > 0,
            "each request has an instance of its own",
        ),
        (
            "fence",
            service.fence.is_some(),
            "this version fences no services",
        ),
        ("once", service.once(), NO_END),
        (
            "on-success",
            service
                .on_success
                .is_some_and(|on| on != OnSuccess::Restart),
            NO_END,
        ),
    ];
    match unheeded.into_iter().find(|(_, written, _)| *written) {
        Some((key, _, reason)) => Err(format!(
            "\"{key}\" does nothing for kind http, {reason}; take it out"
        )),
        None => Ok(()),
    }
}

/// Whether the other services of the model have room beside a service.
fn leaves_room(service: &Service) -> Result<(), String> {
    match service.concurrency() {
        0..=CONCURRENCY => Ok(()),
        asked => Err(format!(
            "\"concurrency\" is {asked}, and {CONCURRENCY} is the most, so that other services have room; \
             further requests wait for their turn"
        )),
    }
}

/// Whether a check can look as it says: at the unit itself, by the requests that its services answer.
fn looks(check: &Check) -> Result<(), String> {
    let other = |host: &str| {
        format!("checks look at the unit itself, so its host is localhost and not \"{host}\"")
    };
    match check.probe() {
        Some(Probe::Exec(_)) => Err(
            "this version runs no programs of the machine; let it look by http or tcp".to_owned(),
        ),
        Some(Probe::Http(http)) => {
            let url = http.url.as_deref().unwrap_or_default();
            let Some(rest) = url.strip_prefix("http://") else {
                return Err("services speak no TLS; let its URL begin with http://".to_owned());
            };
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = match authority.rsplit_once(':') {
                Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
                _ => authority,
            };
            match SELF.contains(&host) {
                true => Ok(()),
                false => Err(other(host)),
            }
        }
        Some(Probe::Tcp(tcp)) => match tcp.host.as_deref() {
            Some(host) if !SELF.contains(&host) => Err(other(host)),
            _ => Ok(()),
        },
        None => Ok(()),
    }
}
