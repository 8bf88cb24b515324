//! Whether a plan can run.

use std::time::Duration;

use super::Plan;
use crate::layer::{Check, Kind, OnSuccess, Probe, Ready, Service};
use crate::nearest::nearest;
use crate::{WorkloadError, order};

/// Longest backoff, period and delay, so that no sum of times runs over.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// Services, and checks, that one plan has at most.
const MOST: usize = 256;

/// Longest `kill-delay` of a fenced service: it is stopped so long before the lease of 60 s ends,
/// which is renewed when half of it is left.
const FENCED_KILL: Duration = Duration::from_secs(20);

impl Plan {
    /// Checks each service and check, what they name, and that some order of starting exists.
    ///
    /// # Errors
    /// `plan-invalid`, `plan-reference-missing`, `plan-cycle`.
    pub fn validate(&self) -> Result<(), WorkloadError> {
        for (of, key, count) in [
            ("the plan", "services", self.services.len()),
            ("the plan", "checks", self.checks.len()),
        ] {
            if count > MOST {
                return invalid(
                    of,
                    key,
                    format!("there are {count}, and {MOST} at most may be"),
                );
            }
        }
        for (name, service) in &self.services {
            let of = format!("service \"{name}\"");
            self.sound_service(&of, service)?;
            self.references(&of, service)?;
        }
        for (name, check) in &self.checks {
            self.sound_check(&format!("check \"{name}\""), check)?;
        }
        order::cycle(self).map_or(Ok(()), |services| Err(WorkloadError::Cycle { services }))
    }

    fn sound_service(&self, of: &str, service: &Service) -> Result<(), WorkloadError> {
        let kind = service.kind();
        let (needed, refused) = parts(service);
        if let Some((key, _)) = needed.into_iter().find(|(_, there)| !there) {
            let reason = match kind {
                Kind::Native => "a service has the command that it runs".to_owned(),
                Kind::Http => format!("a service of kind http has a {key}"),
                Kind::Command => format!("a service of kind command has a {key}"),
            };
            return invalid(of, key, reason);
        }
        if let Some((key, _)) = refused.into_iter().find(|(_, there)| *there) {
            let reason = match kind {
                Kind::Native => "a native service has none; it is for a component, with its kind",
                Kind::Http => "a service of kind http has none: its component is asked",
                Kind::Command => "a service of kind command has none: it opens its ports itself",
            };
            return invalid(of, key, reason.to_owned());
        }
        let texts = [
            ("command", &service.command),
            ("component", &service.component),
            ("working-dir", &service.working_dir),
            ("user", &service.user),
            ("group", &service.group),
        ];
        for (key, text) in texts {
            sound_text(of, key, text.as_deref())?;
        }
        sound_environment(of, &service.environment)?;
        if service.port == Some(0) {
            return invalid(of, "port", "ports are 1 to 65535".to_owned());
        }
        if service.concurrency() == 0 {
            return invalid(of, "concurrency", "none would ever be answered".to_owned());
        }
        if service.request_timeout().is_zero() {
            return invalid(
                of,
                "request-timeout",
                "no time is left for an answer".to_owned(),
            );
        }
        let factor = service.backoff_factor();
        if !(factor.is_finite() && factor >= 1.0) {
            let reason = format!("{factor} is less than 1, or no number");
            return invalid(of, "backoff-factor", reason);
        }
        if service.backoff_limit() < service.backoff_delay() {
            let reason = "it is less than backoff-delay".to_owned();
            return invalid(of, "backoff-limit", reason);
        }
        if service.fence.is_some() && service.kill_delay() > FENCED_KILL {
            let reason = format!("with a fence it is {} s at most", FENCED_KILL.as_secs());
            return invalid(of, "kill-delay", reason);
        }
        let ready = match service.ready() {
            Ready::After(time) => time,
            Ready::Notify | Ready::Check(_) => Duration::ZERO,
        };
        let times = [
            ("request-timeout", service.request_timeout()),
            ("backoff-limit", service.backoff_limit()),
            ("kill-delay", service.kill_delay()),
            ("ready", ready),
        ];
        not_too_long(of, &times)
    }

    fn references(&self, of: &str, service: &Service) -> Result<(), WorkloadError> {
        let services = [
            ("after", &service.after),
            ("before", &service.before),
            ("requires", &service.requires),
            ("requires-ready", &service.requires_ready),
            ("requires-finished", &service.requires_finished),
        ];
        for (key, names) in services {
            for name in names {
                self.service_exists(of, key, name)?;
            }
        }
        for name in &service.requires_finished {
            let ends = |service: &Service| service.on_success() == OnSuccess::Ignore;
            if !self.services.get(name).is_some_and(ends) {
                let reason = format!("\"{name}\" never finishes: it is not \"once: true\"");
                return invalid(of, "requires-finished", reason);
            }
        }
        for name in service.on_check_failure.keys() {
            self.check_exists(of, "on-check-failure", name)?;
        }
        if let Ready::Check(name) = service.ready() {
            self.check_exists(of, "ready", &name)?;
        }
        Ok(())
    }

    fn sound_check(&self, of: &str, check: &Check) -> Result<(), WorkloadError> {
        let probe = match check.probe() {
            None => {
                let reason = "a check has exactly one of http, tcp and exec".to_owned();
                return invalid(of, "http", reason);
            }
            Some(probe) => probe,
        };
        match probe {
            Probe::Http(http) => {
                let url = http.url.as_deref().unwrap_or_default();
                if !(url.starts_with("http://") || url.starts_with("https://")) {
                    return invalid(of, "url", "it is a whole URL, http://…".to_owned());
                }
                sound_text(of, "url", Some(url))?;
            }
            Probe::Tcp(tcp) => {
                if matches!(tcp.port, None | Some(0)) {
                    return invalid(of, "port", "ports are 1 to 65535".to_owned());
                }
                sound_text(of, "host", tcp.host.as_deref())?;
            }
            Probe::Exec(exec) => {
                if exec.command.is_none() {
                    return invalid(
                        of,
                        "command",
                        "exec has the command that it runs".to_owned(),
                    );
                }
                sound_text(of, "command", exec.command.as_deref())?;
                sound_environment(of, &exec.environment)?;
                if let Some(name) = &exec.service_context {
                    self.service_exists(of, "service-context", name)?;
                }
            }
        }
        if check.threshold() == 0 {
            let reason = "a check is down after one failure or more".to_owned();
            return invalid(of, "threshold", reason);
        }
        if check.timeout().is_zero() {
            return invalid(of, "timeout", "no time is left for an answer".to_owned());
        }
        if check.timeout() >= check.period() {
            return invalid(of, "timeout", "it is not less than the period".to_owned());
        }
        not_too_long(of, &[("period", check.period())])
    }

    fn service_exists(&self, of: &str, key: &'static str, name: &str) -> Result<(), WorkloadError> {
        let known = self.services.keys().map(String::as_str);
        exists(of, key, "service", name, known)
    }

    fn check_exists(&self, of: &str, key: &'static str, name: &str) -> Result<(), WorkloadError> {
        let known = self.checks.keys().map(String::as_str);
        exists(of, key, "check", name, known)
    }
}

/// Keys, each with whether it is there.
type Keys = Vec<(&'static str, bool)>;

/// Those that a service of this kind has to have, and those that it must not have.
fn parts(service: &Service) -> (Keys, Keys) {
    let command = ("command", service.command.is_some());
    let component = ("component", service.component.is_some());
    let port = ("port", service.port.is_some());
    let serving = [
        ("reuse", service.reuse.is_some()),
        ("concurrency", service.concurrency.is_some()),
        ("request-timeout", service.request_timeout.is_some()),
    ];
    match service.kind() {
        Kind::Native => {
            let mut refused = vec![component, port];
            refused.extend(serving);
            (vec![command], refused)
        }
        Kind::Command => {
            let mut refused = vec![port];
            refused.extend(serving);
            (vec![component, command], refused)
        }
        Kind::Http => (vec![component, port], vec![command]),
    }
}

fn invalid(of: &str, key: &'static str, reason: String) -> Result<(), WorkloadError> {
    let of = of.to_owned();
    Err(WorkloadError::Invalid { of, key, reason })
}

fn exists<'a>(
    of: &str,
    key: &'static str,
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), WorkloadError> {
    if known.clone().any(|known| known == name) {
        return Ok(());
    }
    Err(WorkloadError::Missing {
        of: of.to_owned(),
        key,
        kind,
        name: name.chars().take(80).collect(),
        nearest: nearest(name, known).map(str::to_owned),
    })
}

/// Text that ends up in the arguments of a process.
fn sound_text(of: &str, key: &'static str, text: Option<&str>) -> Result<(), WorkloadError> {
    match text {
        Some(text) if text.trim().is_empty() => invalid(of, key, "it is empty".to_owned()),
        Some(text) if text.contains('\0') => {
            invalid(of, key, "no process can be given a zero byte".to_owned())
        }
        _ => Ok(()),
    }
}

fn sound_environment(
    of: &str,
    environment: &std::collections::BTreeMap<String, String>,
) -> Result<(), WorkloadError> {
    let sound = |(name, value): (&String, &String)| {
        !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
    };
    if environment.iter().all(sound) {
        return Ok(());
    }
    let reason = "a variable has a name without \"=\", and no zero bytes".to_owned();
    invalid(of, "environment", reason)
}

fn not_too_long(of: &str, times: &[(&'static str, Duration)]) -> Result<(), WorkloadError> {
    match times.iter().find(|(_, time)| *time > LONGEST) {
        Some((key, _)) => invalid(of, key, "it is longer than a year".to_owned()),
        None => Ok(()),
    }
}
