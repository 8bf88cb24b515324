//! Durations as model configuration writes them: `5m`, `1h30m`, `90s`, `250ms`.

use std::time::Duration;

use periapt_model::config::Value;

/// The duration in `value`: text with units, or a number of seconds.
pub fn from_config(value: &Value) -> Option<Duration> {
    match value {
        Value::Text(text) => parse(text.trim()),
        Value::Integer(seconds) => u64::try_from(*seconds).ok().map(Duration::from_secs),
        Value::Number(seconds) => Duration::try_from_secs_f64(*seconds).ok(),
        Value::Boolean(_) => None,
    }
}

/// One or more numbers with a unit each, as Go prints durations; `0` needs none.
pub fn parse(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |end| digits + end);
        total += number
            * match &rest[digits..unit_end] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        rest = &rest[unit_end..];
    }
    (!text.is_empty())
        .then(|| Duration::try_from_secs_f64(total).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_in_juju() {
        let seconds = |text| parse(text).map(|duration| duration.as_secs_f64());
        assert_eq!(seconds("5m"), Some(300.0));
        assert_eq!(seconds("1h30m"), Some(5400.0));
        assert_eq!(seconds("1.5s"), Some(1.5));
        assert_eq!(seconds("250ms"), Some(0.25));
        assert_eq!(seconds("0"), Some(0.0));
        for bad in ["", "5", "m", "5 m", "5d", "1..s", "-5m"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
        assert_eq!(
            from_config(&Value::Integer(20)),
            Some(Duration::from_secs(20))
        );
        assert_eq!(from_config(&Value::Boolean(true)), None);
    }
}
