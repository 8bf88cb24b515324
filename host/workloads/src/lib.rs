//! The processes that keep the workloads of all models on a machine.
//!
//! * [`run`] is the supervisor, one for each directory of agents. It holds the listeners, follows what the
//!   agents write down of their units (`model::workload::desired`) and what the provider says of who
//!   reaches whom (`model::reach::published`), drives the lives of services and checks, and starts the two
//!   others. It runs no guest and reads no stranger's bytes.
//! * [`gate`] is its child that reads strangers' bytes: it accepts on the listeners that it was handed,
//!   finds out for whom a request is, whether it may come there, and passes it on. It has no files, makes no
//!   socket and connects to nothing.
//! * [`serve`] is its child for one model, which runs that model's guests ([`periapt_serving`]). It reads the
//!   compiled code and the units' files of its model, and makes no socket either. It begins with the first
//!   request and ends when there was none for a while, so at rest there is no process for a model.
//!
//! Between gate and serve are pairs of connected sockets that the supervisor makes and hands to both; so
//! neither has a place in the file system, or a port, that anybody else could connect to. The supervisor
//! speaks with each child over such a pair too ([`channel`]), which is the child's standard input; what is said is in
//! [`frames`]. A child whose supervisor is gone ends.
//!
//! [`InProcess`] has the same parts in the process of its caller, without the processes, sockets and walls
//! around them: for scenarios of charm authors, which run on a clock of their own.
//!
//! Nothing here decides anything about models: what follows from an event is asked of `model::workload`, and who
//! reaches whom of `model::reach`.

mod channel;
mod child;
mod failure;
mod frames;
mod gate;
#[cfg(test)]
#[path = "../../serving/src/tests/guest.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod guest;
mod in_process;
mod serve;
mod settings;
mod supervisor;

pub use failure::{Failure, end};
pub use gate::gate;
pub use in_process::{InProcess, NotReached, Reached};
pub use serve::serve;
pub use settings::Settings;
pub use supervisor::run;
