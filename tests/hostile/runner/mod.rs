//! The corpus: attacks as data, one readable file each below `corpus/`, and a test of each by its name.
//!
//! A file begins with the promise that it attacks, what it does, and how that ends: always in a plain error, or an
//! answer that keeps the promise. The attacks of one folder are made side by side in one controller, which keeps
//! them cheap in time, and while they go on a neighbour in the same model is measured by what it gets done itself.
//! An attack has failed the promise if it ends in another way or if the neighbour was held up meanwhile.
//!
//! Nothing is known here of the attacks themselves: whoever adds one writes a file and its name in the list below.

mod asking;
mod attack;
#[path = "../../../host/serving/src/tests/guest.rs"]
#[allow(clippy::unwrap_used, clippy::panic, dead_code)]
mod handler;
mod neighbour;
mod serving;
mod units;
mod uploading;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail, ensure};

use attack::{Attack, How};

/// How each attack of a folder ended, by its name: as its file says, or otherwise and how.
type Verdicts = BTreeMap<&'static str, Result<(), String>>;

/// The files of one folder.
struct Folder {
    name: &'static str,
    ending: &'static str,
    /// Names and texts.
    files: &'static [(&'static str, &'static str)],
    run: fn(&[Attack]) -> Result<Verdicts>,
    verdicts: OnceLock<Result<Verdicts, String>>,
}

impl Folder {
    /// Of one file. The first that is asked for has all attacks of the folder made.
    fn verdict(&self, name: &str) -> Result<()> {
        let verdicts = self.verdicts.get_or_init(|| {
            // A panic would have the next test make them all again.
            let made = catch_unwind(AssertUnwindSafe(|| (self.run)(&self.attacks()?)));
            made.unwrap_or_else(|panic| Err(anyhow!("{}", in_words(panic.as_ref()))))
                .map_err(|error| format!("{error:#}"))
        });
        let file = format!("corpus/{}/{name}.{}", self.name, self.ending);
        match verdicts.as_ref().map(|verdicts| verdicts.get(name)) {
            Ok(Some(Ok(()))) => Ok(()),
            Ok(Some(Err(otherwise))) => bail!("{file}: {otherwise}"),
            Ok(None) => bail!("{file} was not tried"),
            Err(error) => bail!("{file}, and all beside it: {error}"),
        }
    }

    fn attacks(&self) -> Result<Vec<Attack>> {
        let files = self.files.iter();
        files.map(|(name, text)| Attack::read(name, text)).collect()
    }
}

fn in_words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without words")
}

/// A test for each file. A name without a file does not compile, and a file without a name fails
/// `every_file_of_the_corpus_is_a_test`.
macro_rules! corpus {
    ($($folder:ident, $ending:literal, $run:path => $($name:ident)*;)*) => {
        $(mod $folder {
            use std::sync::OnceLock;

            use super::Folder;

            pub(super) static FOLDER: Folder = Folder {
                name: stringify!($folder),
                ending: $ending,
                files: &[$((
                    stringify!($name),
                    include_str!(concat!("../corpus/", stringify!($folder), "/", stringify!($name), ".", $ending)),
                ),)*],
                run: $run,
                verdicts: OnceLock::new(),
            };

            $(#[test]
            fn $name() -> anyhow::Result<()> {
                FOLDER.verdict(stringify!($name))
            })*
        })*

        static FOLDERS: &[&Folder] = &[$(&$folder::FOLDER),*];
    };
}

corpus! {
    hooks, "wat", crate::runner::units::guests =>
        answer_of_no_case
        answer_outside_of_memory
        answer_that_is_crooked
        answer_with_escapes
        answer_without_an_end
        blocks_within_blocks
        calls_after_the_answer
        calls_for_random_bytes
        calls_in_hooks
        calls_to_is_leader
        calls_to_look_at_a_file
        calls_to_state
        calls_to_the_clock
        component_of_nothing
        credential_without_trust
        directory_given_removed
        directory_removed_while_in_use
        enum_that_is_none
        file_above_its_directory
        file_by_an_absolute_path
        file_created_in_the_charm
        file_cut_in_the_charm
        file_moved_between_directories
        file_of_its_process
        file_that_fills_tmp
        file_through_a_link_out
        file_through_links_in_a_circle
        file_with_a_hole
        file_with_a_name_too_long
        file_with_a_nul_in_its_name
        file_with_a_second_name
        file_with_escapes_in_its_name
        file_with_times_of_its_own
        files_by_the_thousand
        files_held_open_without_end
        functions_by_the_hundred_thousand
        handle_after_it_was_dropped
        handle_dropped_twice
        handle_forged
        handle_of_another_kind
        handles_without_end
        hook_with_a_hostile_name
        hooks_too_many
        import_of_something_unknown
        instances_too_many
        jump_table_without_end
        layer_of_no_container
        list_of_four_billion
        locals_too_many
        memories_too_many
        memory_all_at_once
        memory_by_answers_of_the_host
        memory_huge_at_its_start
        memory_in_the_start_function
        memory_of_the_second_memory
        memory_page_by_page
        memory_shared_between_two
        metric_outside_of_its_hook
        module_instead_of_a_component
        output_in_one_line
        output_of_nothing
        panic_with_escapes
        payload_that_is_not_declared
        poll_of_a_million
        poll_of_nothing
        port_beyond_the_last
        port_zero
        ports_backwards
        ports_over_one_another
        relation_of_somebody_else
        resource_by_a_path
        result_of_no_action
        secret_of_somebody_else
        secret_too_large
        secret_with_a_hostile_key
        setting_key_too_long
        setting_value_too_long
        setting_with_an_equals_sign
        settings_too_large
        stack_by_large_frames
        stack_by_recursion
        state_key_too_long
        state_too_large
        state_value_too_long
        state_with_too_many_keys
        status_of_the_agent
        status_with_escapes
        storage_that_is_not_declared
        table_huge_at_its_start
        table_without_end
        tables_too_many
        text_outside_of_memory
        text_that_is_no_text
        time_after_the_answer
        time_asleep
        time_in_a_loop
        time_in_hooks
        time_in_naps
        time_with_changes_behind_it;
    scripts, "script", crate::runner::units::scripts =>
        aborts_in_the_middle
        allocates_without_end
        calls_the_host_a_million_times
        fills_its_state
        fills_its_state_directory
        leaves_the_first_half_of_its_work
        looks_for_a_way_out
        loops_without_end
        opens_ports_that_meet
        reaches_for_the_host
        writes_lines_without_end
        writes_to_files_of_its_charm;
    archives, "recipe", crate::runner::uploading::run =>
        actions_within_themselves
        bomb_of_one_file
        capabilities_that_nobody_grants
        component_cut_in_half
        component_that_is_a_script
        directories_shared_too_many
        entries_too_many
        entry_above_the_archive
        entry_of_another_system
        entry_that_is_a_link
        entry_that_is_file_and_folder
        entry_that_reads_backwards
        entry_twice
        entry_with_a_line_end
        entry_with_a_name_too_long
        entry_with_an_absolute_path
        metadata_of_aliases
        metadata_of_two_megabytes
        metadata_with_a_binary_in_it
        metadata_with_a_hostile_name
        metadata_with_a_key_twice
        metadata_within_itself
        metrics_too_many
        page_before_the_archive
        shared_directory_that_leads_upwards;
    requests, "http", crate::runner::asking::run =>
        annotations_too_many
        body_as_a_form
        body_of_countless_values
        body_of_objects_within_objects
        body_that_is_no_text
        body_that_says_it_is_endless
        body_too_large
        body_with_a_huge_number
        body_with_a_key_twice
        body_within_itself
        chunk_of_sixteen_exabytes
        chunks_and_a_length
        chunks_without_end
        head_too_large
        heads_too_many
        login_that_does_not_come
        login_too_long
        member_that_is_not_described
        name_with_escapes
        path_that_leads_upwards;
    web, "wat", crate::runner::serving::run =>
        answers_twice
        asks_a_neighbour
        asks_the_cloud
        asks_this_host
        calls_itself_for_ever
        header_of_the_connection
        header_too_large
        header_with_a_second_answer
        header_with_a_second_header
        headers_too_many
        length_that_is_no_number
        length_that_is_too_long
        length_that_is_too_short
        loops_for_ever
        makes_handles_without_end
        returns_without_an_answer
        sleeps_for_ever
        status_that_switches
        streams_for_ever
        takes_all_memory
        traps_at_once
        traps_in_the_middle;
}

#[test]
fn every_file_of_the_corpus_is_a_test() -> Result<()> {
    let corpus = periapt_tests::root().join("tests/hostile/corpus");
    for folder in FOLDERS {
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir(corpus.join(folder.name))? {
            let name = entry?.file_name().into_string();
            found.insert(name.map_err(|name| anyhow!("{name:?} is no name"))?);
        }
        let names = folder.files.iter();
        let listed: BTreeSet<String> = names
            .map(|(name, _)| format!("{name}.{}", folder.ending))
            .collect();
        let odd: Vec<&String> = found.symmetric_difference(&listed).collect();
        ensure!(odd.is_empty(), "only a file or only a name: {odd:?}");
    }
    Ok(())
}

#[test]
fn there_are_more_than_eighty_attacks_and_each_says_which_promise_it_is_against() -> Result<()> {
    let mut count = 0;
    for folder in FOLDERS {
        for attack in folder.attacks()? {
            let of_promise = ["SPECIFICATION", "SECURITY", "bounds"];
            let Attack { name, promise, .. } = &attack;
            ensure!(
                of_promise.iter().any(|page| promise.contains(page)),
                "{name} names no page with its promise: {promise}"
            );
            ensure!(!attack.deed.is_empty(), "{name} does not say what it does");
            let ends: &[How] = match folder.name {
                "hooks" => &[How::Fails, How::Refused, How::Shows],
                "scripts" => &[How::Fails, How::Shows],
                "archives" => &[How::Refused],
                "requests" => &[How::Answered],
                _ => &[How::Answered, How::Refused],
            };
            ensure!(ends.contains(&attack.how), "{name} does not end like that");
            count += 1;
        }
    }
    ensure!(count >= 80, "{count} attacks");
    Ok(())
}

/// A file that is no component is found here at once, and not among those of its folder.
#[test]
fn every_guest_of_the_corpus_is_a_component() -> Result<()> {
    for attack in hooks::FOLDER.attacks()? {
        units::component(&attack.text).with_context(|| attack.name)?;
    }
    for attack in web::FOLDER.attacks()? {
        serving::component(&attack.text);
    }
    Ok(())
}
