//! One request in an instance of its own.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::Body;
use hyper::{Request, Response};
use periapt_model::workload::trace::Context as SpanContext;
use periapt_sandbox::clocks::{MonotonicClock, WallClock};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wasmtime::component::ResourceTable;
use wasmtime::{Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::p2::bindings::http::types::{ErrorCode, Scheme};
use wasmtime_wasi_http::p2::body::{HostOutgoingBody, HyperOutgoingBody};
use wasmtime_wasi_http::{Error, WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::egress::Egress;
use crate::excess::Growth;
use crate::files::Sight;
use crate::output::Output;
use crate::report::Computing;
use crate::room::Place;
use crate::service::Inner;
use crate::{Failure, Listener, trace};

/// Random bytes a guest gets with one call.
const RANDOM_BYTES: u64 = 1 << 20;
/// Who has computed for longer goes on where it gives way to others; seen when it lets others on.
const PATIENCE: Duration = Duration::from_millis(2);

/// What belongs to one instance.
pub(crate) struct Guest {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    table: ResourceTable,
    growth: Growth,
    egress: Egress,
    /// For as long as it may read them.
    _files: Sight,
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for Guest {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            ctx: &mut self.http,
            table: &mut self.table,
            hooks: &mut self.egress,
        }
    }
}

/// What the guest says as the head of its answer.
pub(crate) type Head = Result<Response<HyperOutgoingBody>, ErrorCode>;
/// Bytes of memory it had at most, and how it ended.
type Outcome = (u64, Result<(), Failure>);

/// An instance at work. It ends when this is dropped, unless it was let go.
pub(crate) struct Running {
    task: JoinHandle<Outcome>,
    let_go: bool,
}

impl Running {
    /// Begins to answer; the head comes through the channel.
    pub(crate) fn begin<B>(
        service: Arc<Inner>,
        place: Place,
        request: Request<B>,
        head: oneshot::Sender<Head>,
        files: Sight,
        mut computing: Computing,
    ) -> Self
    where
        B: Body<Data = Bytes, Error = Error> + Send + 'static,
    {
        let background = service.engine.background().cloned();
        let mut work = Box::pin(async move {
            // Given back when the store is gone, which has its share of the pool until then.
            let _place = place;
            run(&service, request, head, files).await
        });
        Self::of(tokio::spawn(async move {
            let Some(background) = background else {
                return poll_fn(|context| computing.poll(work.as_mut(), context)).await;
            };
            let quick = poll_fn(|context| match computing.poll(work.as_mut(), context) {
                Poll::Pending if computing.spent() > PATIENCE => Poll::Ready(None),
                polled => polled.map(Some),
            });
            match quick.await {
                Some(outcome) => outcome,
                None => {
                    let rest = poll_fn(move |context| computing.poll(work.as_mut(), context));
                    Self::of(background.spawn(rest)).await
                }
            }
        }))
    }

    fn of(task: JoinHandle<Outcome>) -> Self {
        Self {
            task,
            let_go: false,
        }
    }

    /// It may end by itself, which it does within its deadline.
    pub(crate) fn let_go(&mut self) {
        self.let_go = true;
    }

    pub(crate) fn stop(&mut self) {
        self.task.abort();
    }
}

impl Future for Running {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        Poll::Ready(match ready!(Pin::new(&mut self.task).poll(cx)) {
            Ok(outcome) => outcome,
            Err(_) => (0, Err(Failure::Panicked)),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.let_go {
            self.task.abort();
        }
    }
}

async fn run<B>(
    service: &Inner,
    request: Request<B>,
    head: oneshot::Sender<Head>,
    files: Sight,
) -> Outcome
where
    B: Body<Data = Bytes, Error = Error> + Send + 'static,
{
    let guest = match prepare(service, trace::own(&request), files) {
        Ok(guest) => guest,
        Err(failure) => return (0, Err(failure)),
    };
    let (limits, foundation) = (&service.workload.limits, service.engine.foundation());
    let mut store = Store::new(foundation.engine(), guest);
    store.limiter_async(|guest| &mut guest.growth);
    // Whoever computes lets others on at every tick, and is ended by its own look at the clock; who
    // waits in the host is ended by the timer.
    let until = Instant::now() + limits.deadline;
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |_| {
        Ok(match Instant::now() >= until {
            true => UpdateDeadline::Interrupt,
            false => UpdateDeadline::Yield(1),
        })
    });
    let _ticking = foundation.guest();
    let mut running = false;
    let answered = tokio::time::timeout(limits.deadline, async {
        let mut http = store.data_mut().http();
        let request = http.new_incoming_request(Scheme::Http, request)?;
        let head = http.new_response_outparam(head)?;
        let instance = service
            .workload
            .server
            .pre
            .instantiate_async(&mut store)
            .await?;
        running = true;
        let handler = instance.wasi_http_incoming_handler();
        handler.call_handle(&mut store, request, head).await
    });
    let answered = answered.await;
    // A body that the guest neither finished nor gave up ends like one that is whole.
    let open = store
        .data_mut()
        .table
        .iter_mut()
        .any(|entry| entry.is::<HostOutgoingBody>());
    let meter = &store.data().growth.meter;
    let result = match answered {
        Ok(Ok(())) if open => Err(Failure::Incomplete),
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Failure::of(&error, running, meter, limits)),
        Err(_) => Err(Failure::Deadline {
            limit: limits.deadline,
        }),
    };
    (meter.memory_peak(), result)
}

/// Everything that the guest will have.
fn prepare(service: &Inner, trace: Option<SpanContext>, files: Sight) -> Result<Guest, Failure> {
    let (workload, limits) = (&service.workload, &service.workload.limits);
    let listener: Arc<dyn Listener> = workload.listener.clone();
    let (stdout, stderr) = Output::pair(listener, limits.output_bytes);
    let mut wasi = WasiCtxBuilder::new();
    wasi.envs(&workload.environment)
        .stdout(stdout)
        .stderr(stderr)
        .wall_clock(WallClock)
        .monotonic_clock(MonotonicClock::begin())
        .max_random_size(RANDOM_BYTES)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false)
        // Files are local and small; another hop for each of their operations costs more.
        .allow_blocking_current_thread(true);
    let mounts = workload.mounts.iter();
    files.open(mounts.filter(|_| workload.server.files), &mut wasi)?;
    let mut table = ResourceTable::new();
    table.set_max_capacity(limits.handles as usize);
    let mut http = WasiHttpCtx::new();
    http.set_field_size_limit(limits.header_bytes as usize);
    Ok(Guest {
        wasi: wasi.build(),
        http,
        table,
        growth: Growth::new(
            limits.memory_bytes,
            limits.table_elements,
            service.excess.clone(),
        ),
        egress: Egress {
            granted: workload.granted.clone(),
            connector: workload.connector.clone(),
            room: service.outgoing(),
            trace,
            listener: workload.listener.clone(),
        },
        _files: files,
    })
}
