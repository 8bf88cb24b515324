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
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words")
}

/// A test for each file. A name without a file does not compile, and a file without a name fails
/// `every_file_of_the_corpus_is_a_test`.
macro_rules! corpus {
    ($($folder:ident, $ending:literal, $run:path: $($name:ident)*;)*) => {
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
@@LIST@@}

#[test]
fn every_file_of_the_corpus_is_a_test() -> Result<()> {
    let corpus = periapt_tests::root().join("tests/hostile/corpus");
    for folder in FOLDERS {
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir(corpus.join(folder.name))? {
            let name = entry?.file_name().into_string();
            found.insert(name.map_err(|name| anyhow!("{} is no name", name.display()))?);
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
