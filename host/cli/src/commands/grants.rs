//! `grants`, `grant-capability`, `revoke-capability`; and what `deploy` and `refresh` ask about a charm's capabilities.

use clap::{Args, Subcommand};
use periapt_model::ApplicationName;
use periapt_model::charm::CharmInfo;

use periapt_model::charm::capability::grant::{Choices, Standing};
use periapt_model::charm::capability::{Declared, Pattern};
use periapt_wire::rest::{ApplicationInfo, CapabilityGrant, ChangeGrants, Grants, HeldRevision};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table, Tone};
use crate::output::text::clean_line;
use crate::output::time::Times;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what an application may do beyond what every charm may, and who granted it.
    Grants(ShowGrants),
    /// Grant an application what its charm declares.
    GrantCapability(Change),
    /// Take capabilities back from an application, or deny them.
    RevokeCapability(Change),
}

#[derive(Debug, Args)]
pub struct ShowGrants {
    /// The application.
    pub application: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

const CHANGING: &str = "\
Name capabilities as periapt grants lists them, or several with *, in quotes:
  periapt grant-capability vault tools/credential
  periapt revoke-capability site 'egress/*'
Units have what is granted, and lose what is revoked, from their next hook on. A revision of the
charm that waits for a grant is taken once it has it, and dropped when it is denied.";

#[derive(Debug, Args)]
#[command(after_help = CHANGING)]
pub struct Change {
    /// The application.
    pub application: String,
    /// Capabilities, such as tools/secret.
    #[arg(value_name = "CAPABILITY", required = true)]
    pub capabilities: Vec<Pattern>,
    #[command(flatten)]
    pub model: ModelChoice,
}

/// What is decided about a charm's capabilities as it is deployed or refreshed.
#[derive(Debug, Default, Args)]
pub struct Decisions {
    /// Grant a capability that its charm declares, such as tools/credential; repeat for several.
    #[arg(long, value_name = "CAPABILITY")]
    pub grant: Vec<Pattern>,
    /// Grant all capabilities that its charm declares; --trust does so as well.
    #[arg(long)]
    pub grant_all: bool,
    /// Deny a capability that its charm declares; repeat for several.
    #[arg(long, value_name = "CAPABILITY")]
    pub deny: Vec<Pattern>,
}

impl Decisions {
    pub fn choices(self, trust: bool) -> Choices {
        Choices {
            grant: self.grant,
            grant_all: self.grant_all || trust,
            deny: self.deny,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.grant.is_empty() && !self.grant_all && self.deny.is_empty()
    }
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Grants(arguments) => list(context, arguments).await,
        Verb::GrantCapability(arguments) => change(context, arguments, true).await,
        Verb::RevokeCapability(arguments) => change(context, arguments, false).await,
    }
}

async fn list(context: &Context, arguments: ShowGrants) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().grants(&here.model, &name).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular => {
            if found.capabilities.is_empty() {
                output.say(&format!("{} declares no capabilities.", found.charm));
            } else {
                let times = Times::new(arguments.utc);
                output.data(&table(&found.capabilities, &times).render(output.paints()))?;
            }
            if let Some(spare) = spare(&name, &found) {
                output.say(&spare);
            }
            if let Some(waits) = awaits(&name, &found) {
                output.say(&waits);
            }
            Ok(())
        }
    }
}

fn table(grants: &[CapabilityGrant], times: &Times) -> Table {
    let mut table = Table::new(&["Capability", "State", "Used", "Allows", "Reason"]);
    for grant in grants {
        let used = match grant.used {
            true => "could be",
            false => "no",
        };
        table.row(vec![
            grant.capability.to_string().into(),
            Cell::toned(state(grant, times), tone(grant.standing)),
            used.into(),
            (&grant.allows).into(),
            grant.why.as_deref().unwrap_or("-").into(),
        ]);
    }
    table
}

fn tone(standing: Standing) -> Tone {
    match standing {
        Standing::Default | Standing::Granted => Tone::Good,
        Standing::Undecided => Tone::Busy,
        Standing::Denied | Standing::BeyondPolicy => Tone::Bad,
        Standing::NotDeclared => Tone::Quiet,
    }
}

/// What holds of a capability, with who decided it.
fn state(grant: &CapabilityGrant, times: &Times) -> String {
    let decided = |word: &str| {
        let by = grant.by.as_deref().filter(|by| !by.is_empty());
        let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
        let at = grant.at.map(|at| times.micros(at)).unwrap_or_default();
        match at.is_empty() {
            true => format!("{word}{by}"),
            false => format!("{word}{by} at {at}"),
        }
    };
    match grant.standing {
        Standing::Default => "granted by default".to_owned(),
        Standing::Granted => decided("granted"),
        Standing::Denied => decided("denied"),
        Standing::Undecided => "not granted".to_owned(),
        Standing::BeyondPolicy => "beyond the policy".to_owned(),
        Standing::NotDeclared => "not declared any more".to_owned(),
    }
}

/// Grants that nothing could use, with how to take them back.
fn spare(application: &ApplicationName, grants: &Grants) -> Option<String> {
    let given = |one: &&CapabilityGrant| one.standing.holds() && !one.used;
    let names = grants.capabilities.iter().filter(given);
    let names: Vec<String> = names.map(|one| one.capability.to_string()).collect();
    let charm = &grants.charm;
    (!names.is_empty()).then(|| {
        format!(
            "No component of {charm} could use {}; to take it back, run: periapt revoke-capability {application} {}",
            names.join(", "),
            names.join(" ")
        )
    })
}

/// What another revision of the application's charm waits for.
fn awaits(application: &ApplicationName, grants: &Grants) -> Option<String> {
    let held = grants.held.as_ref()?;
    Some(format!(
        "{} waits for approval; {}",
        held.charm,
        approval(application, held)
    ))
}

/// How a revision that waits is approved.
fn approval(application: &ApplicationName, held: &HeldRevision) -> String {
    let names = held.awaits.iter().map(|one| one.capability.to_string());
    let names = names.collect::<Vec<_>>().join(" ");
    format!("run: periapt grant-capability {application} {names}")
}

async fn change(context: &Context, arguments: Change, grants: bool) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let before = here.client().grants(&here.model, &name).await?;
    let request = ChangeGrants {
        capabilities: arguments.capabilities,
    };
    let (client, model) = (here.client(), &here.model);
    let after = match grants {
        true => client.grant_capabilities(model, &name, &request).await?,
        false => client.revoke_capabilities(model, &name, &request).await?,
    };
    if after.charm != before.charm {
        let charm = &after.charm;
        context
            .output
            .say(&format!("Approved: \"{name}\" is refreshed to {charm}"));
    } else if before.held.is_some() && after.held.is_none() {
        context
            .output
            .say(&format!("\"{name}\" keeps {}", after.charm));
    } else if let Some(waits) = awaits(&name, &after) {
        context.output.say(&waits);
    }
    Ok(())
}

/// Tells what a new application's charm may do, and asks about what is not granted by default and was not decided. Without a
/// terminal nobody is asked, and the controller refuses what is left.
pub async fn decide(
    context: &Context,
    here: &ModelSession,
    application: &ApplicationName,
    charm: &CharmInfo,
    choices: &mut Choices,
) -> Outcome {
    if charm.declared.is_empty() {
        return Ok(());
    }
    let url = charm.url.to_string();
    let found = here
        .client()
        .charm_capabilities(&here.model, &url, None)
        .await?;
    let denied = ask(context, application, "", found.capabilities, choices);
    choices.deny.extend(denied);
    Ok(())
}

/// Asks about what another revision needs that nobody decided about, and the one in place does not need. What is not
/// granted the controller waits for.
pub async fn decide_next(
    context: &Context,
    here: &ModelSession,
    application: &ApplicationInfo,
    charm: &CharmInfo,
    choices: &mut Choices,
) -> Outcome {
    let url = charm.url.to_string();
    if charm.declared.is_empty() || url == application.charm {
        return Ok(());
    }
    let (client, model, name) = (here.client(), &here.model, &application.name);
    let found = client.charm_capabilities(model, &url, Some(name)).await?;
    let before = client.charm(model, &application.charm).await?.declared;
    let mut new = found.capabilities;
    new.retain(|one| !before.covers(&one.capability));
    ask(context, name, &format!("New in {url}: "), new, choices);
    Ok(())
}

/// Tells what a charm may do and asks about what is open, until nobody answers; what the answers grant is among the
/// choices then, and what they deny is handed back.
fn ask(
    context: &Context,
    application: &ApplicationName,
    begin: &str,
    all: Vec<CapabilityGrant>,
    choices: &mut Choices,
) -> Vec<Pattern> {
    let said = choices.clone();
    let (open, told): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| is_open(one, &said));
    for one in told {
        let words = in_words(application, &declared(one));
        context.output.say(&format!("{begin}{words}"));
    }
    let mut denied = Vec::new();
    for one in open.into_iter().map(declared) {
        let words = in_words(application, &one);
        let question = format!("{begin}{words}. Grant {}?", one.capability);
        match context.output.asks(&question) {
            None => break,
            Some(true) => choices.grant.push(one.capability.into()),
            Some(false) => denied.push(one.capability.into()),
        }
    }
    denied
}

/// What a refresh waits for, if it does.
pub fn held(context: &Context, application: &ApplicationInfo) -> bool {
    let Some(held) = &application.held else {
        return false;
    };
    let (name, charm) = (&application.name, &application.charm);
    for one in &held.awaits {
        let words = in_words(name, one);
        context.output.say(&format!("{}: {words}", one.capability));
    }
    context.output.say(&format!(
        "{} waits for approval, and \"{name}\" keeps {charm}; {}",
        held.charm,
        approval(name, held)
    ));
    true
}

/// Whether nobody decided about it, beside what was said already.
fn is_open(one: &CapabilityGrant, choices: &Choices) -> bool {
    let mut said = choices.grant.iter().chain(&choices.deny);
    one.standing == Standing::Undecided
        && !choices.grant_all
        && !said.any(|pattern| pattern.matches(&one.capability))
}

fn declared(grant: CapabilityGrant) -> Declared {
    Declared {
        capability: grant.capability,
        why: grant.why,
    }
}

/// `"vault" may keep secrets …; reason: keeps the password`.
fn in_words(application: &ApplicationName, declared: &Declared) -> String {
    format!("\"{application}\" {}", clean_line(&declared.words()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(text: &str, standing: Standing) -> CapabilityGrant {
        CapabilityGrant {
            capability: text.parse().unwrap(),
            allows: "may do it".to_owned(),
            why: Some("needs it".to_owned()),
            standing,
            used: true,
            by: Some("ann".to_owned()),
            at: Some(1_000_000),
        }
    }

    #[test]
    fn a_grant_is_told_with_who_made_it_and_when() {
        let times = Times::new(true);
        for (standing, told) in [
            (Standing::Default, "granted by default"),
            (Standing::Granted, "granted by ann at 1970-01-01 00:00:01Z"),
            (Standing::Denied, "denied by ann at 1970-01-01 00:00:01Z"),
            (Standing::Undecided, "not granted"),
            (Standing::BeyondPolicy, "beyond the policy"),
            (Standing::NotDeclared, "not declared any more"),
        ] {
            assert_eq!(state(&grant("tools/secret", standing), &times), told);
        }
        let shown = table(&[grant("tools/secret", Standing::Default)], &times).render(false);
        let row = shown.lines().nth(1).unwrap();
        assert!(row.starts_with("tools/secret  granted by default"), "{row}");
    }

    #[test]
    fn grants_that_nothing_could_use_are_named_with_how_to_take_them_back() {
        let unused = |text: &str, standing: Standing| CapabilityGrant {
            used: false,
            ..grant(text, standing)
        };
        let vault: ApplicationName = "vault".parse().unwrap();
        let mut grants = Grants {
            application: Some(vault.clone()),
            charm: "local:vault-1".to_owned(),
            capabilities: vec![
                grant("tools/secret", Standing::Default),
                unused("tools/credential", Standing::Denied),
            ],
            held: None,
        };
        assert_eq!(spare(&vault, &grants), None);
        grants
            .capabilities
            .push(unused("tools/reboot", Standing::Granted));
        assert_eq!(
            spare(&vault, &grants).unwrap(),
            "No component of local:vault-1 could use tools/reboot; to take it back, run: periapt revoke-capability vault tools/reboot"
        );
    }

    #[test]
    fn only_what_nobody_spoke_of_is_asked_about() {
        let all = [
            grant("tools/secret", Standing::Default),
            grant("tools/reboot", Standing::Undecided),
            grant("tools/credential", Standing::Undecided),
        ];
        let asked = |choices: &Choices| -> Vec<String> {
            let open = all.iter().filter(|one| is_open(one, choices));
            open.map(|one| one.capability.to_string()).collect()
        };
        let mut choices = Choices::default();
        assert_eq!(asked(&choices), ["tools/reboot", "tools/credential"]);
        choices.deny = vec!["tools/reboot".parse().unwrap()];
        assert_eq!(asked(&choices), ["tools/credential"]);
        choices.grant_all = true;
        assert_eq!(asked(&choices), [""; 0]);
    }
}
