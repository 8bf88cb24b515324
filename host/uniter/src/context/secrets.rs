//! Secrets: ids are made here, and what there is and what is in them the controller says.

use periapt_contract::secret::{Named, OwnedSecret, ReadSecret, SecretId};
use periapt_sandbox::{CallError, SecretAnswers};
use periapt_wire::agent::secrets::{GetOwnedSecrets, NamedSecret, ReadUnitSecret};

use super::UnitContext;

impl SecretAnswers for UnitContext {
    fn new_secret_id(&mut self) -> Result<SecretId, CallError> {
        let mut bytes = [0; 12];
        let numbers = [self.randomness.next_u64(), self.randomness.next_u64()];
        let random = numbers.into_iter().flat_map(u64::to_be_bytes);
        for (byte, random) in bytes.iter_mut().zip(random) {
            *byte = random;
        }
        Ok(SecretId::of_random(bytes))
    }

    fn owned_secrets(&mut self) -> Result<Vec<OwnedSecret>, CallError> {
        self.call(&GetOwnedSecrets {
            unit: self.unit.clone(),
        })
    }

    fn read_secret(&mut self, of: &Named, newest: bool) -> Result<ReadSecret, CallError> {
        let of = match of {
            Named::Id(id) => NamedSecret {
                id: Some(id.clone()),
                label: None,
            },
            Named::Label(label) => NamedSecret {
                id: None,
                label: Some(label.clone()),
            },
        };
        self.call(&ReadUnitSecret {
            unit: self.unit.clone(),
            of,
            newest,
        })
    }
}
