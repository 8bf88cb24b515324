//! The methods about alerts, their rules and their receivers.

use periapt_wire::rest::{
    AlertDelivery, AlertDeliveryQuery, AlertInfo, AlertQuery, AlertReceiverInfo, AlertRuleInfo,
    NewAlertReceiver, NewAlertRule, Page, SilenceAlertRule, paths,
};
use periapt_wire::rpc::Empty;
use reqwest::Method;

use super::{RestClient, RestError};

impl RestClient {
    /// A page of alerts, newest first.
    pub async fn alerts(&self, query: &AlertQuery) -> Result<Page<AlertInfo>, RestError> {
        self.json(Method::GET, &paths::ALERTS.at([]), |request| {
            request.query(query)
        })
        .await
    }

    /// Takes an alert on.
    pub async fn acknowledge_alert(&self, alert: &str) -> Result<AlertInfo, RestError> {
        self.post(&paths::ALERT_ACKNOWLEDGE.at([alert]), &Empty {})
            .await
    }

    pub async fn alert_rules(&self) -> Result<Vec<AlertRuleInfo>, RestError> {
        self.get(&paths::ALERT_RULES.at([])).await
    }

    pub async fn add_alert_rule(&self, rule: &NewAlertRule) -> Result<AlertRuleInfo, RestError> {
        self.post(&paths::ALERT_RULES.at([]), rule).await
    }

    pub async fn remove_alert_rule(&self, rule: &str) -> Result<Empty, RestError> {
        self.remove(&paths::ALERT_RULE.at([rule])).await
    }

    /// Tells nobody what a rule finds, for a while.
    pub async fn silence_alert_rule(
        &self,
        rule: &str,
        silence: &SilenceAlertRule,
    ) -> Result<AlertRuleInfo, RestError> {
        self.post(&paths::ALERT_RULE_SILENCE.at([rule]), silence)
            .await
    }

    pub async fn alert_receivers(&self) -> Result<Vec<AlertReceiverInfo>, RestError> {
        self.get(&paths::ALERT_RECEIVERS.at([])).await
    }

    pub async fn add_alert_receiver(
        &self,
        receiver: &NewAlertReceiver,
    ) -> Result<AlertReceiverInfo, RestError> {
        self.post(&paths::ALERT_RECEIVERS.at([]), receiver).await
    }

    pub async fn remove_alert_receiver(&self, receiver: &str) -> Result<Empty, RestError> {
        self.remove(&paths::ALERT_RECEIVER.at([receiver])).await
    }

    /// Sends a receiver a test message.
    pub async fn test_alert_receiver(&self, receiver: &str) -> Result<AlertDelivery, RestError> {
        self.post(&paths::ALERT_RECEIVER_TEST.at([receiver]), &Empty {})
            .await
    }

    /// A page of messages and what became of them, newest first.
    pub async fn alert_deliveries(
        &self,
        query: &AlertDeliveryQuery,
    ) -> Result<Page<AlertDelivery>, RestError> {
        self.json(Method::GET, &paths::ALERT_DELIVERIES.at([]), |request| {
            request.query(query)
        })
        .await
    }
}
