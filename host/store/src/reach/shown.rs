//! Who reaches whom, for people.

use std::net::Ipv4Addr;

use periapt_model::reach::Cidr;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::rest::{OpenPort, Reachability, ReachedBy, UnitReach};

use super::Reach;
use crate::error::StoreError;
use crate::{Result, Store};

impl Store {
    /// Who reaches the units of a model, or one of them.
    pub async fn reachability(
        &self,
        model: &ModelUuid,
        unit: Option<&UnitName>,
    ) -> Result<Reachability> {
        let mut db = self.snapshot().await?;
        let reach = Reach::read(&mut db, model).await?;
        drop(db);
        if let Some(unit) = unit
            && !reach.network.units.contains_key(unit)
        {
            return Err(StoreError::not_found(Subject::Unit, unit));
        }
        Ok(reach.shown(unit))
    }
}

impl Reach {
    fn shown(mut self, only: Option<&UnitName>) -> Reachability {
        let wanted = |name: &UnitName| only.is_none_or(|only| only == name);
        let mut shown = Reachability {
            mode: self.network.mode.as_str().to_owned(),
            ..Reachability::default()
        };
        if !self.network.exposures.is_empty() {
            let ingress = &mut self.model.ingress;
            shown.ingress = ingress.address.map(|at| at.to_string());
            shown.ingress_failed = ingress.failed.take();
        }
        for (name, unit) in &self.network.units {
            if !wanted(name) {
                continue;
            }
            let mut reach = UnitReach {
                address: self.addresses.get(name).map(Ipv4Addr::to_string),
                ..UnitReach::default()
            };
            for (range, endpoints) in unit.openings.iter() {
                reach.open.push(OpenPort {
                    ports: range.to_string(),
                    endpoints: endpoints.names().map(str::to_owned).collect(),
                });
            }
            let exposed = self.network.exposures.is_exposed(&name.application());
            if let Some(reached) = self.reached.remove(name).filter(|_| exposed) {
                reach.listening = reached.listening;
                reach.not_listening = reached.not_listening;
            }
            shown.units.insert(name.clone(), reach);
        }
        let ways = self.network.ways();
        for (name, reach) in &mut shown.units {
            let Some(unit) = self.network.units.get(name) else {
                continue;
            };
            let application = name.application();
            for way in ways.get(&application).into_iter().flatten() {
                let open = unit.openings.iter();
                let open = open.filter(|(_, at)| at.include(way.endpoint));
                let ports: Vec<String> = open.map(|(range, _)| range.to_string()).collect();
                if !ports.is_empty() {
                    reach.reached_by.push(ReachedBy {
                        application: way.from.clone(),
                        endpoint: way.endpoint.to_owned(),
                        within_container: way.container,
                        ports,
                    });
                }
            }
            for (range, endpoints) in unit.openings.iter() {
                let sources = self.network.exposures.sources(&application, endpoints);
                if !sources.is_empty() {
                    let from = sources.iter().map(Cidr::to_string).collect();
                    reach.exposed_to.insert(range.to_string(), from);
                }
            }
        }
        shown
    }
}
