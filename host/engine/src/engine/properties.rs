//! What holds for every graph and every course of events: random graphs, random ends, virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;

use super::{DependencyEngine, EngineConfig, EngineReport, InstallError, NodeState};
use crate::clock::FakeClock;
use crate::error::{Fatal, WorkerError, WorkerResult, importance};
use crate::manifold::Name;
use crate::randomness::Seeded;
use crate::testing::{Script, run_until_idle, settle};

const HOUR: Duration = Duration::from_secs(3600);

/// The inputs of one node, as (index of an earlier node, required).
type Inputs = Vec<(usize, bool)>;

#[derive(Debug, Clone)]
enum Event {
    /// The node's worker, if there is one, ends.
    End(Index, End),
    /// The node's next start fails.
    FailStart(Index, End),
    /// Time moves on by so many milliseconds.
    Advance(u64),
}

#[derive(Debug, Clone, Copy)]
enum End {
    Clean,
    Missing,
    Aborted,
    Bounce,
    Uninstall,
    Broken,
}

impl End {
    fn result(self) -> WorkerResult {
        match self {
            Self::Clean => Ok(()),
            other => Err(other.error()),
        }
    }

    fn error(self) -> WorkerError {
        match self {
            Self::Missing => WorkerError::missing("something"),
            Self::Aborted => WorkerError::Aborted,
            Self::Bounce => WorkerError::Bounce,
            Self::Uninstall => WorkerError::Uninstall,
            Self::Clean | Self::Broken => WorkerError::text("broken"),
        }
    }
}

fn any_end() -> impl Strategy<Value = End> + Clone {
    prop_oneof![
        Just(End::Clean),
        Just(End::Missing),
        Just(End::Aborted),
        Just(End::Bounce),
        Just(End::Uninstall),
        Just(End::Broken),
    ]
}

/// Ends from which a node comes back by itself.
fn passing_end() -> impl Strategy<Value = End> + Clone {
    prop_oneof![Just(End::Bounce), Just(End::Broken)]
}

fn events(ends: impl Strategy<Value = End> + Clone) -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        (any::<Index>(), ends.clone()).prop_map(|(node, end)| Event::End(node, end)),
        (any::<Index>(), ends).prop_map(|(node, end)| Event::FailStart(node, end)),
        (0..5000_u64).prop_map(Event::Advance),
    ];
    prop::collection::vec(event, 0..25)
}

/// Graphs without cycles: a node's inputs are earlier ones, each once.
fn graph() -> impl Strategy<Value = Vec<Inputs>> {
    prop::collection::vec(
        prop::collection::vec((any::<Index>(), any::<bool>()), 0..4),
        1..8,
    )
    .prop_map(|nodes| {
        let inputs = |(node, inputs): (usize, Vec<(Index, bool)>)| match node {
            0 => Vec::new(),
            _ => {
                let unique: BTreeMap<usize, bool> = inputs
                    .into_iter()
                    .map(|(input, required)| (input.index(node), required))
                    .collect();
                unique.into_iter().collect()
            }
        };
        nodes.into_iter().enumerate().map(inputs).collect()
    })
}

fn name(node: usize) -> Name {
    format!("node-{node}").into()
}

/// A random graph in an engine. Installed last node first, so that inputs come later.
struct World {
    clock: FakeClock,
    engine: DependencyEngine,
    graph: Vec<Inputs>,
    scripts: Vec<Script>,
}

impl World {
    fn new(graph: Vec<Inputs>, seed: u64) -> Self {
        let clock = FakeClock::new();
        let config = EngineConfig::new("world", clock.shared()).randomness(Seeded::shared(seed));
        let engine = DependencyEngine::new(config);
        let scripts: Vec<Script> = graph.iter().map(|_| Script::new()).collect();
        for (node, inputs) in graph.iter().enumerate().rev() {
            let named = |wanted: bool| {
                inputs
                    .iter()
                    .filter(move |(_, required)| *required == wanted)
                    .map(|(input, _)| name(*input))
            };
            let row = scripts[node].manifold_with(named(true), named(false));
            engine.install(name(node), row).unwrap();
        }
        Self {
            clock,
            engine,
            graph,
            scripts,
        }
    }

    async fn happen(&self, event: &Event) {
        match event {
            Event::End(node, end) => {
                self.scripts[node.index(self.scripts.len())].end(end.result());
            }
            Event::FailStart(node, end) => {
                self.scripts[node.index(self.scripts.len())].fail_next_start(end.error());
            }
            Event::Advance(milliseconds) => {
                self.clock.advance(Duration::from_millis(*milliseconds));
            }
        }
        settle().await;
    }

    async fn idle(&self) -> EngineReport {
        assert!(
            run_until_idle(&self.clock, HOUR).await,
            "no rest within an hour"
        );
        self.engine.report()
    }

    fn runs(report: &EngineReport, node: usize) -> bool {
        report
            .manifolds
            .get(name(node).as_ref())
            .is_some_and(|node| node.state == NodeState::Started)
    }

    fn required_run(&self, report: &EngineReport, node: usize) -> bool {
        self.graph[node]
            .iter()
            .all(|(input, required)| !required || Self::runs(report, *input))
    }

    /// Property 3, at any moment when every task is idle.
    fn assert_no_replaced_inputs(&self) {
        let report = self.engine.report();
        for (node, script) in self.scripts.iter().enumerate() {
            if !Self::runs(&report, node) {
                continue;
            }
            for (input, serial) in script.inputs_at_start() {
                let input = self.graph[node]
                    .iter()
                    .map(|(input, _)| *input)
                    .find(|index| name(*index) == input)
                    .unwrap();
                let current = self.scripts[input].current().map(|worker| worker.serial());
                assert_eq!(
                    serial, current,
                    "node-{node} runs on a replaced node-{input}"
                );
            }
        }
    }
}

/// Runs one case on a runtime of its own whose timer is paused.
fn case(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(work);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// Property 1. When all failures have passed, a node runs iff all inputs it requires run.
    #[test]
    fn at_rest_a_node_runs_iff_all_its_required_inputs_run(
        graph in graph(),
        absent in prop::collection::vec(any::<Index>(), 0..3),
        events in events(passing_end()),
        seed in any::<u64>(),
    ) {
        case(async move {
            let mut graph = graph;
            let nodes = graph.len();
            // Some nodes require one that nobody ever installs.
            for node in absent {
                graph[node.index(nodes)].push((nodes, true));
            }
            let world = World::new(graph, seed);
            for event in &events {
                world.happen(event).await;
            }
            world.scripts.iter().for_each(Script::heal);
            let report = world.idle().await;
            for node in 0..nodes {
                assert_eq!(
                    World::runs(&report, node),
                    world.required_run(&report, node),
                    "node-{node} of {report:#?}"
                );
            }
        });
    }

    /// The half of property 1 that holds for every way to end, also for good.
    #[test]
    fn at_rest_what_runs_has_all_its_required_inputs(
        graph in graph(), events in events(any_end()), seed in any::<u64>(),
    ) {
        case(async move {
            let world = World::new(graph, seed);
            for event in &events {
                world.happen(event).await;
            }
            let report = world.idle().await;
            for node in 0..world.graph.len() {
                let runs = World::runs(&report, node);
                assert!(!runs || world.required_run(&report, node), "node-{node} of {report:#?}");
                assert_eq!(runs, world.scripts[node].current().is_some());
            }
        });
    }

    /// Property 2, with workers that end in their own time.
    #[test]
    fn no_node_ever_has_two_live_workers(
        graph in graph(),
        events in events(any_end()),
        stubborn in prop::collection::vec(any::<Index>(), 0..3),
        seed in any::<u64>(),
    ) {
        case(async move {
            let world = World::new(graph, seed);
            for node in stubborn {
                world.scripts[node.index(world.scripts.len())].on_kill(None);
            }
            for event in &events {
                world.happen(event).await;
            }
            world.engine.kill();
            settle().await;
            for script in &world.scripts {
                while script.end(Ok(())) {
                    settle().await;
                }
            }
            world.engine.wait().await.unwrap();
            for script in &world.scripts {
                assert!(script.most_alive() <= 1);
                assert!(script.current().is_none());
            }
            assert_eq!(world.clock.sleepers(), 0);
        });
    }

    /// Property 3.
    #[test]
    fn no_started_node_outlives_a_replaced_input(
        graph in graph(),
        events in events(any_end()),
        stubborn in prop::collection::vec(any::<Index>(), 0..3),
        seed in any::<u64>(),
    ) {
        case(async move {
            let world = World::new(graph, seed);
            for node in stubborn {
                world.scripts[node.index(world.scripts.len())].on_kill(None);
            }
            settle().await;
            world.assert_no_replaced_inputs();
            for event in &events {
                world.happen(event).await;
                world.assert_no_replaced_inputs();
            }
        });
    }

    /// Property 4.
    #[test]
    fn a_storm_of_errors_leaves_unrelated_nodes_alone(
        stormy in graph(),
        calm in graph(),
        storm in prop::collection::vec((any::<Index>(), passing_end(), 0..5000_u64), 1..25),
        seed in any::<u64>(),
    ) {
        case(async move {
            let offset = stormy.len();
            let shifted = calm.into_iter().map(|inputs| {
                inputs.into_iter().map(|(input, required)| (input + offset, required)).collect()
            });
            let world = World::new(stormy.into_iter().chain(shifted).collect(), seed);
            world.idle().await;
            let counts = |report: EngineReport| -> Vec<u64> {
                (offset..world.graph.len())
                    .map(|node| report.manifolds[name(node).as_ref()].start_count)
                    .collect()
            };
            let before = counts(world.engine.report());
            for (node, end, milliseconds) in storm {
                world.scripts[node.index(offset)].end(end.result());
                world.happen(&Event::Advance(milliseconds)).await;
            }
            assert_eq!(counts(world.idle().await), before);
        });
    }

    /// Property 5, against the plain definition.
    #[test]
    fn duplicates_and_cycles_are_refused_and_nothing_else(
        installs in prop::collection::vec(
            (0..6_usize, prop::collection::vec(0..6_usize, 0..3)), 1..12,
        ),
    ) {
        case(async move {
            let clock = FakeClock::new();
            let engine = DependencyEngine::new(EngineConfig::new("test", clock.shared()));
            let mut accepted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for (node, inputs) in installs {
                let row = Script::new().manifold(inputs.iter().map(|input| name(*input)));
                let mut with = accepted.clone();
                with.insert(node, inputs);
                let expected = if accepted.contains_key(&node) {
                    Err(InstallError::Duplicate(name(node)))
                } else if has_cycle(&with) {
                    Err(InstallError::Cycle(name(node)))
                } else {
                    accepted = with;
                    Ok(())
                };
                assert_eq!(engine.install(name(node), row), expected);
            }
            let installed: BTreeSet<String> = engine.report().manifolds.into_keys().collect();
            let expected = accepted.keys().map(|node| name(*node).into_owned()).collect();
            assert_eq!(installed, expected);
        });
    }

    /// Property 6: whatever the order in which they come, during the shutdown too.
    #[test]
    fn the_most_important_fatal_error_wins(
        kinds in prop::collection::vec(0..6_usize, 1..7),
        order in any::<u64>(),
    ) {
        case(async move {
            let fatal = |kind: usize| -> WorkerError {
                match kind {
                    0 => WorkerError::fatal("explicit"),
                    1 => Fatal::RestartAgent.into(),
                    2 => Fatal::UpgradeReady { to: "2.0".into() }.into(),
                    3 => Fatal::RebootMachine.into(),
                    4 => Fatal::ShutdownMachine.into(),
                    _ => Fatal::TerminateAgent.into(),
                }
            };
            let world = World::new(vec![Vec::new(); kinds.len()], order);
            world.scripts.iter().for_each(|script| script.on_kill(None));
            settle().await;
            let mut left: Vec<usize> = (0..kinds.len()).collect();
            let mut order = order as usize;
            while !left.is_empty() {
                let node = left.swap_remove(order % left.len());
                order /= 7;
                world.scripts[node].end(Err(fatal(kinds[node])));
                settle().await;
            }
            let end = world.engine.wait().await.unwrap_err();
            let greatest = kinds.iter().map(|kind| importance(Some(&fatal(*kind)))).max();
            assert_eq!(Some(importance(Some(&end))), greatest);
        });
    }
}

/// A graph has a cycle iff nodes are left when those without installed inputs are taken away
/// again and again.
fn has_cycle(graph: &BTreeMap<usize, Vec<usize>>) -> bool {
    let mut left = graph.clone();
    loop {
        let free: Vec<usize> = left
            .iter()
            .filter(|(_, inputs)| inputs.iter().all(|input| !left.contains_key(input)))
            .map(|(node, _)| *node)
            .collect();
        if free.is_empty() {
            return !left.is_empty();
        }
        left.retain(|node, _| !free.contains(node));
    }
}
