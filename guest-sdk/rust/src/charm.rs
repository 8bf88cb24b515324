//! The trait a charm implements, and the step from a hook's name to its method.

use serde::de::DeserializeOwned;

use crate::host::HostRef;
use crate::{
    Action, Command, Context, Dirs, Error, Event, Hook, Manifest, MeterStatus, Occasion,
    RelationEvent, RelationHook, Result, SecretEvent, StorageEvent, StorageHook, action,
};

/// A charm. A fresh value serves each hook.
pub trait Charm: Default + 'static {
    /// The options of `config.yaml` as a struct: fields carry the options' names, options
    /// without a default are `Option`s. `()` for a charm that has none.
    type Config: DeserializeOwned;

    /// The hooks this charm implements. Others are skipped without starting a sandbox.
    const HOOKS: &'static [Hook];

    /// The endpoints of `metadata.yaml` whose relations have hooks in this charm.
    const ENDPOINTS: &'static [&'static str] = &[];

    /// Which hooks those endpoints have. A charm that, say, only ever looks at what changed may
    /// list that alone and spare the sandboxes of the others.
    const RELATION_HOOKS: &'static [RelationHook] = RelationHook::ALL;

    /// The storage of `metadata.yaml` that has hooks in this charm.
    const STORAGE: &'static [&'static str] = &[];

    /// Which hooks that storage has.
    const STORAGE_HOOKS: &'static [StorageHook] = StorageHook::ALL;

    /// What operators may ask units for, with `periapt run`: methods that take a struct of parameters
    /// and return results. `actions.yaml` declares them; it is made of this list and held against it
    /// by `testing::check_actions_yaml`.
    const ACTIONS: &'static [Action<Self>] = &[];

    /// What operators may have done with `periapt exec`: methods that take words and print.
    const COMMANDS: &'static [Command<Self>] = &[];

    /// The files that declare this charm, as [`macro@crate::charm`] finds them. The harness gives a unit
    /// under test what they say.
    #[doc(hidden)]
    const MANIFEST: Option<Manifest> = None;

    /// The first hook of a unit.
    fn install(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// This unit became the leader of its application.
    fn leader_elected(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// The leader of the application told its units something new, or there is a leader now.
    /// Never run on the leader itself.
    fn leader_settings_changed(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// After install, and whenever a value differs from what the last run of this hook saw.
    fn config_changed(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// Once, after the first `config_changed`.
    fn start(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// From time to time, to look after the workload.
    fn update_status(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// The charm was refreshed to another revision.
    fn upgrade_charm(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// The unit is going away; the workload ends.
    fn stop(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// The last hook of a unit.
    fn remove(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// Every few minutes, if `metrics.yaml` declares metrics: measures, and
    /// [adds](Context::add_metric) what it finds. It runs beside other hooks and commits nothing, so
    /// that state, config, relations and statuses are denied; files can be read.
    fn collect_metrics(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// What the unit uses has come near a quota of its model, has passed it or has fallen again; or its
    /// agent has been without a controller for five or for fifteen minutes. It runs beside other hooks
    /// and commits nothing: it may read files and write log lines, and all else is denied.
    fn meter_status_changed(
        &mut self,
        _context: &Context<Self::Config>,
        _status: &MeterStatus,
    ) -> Result<()> {
        Ok(())
    }

    /// A secret that this unit reads has a newer revision: [`Secret::refresh`](crate::Secret::refresh) goes on
    /// to it.
    fn secret_changed(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &SecretEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// A revision of a secret that this unit owns, or its application and this unit leads, has expired.
    /// Runs again every few minutes until the revision is removed or the secret has a later time.
    fn secret_expired(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &SecretEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// A secret that this unit owns, or its application and this unit leads, is to be given a new value.
    /// Runs again soon where it was not.
    fn secret_rotate(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &SecretEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// Nobody is on a revision any more of a secret that this unit owns, or its application and this
    /// unit leads: it may be removed.
    fn secret_remove(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &SecretEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// The unit has a storage from now on. What it has from the beginning comes before `install`.
    fn storage_attached(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &StorageEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// The unit lets go of a storage, which is there until this hook ends. A unit that goes away lets go of
    /// all that it has before `stop`.
    fn storage_detaching(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &StorageEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// The relation is there; nobody was seen in it yet. What the unit publishes here reaches
    /// others with their first `relation_changed`.
    fn relation_created(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &RelationEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// A unit at the other end came.
    fn relation_joined(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &RelationEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// A unit or the application at the other end said something new; once after each
    /// `relation_joined` in any case.
    fn relation_changed(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &RelationEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// A unit at the other end went, or this one is going:
    /// [`RelationEvent::departing_unit`] says who. It is no longer among the relation's units.
    fn relation_departed(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &RelationEvent,
    ) -> Result<()> {
        Ok(())
    }

    /// The relation is over; the last hook of it.
    fn relation_broken(
        &mut self,
        _context: &Context<Self::Config>,
        _event: &RelationEvent,
    ) -> Result<()> {
        Ok(())
    }
}

/// The names of all hooks that a charm implements, and of its actions and commands, as the host asks
/// for them.
pub fn hook_names<C: Charm>() -> Vec<String> {
    let own = C::HOOKS.iter().map(|hook| hook.as_str().to_owned());
    let of_relations = C::ENDPOINTS.iter().flat_map(|endpoint| {
        C::RELATION_HOOKS
            .iter()
            .map(move |hook| hook.name_at(endpoint))
    });
    let of_storage = C::STORAGE.iter().flat_map(|storage| {
        C::STORAGE_HOOKS
            .iter()
            .map(move |hook| hook.name_of(storage))
    });
    own.chain(of_relations)
        .chain(of_storage)
        .chain(action::names::<C>())
        .collect()
}

/// Runs the hook, the action or the command of `event` on a fresh charm.
pub fn dispatch<C: Charm>(host: HostRef<'_>, dirs: &Dirs, event: &Event) -> Result<()> {
    let context = Context::new(host, dirs, event);
    let mut charm = C::default();
    match &event.occasion {
        Occasion::Unit(hook) => match hook {
            Hook::Install => charm.install(&context),
            Hook::LeaderElected => charm.leader_elected(&context),
            Hook::LeaderSettingsChanged => charm.leader_settings_changed(&context),
            Hook::ConfigChanged => charm.config_changed(&context),
            Hook::Start => charm.start(&context),
            Hook::UpdateStatus => charm.update_status(&context),
            Hook::UpgradeCharm => charm.upgrade_charm(&context),
            Hook::Stop => charm.stop(&context),
            Hook::Remove => charm.remove(&context),
            Hook::CollectMetrics => charm.collect_metrics(&context),
            Hook::MeterStatusChanged => {
                charm.meter_status_changed(&context, &MeterStatus::of(event)?)
            }
            Hook::SecretChanged => charm.secret_changed(&context, &SecretEvent::of(event)?),
            Hook::SecretExpired => charm.secret_expired(&context, &SecretEvent::of(event)?),
            Hook::SecretRotate => charm.secret_rotate(&context, &SecretEvent::of(event)?),
            Hook::SecretRemove => charm.secret_remove(&context, &SecretEvent::of(event)?),
        },
        Occasion::Relation(event) => match event.hook {
            RelationHook::Created => charm.relation_created(&context, event),
            RelationHook::Joined => charm.relation_joined(&context, event),
            RelationHook::Changed => charm.relation_changed(&context, event),
            RelationHook::Departed => charm.relation_departed(&context, event),
            RelationHook::Broken => charm.relation_broken(&context, event),
        },
        Occasion::Storage(event) => match event.hook {
            StorageHook::Attached => charm.storage_attached(&context, event),
            StorageHook::Detaching => charm.storage_detaching(&context, event),
        },
        Occasion::Action(name) => action::run_action(&mut charm, &context, name),
        Occasion::Command(name) => action::run_command(&mut charm, &context, name),
    }
    .map_err(|error| match error {
        // An operator reads this text without the code at hand: say where it happened.
        Error::Files(error) => Error::Failed(in_words(&error)),
        error => error,
    })
}

/// WASI's code for what a sandbox does not grant, where the standard library has no kind for it.
const NOT_CAPABLE: i32 = 76;

/// An error of input or output with what its own text leaves out. It may be of a file, or of
/// something that a sandbox does not have.
fn in_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let reason = match error.kind() {
        ErrorKind::Unsupported => "the sandbox has no network, no processes and no such operation",
        kind if kind == ErrorKind::PermissionDenied
            || error.raw_os_error() == Some(NOT_CAPABLE) =>
        {
            "the sandbox reaches /charm (read-only), /state, /tmp, the declared /shared \
             directories and the unit's storage, and no other file"
        }
        _ => return format!("an operation on a file failed: {error}"),
    };
    format!("{reason} ({error})")
}
