//! Files that charms keep in `/state`, read from the agents that have them.
//!
//! Both routes are POST and recorded as changes are, since charms keep credentials there. What is shown
//! is the generation that the last committed hook named. A file is handed on part by part, so it is never
//! whole in memory. Whichever process of the controller is asked has the answer: where the agent is connected to
//! another, that one is asked ([`crate::processes`]), and the look is recorded once, where the person asked.

use axum::Json;
use axum::body::{Body as HttpBody, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::stream::{self, StreamExt};
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Refusal, UnitName};
use periapt_store::StoreError;
use periapt_wire::agent::host::{FileAnswer, FileQuestion, FoundFile, WantedFiles};
use periapt_wire::rest::{FileEntry, FileListing, ListFiles, ReadFile, paths};
use utoipa_axum::routes;

use super::extract::{Body, InUnit};
use super::problem::Answer;
use super::route::{ADMIN, Row, row};
use crate::processes::{Question, Reply, Wanted};
use crate::questions::Silence;
use crate::state::ServerState;

/// Where charms see their files.
const STATE: &str = "/state";
const ENTRIES: usize = 1_000;
/// Bytes that an agent is asked for at a time.
const PART: usize = 512 << 10;
/// A hook may commit between looking up the generation and reading it.
const ATTEMPTS: usize = 3;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(ADMIN, routes!(list)).never_blocked(),
        row(ADMIN, routes!(read)).never_blocked(),
    ]
}

/// Lists a directory of a unit.
///
/// Who asked for what, and when, is on record as a change is.
#[utoipa::path(post, path = paths::UNIT_FILES_LIST.text, operation_id = "listUnitFiles", request_body = ListFiles, responses((status = 200, body = FileListing)))]
async fn list(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Body(request): Body<ListFiles>,
) -> Result<Json<FileListing>, Answer> {
    let tree = Tree::find(&state, model, unit, &request.path)?;
    Ok(Json(match tree.elsewhere(Wanted::Listing).await? {
        Some(reply) => reply.json().await?,
        None => tree.listing().await?,
    }))
}

/// Reads a file of a unit.
///
/// Who asked for what, and when, is on record as a change is.
#[utoipa::path(post, path = paths::UNIT_FILES_READ.text, operation_id = "readUnitFile", request_body = ReadFile, responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
async fn read(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Body(request): Body<ReadFile>,
) -> Result<Response, Answer> {
    let tree = Tree::find(&state, model, unit, &request.path)?;
    match tree.elsewhere(Wanted::Content).await? {
        Some(reply) => handed_on(reply),
        None => tree.content().await,
    }
}

/// What another process of the controller is told of the files of a unit whose agent is connected here.
pub(crate) async fn answer(state: &ServerState, question: Question) -> Result<Response, Answer> {
    let Question {
        model,
        unit,
        path,
        wanted,
    } = question;
    let tree = Tree::find(state, model, unit, &path)?;
    match wanted {
        Wanted::Listing => Ok(Json(tree.listing().await?).into_response()),
        Wanted::Content => tree.content().await,
    }
}

/// A file that another process reads.
fn handed_on(reply: Reply) -> Result<Response, Answer> {
    let total = reply.bytes()?;
    let parts = stream::try_unfold(reply, |mut reply| async move {
        let part = reply.part().await.map_err(broken_off)?;
        Ok::<_, std::io::Error>(part.map(|part| (part, reply)))
    });
    Ok(file(total, HttpBody::from_stream(parts)))
}

fn file(total: u64, body: HttpBody) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, total.to_string()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        // What a charm wrote is shown as it is and never run.
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    (headers, body).into_response()
}

/// Why a file ends early.
fn broken_off(answer: Answer) -> std::io::Error {
    std::io::Error::other(answer.0.title)
}

/// A path in a unit's files.
struct Tree {
    state: ServerState,
    model: ModelUuid,
    unit: UnitName,
    /// Below `/state`, without a slash at either end.
    path: String,
}

impl Tree {
    fn find(
        state: &ServerState,
        model: ModelUuid,
        unit: UnitName,
        path: &str,
    ) -> Result<Self, Answer> {
        let path = below_state(path).ok_or_else(|| {
            let message = format!("{path:?} is no path below {STATE}");
            refused(Refusal::FilePathInvalid, message)
        })?;
        Ok(Self {
            state: state.clone(),
            model,
            unit,
            path,
        })
    }

    fn shown(&self) -> String {
        match self.path.as_str() {
            "" => STATE.to_owned(),
            path => format!("{STATE}/{path}"),
        }
    }

    /// What the process says to which the agent of the unit is connected, where that is another than this.
    async fn elsewhere(&self, wanted: Wanted) -> Result<Option<Reply>, Answer> {
        let store = self.state.store();
        let agent = store.unit_agent(&self.model, &self.unit).await?.flatten();
        let Some(agent) = agent else {
            return Ok(None);
        };
        let host = (self.model.clone(), agent);
        if self.state.presence().here(&host).is_some() {
            return Ok(None);
        }
        let own = self.state.controller().node;
        let nodes = store.nodes_of_agent(own, &host.0, &host.1).await?;
        if nodes.is_empty() {
            return Ok(None);
        }
        let question = Question {
            model: self.model.clone(),
            unit: self.unit.clone(),
            path: self.shown(),
            wanted,
        };
        let processes = self.state.processes();
        processes.ask(&self.state, nodes, &question).await.map(Some)
    }

    /// The entries of a directory, of an agent that is connected here.
    async fn listing(&self) -> Result<FileListing, Answer> {
        let wanted = WantedFiles::Entries { most: ENTRIES };
        let (_, answer) = self.ask_anew(wanted).await?;
        let FileAnswer::Entries { entries, all } = answer else {
            return Err(self.unexpected(&answer));
        };
        Ok(FileListing {
            unit: self.unit.clone(),
            path: self.shown(),
            entries: entries.into_iter().map(entry).collect(),
            count: all,
        })
    }

    /// A file, of an agent that is connected here.
    async fn content(self) -> Result<Response, Answer> {
        let wanted = WantedFiles::Part {
            offset: 0,
            most: PART,
        };
        let (generation, first) = self.ask_anew(wanted).await?;
        let (first, total) = self.part(first)?;
        let offset = first.len() as u64;
        let rest = stream::try_unfold((self, offset), move |(tree, offset)| async move {
            if offset >= total {
                return Ok::<_, std::io::Error>(None);
            }
            let wanted = WantedFiles::Part { offset, most: PART };
            let answer = tree.ask(generation, wanted).await;
            let part = answer.and_then(|answer| tree.part(answer));
            let (part, _) = part.map_err(broken_off)?;
            if part.is_empty() {
                return Err(std::io::Error::other("the file became shorter"));
            }
            let offset = offset + part.len() as u64;
            Ok(Some((part, (tree, offset))))
        });
        let body = HttpBody::from_stream(stream::once(async { Ok(first) }).chain(rest));
        Ok(file(total, body))
    }

    /// Asks about the generation that counts now, and says which that was.
    async fn ask_anew(&self, wanted: WantedFiles) -> Result<(u64, FileAnswer), Answer> {
        for _ in 0..ATTEMPTS {
            let kept = self.state.store().get_state(&self.model, &self.unit);
            let generation = match kept.await?.operation {
                Some(operation) => operation.state_generation,
                // It has not run its first hook.
                None if self.path.is_empty() => return Ok((0, nothing())),
                None => return Err(self.not_found()),
            };
            match self.ask(generation, wanted).await? {
                FileAnswer::Outdated => {}
                answer => return Ok((generation, answer)),
            }
        }
        let message = format!("the files of {} change all the time", self.unit);
        Err(refused(Refusal::TryAgain, message))
    }

    async fn ask(&self, generation: u64, wanted: WantedFiles) -> Result<FileAnswer, Answer> {
        let store = self.state.store();
        let host = store.unit_agent(&self.model, &self.unit).await?.flatten();
        let asked = async {
            // One without a machine has no agent that could be connected.
            let host = (self.model.clone(), host.ok_or(Silence::NotConnected)?);
            let question = FileQuestion {
                unit: self.unit.clone(),
                generation,
                path: self.path.clone(),
                wanted,
            };
            self.state.questions().files(&host, question).await
        };
        asked.await.map_err(|silence| {
            let message = match silence {
                Silence::NotConnected => {
                    format!("the agent of {} is not connected", self.unit)
                }
                Silence::Late => format!("the agent of {} did not answer in time", self.unit),
                Silence::Crowded => {
                    return refused(
                        Refusal::TryAgain,
                        "too many files of the agent's units are read at once".to_owned(),
                    );
                }
            };
            refused(Refusal::AgentSilent, message)
        })
    }

    fn part(&self, answer: FileAnswer) -> Result<(Bytes, u64), Answer> {
        let FileAnswer::Part { content, total } = answer else {
            return Err(self.unexpected(&answer));
        };
        match STANDARD.decode(content) {
            Ok(content) => Ok((content.into(), total)),
            Err(error) => Err(refused(Refusal::InternalError, error.to_string())),
        }
    }

    fn not_found(&self) -> Answer {
        refused(
            Refusal::NotFound(Subject::File),
            format!("file \"{}\" of {} not found", self.shown(), self.unit),
        )
    }

    /// Why there is not what was asked for.
    fn unexpected(&self, answer: &FileAnswer) -> Answer {
        let shown = self.shown();
        let message = match answer {
            FileAnswer::NotFound | FileAnswer::Outdated => return self.not_found(),
            FileAnswer::NotADirectory | FileAnswer::Part { .. } => {
                format!("{shown} is no directory")
            }
            FileAnswer::IsADirectory | FileAnswer::Entries { .. } => {
                format!("{shown} is a directory")
            }
            FileAnswer::NotAFile => format!("{shown} is no file; links are not followed"),
            FileAnswer::Failed { reason } => {
                let message = format!("{shown} cannot be read: {reason}");
                return refused(Refusal::InternalError, message);
            }
        };
        refused(Refusal::FileKindMismatch, message)
    }
}

fn nothing() -> FileAnswer {
    FileAnswer::Entries {
        entries: Vec::new(),
        all: 0,
    }
}

fn refused(refusal: Refusal, message: String) -> Answer {
    StoreError::Refused { refusal, message }.into()
}

/// What a path is below `/state`; none for one that leads elsewhere. A path without a slash in front
/// begins there.
fn below_state(path: &str) -> Option<String> {
    let names: Vec<&str> = path
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .collect();
    if names.contains(&"..") || path.contains('\0') {
        return None;
    }
    let below = match path.starts_with('/') {
        false => names.as_slice(),
        true => match names.split_first() {
            Some((&"state", below)) => below,
            _ => return None,
        },
    };
    Some(below.join("/"))
}

fn entry(found: FoundFile) -> FileEntry {
    FileEntry {
        name: found.name,
        kind: found.kind,
        bytes: found.bytes,
        modified_at: periapt_model::time::text_of_seconds(found.modified_at),
    }
}

#[cfg(test)]
mod tests {
    use super::below_state;

    #[test]
    fn paths_are_those_that_charms_see() {
        assert_eq!(below_state("/state").as_deref(), Some(""));
        assert_eq!(below_state("/state/pages//x").as_deref(), Some("pages/x"));
        assert_eq!(below_state("pages/./x").as_deref(), Some("pages/x"));
        assert_eq!(below_state("").as_deref(), Some(""));
        for path in ["/", "/shared/x", "/state/../x", "/stateful", "a\0"] {
            assert_eq!(below_state(path), None, "{path:?}");
        }
    }
}
