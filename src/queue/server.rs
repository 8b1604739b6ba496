//! The server: its streams, and the few things that are asked of it.
//!
//! Streams are made by hand, in the fields that version 2.9 knows: it is what distributions ship.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::stream::{
    Config, DirectGetErrorKind, LastRawMessageError, LastRawMessageErrorKind, RetentionPolicy, StorageType,
    Stream,
};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use bytes::Bytes;
use futures::StreamExt as _;

use super::args::QueueArgs;
use super::error::{QueueError, Result};

const ANSWERS_WITHIN: Duration = Duration::from_secs(10);
const AWAY_FOR: Duration = Duration::from_secs(600);
/// After this long a worker that is not heard of is gone.
pub(super) const ALIVE_FOR: Duration = Duration::from_secs(20);
/// Messages on their way at once.
const IN_FLIGHT: usize = 256;

pub(super) const RUNS: &str = "WALDO_RUNS";
pub(super) const WORK: &str = "WALDO_WORK";
pub(super) const RESULTS: &str = "WALDO_RESULTS";
pub(super) const FILES: &str = "WALDO_FILES";
pub(super) const WORKERS: &str = "WALDO_WORKERS";

pub(super) struct StoredMessage {
    pub(super) sequence: u64,
    pub(super) subject: String,
    pub(super) payload: Bytes,
}

/// What became of a message that was to be the first on its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    First,
    Taken,
}

#[derive(Clone)]
pub struct QueueServer {
    address: String,
    pub(super) client: Client,
    pub(super) jetstream: Context,
}

impl QueueServer {
    pub async fn connect(args: &QueueArgs, who: &str) -> Result<Self> {
        let address = args.judged()?;
        let mut options = ConnectOptions::new()
            .name(who)
            .connection_timeout(ANSWERS_WITHIN)
            .request_timeout(Some(ANSWERS_WITHIN))
            .ping_interval(Duration::from_secs(15))
            // What others announce was not judged.
            .ignore_discovered_servers()
            .max_reconnects(None)
            .reconnect_delay_callback(|attempt| {
                Duration::from_millis((50 * u64::try_from(attempt).unwrap_or(40)).min(2_000))
            });
        if let Some(ca) = address.ca {
            options = options.add_root_certificates(ca);
        }
        if address.tls {
            options = options.require_tls(true);
        }
        if let Some(seed) = address.nkey {
            options = options.nkey(seed);
        }
        if let Some(creds) = address.creds {
            options = options.credentials(&creds).map_err(|e| {
                QueueError::Input(format!("--queue-creds: {e}; nsc generate creds writes one"))
            })?;
        }
        let client = options.connect(address.url.as_str()).await.map_err(|e| QueueError::Server {
            server: address.url.clone(),
            what: "it cannot be reached",
            why: format!("{e}{}", hint(e.kind())),
        })?;
        let mut jetstream = jetstream::new(client.clone());
        jetstream.set_timeout(ANSWERS_WITHIN);
        Ok(Self { address: address.url, client, jetstream })
    }

    fn error(&self, what: &'static str, why: impl std::fmt::Display) -> QueueError {
        QueueError::Server { server: self.address.clone(), what, why: why.to_string() }
    }

    pub async fn set_up(&self) -> Result<()> {
        let of = |name: &str, subjects: &str| Config {
            name: name.to_owned(),
            subjects: vec![subjects.to_owned()],
            storage: StorageType::File,
            num_replicas: 1,
            allow_direct: true,
            ..Config::default()
        };
        let one = |config| Config { max_messages_per_subject: 1, ..config };
        let streams = [
            one(of(RUNS, "waldo.run.*")),
            Config { retention: RetentionPolicy::WorkQueue, ..of(WORK, "waldo.work.>") },
            of(RESULTS, "waldo.result.*.*"),
            of(FILES, "waldo.file.>"),
            Config { storage: StorageType::Memory, max_age: ALIVE_FOR, ..one(of(WORKERS, "waldo.worker.*")) },
        ];
        for stream in streams {
            let name = stream.name.clone();
            self.jetstream.get_or_create_stream(stream).await.map_err(|e| {
                self.error(
                    "a stream cannot be made",
                    format!("{name}: {e}; the server needs JetStream (nats-server --jetstream), this user the right to it"),
                )
            })?;
        }
        Ok(())
    }

    /// Waits until the streams are there: who may not make them waits for who may.
    pub async fn await_streams(&self) -> Result<()> {
        self.patiently(|| self.set_up()).await
    }

    pub(super) async fn stream(&self, name: &str) -> Result<Stream<()>> {
        self.jetstream.get_stream_no_info(name).await.map_err(|e| self.error("a stream cannot be named", e))
    }

    /// Puts a message that takes the place of the former on its subject.
    pub(super) async fn put(&self, subject: String, payload: Vec<u8>) -> Result<()> {
        let ack = self.jetstream.publish(subject, payload.into()).await;
        let ack = ack.map_err(|e| self.error("a message is not accepted", e))?;
        ack.await.map(|_| ()).map_err(|e| self.error("a message is not accepted", e))
    }

    /// Puts a message unless there is one on its subject. A server that is away is waited for.
    pub(super) async fn put_first(&self, subject: &str, payload: Bytes) -> Result<Put> {
        self.patiently(|| async {
            let message = PublishMessage::build().payload(payload.clone()).expected_last_subject_sequence(0);
            let sent = self.jetstream.send_publish(subject.to_owned(), message).await;
            let done = match sent {
                Ok(ack) => ack.await,
                Err(e) => Err(e),
            };
            match done {
                Ok(_) => Ok(Put::First),
                Err(e) if e.kind() == PublishErrorKind::WrongLastSequence => Ok(Put::Taken),
                Err(e) => Err(self.error("a message is not accepted", e)),
            }
        })
        .await
    }

    /// Puts many messages as [`QueueServer::put_first`] does; how many were the first.
    pub(super) async fn put_all(&self, all: Vec<(String, Vec<u8>)>) -> Result<usize> {
        let mut put = futures::stream::iter(all)
            .map(|(subject, payload)| async move { self.put_first(&subject, payload.into()).await })
            .buffer_unordered(IN_FLIGHT);
        let mut first = 0;
        while let Some(done) = put.next().await {
            first += usize::from(done? == Put::First);
        }
        Ok(first)
    }

    pub(super) async fn last(&self, stream: &str, subject: &str) -> Result<Option<StoredMessage>> {
        let stream = self.stream(stream).await?;
        self.kept(stream.get_last_raw_message_by_subject(subject).await)
    }

    /// The first message from `sequence` on whose subject fits.
    pub(super) async fn next(
        &self,
        stream: &str,
        subject: &str,
        sequence: u64,
    ) -> Result<Option<StoredMessage>> {
        let stream = self.stream(stream).await?;
        self.kept(stream.raw_message_builder().sequence(sequence).next_by_subject(subject).send().await)
    }

    fn kept(&self, found: Result<StreamMessage, LastRawMessageError>) -> Result<Option<StoredMessage>> {
        match found {
            Ok(found) => Ok(Some(StoredMessage {
                sequence: found.sequence,
                subject: found.subject.to_string(),
                payload: found.payload,
            })),
            Err(e) if e.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(e) => Err(self.error("a message cannot be read", e)),
        }
    }

    pub(super) async fn all(&self, stream: &str, subject: &str) -> Result<Vec<StoredMessage>> {
        let (mut all, mut from) = (Vec::new(), 1);
        while let Some(kept) = self.next(stream, subject, from).await? {
            from = kept.sequence + 1;
            all.push(kept);
        }
        Ok(all)
    }

    /// The bytes of the one message on a subject, without the words around them.
    pub(super) async fn bytes(&self, stream: &str, subject: &str) -> Result<Option<Bytes>> {
        let stream = self.stream(stream).await?;
        match stream.direct_get_last_for_subject(subject).await {
            Ok(found) => Ok(Some(found.payload)),
            Err(e) if e.kind() == DirectGetErrorKind::NotFound => Ok(None),
            Err(e) => Err(self.error("a chunk cannot be read", e)),
        }
    }

    pub(super) async fn remove(&self, stream: &str, sequence: u64) -> Result<()> {
        let stream = self.stream(stream).await?;
        stream.delete_message(sequence).await.map_err(|e| self.error("a message cannot be removed", e))?;
        Ok(())
    }

    pub(super) async fn purge(&self, stream: &str, subject: &str) -> Result<()> {
        let stream = self.stream(stream).await?;
        stream.purge().filter(subject).await.map_err(|e| self.error("messages cannot be removed", e))?;
        Ok(())
    }

    pub(super) async fn count(&self, stream: &str, subject: &str) -> Result<usize> {
        let stream = self.stream(stream).await?;
        let mut all = stream
            .info_with_subjects(subject)
            .await
            .map_err(|e| self.error("messages cannot be counted", e))?;
        let mut count = 0;
        while let Some(one) = all.next().await {
            let (_, messages) = one.map_err(|e| self.error("messages cannot be counted", e))?;
            count += messages;
        }
        Ok(count)
    }

    pub(super) async fn make_lane(
        &self,
        run: &str,
        lane: &str,
        lease: Duration,
        at_once: Option<u32>,
    ) -> Result<()> {
        let config = pull::Config {
            durable_name: Some(consumer(run, lane)),
            filter_subject: format!("waldo.work.{run}.{lane}.*"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            // Who gets it once too often says so in the result: the server would only keep silent.
            max_deliver: -1,
            max_ack_pending: at_once.map_or(100_000, i64::from),
            max_waiting: 4_096,
            ..pull::Config::default()
        };
        let stream = self.stream(WORK).await?;
        stream.create_consumer(config).await.map_err(|e| self.error("a lane cannot be made", e))?;
        Ok(())
    }

    pub(super) async fn lane(&self, run: &str, lane: &str) -> Result<PullConsumer> {
        let stream = self.stream(WORK).await?;
        stream.get_consumer(&consumer(run, lane)).await.map_err(|e| self.error("a lane cannot be opened", e))
    }

    pub(super) async fn remove_lane(&self, run: &str, lane: &str) -> Result<()> {
        let stream = self.stream(WORK).await?;
        stream
            .delete_consumer(&consumer(run, lane))
            .await
            .map_err(|e| self.error("a lane cannot be removed", e))?;
        Ok(())
    }

    /// Hears messages whose subjects fit, as long as both are there.
    pub(super) async fn hear(&self, subject: String) -> Result<async_nats::Subscriber> {
        self.client.subscribe(subject).await.map_err(|e| self.error("nothing can be heard", e))
    }

    /// Waits until what was sent is with the server.
    pub async fn flush(&self) {
        // It is a courtesy: what must arrive is acknowledged.
        let _ = tokio::time::timeout(ANSWERS_WITHIN, self.client.flush()).await;
    }

    /// What `ask` gives, asked again as long as the server is away.
    pub(super) async fn patiently<T, F: Future<Output = Result<T>>>(&self, ask: impl Fn() -> F) -> Result<T> {
        let since = std::time::Instant::now();
        let mut pause = Duration::from_millis(100);
        loop {
            match ask().await {
                Err(e @ QueueError::Server { .. }) if since.elapsed() < AWAY_FOR => {
                    tracing::debug!(error = %e, "asked again");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(5));
                }
                done => return done,
            }
        }
    }
}

fn hint(kind: ConnectErrorKind) -> &'static str {
    match kind {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            "; the server knows other keys: give --queue-nkey or --queue-creds"
        }
        ConnectErrorKind::Tls => "; --queue-ca FILE names who vouches for the server",
        ConnectErrorKind::Io | ConnectErrorKind::Dns | ConnectErrorKind::TimedOut => {
            "; is nats-server --jetstream running there, and does --queue-ca vouch for it?"
        }
        _ => "",
    }
}

fn consumer(run: &str, lane: &str) -> String {
    format!("{run}_{lane}")
}
