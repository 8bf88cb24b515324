//! A unit in a world that changes at random, whose hooks fail and whose agent is killed at any
//! point. Whatever happens, the order and the at-least-once rules hold.

use proptest::prelude::*;

use super::*;
use crate::hook::Kind;

/// What happens to the operation that is due.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Succeeds,
    Fails,
    Interrupted,
    DiesBeforePrepare,
    DiesDuringExecute,
    DiesAfterHookCommit,
}

#[derive(Clone, Debug)]
enum Event {
    Config,
    Refresh { force: bool },
    Leader(bool),
    Resolve(Resolved),
    RetryTick,
    StatusTick,
    Destroy,
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
    ];
    prop_oneof![
        4 => Just(Event::Config),
        2 => any::<bool>().prop_map(|force| Event::Refresh { force }),
        3 => any::<bool>().prop_map(Event::Leader),
        2 => prop_oneof![Just(Resolved::RetryHooks), Just(Resolved::NoHooks)].prop_map(Event::Resolve),
        3 => Just(Event::RetryTick),
        2 => Just(Event::StatusTick),
        1 => Just(Event::Destroy),
        20 => fate.prop_map(Event::Turn),
    ]
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
}

impl World {
    fn new() -> Self {
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
            },
            stored: None,
            local: LocalState::recorded(None),
            config: 0,
            charm: 0,
            committed: Vec::new(),
            seen_config: None,
            commits_in_flight: 0,
            hook_commits: 0,
            dead: false,
        }
    }

    fn apply(&mut self, event: &Event) {
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
            Event::Resolve(resolved) => {
                if self
                    .stored
                    .as_ref()
                    .is_some_and(|state| state.failed_hook().is_some())
                {
                    self.remote.resolved = *resolved;
                }
            }
            Event::RetryTick => self.remote.retry_hook_version += 1,
            Event::StatusTick => self.remote.update_status_version += 1,
            Event::Destroy => self.remote.life = self.remote.life.max(Life::Dying),
            Event::Turn(fate) => self.turn(*fate),
        }
    }

    fn restart_agent(&mut self) {
        self.local = LocalState::recorded(self.stored.clone());
        self.remote.retry_hook_version = 0;
        self.remote.update_status_version = 0;
        self.remote.leader = false;
    }

    fn write(&mut self, state: OperationState) {
        state.validate().unwrap();
        self.stored = Some(state);
    }

    fn turn(&mut self, fate: Fate) {
        let operation = match resolve(&self.local, &self.remote) {
            Decision::Run(operation) => operation,
            Decision::Restart => {
                self.local.restart = false;
                return;
            }
            Decision::Dead => {
                self.dead = true;
                return;
            }
            Decision::NoOperation | Decision::Waiting => return,
            Decision::Terminate => panic!("nobody shut the container down"),
        };
        if fate == Fate::DiesBeforePrepare {
            return self.restart_agent();
        }
        if operation.clears_resolved() {
            self.remote.resolved = Resolved::None;
        }
        self.local.begin(&operation, &self.remote);
        let mut state = self.local.operation.clone();
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
                state_generation: state.state_generation + 1,
                status_set: false,
            };
            state = operation.hook_done(&state, &executed);
            self.write(state.clone());
            self.hook_commits += 1;
            self.commits_in_flight += 1;
            self.committed.push((hook.kind, true));
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
                self.committed.push((hook.kind, false));
                if hook.kind == Kind::ConfigChanged {
                    self.seen_config = Some(config_hash.clone());
                }
            }
        }
        if operation != Operation::ResignLeadership {
            self.commits_in_flight = 0;
        }
        let state = operation.commit(&state).unwrap();
        self.write(state.clone());
        self.local.committed(&operation, state);
    }

    /// Everything succeeds from now on and every failure is retried.
    fn come_to_rest(&mut self) {
        for _ in 0..60 {
            if self.local.conflicted {
                self.remote.resolved = Resolved::RetryHooks;
            }
            self.remote.retry_hook_version += 1;
            self.turn(Fate::Succeeds);
        }
    }

    fn check_order(&self) {
        let kinds: Vec<Kind> = self.committed.iter().map(|(kind, _)| *kind).collect();
        let count = |kind| kinds.iter().filter(|other| **other == kind).count();
        let first = |kind| kinds.iter().position(|other| *other == kind);
        if let Some(first_hook) = kinds.first() {
            assert_eq!(*first_hook, Kind::Install, "install is first: {kinds:?}");
        }
        for once in [Kind::Install, Kind::Start, Kind::Stop, Kind::Remove] {
            assert!(count(once) <= 1, "{once} more than once: {kinds:?}");
        }
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
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_order_holds_and_the_unit_catches_up(
        events in prop::collection::vec(event(), 1..120),
    ) {
        let mut world = World::new();
        for event in &events {
            world.apply(event);
            world.check_order();
            if world.dead {
                break;
            }
        }
        world.come_to_rest();
        world.check_order();
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
