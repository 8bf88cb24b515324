//! Effective values as what they mean.

use std::time::Duration;

use super::parse_size_mb;
use crate::config::{Value, Values};
use crate::duration;

/// The duration under `key`; zero when there is none.
pub fn duration(values: &Values, key: &str) -> Duration {
    let value = values.get(key).and_then(duration::of_value);
    value.unwrap_or_default()
}

/// The size under `key`, in megabytes.
pub fn size_mb(values: &Values, key: &str) -> u64 {
    let value = values.get(key).map(Value::to_string);
    value
        .and_then(|text| parse_size_mb(&text))
        .unwrap_or_default()
}

/// The truth under `key`.
pub fn truth(values: &Values, key: &str) -> bool {
    matches!(values.get(key), Some(Value::Boolean(true)))
}
