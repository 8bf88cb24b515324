//! The tables: Juju's 109 workers by name, and our own that Juju has not.
//!
//! A row that runs names the tests that hold it to its promise: to what Juju's worker of that name
//! promises, or, where that makes no sense here, to the sentence in the row.

use super::AgentKind::{Controller, Host, Machine, Model, Unit};
use super::Class::{Adapted, Artefact, Kubernetes, Library as Lib, Own, Same};
use super::Standing::{Built, Library, NotBuilt, NotNeeded};
use super::{Class, Standing, Worker};

const fn worker(
    name: &'static str,
    class: Class,
    agent: &'static str,
    standing: Standing,
) -> Worker {
    Worker {
        name,
        class,
        agent,
        standing,
        sentence: "",
        tests: &[],
    }
}

impl Worker {
    /// The tests that hold it to its promise.
    const fn kept_by(self, tests: &'static [&'static str]) -> Self {
        Self { tests, ..self }
    }

    /// What it promises instead of what Juju's does.
    const fn promises(self, sentence: &'static str) -> Self {
        Self { sentence, ..self }
    }
}

/// Waits of many rows.
const KUBERNETES: Standing = NotBuilt("waits for the Kubernetes provider");
const MIGRATION: Standing = NotBuilt("waits for model migration");

/// All of them, in the order of the alphabet.
#[rustfmt::skip]
pub static WORKERS: &[Worker] = &[
    worker("actionpruner", Same, "model", Built(&[(Model, "action-pruner")]))
        .kept_by(&["old_operations_go_by_age_and_by_size_and_what_waits_stays", "a_task_that_ended_long_ago_is_missing_after_a_day_while_a_pending_one_remains"]),
    worker("agent", Lib, "all", Library(&[(Controller, "agent"), (Model, "agent"), (Host, "agent"), (Machine, "agent"), (Unit, "agent")], "the identity that every engine begins with"))
        .kept_by(&["a_controller_is_made_serves_over_tls_and_stops", "a_handshake_after_the_clock_jumped_past_the_certificates_end_shows_a_good_one"]),
    worker("agentconfigupdater", Adapted, "controller", Built(&[(Controller, "agent-config-updater")]))
        .promises("When controller-api-port is set, then controller.json holds it, so that the next start serves on it before the store is open; agents are told their settings over the API and have no such node.")
        .kept_by(&["agents_move_to_a_port_of_their_own_and_back"]),
    worker("apiaddressupdater", Same, "machine, unit", Built(&[(Host, "api-address-updater")]))
        .kept_by(&["an_agent_learns_the_addresses_of_all_of_its_controllers"]),
    worker("apicaller", Same, "all", Built(&[(Controller, "api-caller"), (Model, "api-caller"), (Host, "api-caller"), (Machine, "api-caller"), (Unit, "api-caller")]))
        .promises("When the controller goes away, then the agent has its connection in error and nothing runs on it; when it is back all start without another process. One whose login is refused for good ends. The password that an agent was given is refused once the agent has used one of its own, wherever it dies on the way.")
        .kept_by(&["the_password_that_was_given_is_refused_after_its_first_use", "a_password_that_was_written_and_not_told_is_told_by_the_next_life", "a_password_that_was_told_and_not_answered_is_told_again", "an_agent_changes_its_password_and_the_old_one_is_refused", "no_process_takes_the_password_that_an_agent_has_replaced", "an_agent_killed_with_a_password_that_it_told_nobody_tells_it_when_it_is_back", "while_the_controller_is_away_the_report_shows_the_connection_in_error_and_nothing_on_it", "an_agent_process_deploys_reports_survives_an_outage_and_follows_removal", "a_refused_login_ends_the_agent_for_good"]),
    worker("apiconfigwatcher", Same, "all", Built(&[(Controller, "api-config-watcher"), (Model, "api-config-watcher"), (Host, "api-config-watcher")]))
        .promises("When none of the addresses is left that an agent began with, then it connects anew; one that is gone among several costs no restart.")
        .kept_by(&["changed_addresses_make_the_connection_new", "an_agent_learns_the_addresses_of_all_of_its_controllers"]),
    worker("apiserver", Same, "controller", Built(&[(Controller, "api-server")]))
        .kept_by(&["until_its_upgrade_is_done_a_controller_can_be_looked_at_and_not_changed"]),
    worker("apiservercertwatcher", Adapted, "controller", Built(&[(Controller, "certificate-watcher")]))
        .kept_by(&["a_controller_is_made_serves_over_tls_and_stops"]),
    worker("applicationscaler", Same, "model", Built(&[(Model, "application-scaler")]))
        .kept_by(&["when_min_units_is_2_and_one_of_two_units_is_removed_a_new_unit_appears"]),
    worker("auditconfigupdater", Same, "controller", Built(&[(Controller, "audit-config-updater")]))
        .kept_by(&["auditing_is_switched_on_and_off_while_the_controller_runs"]),
    worker("authenticationworker", Artefact, "machine", NotNeeded("machines of the local provider have no shell that keys could open")),
    worker("caasadmission", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasapplicationprovisioner", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasbroker", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasenvironupgrader", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasfirewaller", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasfirewallersidecar", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasmodelconfigmanager", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasmodeloperator", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasoperator", Kubernetes, "kubernetes", NotNeeded("the machine agent hosts any number of units, so no operator process is needed"))
        .promises("When one agent hosts three units of an application, then its report shows three unit engines, and the failure of one restarts that one alone.")
        .kept_by(&["a_unit_agent_that_fails_leaves_its_siblings_alone"]),
    worker("caasoperatorprovisioner", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasprober", Kubernetes, "kubernetes", NotBuilt("waits for the Kubernetes provider; the controller answers /health and /ready")),
    worker("caasrbacmapper", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasunitprovisioner", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasunitsmanager", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasunitterminationworker", Kubernetes, "kubernetes", KUBERNETES),
    worker("caasupgrader", Kubernetes, "kubernetes", KUBERNETES),
    worker("centralhub", Adapted, "controller", NotNeeded("watchers of the change stream hear what the hub would carry, also of what other processes commit"))
        .promises("What one process of the controller commits is heard by the watchers of every other; an agent has no change stream, and nothing in it depends on one.")
        .kept_by(&["a_second_controller_on_the_same_database_hears_of_commits", "every_node_of_every_agent_is_in_the_catalogue_and_the_other_way_round"]),
    worker("certupdater", Same, "controller", Built(&[(Controller, "certificate-updater")]))
        .kept_by(&["a_gained_address_passes_verification_and_connections_survive", "a_leaf_is_replaced_after_two_thirds_of_its_life"]),
    worker("changestream", Adapted, "controller", Built(&[(Controller, "change-stream")]))
        .kept_by(&["nothing_is_lost_and_nothing_doubled", "a_dispatcher_that_is_stopped_and_run_again_loses_nothing"]),
    worker("charmdownloader", Same, "model", Built(&[(Model, "charm-downloader")]))
        .promises("When the charm of an application is not compiled for this engine, then it is, and its units wait meanwhile; while that fails, the application shows the error and no unit runs install.")
        .kept_by(&["a_charm_without_compiled_form_gets_one", "a_charm_that_is_being_compiled_is_waited_for_without_an_error", "a_charm_that_cannot_be_compiled_shows_on_its_application", "a_charms_trouble_goes_with_its_cause", "a_charm_that_cannot_be_loaded_never_runs_install"]),
    worker("charmrevision", Same, "model", Built(&[(Model, "charm-revision-updater")]))
        .promises("When the controller's charm repository has a newer revision in an application's channel, then the status of that application shows can-upgrade-to after one interval or a forced refresh; while the repository cannot be read, what was known stays.")
        .kept_by(&["the_status_shows_what_an_application_can_upgrade_to_after_one_interval_or_a_forced_refresh", "newer_revisions_are_shown_from_a_server_when_they_are_asked_for"]),
    worker("cleaner", Same, "model", Built(&[(Model, "state-cleaner")]))
        .kept_by(&["removing_an_application_drains_the_queue_and_a_poisoned_item_stops_nobody", "a_removal_that_nobody_forces_ends_by_its_deadline"]),
    worker("common", Lib, "library", Library(&[], "what marks a credential as not valid when a provider refuses it; the rest of its helpers are the engine's"))
        .promises("When a provider refuses the credential in any call of a worker, then the credential is marked as not valid, and the model's status says so.")
        .kept_by(&["a_refused_credential_suspends_the_model_until_it_is_replaced"]),
    worker("containerbroker", Artefact, "machine", NotBuilt("waits for a provider of containers")),
    worker("controllerport", Same, "controller", Built(&[(Controller, "controller-port")]))
        .promises("When controller-api-port is set, then the process listens on it beside its own port, the HTTP server restarts once, and agents connect there; reset, they come back.")
        .kept_by(&["agents_move_to_a_port_of_their_own_and_back"]),
    worker("credentialvalidator", Same, "model", Built(&[(Model, "valid-credential-flag")]))
        .promises("When the credential is not valid, then environ, provisioner and machine undertaker rest and everything else of the model goes on, at the start of its engine too; when it is replaced they start by themselves.")
        .kept_by(&["a_refused_credential_suspends_the_model_until_it_is_replaced", "an_engine_starts_with_a_credential_that_is_not_valid", "a_suspended_model_goes_on_and_starts_nothing"]),
    worker("dbaccessor", Adapted, "controller", Built(&[(Controller, "db-accessor")]))
        .promises("When the database does not answer three times in a row, then everything that uses the store stops until it is back; all models share one database.")
        .kept_by(&["a_lost_database_restarts_it_and_everything_that_stands_on_it", "a_database_that_never_answers_is_given_up_within_half_a_minute", "not_ready_without_a_store"]),
    worker("deployer", Same, "machine", Built(&[(Machine, "deployer")]))
        .kept_by(&["a_unit_agent_that_fails_leaves_its_siblings_alone", "a_unit_that_a_person_stopped_stays_stopped_until_it_is_started", "a_stopped_unit_has_no_engine_until_it_is_started"]),
    worker("diskmanager", Artefact, "machine", Built(&[(Host, "disk-manager")]))
        .promises("When a loop device is attached, then within 30 s the machine's block devices API lists it once; detach removes it.")
        .kept_by(&["when_a_loop_device_is_attached_it_is_listed_once_within_thirty_seconds_and_gone_after_its_detach"]),
    worker("environ", Same, "model", Built(&[(Model, "environ-tracker")]))
        .promises("When an option changes that users of the provider follow, then the report shows it with the next version, and no user restarts.")
        .kept_by(&["a_changed_option_is_a_new_version_and_restarts_nobody"]),
    worker("environupgrader", Same, "model", Built(&[(Model, "environ-upgrader")]))
        .promises("When a step fails, then the model's status is error with the text and its ordinary workers wait; when the cause is gone they start by themselves. It does not wait for a valid credential.")
        .kept_by(&["a_failing_step_of_the_environment_holds_its_model_up_and_shows", "an_engine_starts_with_a_credential_that_is_not_valid"]),
    worker("externalcontrollerupdater", Same, "controller", NotBuilt("waits for relations between controllers")),
    worker("fanconfigurer", Artefact, "machine", NotNeeded("no overlay network is configured, so machines report at once")),
    worker("filenotifywatcher", Adapted, "controller", NotBuilt("waits for a switch that pauses a change stream, a debugging aid")),
    worker("firewaller", Same, "model", Built(&[(Model, "firewaller")]))
        .promises("When a hook opens a port of an application that is not exposed, then it is not reached from outside; after expose it is, and status shows where it listens, or why it does not; unexpose closes it within a second and cuts what is open. A model in which nothing is exposed and no charm has containers costs the provider nothing.")
        .kept_by(&["an_exposed_port_is_reached_and_no_other", "what_is_exposed_and_not_reached_follows_the_messages", "a_process_is_started_for_the_first_document_and_stopped_with_the_last", "a_page_is_there_once_its_application_is_exposed_and_gone_at_once_when_it_is_not"]),
    worker("fortress", Lib, "library", Library(&[(Unit, "charm-dir")], "part of the engine; a unit keeps its charm directory in one"))
        .kept_by(&["lockdown_keeps_new_guests_out_and_waits_for_those_inside", "unlocking_during_a_lockdown_reopens_and_strands_it_until_the_visits_drain"]),
    worker("gate", Lib, "library", Library(&[(Controller, "upgrade-steps-gate"), (Controller, "upgrade-steps-flag"), (Model, "environ-upgrade-gate"), (Model, "environ-upgraded-flag")], "part of the engine; gates hold back what must wait for an upgrade"))
        .kept_by(&["the_flag_bounces_at_the_unlock_and_is_true_from_then_on", "a_gate_of_its_node_is_locked_again_by_a_restart_and_a_lent_one_is_not"]),
    worker("hostkeyreporter", Artefact, "machine", NotNeeded("machines of the local provider have no ssh host keys")),
    worker("httpserver", Same, "controller", Built(&[(Controller, "http-server")]))
        .kept_by(&["a_running_request_finishes_while_new_connections_are_refused"]),
    worker("httpserverargs", Same, "controller", Built(&[(Controller, "http-server-args")]))
        .kept_by(&["routes_may_be_absent_while_the_port_stays_open"]),
    worker("identityfilewriter", Artefact, "controller", NotNeeded("the controller never opens a shell on a machine, so there is no identity file")),
    worker("instancemutater", Adapted, "model", NotBuilt("waits for capability profiles that change while a unit runs")),
    worker("instancepoller", Same, "model", Built(&[(Model, "instance-poller")]))
        .kept_by(&["a_changed_address_shows_within_the_long_poll_and_at_once_for_a_machine_still_starting", "machines_that_have_settled_are_asked_about_together"]),
    worker("introspection", Same, "controller, machine", Built(&[(Controller, "introspection"), (Host, "introspection"), (Host, "engine")]))
        .kept_by(&["a_look_into_the_controller_and_its_agent"]),
    worker("leadership", Same, "unit", Built(&[(Unit, "leadership-tracker")]))
        .kept_by(&["a_leader_whose_agent_is_dead_is_succeeded_within_a_minute"]),
    worker("lease", Same, "controller", Built(&[(Controller, "lease-manager")]))
        .kept_by(&["two_controllers_that_want_one_singular_lease_see_the_same_holder", "a_hundred_claimers_over_both_processes_never_make_two_holders"]),
    worker("leaseexpiry", Same, "controller", Built(&[(Controller, "lease-expiry")]))
        .kept_by(&["a_lease_that_is_not_renewed_is_gone_within_a_second_and_a_pinned_one_stays"]),
    worker("lifeflag", Lib, "model", Library(&[(Model, "not-dead-flag"), (Model, "not-alive-flag")], "flags computed from the life of an entity"))
        .kept_by(&["a_destroyed_model_goes_and_its_engine_ends_well"]),
    worker("logforwarder", Adapted, "model", Built(&[(Model, "log-forwarder")]))
        .kept_by(&["the_last_hundred_lines_and_all_later_ones_arrive_once", "a_models_log_reaches_rsyslog_over_tls_with_certificates_on_both_sides"]),
    worker("logger", Same, "all", Built(&[(Controller, "logging-config-updater"), (Host, "logging-config-updater")]))
        .kept_by(&["the_next_hook_after_a_change_of_the_levels_writes_debug_lines"]),
    worker("logsender", Same, "machine, unit", Built(&[(Host, "log-sender"), (Host, "workload-logs")]))
        .kept_by(&["an_outage_too_long_for_the_buffer_costs_the_oldest_lines_and_says_how_many", "the_next_agent_goes_on_where_the_last_one_stopped"]),
    worker("machineactions", Adapted, "machine", Built(&[(Machine, "machine-action-runner"), (Machine, "engine")]))
        .promises("When report, df or reboot is asked of machine 0, then its task goes from pending to completed with what it prints, any other command is refused with that list, and after a kill -9 in the middle it is failed on restart, never stuck running. A machine runs no program: these are its agent's own.")
        .kept_by(&["what_a_machine_is_asked_goes_from_pending_to_completed_with_its_output_and_is_never_stuck_running", "a_machine_is_asked_what_its_agent_knows_and_reboots"]),
    worker("machiner", Same, "machine", Built(&[(Machine, "machiner"), (Host, "machines"), (Host, "workloads"), (Host, "traffic"), (Host, "traces")]))
        .kept_by(&["an_agent_process_deploys_reports_survives_an_outage_and_follows_removal", "one_process_hosts_all_instances_and_ends_with_the_last"]),
    worker("machineundertaker", Same, "model", Built(&[(Model, "machine-undertaker")]))
        .kept_by(&["a_dead_machine_leaves_nothing_behind"]),
    worker("meterstatus", Adapted, "unit", Built(&[(Host, "meter-status")]))
        .promises("When the API is cut for 5 minutes, then hook meter-status-changed runs with code AMBER and at 15 minutes RED; on reconnect it runs again with the server's value, which is what the unit used of its model's quotas. It runs once in an agent process for all of its units.")
        .kept_by(&["when_the_api_is_cut_meter_status_changed_runs_with_amber_and_red_and_on_reconnect_with_the_servers_value", "a_charm_hears_each_status_once_and_its_other_hooks_have_it_in_their_variables", "more_requests_than_the_quota_are_red_at_once_and_green_by_themselves_later", "a_unit_above_its_quota_of_requests_is_told_red_and_green_again_after_the_minute"]),
    worker("metrics", Adapted, "unit", Built(&[(Host, "metrics")]))
        .kept_by(&["a_value_of_a_declared_metric_arrives_after_one_cycle_and_none_is_collected_during_an_upgrade", "a_batch_that_was_sent_twice_is_kept_once_and_the_newest_is_shown", "what_a_charm_measures_shows_to_scrapers_and_to_people"]),
    worker("metricworker", Artefact, "model", Built(&[(Model, "metric-worker")]))
        .promises("When metrics are older than metrics-max-age, then they vanish after the clean-up tick; there is nothing to send to, since whoever collects reads /metrics.")
        .kept_by(&["metrics_older_than_the_retention_vanish_after_the_clean_up_tick"]),
    worker("migrationflag", Lib, "all", MIGRATION),
    worker("migrationmaster", Same, "model", MIGRATION),
    worker("migrationminion", Same, "machine, unit", MIGRATION),
    worker("minunitsworker", Artefact, "model", NotNeeded("superseded: applicationscaler, as in Juju, where no engine has it any more"))
        .promises("When the catalogue is listed, then minunitsworker is superseded by applicationscaler, which makes the minimum good.")
        .kept_by(&["all_109_workers_are_in_the_report_with_their_state", "when_min_units_is_2_and_one_of_two_units_is_removed_a_new_unit_appears"]),
    worker("mocks", Lib, "library", Library(&[], "test only: scripted workers of the engine"))
        .kept_by(&["a_node_the_engine_stopped_comes_back_however_it_ends"]),
    worker("modelcache", Adapted, "controller", Built(&[(Controller, "model-cache")]))
        .kept_by(&["the_gate_opens_with_the_first_full_picture_and_ghosts_are_swept"]),
    worker("modelworkermanager", Same, "controller", Built(&[(Controller, "model-worker-manager")]))
        .kept_by(&["a_new_model_has_an_engine_and_a_panic_in_one_disturbs_no_other"]),
    worker("multiwatcher", Adapted, "controller", Built(&[(Controller, "multiwatcher")]))
        .kept_by(&["a_stream_is_a_snapshot_and_then_each_change", "whoever_comes_back_misses_nothing_and_hears_nothing_twice"]),
    worker("muxhttpserver", Lib, "library", NotBuilt("waits for the Kubernetes provider, whose operators show their pages and probes with it; the controller shows all of its own beside the API")),
    worker("peergrouper", Adapted, "controller", Built(&[(Controller, "api-server")]))
        .promises("When a process joins on PostgreSQL, then it is listed and agents get its address; killed, it is listed as lost half a minute after its last sign of life, and agents are no longer sent there. With SQLite joining is refused. Nobody votes: who acts for what is a lease.")
        .kept_by(&["a_process_that_is_gone_for_good_is_removed", "each_process_says_what_runs_in_it_and_in_the_agents_connected_to_it", "a_controller_with_its_data_in_a_file_is_not_joined", "a_killed_process_leaves_its_models_to_the_other_and_units_go_on"]),
    worker("presence", Adapted, "controller", Built(&[(Controller, "presence")]))
        .kept_by(&["a_killed_agent_is_down_until_it_is_back", "an_agent_that_hangs_is_down_within_the_ping_timeout", "an_agent_connected_to_another_process_of_the_controller_is_present"]),
    worker("provisioner", Same, "model", Built(&[(Model, "compute-provisioner")]))
        .kept_by(&["a_provider_that_fails_twice_is_tried_again", "a_machine_that_was_given_up_is_tried_again_when_a_person_says_so"]),
    worker("proxyupdater", Adapted, "machine", Built(&[(Host, "proxy-config-updater")]))
        .promises("When juju-http-proxy is set, then the next hook sees JUJU_CHARM_HTTP_PROXY with the controller's hosts in JUJU_CHARM_NO_PROXY. Agents reach the controller alone, and that directly. Files for apt, snap and LXD are for Ubuntu's machines and have no place here.")
        .kept_by(&["the_next_hook_sees_the_models_proxies_with_the_api_hosts_in_no_proxy", "a_hook_sees_the_proxies_of_its_model"]),
    worker("pruner", Lib, "library", Library(&[(Model, "status-history-pruner")], "the loop of workers that drop old rows"))
        .kept_by(&["the_tick_prunes_with_the_configuration_of_that_moment"]),
    worker("pubsub", Adapted, "controller", NotNeeded("processes of a controller tell each other nothing but what is in the database that they share: its change log, and who is connected where"))
        .promises("What one process changes is heard once by the watchers of the others, and nothing of it is lost while they run. One that was down reads what there is when it starts; nothing is queued for it.")
        .kept_by(&["a_process_hears_once_of_what_another_commits_and_of_nothing_from_before_it_started", "a_dispatcher_that_is_stopped_and_run_again_loses_nothing"]),
    worker("querylogger", Adapted, "controller", Built(&[(Controller, "query-logger")]))
        .kept_by(&["a_slow_statement_is_one_line_of_the_log"]),
    worker("reboot", Same, "machine", Built(&[(Machine, "reboot-executor")]))
        .promises("When a charm calls juju-reboot and its hook is committed, then the agent reports rebooting, the machine's engine restarts with all of its units, and exactly one start hook runs on each that had started. A machine of the local provider has no operating system: its engine is what reboots.")
        .kept_by(&["when_a_charm_asks_for_a_reboot_the_agent_reports_it_the_machine_restarts_and_exactly_one_start_runs", "an_agent_that_does_not_hear_that_its_reboot_is_counted_reboots_once_all_the_same", "a_charm_reboots_its_machine_after_a_hook_and_at_once"]),
    worker("remoterelations", Same, "model", NotBuilt("waits for relations between models")),
    worker("retrystrategy", Same, "unit", Built(&[(Unit, "hook-retry-strategy"), (Host, "model-settings")]))
        .kept_by(&["the_first_failure_of_each_hook_waits_the_shortest_time", "a_failing_hook_is_retried_and_leaves_nothing_behind", "a_failed_hook_is_left_alone_where_hooks_are_not_retried"]),
    worker("s3caller", Adapted, "unit", NotNeeded("charms come over the API connection by their digest; there is no separate object store"))
        .promises("When an agent fetches a charm by its digest, then a blob that does not have that digest is refused.")
        .kept_by(&["a_charm_that_is_not_what_it_should_be_waits_for_another_one"]),
    worker("secretbackendrotate", Same, "controller", Built(&[(Controller, "secret-backend-rotate")]))
        .kept_by(&["a_token_is_replaced_in_its_back_end_and_reads_still_work", "tokens_are_due_in_their_time_and_one_that_fails_waits_five_minutes_alone"]),
    worker("secretdrainworker", Adapted, "model", Built(&[(Model, "secret-drain-worker")]))
        .promises("When the model's back end switches from internal to another, then every revision's back end is the new one and it was read at each moment. It runs once for the model, which also moves what people made.")
        .kept_by(&["when_the_back_end_switches_every_revision_is_in_the_new_one_and_was_read_at_each_moment"]),
    worker("secretexpire", Lib, "unit", Library(&[(Unit, "uniter")], "a timer of the uniter's remote state"))
        .kept_by(&["when_a_revision_expires_secret_expired_runs_with_id_and_revision_and_again_after_five_minutes_if_it_is_kept"]),
    worker("secretrotate", Lib, "unit", Library(&[(Unit, "uniter")], "a timer of the uniter's remote state"))
        .kept_by(&["when_the_policy_is_hourly_and_the_clock_passes_one_secret_rotate_runs_and_the_next_follows_a_new_value"]),
    worker("simplesignalhandler", Same, "controller, machine", Built(&[(Controller, "termination-signal-handler"), (Host, "termination-signal-handler")]))
        .promises("When a process is asked to stop by a signal, then it ends in good order and with status 0; a unit is no process here and has no status of its own.")
        .kept_by(&["a_controller_asked_to_stop_by_a_signal_ends_with_status_0", "an_agent_ended_by_sigabrt_stays_down_until_a_person_says_so", "a_hook_that_ends_in_time_is_committed_by_a_stopping_agent"]),
    worker("singular", Lib, "controller, model", Library(&[(Controller, "is-primary-controller-flag"), (Model, "is-responsible-flag")], "the lease that lets one controller act"))
        .kept_by(&["one_controller_acts_for_a_model"]),
    worker("state", Artefact, "controller", NotNeeded("there is no MongoDB; db-accessor lends the store")),
    worker("stateconfigwatcher", Artefact, "controller", NotNeeded("a process is started as a controller or as an agent and stays that")),
    worker("stateconverter", Adapted, "machine", NotNeeded("a process is made as a controller by `periapt controller join`, never converted"))
        .promises("A machine's agent never becomes a controller: `periapt controller join` makes another process, which serves the API and acts for models when the first is killed, and the agents stay the processes that they were.")
        .kept_by(&["a_killed_process_leaves_its_models_to_the_other_and_units_go_on"]),
    worker("statushistorypruner", Same, "model", Built(&[(Model, "status-history-pruner")]))
        .kept_by(&["history_is_pruned_by_age_and_by_size_and_current_statuses_stay", "the_tick_prunes_with_the_configuration_of_that_moment"]),
    worker("storageprovisioner", Same, "model, machine", Built(&[(Model, "storage-provisioner")]))
        .kept_by(&["when_a_charm_with_storage_is_deployed_then_status_shows_it_attached", "a_directory_that_cannot_be_made_says_why_and_is_tried_again_ever_more_seldom", "what_goes_is_destroyed_or_given_up_and_what_was_given_up_comes_back"]),
    worker("syslogger", Adapted, "controller", Built(&[(Controller, "syslog")]))
        .kept_by(&["a_model_that_logs_to_syslog_is_heard_by_the_local_daemon"]),
    worker("terminationworker", Same, "machine", Built(&[(Host, "termination-worker")]))
        .kept_by(&["an_agent_ended_by_sigabrt_stays_down_until_a_person_says_so", "a_refused_login_ends_the_agent_for_good"]),
    worker("toolsversionchecker", Adapted, "controller", NotBuilt("waits for a feed of releases")),
    worker("undertaker", Same, "model", Built(&[(Model, "undertaker")]))
        .kept_by(&["a_destroyed_model_goes_and_its_engine_ends_well", "the_controllers_own_model_keeps_its_environment"]),
    worker("unitassigner", Same, "model", Built(&[(Model, "unit-assigner")]))
        .kept_by(&["a_unit_whose_machine_is_gone_shows_why_and_the_others_are_assigned"]),
    worker("uniter", Same, "unit", Built(&[(Unit, "uniter")]))
        .kept_by(&["hooks_run_in_jujus_order_from_install_to_remove", "a_failing_hook_is_shown_retried_and_can_be_skipped", "a_failing_hook_is_retried_and_leaves_nothing_behind"]),
    worker("upgradedatabase", Artefact, "controller", NotNeeded("the store migrates its schema when db-accessor opens it"))
        .promises("When two processes start on a new schema at once, then one migrates it and the other waits; both serve at the newest version.")
        .kept_by(&["of_two_programs_that_start_at_once_one_migrates"]),
    worker("upgrader", Adapted, "machine, unit", NotBuilt("waits for agent binaries served by the controller; until then agents run the controller's own")),
    worker("upgradeseries", Artefact, "machine", NotNeeded("a machine of the local provider has no operating system of its own to upgrade")),
    worker("upgradesteps", Adapted, "controller", Built(&[(Controller, "upgrade-steps-runner")]))
        .kept_by(&["a_failing_upgrade_step_keeps_the_gate_closed_and_is_shown_until_it_passes"]),
];

/// Those that Juju has not.
#[rustfmt::skip]
pub static OWN: &[Worker] = &[
    worker("alerts", Own, "controller", Built(&[(Controller, "alerts")]))
        .promises("Juju has no such worker. When what an alert rule watches for begins, and when it has ended, then each receiver of the rule is told once, whichever process of the controller is killed meanwhile; while there is no rule nothing is looked at.")
        .kept_by(&["without_a_rule_nothing_is_watched_but_rules_and_no_timer_runs", "with_a_rule_facts_are_watched_and_evaluated_once_a_second_at_most", "the_next_time_is_waited_for_and_the_disk_is_looked_at_each_minute", "messages_are_sent_when_they_are_due", "a_receiver_that_hangs_delays_no_other_and_is_asked_no_second_time_meanwhile", "an_alert_is_told_once_when_it_fires_and_once_when_it_resolves_through_restarts", "a_webhook_and_a_mail_server_are_told_of_a_unit_in_error_and_of_its_end"]),
];
