//! Tables of alerts, of their rules and receivers, and of the messages that told of them.

use periapt_wire::rest::{AlertDelivery, AlertInfo, AlertReceiverInfo, AlertRuleInfo};

use super::table::{Cell, Table, Tone};
use super::time::Times;

pub fn alerts(alerts: &[AlertInfo], times: &Times) -> Table {
    let mut table = Table::new(&[
        "Id",
        "State",
        "Rule",
        "Model",
        "Subject",
        "Since",
        "Acknowledged by",
        "Message",
    ]);
    for alert in alerts {
        let tone = match alert.state.as_str() {
            "firing" => Tone::Bad,
            _ => Tone::Good,
        };
        table.row(vec![
            alert.id.to_string().into(),
            Cell::toned(&alert.state, tone),
            (&alert.rule).into(),
            (&alert.model).into(),
            (&alert.subject).into(),
            times.wire(&alert.since).into(),
            alert.acknowledged_by.clone().unwrap_or_default().into(),
            (&alert.detail).into(),
        ]);
    }
    table
}

pub fn rules(rules: &[AlertRuleInfo]) -> Table {
    let mut table = Table::new(&[
        "Rule",
        "Condition",
        "Threshold",
        "Model",
        "Receivers",
        "Firing",
        "Silent until",
    ])
    .right("Firing");
    for rule in rules {
        table.row(vec![
            (&rule.name).into(),
            rule.condition.to_string().into(),
            (&rule.threshold).into(),
            rule.model
                .clone()
                .unwrap_or_else(|| "all".to_owned())
                .into(),
            rule.receivers.join(",").into(),
            rule.firing.to_string().into(),
            rule.silenced_until.clone().unwrap_or_default().into(),
        ]);
    }
    table
}

pub fn receivers(receivers: &[AlertReceiverInfo]) -> Table {
    let mut table = Table::new(&["Receiver", "Type", "To", "Rules"]);
    for receiver in receivers {
        let option = |name: &str| receiver.config.get(name).cloned();
        let to = option("url").or_else(|| option("to")).unwrap_or_default();
        table.row(vec![
            (&receiver.name).into(),
            (&receiver.kind).into(),
            to.into(),
            receiver.rules.join(",").into(),
        ]);
    }
    table
}

pub fn deliveries(deliveries: &[AlertDelivery], times: &Times) -> Table {
    let mut table = Table::new(&[
        "Id", "Rule", "Receiver", "State", "Tries", "Firing", "Resolved", "Made", "Answer",
    ])
    .right("Tries")
    .right("Firing")
    .right("Resolved");
    for delivery in deliveries {
        let tone = match delivery.state.as_str() {
            "sent" => Tone::Good,
            "failed" => Tone::Bad,
            _ => Tone::Busy,
        };
        table.row(vec![
            delivery.id.to_string().into(),
            (&delivery.rule).into(),
            (&delivery.receiver).into(),
            Cell::toned(&delivery.state, tone),
            delivery.tried.to_string().into(),
            delivery.firing.to_string().into(),
            delivery.resolved.to_string().into(),
            times.wire(&delivery.created_at).into(),
            (&delivery.answer).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn alerts_are_a_table() {
        let alert = json!({
            "id": 7, "rule": "errors", "model": "demo", "subject": "unit/site/0", "state": "firing",
            "detail": "hook failed", "since": "2026-11-21T10:38:00Z", "fired-at": "2026-11-21T10:43:00Z",
            "acknowledged-by": "ann",
        });
        let alerts: Vec<AlertInfo> = vec![serde_json::from_value(alert).unwrap()];
        let expected = "\
Id  State   Rule    Model  Subject      Since                 Acknowledged by  Message
7   firing  errors  demo   unit/site/0  2026-11-21 10:38:00Z  ann              hook failed
";
        assert_eq!(
            super::alerts(&alerts, &Times::new(true)).render(false),
            expected
        );
    }

    #[test]
    fn rules_and_receivers_are_tables() {
        let rule = json!({
            "name": "errors", "condition": "unit-error", "threshold": "5m", "receivers": ["ops", "ann"],
            "firing": 2, "created-at": "2026-11-21T10:38:00Z",
        });
        let rules: Vec<AlertRuleInfo> = vec![serde_json::from_value(rule).unwrap()];
        let expected = "\
Rule    Condition   Threshold  Model  Receivers  Firing  Silent until
errors  unit-error  5m         all    ops,ann         2
";
        assert_eq!(super::rules(&rules).render(false), expected);
        let receiver = json!({
            "name": "ops", "type": "webhook", "config": { "url": "https://hooks.example.com/x" },
            "rules": ["errors"], "created-at": "2026-11-21T10:38:00Z",
        });
        let receivers: Vec<AlertReceiverInfo> = vec![serde_json::from_value(receiver).unwrap()];
        let expected = "\
Receiver  Type     To                           Rules
ops       webhook  https://hooks.example.com/x  errors
";
        assert_eq!(super::receivers(&receivers).render(false), expected);
    }
}
