//! Whether storage that is asked for can be given, looked at before a charm goes up. Somebody may come in between;
//! the controller decides.

use std::collections::BTreeMap;

use periapt_model::charm::CharmMetadata;
use periapt_model::storage::{Asked, DEFAULT_POOL, Pool, Pools, StorageId, directives};

use crate::failure::{Failure, Outcome};
use crate::output::text;
use crate::session::ModelSession;

/// Whether charms can be given their storage by the model. Which pool is the model's default is not looked at: it is
/// one that the model has.
pub async fn require_storage<'a>(
    here: &ModelSession,
    applications: impl IntoIterator<Item = (&'a str, &'a CharmMetadata, &'a BTreeMap<String, Asked>)>,
) -> Outcome {
    let applications: Vec<_> = applications.into_iter().collect();
    let mut pools = Vec::new();
    if applications.iter().any(|(.., asked)| !asked.is_empty()) {
        pools = here.client().storage_pools(&here.model).await?;
    }
    let made = pools.into_iter().filter(|pool| !pool.built_in);
    let made = made.map(|pool| {
        let made = Pool {
            provider: pool.provider,
            attributes: pool.attributes,
        };
        (pool.name, made)
    });
    let pools = Pools::with(made);
    for (application, charm, asked) in applications {
        fits(application, charm, asked, &pools)?;
    }
    Ok(())
}

fn fits(
    application: &str,
    charm: &CharmMetadata,
    asked: &BTreeMap<String, Asked>,
    pools: &Pools,
) -> Outcome {
    let given = directives(&charm.storage, asked, pools, DEFAULT_POOL);
    given.map(|_| ()).map_err(|refused| {
        Failure::usage(format!("invalid storage for \"{application}\""))
            .why(format!("{refused} ({})", refused.refusal))
            .advice(refused.refusal.advice())
    })
}

pub async fn require_there(here: &ModelSession, storages: &[StorageId]) -> Outcome {
    for id in storages {
        here.client().storage(&here.model, id).await?;
    }
    Ok(())
}

/// Storage that is there is given to one unit.
pub fn require_one_unit(storages: &[StorageId], units: u32) -> Outcome {
    if storages.is_empty() || units == 1 {
        return Ok(());
    }
    let units = text::count(units.into(), "unit");
    Err(
        Failure::usage(format!("storage cannot be attached to {units}"))
            .why("--attach-storage is for exactly one new unit")
            .advice("leave out -n, then add the other units"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charm() -> CharmMetadata {
        let storage = "data: {type: filesystem, multiple: {range: 0-2}}";
        CharmMetadata {
            name: "site".to_owned(),
            storage: serde_saphyr::from_str(storage).unwrap(),
            ..CharmMetadata::default()
        }
    }

    #[test]
    fn what_the_charm_or_the_model_does_not_have_is_refused_with_the_nearest_name() {
        let pools = Pools::with([]);
        let fits = |name: &str, asked: &str| {
            let asked = BTreeMap::from([(name.to_owned(), asked.parse().unwrap())]);
            fits("blog", &charm(), &asked, &pools)
        };
        assert_eq!(fits("data", "loop,2,1G"), Ok(()));
        for (name, asked, says) in [
            ("dat", "1G", "data"),
            ("data", "lop", "loop"),
            ("data", "3", "0-2"),
        ] {
            let failure = fits(name, asked).unwrap_err().to_string();
            assert!(failure.contains(says), "{failure}");
            assert_eq!(failure.lines().count(), 3);
        }
    }

    #[test]
    fn storage_that_is_there_goes_to_one_unit() {
        let there: Vec<StorageId> = vec!["data/0".parse().unwrap()];
        assert_eq!(require_one_unit(&[], 3), Ok(()));
        assert_eq!(require_one_unit(&there, 1), Ok(()));
        assert!(require_one_unit(&there, 0).is_err());
        assert!(require_one_unit(&there, 2).is_err());
    }
}
