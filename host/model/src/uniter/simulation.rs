//! A unit in a world that changes at random, whose hooks fail and whose agent is killed at any
//! point. Whatever happens, the order and the at-least-once rules hold. What goes wrong is told
//! as a story: what happened, and which hooks ran, line by line.

mod guarantees;
mod relations;
mod secrets;
mod storage;
mod tasks;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use self::guarantees::Guarantees;
use self::relations::{Deed, PEERS, Relations};
use self::secrets::Secrets;
use self::storage::Storages;
use self::tasks::Tasks;
use super::*;
use crate::UnitName;
use crate::hook::{Info, Kind};
use crate::relation::HookKind;

/// What happens to the operation that is due.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Succeeds,
    Fails,
    Interrupted,
    DiesBeforePrepare,
    DiesDuringExecute,
    DiesAfterHookCommit,
    /// A person answers after the decision and before the operation begins.
    Answered(Resolved),
}

#[derive(Clone, Debug)]
enum Event {
    Config,
    Refresh {
        force: bool,
    },
    Leader(bool),
    Resolve(Resolved),
    RetryTick,
    StatusTick,
    Destroy,
    LeaderTells,
    /// A person asks for something to be run, or cancels one of what was asked for.
    AskTask,
    CancelTask(usize),
    /// A hook of a secret comes due, for whoever leads or for this unit.
    SecretDue {
        kind: usize,
        leaders: bool,
    },
    /// Somebody asks for a reboot of the machine, or it is carried out.
    AskReboot,
    Reboot,
    Relation(Deed),
    Storage(storage::Deed),
    Turn(Fate),
}

fn event() -> impl Strategy<Value = Event> {
    let fate = prop_oneof![
        6 => Just(Fate::Succeeds),
        2 => Just(Fate::Fails),
        1 => Just(Fate::Interrupted),
        1 => Just(Fate::DiesBeforePrepare),
        1 => Just(Fate::DiesDuringExecute),
        1 => Just(Fate::DiesAfterHookCommit),
        1 => answer().prop_map(Fate::Answered),
    ];
    prop_oneof![
        4 => Just(Event::Config),
        2 => any::<bool>().prop_map(|force| Event::Refresh { force }),
        3 => any::<bool>().prop_map(Event::Leader),
        2 => answer().prop_map(Event::Resolve),
        3 => Just(Event::RetryTick),
        2 => Just(Event::StatusTick),
        1 => Just(Event::Destroy),
        1 => Just(Event::LeaderTells),
        3 => Just(Event::AskTask),
        1 => any::<usize>().prop_map(Event::CancelTask),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(kind, leaders)| Event::SecretDue { kind, leaders }),
        1 => Just(Event::AskReboot),
        2 => Just(Event::Reboot),
        20 => relations::deed().prop_map(Event::Relation),
        8 => storage::deed().prop_map(Event::Storage),
        30 => fate.prop_map(Event::Turn),
    ]
}

fn answer() -> impl Strategy<Value = Resolved> {
    prop_oneof![Just(Resolved::RetryHooks), Just(Resolved::NoHooks)]
}

fn begun(stored: Option<OperationState>, reboots: u64) -> LocalState {
    LocalState {
        unit: Some("site/0".parse().unwrap()),
        boot: Some(reboots),
        ..LocalState::recorded(stored)
    }
}

/// A line of the story: the operation, who it is about, and how it ends.
fn told(operation: &Operation, fate: Fate) -> String {
    let hook = match operation {
        Operation::RunHook { hook, .. } | Operation::SkipHook { hook, .. } => Some(hook),
        _ => None,
    };
    let storage = hook.and_then(|hook| hook.storage.as_ref());
    let storage = storage.map(|event| format!(" of {}", event.id));
    let event = hook.and_then(|hook| hook.relation.as_ref());
    let about = event.map(|event| {
        let unit = event.hook.unit.as_ref().map(|unit| format!(" of {unit}"));
        format!(
            " in relation {}{}",
            event.hook.relation,
            unit.unwrap_or_default()
        )
    });
    let about = about.or(storage).unwrap_or_default();
    match fate {
        Fate::Succeeds => format!("site/0: {operation}{about}"),
        fate => format!("site/0: {operation}{about}: {fate:?}"),
    }
}

/// A hook that is chosen, rather than gone back to, is about what is so at that moment.
fn heard_of(hook: &Info, remote: &RemoteState, fresh: bool) -> Result<(), String> {
    if let Some(event) = hook.storage.as_ref().filter(|_| fresh) {
        let theirs = remote.storage.get(&event.id);
        let alive = remote.life.is_alive() && theirs.is_some_and(|one| one.life.is_alive());
        let ready = theirs.is_some_and(|one| one.ready);
        return match hook.kind {
            Kind::StorageAttached if !alive || !ready => {
                Err(format!("{} of what is not there", hook.name()))
            }
            Kind::StorageDetaching if alive => Err(format!("{} of what stays", hook.name())),
            _ => Ok(()),
        };
    }
    let Some(event) = hook.relation.as_ref().filter(|_| fresh) else {
        return Ok(());
    };
    let theirs = remote.relations.get(&event.hook.relation);
    let is_member =
        |unit: &UnitName| theirs.is_some_and(|theirs| theirs.members.contains_key(unit));
    let leaving = remote.life != Life::Alive
        || theirs.is_none_or(|theirs| theirs.suspended || theirs.life != Life::Alive);
    let member = event.hook.unit.as_ref().map(is_member);
    match (event.hook.kind, member) {
        (HookKind::Joined, Some(false)) => Err(format!("{} of who is gone", hook.name())),
        (HookKind::Joined | HookKind::Created, _) if leaving => {
            Err(format!("{} while the relation ends", hook.name()))
        }
        (HookKind::Departed, Some(true)) if !leaving => {
            Err(format!("{} of who is there", hook.name()))
        }
        (HookKind::Broken, _) if !leaving => Err(format!("{} without an end", hook.name())),
        _ => Ok(()),
    }
}

/// Controller, agent and a log of what the charm saw.
struct World {
    remote: RemoteState,
    stored: Option<OperationState>,
    local: LocalState,
    config: u64,
    charm: u64,
    /// Hooks whose bookkeeping was done, in order, with whether the charm ran.
    committed: Vec<(Kind, bool)>,
    /// The configuration seen by the last run of `config-changed` that was committed.
    seen_config: Option<String>,
    commits_in_flight: u64,
    hook_commits: u64,
    dead: bool,
    /// What a person answered, and to the failure of which hook.
    answered: Option<(Info, Resolved)>,
    relations: Relations,
    secrets: Secrets,
    storages: Storages,
    tasks: Tasks,
    guarantees: Guarantees,
    story: Vec<String>,
    /// The first thing that went wrong.
    wrong: Option<String>,
}

impl OperationState {
    fn is_queued(&self, hook: &Info) -> bool {
        self.step == OperationStep::Queued && self.hook.as_ref() == Some(hook)
    }
}

impl World {
    /// A unit that has so many storages from the beginning.
    fn new(storages: usize) -> Self {
        Self {
            remote: RemoteState {
                leader_settings_version: 0,
                relations: Default::default(),
                life: Life::Alive,
                resolved: Resolved::None,
                charm_url: "local:site-0".to_owned(),
                charm_modified_version: 0,
                force_charm_upgrade: false,
                config_hash: "0".to_owned(),
                leader: false,
                retry_hook_version: 0,
                update_status_version: 0,
                task: None,
                secrets: DueSecrets::default(),
                reboots: 0,
                reboot_wanted: false,
                storage: Default::default(),
                causes: Default::default(),
            },
            stored: None,
            local: begun(None, 0),
            config: 0,
            charm: 0,
            committed: Vec::new(),
            seen_config: None,
            commits_in_flight: 0,
            hook_commits: 0,
            dead: false,
            answered: None,
            relations: Relations::new(),
            secrets: Secrets::default(),
            storages: Storages::begin(storages),
            tasks: Tasks::default(),
            guarantees: Guarantees::default(),
            story: Vec::new(),
            wrong: None,
        }
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::Turn(_) => {}
            Event::Relation(deed) => {
                let told = self.relations.happens(deed);
                self.story.extend(told);
            }
            Event::Storage(deed) => {
                let told = self.storages.happens(deed, self.remote.life);
                self.story.extend(told);
            }
            event => self.story.push(format!("{event:?}")),
        }
        match event {
            Event::Config => {
                self.config += 1;
                self.remote.config_hash = self.config.to_string();
            }
            Event::Refresh { force } => {
                self.charm += 1;
                self.remote.charm_url = format!("local:site-{}", self.charm);
                self.remote.charm_modified_version += 1;
                self.remote.force_charm_upgrade = *force;
            }
            Event::Leader(leader) => self.remote.leader = *leader,
            Event::Resolve(resolved) => self.answers(*resolved),
            Event::RetryTick => self.remote.retry_hook_version += 1,
            Event::StatusTick => self.remote.update_status_version += 1,
            Event::Destroy => {
                self.remote.life = self.remote.life.max(Life::Dying);
                self.storages.unit_dies();
            }
            Event::LeaderTells => self.remote.leader_settings_version += 1,
            Event::AskTask => self.tasks.ask(),
            Event::CancelTask(which) => self.tasks.cancel(*which),
            Event::SecretDue { kind, leaders } => self.secrets.comes_due(*kind, *leaders),
            Event::AskReboot => self.remote.reboot_wanted = true,
            Event::Reboot => self.reboot(),
            Event::Relation(_) | Event::Storage(_) => {}
            Event::Turn(fate) => self.turn(*fate),
        }
    }

    /// A person answers a failure, and is heard unless one was heard already.
    fn answers(&mut self, resolved: Resolved) {
        let failed = self.stored.as_ref().and_then(OperationState::failed_hook);
        if let Some(hook) = failed
            && self.remote.resolved == Resolved::None
        {
            self.answered = Some((hook.clone(), resolved));
            self.remote.resolved = resolved;
        }
    }

    /// An answer is about the failure it was given to, and about nothing else.
    fn answer_is_kept(&self, operation: &Operation, ran: bool) -> Result<(), String> {
        let said = |hook: &Info| match &self.answered {
            Some((about, answer)) if about == hook => Some(*answer),
            _ => None,
        };
        match operation {
            Operation::RunHook { hook } if said(hook) == Some(Resolved::NoHooks) => Err(format!(
                "{} runs although a person said to go on without it",
                hook.name()
            )),
            Operation::SkipHook { hook, .. }
                if !ran
                    && self.remote.resolved == Resolved::NoHooks
                    && self.answered.is_some()
                    && said(hook).is_none() =>
            {
                Err(format!("{} is skipped by another's answer", hook.name()))
            }
            Operation::RunHook { hook }
                if hook.kind == Kind::LeaderElected && !self.local.operation.leader =>
            {
                Err("leader-elected runs in a unit that does not lead".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn check(&mut self, holds: Result<(), String>) {
        if let Err(wrong) = holds {
            self.wrong.get_or_insert(wrong);
        }
    }

    fn verdict(&self) -> Result<(), TestCaseError> {
        match &self.wrong {
            Some(wrong) => self.fails(wrong),
            None => Ok(()),
        }
    }

    fn fails(&self, wrong: &str) -> Result<(), TestCaseError> {
        let story = self.story.join("\n  ");
        Err(TestCaseError::fail(format!("{wrong}\n  {story}")))
    }

    /// Takes note of a hook whose bookkeeping is done.
    fn committed(&mut self, hook: &Info, ran: bool) {
        self.committed.push((hook.kind, ran));
        let dying = self.remote.life != Life::Alive;
        let seen = self.guarantees.see(hook, PEERS, dying);
        self.check(seen);
        self.relations.commits(hook);
        self.secrets.commits(hook);
        let seen = self.guarantees.see_storage(hook, ran);
        self.check(seen);
        self.storages.commits(hook);
    }

    /// The machine's agent carries out what was asked for; the unit's agent ends with it.
    fn reboot(&mut self) {
        if std::mem::take(&mut self.remote.reboot_wanted) {
            self.remote.reboots += 1;
            self.turn(Fate::Succeeds);
            self.restart_agent();
        }
    }

    /// A unit is installed once it was told of all that it has.
    fn is_complete(&self, hook: &Info, fresh: bool) -> Result<(), String> {
        let told = &self.local.operation.storage;
        let all = self.remote.storage.keys();
        match hook.kind == Kind::Install && fresh && !all.eq(told) {
            true => Err("install comes before storage is attached".to_owned()),
            false => Ok(()),
        }
    }

    fn restart_agent(&mut self) {
        self.story.push("the agent is killed".to_owned());
        self.local = begun(self.stored.clone(), self.remote.reboots);
        self.remote.retry_hook_version = 0;
        self.remote.update_status_version = 0;
        self.remote.leader = false;
    }

    fn write(&mut self, state: OperationState) {
        state.validate().unwrap();
        self.stored = Some(state);
    }

    fn turn(&mut self, fate: Fate) {
        self.remote.relations = self.relations.told();
        self.remote.secrets = self.secrets.told();
        self.remote.storage = self.storages.told();
        self.remote.task = self.tasks.due();
        let operation = match resolve(&self.local, &self.remote) {
            Decision::Run(operation) => operation,
            Decision::Restart => {
                self.local.restart = false;
                return;
            }
            Decision::Dead => {
                self.dead = true;
                self.tasks.gone();
                return;
            }
            Decision::NoOperation | Decision::Waiting => return,
            Decision::Terminate => panic!("nobody shut the container down"),
        };
        self.story.push(told(&operation, fate));
        if fate == Fate::DiesBeforePrepare {
            return self.restart_agent();
        }
        if matches!(
            operation,
            Operation::RunTask { .. } | Operation::EndTask { .. }
        ) {
            return self.see_to_task(&operation, fate);
        }
        let decided_on = self.remote.resolved;
        if let Fate::Answered(answer) = fate {
            self.answers(answer);
        }
        let hook = matches!(operation, Operation::RunHook { .. });
        if hook && !self.remote.resolved.lets_begin(decided_on) {
            return;
        }
        let ran = self.local.operation.step == OperationStep::Done;
        let kept = self.answer_is_kept(&operation, ran);
        self.check(kept);
        if operation.takes_answer() {
            self.remote.resolved = Resolved::None;
            self.answered = None;
        }
        self.local.begin(&operation, &self.remote);
        let mut state = self.local.operation.clone();
        if let Operation::RunHook { hook, .. } = &operation {
            let fresh = state.failed_hook() != Some(hook) && !state.is_queued(hook);
            let chosen = heard_of(hook, &self.remote, fresh);
            self.check(chosen);
            let secret = self.secrets.chosen(hook, &self.remote, fresh);
            self.check(secret);
            let complete = self.is_complete(hook, state.failed_hook() != Some(hook));
            self.check(complete);
            let begun = self.relations.begins(hook);
            self.check(begun);
        }
        if let Some(prepared) = operation.prepare(&state).unwrap() {
            self.write(prepared.clone());
            self.local.operation = prepared.clone();
            state = prepared;
            match fate {
                Fate::DiesDuringExecute => return self.restart_agent(),
                Fate::Interrupted if matches!(operation, Operation::RunHook { .. }) => {
                    self.write(Operation::hook_interrupted(&state));
                    return self.restart_agent();
                }
                Fate::Fails => {
                    self.local.conflicted = matches!(operation, Operation::Deploy { .. })
                        && state.kind == OperationKind::Upgrade;
                    return;
                }
                _ => {}
            }
        }
        if let Operation::RunHook { hook, .. } = &operation {
            let executed = Executed {
                config_hash: self.remote.config_hash.clone(),
                leader_settings_version: self.remote.leader_settings_version,
                reboots: self.remote.reboots,
                state_generation: state.state_generation + 1,
                status_set: false,
            };
            state = operation.hook_done(&state, &executed);
            self.write(state.clone());
            self.hook_commits += 1;
            self.commits_in_flight += 1;
            self.committed(hook, true);
            if hook.kind == Kind::ConfigChanged {
                self.seen_config = Some(executed.config_hash);
            }
            if fate == Fate::DiesAfterHookCommit {
                return self.restart_agent();
            }
        }
        if let Operation::SkipHook {
            hook, config_hash, ..
        } = &operation
        {
            if state.step == OperationStep::Done {
                assert_eq!(self.commits_in_flight, 1, "a commit is finished once");
            } else {
                self.committed(hook, false);
                if hook.kind == Kind::ConfigChanged {
                    self.seen_config = Some(config_hash.clone());
                }
            }
        }
        if operation != Operation::ResignLeadership {
            self.commits_in_flight = 0;
        }
        let state = match operation.commit(&state) {
            Ok(state) => state,
            Err(error) => return self.check(Err(error.to_string())),
        };
        self.write(state.clone());
        self.local.committed(&operation, state);
    }

    /// Everything succeeds from now on and every failure is retried.
    fn come_to_rest(&mut self) {
        self.story.push("and from now on all is well".to_owned());
        self.storages.make_all_ready();
        for _ in 0..240 {
            if self.wrong.is_some() {
                return;
            }
            if self.local.conflicted {
                self.remote.resolved = Resolved::RetryHooks;
            }
            self.remote.retry_hook_version += 1;
            self.reboot();
            self.turn(Fate::Succeeds);
        }
    }

    /// At rest the charm has been told of everything there is, in the newest version.
    fn caught_up(&self) -> Result<(), TestCaseError> {
        let remote = &self.remote;
        let told = self.relations.told();
        let state = &self.local.operation;
        let recorded: BTreeMap<_, _> = state
            .relations
            .iter()
            .map(|(id, seen)| (*id, seen.members.keys().cloned().collect()))
            .collect();
        if recorded != self.guarantees.members() {
            return self.fails("the record differs from what the charm was told");
        }
        if let Err(wrong) = self.storages.caught_up(&state.storage) {
            return self.fails(&wrong);
        }
        if remote.life != Life::Alive {
            let left = state.relations.keys().all(|relation| *relation == PEERS);
            return if left {
                Ok(())
            } else {
                self.fails("the unit is in a relation still")
            };
        }
        if !state.relations.keys().eq(told.keys()) {
            return self.fails("the unit is not in the relations there are");
        }
        for (relation, seen) in &state.relations {
            let there = &told[relation];
            if seen.members != there.members || seen.applications != there.applications {
                return self.fails(&format!("relation {relation} is not as it was told"));
            }
        }
        if let Err(wrong) = self.secrets.caught_up(remote.leader) {
            return self.fails(&wrong);
        }
        let heard =
            remote.leader || state.leader_settings_version == Some(remote.leader_settings_version);
        if heard {
            Ok(())
        } else {
            self.fails("the leader was not heard")
        }
    }

    fn check_order(&self) {
        let kinds = self.committed.iter().map(|(kind, _)| *kind);
        // When these come is the guarantees' to say.
        let of_storage =
            |kind: &Kind| matches!(kind, Kind::StorageAttached | Kind::StorageDetaching);
        let kinds: Vec<Kind> = kinds.filter(|kind| !of_storage(kind)).collect();
        let count = |kind| kinds.iter().filter(|other| **other == kind).count();
        let first = |kind| kinds.iter().position(|other| *other == kind);
        if let Some(first_hook) = kinds.first() {
            assert_eq!(*first_hook, Kind::Install, "install is first: {kinds:?}");
        }
        for once in [Kind::Install, Kind::Stop, Kind::Remove] {
            assert!(count(once) <= 1, "{once} more than once: {kinds:?}");
        }
        assert!(
            count(Kind::Start) as u64 <= 1 + self.remote.reboots,
            "start more than once for a reboot: {kinds:?}"
        );
        if let Some(start) = first(Kind::Start) {
            assert_eq!(
                kinds[start - 1],
                Kind::ConfigChanged,
                "config-changed before start: {kinds:?}"
            );
        }
        if let Some(update) = first(Kind::UpdateStatus) {
            assert!(
                first(Kind::Start).is_some_and(|start| start < update),
                "started first: {kinds:?}"
            );
        }
        if let Some(stop) = first(Kind::Stop) {
            assert!(
                first(Kind::Start).is_some_and(|start| start < stop),
                "only what started stops: {kinds:?}"
            );
            assert!(
                stop + 2 >= kinds.len(),
                "only remove comes after stop: {kinds:?}"
            );
        }
        if let Some(remove) = first(Kind::Remove) {
            assert_eq!(remove + 1, kinds.len(), "remove is last: {kinds:?}");
        }
        for (position, kind) in kinds.iter().enumerate() {
            if *kind == Kind::UpgradeCharm
                && let Some(next) = kinds.get(position + 1)
            {
                assert_eq!(
                    *next,
                    Kind::ConfigChanged,
                    "config-changed follows upgrade-charm: {kinds:?}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_order_holds_and_the_unit_catches_up(
        storages in 0..3usize,
        events in prop::collection::vec(event(), 1..160),
    ) {
        let mut world = World::new(storages);
        for event in &events {
            world.apply(event);
            world.verdict()?;
            world.check_order();
            if world.dead {
                break;
            }
        }
        world.come_to_rest();
        world.verdict()?;
        world.check_order();
        world.caught_up()?;
        prop_assert_eq!(world.tasks.all_ended(), Ok(()));
        let state = &world.local.operation;
        prop_assert_eq!(world.stored.clone().unwrap_or_else(OperationState::initial), state.clone());
        if world.remote.life == Life::Alive {
            prop_assert!(!world.dead);
            prop_assert!(state.installed && state.started && !state.stopped);
            prop_assert_eq!(state.kind, OperationKind::Continue);
            prop_assert_eq!(state.charm_url.as_ref(), Some(&world.remote.charm_url));
            prop_assert_eq!(state.config_hash.as_ref(), Some(&world.remote.config_hash));
            prop_assert_eq!(world.seen_config.as_ref(), Some(&world.remote.config_hash));
            prop_assert_eq!(state.leader, world.remote.leader);
            prop_assert_eq!(state.reboots, world.remote.reboots);
            // Each committed hook run left exactly one generation: none was committed twice.
            prop_assert_eq!(state.state_generation, world.hook_commits);
        } else {
            prop_assert!(world.dead, "removal ends");
            prop_assert_eq!(state.installed, state.removed);
            prop_assert_eq!(state.started, state.stopped);
            prop_assert!(!state.leader || !state.installed);
        }
    }
}
