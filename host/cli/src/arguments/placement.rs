//! Where new units go, as verbs take it.

use clap::Args;
use periapt_model::MachineId;

/// Where new units go.
#[derive(Clone, Debug, Default, Args)]
pub struct Placement {
    /// Machines for the units, in order; further units get new ones. Of Juju's containers and
    /// zones, lxd:0 means machine 0 and lxd a new one.
    #[arg(long = "to", value_name = "MACHINE,...", value_delimiter = ',', value_parser = place)]
    pub to: Vec<Place>,
}

/// Where one unit goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Machine(MachineId),
    /// A container on a machine, in Juju's words.
    Within(MachineId, String),
    /// Somewhere of its own, in Juju's words.
    New(String),
}

const CONTAINERS: [&str; 2] = ["lxd", "kvm"];

impl Placement {
    /// The machines that are named.
    pub fn machines(&self) -> Vec<MachineId> {
        let places = self.to.iter().filter_map(|place| match place {
            Place::Machine(id) | Place::Within(id, _) => Some(id.clone()),
            Place::New(_) => None,
        });
        places.collect()
    }

    /// Notices about placements that are interpreted differently here.
    pub fn remarks(&self) -> Vec<String> {
        let remarks = self.to.iter().filter_map(|place| match place {
            Place::Machine(_) => None,
            Place::Within(id, said) => Some(format!(
                "--to {said} is taken as machine {id}: each unit has its own sandbox and needs no container"
            )),
            Place::New(said) => Some(format!(
                "--to {said} is taken as a new machine: each unit has its own sandbox, and there are no zones"
            )),
        });
        remarks.collect()
    }
}

fn place(text: &str) -> Result<Place, String> {
    if let Ok(id) = text.parse() {
        return Ok(Place::Machine(id));
    }
    let said = text.to_owned();
    match text.split_once(':') {
        Some((kind, id)) if CONTAINERS.contains(&kind) => match id.parse() {
            Ok(id) => Ok(Place::Within(id, said)),
            Err(_) => Err(unknown(text)),
        },
        None if CONTAINERS.contains(&text) || is_elsewhere(text) => Ok(Place::New(said)),
        _ => Err(unknown(text)),
    }
}

/// Whether these are Juju's words for a part of a cloud.
fn is_elsewhere(text: &str) -> bool {
    let parts = ["zone=", "subnet=", "system-id=", "spaces="];
    text == "new" || parts.iter().any(|part| text.starts_with(part))
}

fn unknown(text: &str) -> String {
    format!("\"{text}\" is not a machine: use its number, as in 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jujus_places_are_machines_or_new_ones() {
        let machine = |id: &str| id.parse::<MachineId>().unwrap();
        assert_eq!(place("3"), Ok(Place::Machine(machine("3"))));
        assert_eq!(
            place("lxd:3"),
            Ok(Place::Within(machine("3"), "lxd:3".to_owned()))
        );
        for new in ["lxd", "kvm", "new", "zone=a"] {
            assert_eq!(place(new), Ok(Place::New(new.to_owned())), "{new}");
        }
        for bad in ["", "moon", "lxd:", "lxd:x", "ssh:ann@host", "-1"] {
            assert!(place(bad).is_err(), "{bad}");
        }
        let placement = Placement {
            to: ["lxd", "lxd:3", "4"]
                .map(|text| place(text).unwrap())
                .into(),
        };
        assert_eq!(placement.machines(), [machine("3"), machine("4")]);
        assert_eq!(placement.remarks().len(), 2);
    }
}
