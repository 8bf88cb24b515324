//! The methods about files of units.

use periapt_model::UnitName;
use periapt_wire::rest::{FileListing, ListFiles, ReadFile, paths};
use reqwest::Method;

use super::shapes::each_part;
use super::units::parts;
use super::{RestClient, RestError, UPLOAD};

impl RestClient {
    /// A directory of what a unit's charm keeps in `/state`.
    pub async fn unit_files(
        &self,
        model: &str,
        unit: &UnitName,
        path: &str,
    ) -> Result<FileListing, RestError> {
        let (application, number) = parts(unit);
        let wanted = ListFiles {
            path: path.to_owned(),
        };
        let route = paths::UNIT_FILES_LIST.at([model, &application, &number]);
        self.post(&route, &wanted).await
    }

    /// Hands the bytes of a file of a unit to `take`, in order.
    ///
    /// # Errors
    /// What the controller says; what `take` says, and an answer that ends early, as `Interrupted`.
    pub async fn read_unit_file(
        &self,
        model: &str,
        unit: &UnitName,
        path: &str,
        take: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<(), RestError> {
        let (application, number) = parts(unit);
        let wanted = ReadFile {
            path: path.to_owned(),
        };
        let route = paths::UNIT_FILES_READ.at([model, &application, &number]);
        let answer = self.send(Method::POST, &route, |request| {
            request.timeout(UPLOAD).json(&wanted)
        });
        each_part(answer.await?, take).await
    }
}
