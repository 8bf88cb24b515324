//! `alerts`, `acknowledge-alert`, the verbs about alert rules and those about alert receivers: what is watched for, what
//! fires, and who is told.

use clap::{Args, Subcommand};
use periapt_wire::rest::{
    AlertDeliveryQuery, AlertInfo, AlertQuery, NewAlertReceiver, NewAlertRule, SilenceAlertRule,
};

use super::Context;
use super::secrets::values;
use crate::arguments::{ControllerChoice, ListFormat, Target};
use crate::failure::Outcome;
use crate::output::alerts as tables;
use crate::output::time::Times;
use crate::session::Session;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List firing alerts.
    #[command(visible_alias = "list-alerts")]
    Alerts(Alerts),
    /// Acknowledge alerts: no more messages about them until they resolve.
    AcknowledgeAlert(Acknowledge),
    /// List alert rules.
    #[command(visible_alias = "list-alert-rules")]
    AlertRules(Listing),
    /// Add an alert rule, which sends messages to receivers.
    AddAlertRule(AddRule),
    /// Remove an alert rule.
    RemoveAlertRule(RemoveRule),
    /// Silence an alert rule for a while.
    SilenceAlertRule(Silence),
    /// List alert receivers.
    #[command(visible_alias = "list-alert-receivers")]
    AlertReceivers(Listing),
    /// Add an alert receiver: a webhook or a mail server.
    AddAlertReceiver(AddReceiver),
    /// Remove an alert receiver that no rule uses.
    RemoveAlertReceiver(Receiver),
    /// Send a test message to an alert receiver.
    TestAlertReceiver(Receiver),
    /// List sent messages and their outcomes.
    #[command(visible_alias = "list-alert-deliveries")]
    AlertDeliveries(Deliveries),
}

const CONDITIONS: &str = "\
Conditions and their thresholds:
  unit-error       a unit has been in error for longer than a duration: 5m
  removal-overdue  a removal has passed its deadline by more than a duration: 0, 10m
  hook-p99         the 99th percentile of hook time in a model is above a duration: 30s
  disk-full        the controller's disk is fuller than a percentage: 90%";

const TYPES: &str = "\
Types and their options:
  webhook  an HTTP POST of JSON, signed with HMAC-SHA256:
           url=https://HOST/PATH, key (at least 16 bytes), ca-cert
  email    over SMTP: host, port, encryption (starttls, tls or none), from, to (ADDRESS,ADDRESS),
           user, password, ca-cert
Write options like values of secrets: key#file=PATH keeps the key out of your shell's history.";

#[derive(Debug, Args)]
pub struct Alerts {
    /// Also show resolved alerts.
    #[arg(long)]
    pub all: bool,
    /// Only alerts of this rule.
    #[arg(long, value_name = "RULE")]
    pub rule: Option<String>,
    /// Only alerts of this model.
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Show this many of the newest entries.
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 100)]
    pub limit: u64,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Acknowledge {
    /// Ids of the alerts.
    #[arg(value_name = "ALERT", required = true)]
    pub alerts: Vec<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Listing {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
#[command(after_help = CONDITIONS)]
pub struct AddRule {
    /// Its name.
    pub name: String,
    /// The condition.
    pub condition: String,
    /// The threshold.
    pub threshold: String,
    /// A receiver of its messages; may be given several times.
    #[arg(long = "receiver", value_name = "RECEIVER")]
    pub receivers: Vec<String>,
    /// Only watch this model.
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct RemoveRule {
    /// The rule.
    pub name: String,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Silence {
    /// The rule.
    pub name: String,
    /// Duration, as in 2h; 0 ends the silence.
    pub duration: String,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
#[command(after_help = TYPES)]
pub struct AddReceiver {
    /// Its name.
    pub name: String,
    /// webhook or email.
    #[arg(value_name = "TYPE")]
    pub kind: String,
    /// Its options.
    #[arg(value_name = "KEY[#file]=VALUE")]
    pub options: Vec<String>,
    /// A file with its options, in YAML or JSON.
    #[arg(long, value_name = "FILE")]
    pub config: Option<std::path::PathBuf>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Receiver {
    /// The receiver.
    pub name: String,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Deliveries {
    /// Only messages to this receiver.
    #[arg(long, value_name = "RECEIVER")]
    pub receiver: Option<String>,
    /// Show this many of the newest entries.
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 50)]
    pub limit: u64,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Alerts(arguments) => alerts(context, arguments).await,
        Verb::AcknowledgeAlert(arguments) => acknowledge(context, arguments).await,
        Verb::AlertRules(arguments) => rules(context, arguments).await,
        Verb::AddAlertRule(arguments) => add_rule(context, arguments).await,
        Verb::RemoveAlertRule(arguments) => remove_rule(context, arguments).await,
        Verb::SilenceAlertRule(arguments) => silence(context, arguments).await,
        Verb::AlertReceivers(arguments) => receivers(context, arguments).await,
        Verb::AddAlertReceiver(arguments) => add_receiver(context, arguments).await,
        Verb::RemoveAlertReceiver(arguments) => remove_receiver(context, arguments).await,
        Verb::TestAlertReceiver(arguments) => test_receiver(context, arguments).await,
        Verb::AlertDeliveries(arguments) => deliveries(context, arguments).await,
    }
}

async fn session(context: &Context, choice: &ControllerChoice) -> Outcome<Session> {
    Session::open_named(&context.files, choice.controller.as_deref()).await
}

async fn alerts(context: &Context, arguments: Alerts) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let mut query = AlertQuery {
        state: (!arguments.all).then(|| "firing".to_owned()),
        rule: arguments.rule,
        model: arguments.model,
        ..AlertQuery::default()
    };
    let mut found: Vec<AlertInfo> = Vec::new();
    let wanted = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    while found.len() < wanted {
        query.limit = Some((wanted - found.len()) as u64);
        let page = session.client.alerts(&query).await?;
        found.extend(page.items);
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular => {
            let times = Times::new(arguments.utc);
            output.data(&tables::alerts(&found, &times).render(output.paints()))
        }
    }
}

async fn acknowledge(context: &Context, arguments: Acknowledge) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    for alert in &arguments.alerts {
        session.client.acknowledge_alert(alert).await?;
    }
    Ok(())
}

async fn rules(context: &Context, arguments: Listing) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let rules = session.client.alert_rules().await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&rules),
        ListFormat::Yaml => output.yaml(&rules),
        ListFormat::Tabular => output.data(&tables::rules(&rules).render(output.paints())),
    }
}

async fn add_rule(context: &Context, arguments: AddRule) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let rule = NewAlertRule {
        name: arguments.name,
        condition: arguments.condition,
        threshold: arguments.threshold,
        model: arguments.model,
        receivers: arguments.receivers,
    };
    let added = session.client.add_alert_rule(&rule).await?;
    let told = match added.receivers.is_empty() {
        true => "its alerts appear in the page and in periapt alerts".to_owned(),
        false => format!("{} will be told", added.receivers.join(" and ")),
    };
    context
        .output
        .say(&format!("Added the alert rule \"{}\"; {told}", added.name));
    Ok(())
}

async fn remove_rule(context: &Context, arguments: RemoveRule) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    session.client.remove_alert_rule(&arguments.name).await?;
    Ok(())
}

async fn silence(context: &Context, arguments: Silence) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let silence = SilenceAlertRule {
        duration: arguments.duration,
    };
    let rule = session
        .client
        .silence_alert_rule(&arguments.name, &silence)
        .await?;
    context.output.say(&match rule.silenced_until {
        Some(until) => format!(
            "The alert rule \"{}\" is silent until {}",
            rule.name,
            Times::new(false).wire(&until)
        ),
        None => format!("The alert rule \"{}\" is no longer silent", rule.name),
    });
    Ok(())
}

async fn receivers(context: &Context, arguments: Listing) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let receivers = session.client.alert_receivers().await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&receivers),
        ListFormat::Yaml => output.yaml(&receivers),
        ListFormat::Tabular => output.data(&tables::receivers(&receivers).render(output.paints())),
    }
}

async fn add_receiver(context: &Context, arguments: AddReceiver) -> Outcome {
    let receiver = NewAlertReceiver {
        name: arguments.name,
        kind: arguments.kind,
        config: values::read(&arguments.options, arguments.config.as_deref())?,
    };
    let session = session(context, &arguments.controller).await?;
    let added = session.client.add_alert_receiver(&receiver).await?;
    context.output.say(&format!(
        "Added the alert receiver \"{}\"; test it with: periapt test-alert-receiver {}",
        added.name, added.name
    ));
    Ok(())
}

async fn remove_receiver(context: &Context, arguments: Receiver) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    session
        .client
        .remove_alert_receiver(&arguments.name)
        .await?;
    Ok(())
}

async fn test_receiver(context: &Context, arguments: Receiver) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let sent = session.client.test_alert_receiver(&arguments.name).await?;
    context.output.say(&format!(
        "The alert receiver \"{}\" accepted the message and answered {}",
        sent.receiver, sent.answer
    ));
    Ok(())
}

async fn deliveries(context: &Context, arguments: Deliveries) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let query = AlertDeliveryQuery {
        receiver: arguments.receiver,
        limit: Some(arguments.limit),
        after: None,
    };
    let found = session.client.alert_deliveries(&query).await?.items;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular => {
            let times = Times::new(arguments.utc);
            output.data(&tables::deliveries(&found, &times).render(output.paints()))
        }
    }
}
