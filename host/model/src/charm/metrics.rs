//! Metrics that a charm measures of its units, as `metrics.yaml` declares them.

use std::collections::BTreeMap;

use periapt_contract::metrics::is_name;
pub use periapt_contract::metrics::{COLLECT_METRICS, Kind, Labels, Sample};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bounds::CHARM_METRICS;
use crate::nearest::suggestion;
use crate::text;

#[cfg(test)]
mod tests;

/// Metrics by name.
pub type Metrics = BTreeMap<String, Metric>;

/// One metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CharmMetric)]
pub struct Metric {
    /// `gauge`: it goes up and down; `absolute`: a quantity since the last time.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub kind: Kind,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

const KEYS: &[&str] = &["metrics"];
const KEYS_OF_ONE: &[&str] = &["type", "description"];
const DESCRIPTION_BYTES: usize = 400;

/// What the file says; the error is a sentence for the author.
pub(super) fn read(file: &Map<String, Value>) -> Result<Metrics, String> {
    known(file, KEYS)?;
    let entries = match file.get("metrics") {
        None | Some(Value::Null) => return Ok(Metrics::new()),
        Some(Value::Object(entries)) => entries,
        Some(_) => return Err("name the metrics, as in metrics: {pings: {type: gauge}}".to_owned()),
    };
    if CHARM_METRICS.exceeded_by(entries.len()) {
        return Err(format!(
            "the file has {} metrics, {} at most",
            entries.len(),
            CHARM_METRICS.most
        ));
    }
    let each = entries.iter().map(|(name, entry)| {
        let read = metric(name, entry);
        let read = read.map_err(|reason| format!("metric \"{name}\" {reason}"))?;
        Ok((name.clone(), read))
    });
    each.collect()
}

fn metric(name: &str, entry: &Value) -> Result<Metric, String> {
    if name.starts_with("juju-") {
        return Err(
            "is one that Juju measures itself, which this version does not: choose a name without \"juju-\""
                .to_owned(),
        );
    }
    if !is_name(name) {
        return Err("is not a valid name: a letter, then letters, digits and dashes".to_owned());
    }
    let Value::Object(entry) = entry else {
        return Err("needs a type, as in {type: gauge}".to_owned());
    };
    known(entry, KEYS_OF_ONE)?;
    let words = Kind::ALL.map(Kind::as_str);
    let kind = match entry.get("type") {
        None => return Err(format!("needs a type: {}", words.join(" or "))),
        Some(word) => {
            let word = word
                .as_str()
                .map_or_else(|| word.to_string(), str::to_owned);
            let found = Kind::ALL.into_iter().find(|kind| kind.as_str() == word);
            found.ok_or_else(|| {
                format!(
                    "has the type \"{word}\"; there are {}{}",
                    words.join(" and "),
                    suggestion(&word, words)
                )
            })?
        }
    };
    let description = match entry.get("description") {
        None | Some(Value::Null) => "",
        Some(Value::String(description)) => description,
        Some(_) => return Err("has a description that is no text".to_owned()),
    };
    Ok(Metric {
        kind,
        description: text::clean_line_at_most(description, DESCRIPTION_BYTES),
    })
}

fn known(entries: &Map<String, Value>, keys: &[&str]) -> Result<(), String> {
    match entries.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(format!(
            "has \"{key}\", which is not known; there is {}{}",
            keys.join(", "),
            suggestion(key, keys.iter().copied())
        )),
    }
}
