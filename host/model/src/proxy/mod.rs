//! Through which proxies a model's charms reach the world outside.
//!
//! There are two sets of options, as in Juju. `http-proxy` and its like set the variables that programs
//! know by themselves; `juju-http-proxy` and its like set variables that a charm has to ask for. One set
//! may be used and not both. Whoever does not use a proxy is told by `no-proxy`, where the controller's
//! own addresses are added: nothing of ours ever goes through a proxy.
//!
//! Source: the public documentation of Juju's model options and of the environment of hooks.

use serde::{Deserialize, Serialize};

use crate::address::HostPort;
use crate::config::{Value, Values};
use crate::reach::Cidr;

#[cfg(test)]
mod tests;

/// Proxies of one set of options; what is empty is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Proxies {
    pub http: String,
    pub https: String,
    pub ftp: String,
    /// Who is reached without one, separated by commas.
    pub no_proxy: String,
}

/// What a model says of proxies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ProxySettings {
    pub legacy: Proxies,
    pub juju: Proxies,
}

/// The two sets, by how their options begin.
const LEGACY: &str = "";
const JUJU: &str = "juju-";

impl Proxies {
    fn read(values: &Values, prefix: &str) -> Self {
        let text = |name: &str| {
            let value = values.get(&format!("{prefix}{name}"));
            value.map(Value::to_string).unwrap_or_default()
        };
        Self {
            http: text("http-proxy"),
            https: text("https-proxy"),
            ftp: text("ftp-proxy"),
            no_proxy: text("no-proxy"),
        }
    }

    /// Whether anything goes through one.
    pub fn is_used(&self) -> bool {
        [&self.http, &self.https, &self.ftp]
            .iter()
            .any(|proxy| !proxy.is_empty())
    }

    fn without(&mut self, hosts: &[String]) {
        let mut all: Vec<&str> = entries(&self.no_proxy).collect();
        for host in hosts {
            if !all.contains(&host.as_str()) {
                all.push(host);
            }
        }
        self.no_proxy = all.join(",");
    }

    /// Under these names, in the order of the fields.
    fn variables(&self, names: [&str; 4]) -> Vec<(String, String)> {
        let values = [&self.http, &self.https, &self.ftp, &self.no_proxy];
        let both = names.into_iter().zip(values);
        let set = both.filter(|(_, value)| self.is_used() && !value.is_empty());
        set.map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    }
}

impl ProxySettings {
    /// What effective options say.
    pub fn of(values: &Values) -> Self {
        Self {
            legacy: Proxies::read(values, LEGACY),
            juju: Proxies::read(values, JUJU),
        }
    }

    /// Adds the hosts of a controller, which are `HOST:PORT`, to those that are reached without a proxy.
    #[must_use]
    pub fn without(mut self, api_host_ports: &[String]) -> Self {
        let hosts = api_host_ports.iter().filter_map(|at| HostPort::parse(at));
        let hosts: Vec<String> = hosts.map(|at| at.host).collect();
        self.legacy.without(&hosts);
        self.juju.without(&hosts);
        self
    }

    /// What a hook finds in its environment. Without a proxy there is nothing to find.
    pub fn variables(&self) -> Vec<(String, String)> {
        const CHARM: [&str; 4] = [
            "JUJU_CHARM_HTTP_PROXY",
            "JUJU_CHARM_HTTPS_PROXY",
            "JUJU_CHARM_FTP_PROXY",
            "JUJU_CHARM_NO_PROXY",
        ];
        // Some programs know the one way of writing them and some the other.
        const SMALL: [&str; 4] = ["http_proxy", "https_proxy", "ftp_proxy", "no_proxy"];
        const LARGE: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY"];
        let mut variables = self.juju.variables(CHARM);
        variables.extend(self.legacy.variables(SMALL));
        variables.extend(self.legacy.variables(LARGE));
        variables
    }
}

/// Two options that are set and may not be at the same time, one of each set.
pub fn conflict(set: &Values) -> Option<(String, String)> {
    let used = |prefix: &str| {
        let names = ["http-proxy", "https-proxy", "ftp-proxy"];
        let mut names = names.map(|name| format!("{prefix}{name}")).into_iter();
        names.find(|name| {
            set.get(name)
                .is_some_and(|value| !value.to_string().is_empty())
        })
    };
    used(LEGACY).zip(used(JUJU))
}

/// The entries of a list of those that are reached without a proxy.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

/// Whether text names a proxy: nothing, or `http://[USER:PASSWORD@]HOST[:PORT]`, with `https` and `ftp` as
/// well.
pub(crate) fn is_proxy(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let known = ["http", "https", "ftp"].contains(&scheme);
    let plain = |c: char| c.is_ascii_graphic() && !"/?#@\"'`\\".contains(c);
    let whole = !host.contains(char::is_whitespace);
    known && whole && user.chars().all(plain) && HostPort::parse(host).is_some()
}

/// The list as it is kept; none of what is no host, domain, address or range of addresses.
pub(crate) fn no_proxy(text: &str) -> Option<String> {
    let sound = |entry: &str| {
        let name = entry.strip_prefix("*.").or(entry.strip_prefix('.'));
        entry == "*"
            || entry.parse::<std::net::IpAddr>().is_ok()
            || entry.parse::<Cidr>().is_ok()
            || HostPort::parse(name.unwrap_or(entry)).is_some()
    };
    entries(text)
        .all(sound)
        .then(|| entries(text).collect::<Vec<_>>().join(","))
}
