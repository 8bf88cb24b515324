//! The secretary: refuses names that cannot be leases or holders. Whether the caller may speak
//! for the holder is the facade's to say.

use periapt_model::{ApplicationName, ModelUuid, Tag, UnitName};

use super::Namespace;
use crate::Result;
use crate::error::StoreError;

/// A lease of this namespace may have this name.
pub(super) fn check_lease(namespace: Namespace, name: &str) -> Result<()> {
    match namespace {
        Namespace::ApplicationLeadership => {
            let _: ApplicationName = name.parse()?;
        }
        Namespace::SingularController => {
            let _: ModelUuid = name.parse()?;
        }
    }
    Ok(())
}

/// And this holder may have it.
pub(super) fn check(namespace: Namespace, name: &str, holder: &str) -> Result<()> {
    check_lease(namespace, name)?;
    match namespace {
        Namespace::ApplicationLeadership => {
            let unit: UnitName = holder.parse()?;
            if unit.application().as_str() != name {
                return Err(StoreError::bad_request(format!(
                    "{unit} is not a unit of {name}"
                )));
            }
        }
        Namespace::SingularController => match holder.parse()? {
            Tag::Controller(_) | Tag::Machine(_) => {}
            other => {
                return Err(StoreError::bad_request(format!(
                    "{other} is no controller or machine agent"
                )));
            }
        },
    }
    Ok(())
}
