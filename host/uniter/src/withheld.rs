//! What a unit's charm declares and its application does not have, and what follows for a hook and for containers.
//!
//! The controller says it with everything else that a hook sees, so it holds from the next hook on. A directory or a
//! storage that is withheld is not there, a container is not started, and a call that needs what is withheld is
//! answered with a sentence for the operator. Nothing here knows why something is withheld.

use periapt_model::UnitName;
use periapt_model::charm::Capability;
use periapt_model::charm::capability::grant::{not_granted, withheld_port};
use periapt_model::ports::PortRange;

/// The directory that subordinates and principals share.
pub(crate) fn directory(withheld: &[Capability], name: &str) -> bool {
    let mut all = withheld.iter();
    all.any(|one| matches!(one, Capability::Shared { directory, .. } if directory == name))
}

pub(crate) fn storage(withheld: &[Capability], name: &str) -> bool {
    let mut all = withheld.iter();
    all.any(|one| matches!(one, Capability::Storage { name: own, .. } if own == name))
}

pub(crate) fn container(withheld: &[Capability], name: &str) -> bool {
    let mut all = withheld.iter();
    all.any(|one| matches!(one, Capability::Workload { container } if container == name))
}

/// What is said to a call of an interface that is withheld.
pub(crate) fn tools(withheld: &[Capability], unit: &UnitName, interface: &str) -> Option<String> {
    let mut all = withheld.iter();
    let found =
        all.find(|one| matches!(one, Capability::Tools(tools) if tools.as_str() == interface))?;
    Some(not_granted(&unit.application(), found))
}

/// What is said to a call that opens ports which are withheld, and which nothing else of `declared` covers.
pub(crate) fn ports(
    withheld: &[Capability],
    unit: &UnitName,
    declared: &[PortRange],
    wanted: PortRange,
) -> Option<String> {
    let found = withheld_port(declared, withheld, wanted)?;
    Some(not_granted(&unit.application(), found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capabilities(texts: &[&str]) -> Vec<Capability> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn what_is_withheld_is_named_and_nothing_else_is() {
        let withheld = capabilities(&[
            "shared/logs:read-write",
            "storage/pages:read-only",
            "workload/web",
            "tools/secret",
        ]);
        assert!(directory(&withheld, "logs") && !directory(&withheld, "pages"));
        assert!(storage(&withheld, "pages") && !storage(&withheld, "logs"));
        assert!(container(&withheld, "web") && !container(&withheld, "logs"));
        let vault: UnitName = "vault/0".parse().unwrap();
        assert_eq!(
            tools(&withheld, &vault, "secret").unwrap(),
            "tools/secret is not granted to vault: periapt grant-capability vault tools/secret"
        );
        assert_eq!(tools(&withheld, &vault, "reboot"), None);
    }

    #[test]
    fn a_port_may_be_opened_if_one_range_that_covers_it_is_granted() {
        let site: UnitName = "site/0".parse().unwrap();
        let range = |text: &str| text.parse::<PortRange>().unwrap();
        let declared = [range("80/tcp"), range("1-1024/tcp"), range("53/udp")];
        let withheld = capabilities(&["port/1-1024/tcp", "port/53/udp"]);
        let said = |wanted: &str| ports(&withheld, &site, &declared, range(wanted));
        assert_eq!(said("80/tcp"), None);
        assert_eq!(
            said("443/tcp").unwrap(),
            "port/1-1024/tcp is not granted to site: periapt grant-capability site port/1-1024/tcp"
        );
        assert!(said("53/udp").is_some());
        assert_eq!(said("8080/tcp"), None, "nobody declared it");
    }
}
