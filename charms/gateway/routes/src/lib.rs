//! The routes of the charm gateway: which requests go to which application, and where its units answer.
//!
//! The hook makes the table and writes it, the server reads it for each request. It is a crate of its own
//! because the two are components of their own.

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;
mod written;

pub use written::{Written, read};

/// The file, in the directory that both have.
pub const FILE: &str = "routes.json";

/// All routes, and all applications that they lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub routes: Vec<Route>,
    pub sites: Vec<Site>,
}

/// Requests that go to an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    pub from: Source,
    pub application: String,
}

/// Which requests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Those under a host of this name, without a port, in small letters.
    Host(String),
    /// Those below a path, `/docs`; all are below the empty one.
    Path(String),
}

/// An application, and where its units answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    pub application: String,
    /// `docs-0.internal:80`.
    pub units: Vec<String>,
}

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// To one of the units, with `prefix` taken off its path.
    Site {
        site: &'a Site,
        prefix: &'a str,
    },
    /// The page has a slash at its end, without which its links would lead elsewhere.
    Slash,
    Nothing,
}

impl Table {
    /// Where a request for a path under an authority goes. Hosts come before paths, and the longest path before
    /// others.
    pub fn find(&self, authority: &str, path: &str) -> Found<'_> {
        let host = host(authority);
        let named = self.routes.iter().find_map(|route| match &route.from {
            Source::Host(name) if *name == host => self.site(&route.application),
            _ => None,
        });
        let label = host.split('.').next().unwrap_or_default();
        if let Some(site) = named.or_else(|| self.site(label).filter(|_| label != host)) {
            return Found::Site { site, prefix: "" };
        }
        let paths = self.routes.iter().filter_map(|route| match &route.from {
            Source::Path(prefix) if is_below(path, prefix) => Some((prefix, &route.application)),
            _ => None,
        });
        let Some((prefix, application)) = paths.max_by_key(|(prefix, _)| prefix.len()) else {
            return Found::Nothing;
        };
        match self.site(application) {
            Some(_) if path.len() == prefix.len() => Found::Slash,
            Some(site) => Found::Site { site, prefix },
            None => Found::Nothing,
        }
    }

    /// As it is written.
    pub fn to_json(&self) -> Vec<u8> {
        // Lists and texts always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// As it was written.
    pub fn from_json(json: &[u8]) -> std::io::Result<Self> {
        Ok(serde_json::from_slice(json)?)
    }

    fn site(&self, application: &str) -> Option<&Site> {
        let mut sites = self.sites.iter();
        sites.find(|site| site.application == application)
    }
}

fn host(authority: &str) -> String {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
