//! For whom a request is, by the host that it names.

use hyper::header::HOST;
use hyper::{HeaderMap, Uri};
use periapt_model::{ApplicationName, ModelUuid, UnitName};

/// Everything that is found by name is below it: clients know it as this machine.
const ROOT: &str = "localhost";

/// Whom a request names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    Application(ApplicationName),
    Unit(UnitName),
}

/// Where a request is to come, as far as it says; the port where it came in by a unit's own address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub model: ModelUuid,
    pub named: Named,
    pub port: Option<u16>,
}

/// Why a request names nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoHost {
    /// It names no host, or two of them.
    Unclear,
}

/// The host of a request in small letters, without its port.
pub fn host(uri: &Uri, headers: &HeaderMap) -> Result<String, NoHost> {
    let mut said = headers.get_all(HOST).iter();
    let header = match (said.next(), said.next()) {
        (_, Some(_)) => return Err(NoHost::Unclear),
        (Some(header), None) => Some(header.to_str().map_err(|_| NoHost::Unclear)?),
        (None, None) => None,
    };
    let named = uri.authority().map(hyper::http::uri::Authority::as_str);
    let authority = match (named, header) {
        (Some(one), Some(other)) if !one.eq_ignore_ascii_case(other) => {
            return Err(NoHost::Unclear);
        }
        (Some(authority), _) | (None, Some(authority)) => authority,
        (None, None) => return Err(NoHost::Unclear),
    };
    // Who names a user in it wants to look like somebody else.
    if authority.contains('@') {
        return Err(NoHost::Unclear);
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    Ok(host.to_ascii_lowercase())
}

/// The name of a model and what is before it: `docs.demo.localhost` is `docs` of `demo`.
pub fn parts(host: &str) -> Option<(&str, &str)> {
    let (name, model) = host
        .strip_suffix(ROOT)?
        .strip_suffix('.')?
        .rsplit_once('.')?;
    (!name.is_empty() && !model.is_empty()).then_some((name, model))
}

/// `docs-0` is the unit `docs/0`: an application's name does not end in a number.
pub fn named(name: &str) -> Option<Named> {
    if let Ok(application) = name.parse() {
        return Some(Named::Application(application));
    }
    let (application, number) = name.rsplit_once('-')?;
    let unit: UnitName = format!("{application}/{number}").parse().ok()?;
    Some(Named::Unit(unit))
}
