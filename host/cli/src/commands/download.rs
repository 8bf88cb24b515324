//! `download`: a charm of the model as a `.charm` file.

use std::io::Write;
use std::path::{Path, PathBuf};

use periapt_model::ApplicationName;
use periapt_model::charm::CharmInfo;

use super::Context;
use crate::arguments::Download;
use crate::failure::{Failure, Outcome};
use crate::output::{self, text};
use crate::session::ModelSession;

pub async fn download(context: &Context, arguments: Download) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let charm = find(&here, &arguments.charm).await?;
    let archive = here.client().charm_archive(&here.model, &charm).await?;
    let file = arguments
        .filepath
        .unwrap_or_else(|| PathBuf::from(format!("{}-{}.charm", charm.name, charm.revision)));
    if file.as_os_str() == "-" {
        return output::to_stdout(|stdout| stdout.write_all(&archive));
    }
    Whole::write(&file, &archive)?.keep()?;
    context.output.say(&format!(
        "Downloaded {} ({}) to {}",
        charm.url,
        text::bytes(archive.len() as u64),
        file.display()
    ));
    Ok(())
}

/// The charm of this URL, or that of an application.
async fn find(here: &ModelSession, wanted: &str) -> Outcome<CharmInfo> {
    let (client, model) = (here.client(), &here.model);
    if wanted.contains(':') {
        return Ok(client.charm(model, wanted).await?);
    }
    let application: ApplicationName = wanted.parse()?;
    let url = client.application(model, &application).await?.charm;
    Ok(client.charm(model, &url).await?)
}

/// A file written beside its place, which it takes when it is kept: whoever looks there finds
/// what was there before or all of the new. Dropped before it leaves nothing.
pub struct Whole {
    written: PathBuf,
    place: PathBuf,
}

impl Whole {
    pub fn write(place: &Path, bytes: &[u8]) -> Outcome<Self> {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let whole = Self {
            written: place.with_file_name(format!(".{name}.{}", std::process::id())),
            place: place.to_owned(),
        };
        std::fs::File::create(&whole.written)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .map_err(|error| Failure::file("cannot write the output", place, &error))?;
        Ok(whole)
    }

    /// Puts the file in its place.
    pub fn keep(self) -> Outcome {
        std::fs::rename(&self.written, &self.place)
            .map_err(|error| Failure::file("cannot write the output", &self.place, &error))
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        // Once it is kept there is nothing at this path.
        let _ = std::fs::remove_file(&self.written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("site.charm");
        let there = || std::fs::read_dir(folder.path()).unwrap().count();
        std::fs::write(&place, "old").unwrap();
        drop(Whole::write(&place, b"new").unwrap());
        assert_eq!(
            (std::fs::read(&place).unwrap(), there()),
            (b"old".to_vec(), 1)
        );
        let whole = Whole::write(&place, b"new").unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), b"old");
        whole.keep().unwrap();
        assert_eq!(
            (std::fs::read(&place).unwrap(), there()),
            (b"new".to_vec(), 1)
        );
        let failure = Whole::write(&folder.path().join("none/site.charm"), b"new");
        assert_eq!(failure.err().unwrap().to_string().lines().count(), 3);
    }
}
