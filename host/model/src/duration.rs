//! Durations in the values of a configuration.

use std::time::Duration;

pub use periapt_plan::duration::parse;

use crate::config::Value;

/// The duration in a value of a configuration: text with units, or a number of seconds.
pub fn of_value(value: &Value) -> Option<Duration> {
    match value {
        Value::Text(text) => parse(text),
        Value::Integer(seconds) => u64::try_from(*seconds).ok().map(Duration::from_secs),
        Value::Number(seconds) => Duration::try_from_secs_f64(*seconds).ok(),
        Value::Boolean(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_a_configuration_is_seconds() {
        let minute = Some(Duration::from_secs(60));
        assert_eq!(of_value(&Value::Text("1m".to_owned())), minute);
        assert_eq!(of_value(&Value::Integer(60)), minute);
        assert_eq!(of_value(&Value::Integer(-60)), None);
        assert_eq!(of_value(&Value::Boolean(true)), None);
    }
}
