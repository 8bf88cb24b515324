//! Ports that units have open and their applications do not have any more: nobody reaches them.
//!
//! They stay open to the unit, so that they are reached again once they are granted again, without a hook that opens
//! them a second time.

use std::collections::BTreeMap;

use periapt_model::charm::capability::Capability;
use periapt_model::charm::capability::grant::withheld_port;
use periapt_model::ports::PortRange;
use periapt_model::reach::Openings;
use periapt_model::{ApplicationName, ModelUuid};

use super::OnlyDeclared;
use crate::Result;
use crate::db::{Session, columns, json, params, word};

columns! {
    /// An application that does not have all of its ports.
    struct Lacking {
        name: ApplicationName = "application.name" as word,
        withheld: Vec<Capability> = "application.withheld" as json,
        charm: OnlyDeclared = "charm.info" as json,
    }
    const LACKING = "FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.withheld LIKE '%port/%'";
}

/// The ports that nobody reaches, by application.
pub(crate) struct Shut(BTreeMap<ApplicationName, (Vec<PortRange>, Vec<Capability>)>);

impl Shut {
    pub async fn of_model(db: &mut Session, model: &ModelUuid) -> Result<Self> {
        let rows = db.all(LACKING, params![model]).await?;
        let each = rows.into_iter().map(|row| {
            let declared = row.charm.declared.ports().collect();
            (row.name, (declared, row.withheld))
        });
        Ok(Self(each.collect()))
    }

    /// What is reached of what a unit of an application has open.
    pub fn reached(&self, application: &ApplicationName, mut openings: Openings) -> Openings {
        let Some((declared, withheld)) = self.0.get(application) else {
            return openings;
        };
        let shut = |range: &PortRange| withheld_port(declared, withheld, *range).is_some();
        let shut: Vec<PortRange> = openings.ranges().filter(shut).collect();
        for range in &shut {
            openings.remove(range);
        }
        openings
    }
}
