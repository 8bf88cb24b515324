//! Where an application is reached that was exposed a moment ago, in one line.
//!
//! The controller hears of it from what listens, which takes some milliseconds. Until then nothing is said: an address
//! at which nobody answers would send a person after a fault that is none.

use std::time::Duration;

use periapt_client::rest::RestError;
use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest::{Reachability, UnitReach};

use super::reach::covers;
use crate::live::Live;
use crate::session::ModelSession;

/// So long it is waited for; who exposed an application does not want to look at a prompt that hangs.
const PATIENCE: Duration = Duration::from_secs(2);
/// Addresses that are named.
const NAMED: usize = 3;

/// Says where the application is reached, or why it is not.
pub async fn line(here: &ModelSession, application: &ApplicationName) -> Result<String, RestError> {
    match tokio::time::timeout(PATIENCE, decided(here, application)).await {
        Ok(line) => line,
        Err(_) => Ok(format!(
            "The address of {application} is not known yet; see periapt reachability"
        )),
    }
}

async fn decided(here: &ModelSession, application: &ApplicationName) -> Result<String, RestError> {
    let (client, model) = (here.client(), here.model.as_str());
    let mut live = Live::open(client, model).await?;
    loop {
        let reach = client.reachability(model, None).await?;
        if is_decided(&reach, application) {
            let url = client.application(model, application).await?.url;
            return Ok(words(&reach, application, url.as_deref()));
        }
        live.changed().await?;
    }
}

fn units<'a>(
    reach: &'a Reachability,
    application: &ApplicationName,
) -> impl Iterator<Item = (&'a UnitName, &'a UnitReach)> {
    let units = reach.units.iter();
    units.filter(move |(name, _)| name.application() == *application)
}

/// Whether it was said of every port that is shown whether it listens, and of names whether they lead there.
fn is_decided(reach: &Reachability, application: &ApplicationName) -> bool {
    let mut shows = false;
    for (_, unit) in units(reach, application) {
        for range in unit.exposed_to.keys() {
            shows = true;
            let listening = unit.listening.iter().map(|port| &port.port);
            let silent = unit.not_listening.iter().map(|port| &port.port);
            let mut said = listening.chain(silent);
            // A unit without an address is found by name alone.
            if unit.address.is_some() && !said.any(|port| covers(range, port)) {
                return false;
            }
        }
    }
    !shows || reach.ingress.is_some() || reach.ingress_failed.is_some()
}

fn words(reach: &Reachability, application: &ApplicationName, url: Option<&str>) -> String {
    if units(reach, application).all(|(_, unit)| unit.exposed_to.is_empty()) {
        return format!("{application} can be reached once one of its units opens a port");
    }
    let listening = units(reach, application).flat_map(|(_, unit)| &unit.listening);
    let mut places: Vec<&str> = listening.map(|port| port.address.as_str()).collect();
    let more = places.len().saturating_sub(NAMED);
    places.truncate(NAMED);
    let mut at = url.into_iter().chain(places).collect::<Vec<_>>().join(", ");
    if more > 0 {
        at.push_str(&format!(" and {more} more"));
    }
    let silent = units(reach, application).flat_map(|(name, unit)| {
        let silent = unit.not_listening.iter();
        silent.map(move |port| format!("{} of {name} does not listen: {}", port.port, port.reason))
    });
    let nameless = reach.ingress_failed.as_ref();
    let nameless = nameless.map(|reason| format!("it cannot be reached by name: {reason}"));
    let trouble: Vec<String> = nameless.into_iter().chain(silent.take(1)).collect();
    let trouble = trouble.join("; ");
    match (at.as_str(), trouble.as_str()) {
        ("", "") => format!("{application} can be reached by name at the ingress-address"),
        ("", trouble) => format!("{application} cannot be reached: {trouble}"),
        (at, "") => format!("{application} can be reached at {at}"),
        (at, trouble) => format!("{application} can be reached at {at}; {trouble}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn reach(ingress: Value, unit: Value) -> Reachability {
        let mut whole = json!({ "mode": "relations", "units": {
            "docs/0": {
                "address": "127.77.0.1", "open": [], "reached-by": [], "exposed-to": { "80/tcp": ["0.0.0.0/0"] },
                "listening": [], "not-listening": [],
            },
            "blog/0": {
                "open": [], "reached-by": [], "exposed-to": { "90/tcp": ["0.0.0.0/0"] },
                "listening": [], "not-listening": [{ "port": "90/tcp", "reason": "not of docs" }],
            },
        } });
        merge(&mut whole, ingress);
        merge(&mut whole["units"]["docs/0"], unit);
        serde_json::from_value(whole).unwrap()
    }

    fn merge(into: &mut Value, with: Value) {
        let with = with.as_object().unwrap().clone();
        into.as_object_mut().unwrap().extend(with);
    }

    #[test]
    fn it_is_known_once_every_port_and_the_names_are_said() {
        let docs = "docs".parse().unwrap();
        let decided = |ingress, unit| is_decided(&reach(ingress, unit), &docs);
        let named = || json!({ "ingress": "127.0.0.1:8800" });
        let listens = || json!({ "listening": [{ "port": "80/tcp", "address": "127.77.0.1:80" }] });
        let silent = json!({ "not-listening": [{ "port": "80/tcp", "reason": "taken" }] });
        assert!(!decided(json!({}), json!({})));
        assert!(!decided(named(), json!({})));
        assert!(!decided(json!({}), listens()));
        assert!(decided(named(), listens()));
        assert!(decided(json!({ "ingress-failed": "taken" }), silent));
        assert!(decided(named(), json!({ "address": null })));
        assert!(
            decided(json!({}), json!({ "exposed-to": {} })),
            "nothing to wait for"
        );
    }

    #[test]
    fn one_line_says_where_or_why_not() {
        let docs = "docs".parse().unwrap();
        let say = |ingress, unit, url| words(&reach(ingress, unit), &docs, url);
        let listens = || json!({ "listening": [{ "port": "80/tcp", "address": "127.77.0.1:80" }] });
        let silent = || json!({ "not-listening": [{ "port": "80/tcp", "reason": "it is taken" }] });
        let failed = || json!({ "ingress-failed": "127.0.0.1:8800 is taken" });
        let url = Some("http://docs.test.localhost:8800/");
        assert_eq!(
            say(json!({}), listens(), url),
            "docs can be reached at http://docs.test.localhost:8800/, 127.77.0.1:80"
        );
        assert_eq!(
            say(json!({}), silent(), url),
            "docs can be reached at http://docs.test.localhost:8800/; 80/tcp of docs/0 does not listen: it is taken"
        );
        assert_eq!(
            say(failed(), listens(), None),
            "docs can be reached at 127.77.0.1:80; it cannot be reached by name: 127.0.0.1:8800 is taken"
        );
        assert_eq!(
            say(failed(), silent(), None),
            "docs cannot be reached: it cannot be reached by name: 127.0.0.1:8800 is taken; \
             80/tcp of docs/0 does not listen: it is taken"
        );
        assert_eq!(
            say(json!({}), json!({ "exposed-to": {} }), None),
            "docs can be reached once one of its units opens a port"
        );
        let port = |number: u8| json!({ "port": format!("{number}/tcp"), "address": format!("127.77.0.1:{number}") });
        let many = json!({ "listening": (1..=5).map(port).collect::<Vec<_>>() });
        assert_eq!(
            say(json!({}), many, None),
            "docs can be reached at 127.77.0.1:1, 127.77.0.1:2, 127.77.0.1:3 and 2 more"
        );
    }
}
