//! Listening: one port a phone, any number of phones a process.

use super::{ServerOptions, connection};
use crate::phone::Phone;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 64;

/// How long to leave the system alone after a failed accept: there is nothing to wait on.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("cannot listen on {addr}: {source}; choose another port, outside 5555-5585")]
    Listen { addr: SocketAddr, source: std::io::Error },
    #[error("no port is left for phone {0} above the first port: start lower")]
    NoPort(usize),
}

/// One phone on one port. Dropping it ends the service and its connections.
#[derive(Debug)]
pub struct PhoneServer {
    phone: Arc<Phone>,
    options: Arc<ServerOptions>,
    port: HeldPort,
    plug: Mutex<CancellationToken>,
    /// What has the port, until it was told to let it go.
    accepting: tokio::sync::Mutex<JoinHandle<()>>,
    all: CancellationToken,
    _end: DropGuard,
}

impl PhoneServer {
    /// Serves the phone on the address; port 0 takes a free one, told by [`PhoneServer::local_addr`].
    pub async fn bind(addr: SocketAddr, phone: Arc<Phone>) -> Result<Self, BindError> {
        Self::bind_with(addr, phone, ServerOptions::default()).await
    }

    pub async fn bind_with(
        addr: SocketAddr,
        phone: Arc<Phone>,
        options: ServerOptions,
    ) -> Result<Self, BindError> {
        let all = CancellationToken::new();
        let port = HeldPort::take(addr)?;
        let listener = port.listen()?;
        let plug = all.child_token();
        let options = Arc::new(options);
        let accepting = tokio::spawn(accept(listener, phone.clone(), options.clone(), plug.clone()));
        Ok(Self {
            phone,
            options,
            port,
            plug: Mutex::new(plug),
            accepting: accepting.into(),
            _end: all.clone().drop_guard(),
            all,
        })
    }

    pub fn local_addr(&self) -> SocketAddr {
        self.port.addr
    }

    pub fn phone(&self) -> &Arc<Phone> {
        &self.phone
    }

    /// Pulls the cable: every connection is cut and new ones are refused.
    pub fn unplug(&self) {
        self.plug.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Puts the cable back, on the same port. Nothing happens to a phone that is plugged in.
    pub async fn plug_in(&self) -> Result<(), BindError> {
        let mut accepting = self.accepting.lock().await;
        let is_out = self.plug.lock().unwrap_or_else(PoisonError::into_inner).is_cancelled();
        if is_out {
            // The port is free only once who had it has ended.
            if !accepting.is_finished() {
                let _ = (&mut *accepting).await;
            }
            let listener = self.port.listen()?;
            let plug = self.all.child_token();
            *accepting =
                tokio::spawn(accept(listener, self.phone.clone(), self.options.clone(), plug.clone()));
            *self.plug.lock().unwrap_or_else(PoisonError::into_inner) = plug;
        }
        Ok(())
    }
}

/// A port that stays its owner's while nobody listens at it: connections to it are refused, and the system gives it to nobody
/// as the near end of a connection. Servers that set `SO_REUSEADDR`, as adb does, can listen at it.
#[derive(Debug)]
pub struct HeldPort {
    addr: SocketAddr,
    _held: TcpSocket,
}

impl HeldPort {
    /// Takes the port of the address; port 0 takes a free one, which [`HeldPort::addr`] names.
    pub fn take(addr: SocketAddr) -> Result<Self, BindError> {
        let bound = bind(addr).and_then(|held| Ok((held.local_addr()?, held)));
        let (addr, held) = bound.map_err(|source| BindError::Listen { addr, source })?;
        Ok(Self { addr, _held: held })
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Listens at the port. Once the listener is dropped, the port can be listened at anew.
    pub fn listen(&self) -> Result<TcpListener, BindError> {
        bind(self.addr)
            .and_then(|socket| socket.listen(BACKLOG))
            .map_err(|source| BindError::Listen { addr: self.addr, source })
    }
}

fn bind(addr: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = if addr.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    Ok(socket)
}

async fn accept(
    listener: TcpListener,
    phone: Arc<Phone>,
    options: Arc<ServerOptions>,
    stop: CancellationToken,
) {
    loop {
        let socket = tokio::select! {
            got = listener.accept() => match got {
                Ok((socket, peer)) => {
                    if !socket.local_addr().is_ok_and(|own| (options.admits)(peer, own)) {
                        tracing::warn!(%peer, "the phone refused a connection of another process");
                        continue;
                    }
                    socket
                }
                // Out of descriptors, or a host gone before it was accepted: the next one may fare better.
                Err(error) => {
                    tracing::warn!(%error, "accept");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                    continue;
                }
            },
            () = stop.cancelled() => return,
        };
        let (phone, options, stop) = (phone.clone(), options.clone(), stop.child_token());
        tokio::spawn(async move {
            let result = tokio::select! {
                result = connection::serve(socket, phone, options, stop.clone()) => result,
                () = stop.cancelled() => Ok(()),
            };
            if let Err(error) = result {
                tracing::debug!(%error, "connection ended");
            }
            stop.cancel();
        });
    }
}

/// Serves phones on ports one after the other, from the address' port upwards; with port 0 each takes a free one.
pub async fn bind_all(
    addr: SocketAddr,
    phones: Vec<Arc<Phone>>,
    options: &ServerOptions,
) -> Result<Vec<PhoneServer>, BindError> {
    let mut bound = Vec::with_capacity(phones.len());
    for (i, phone) in phones.into_iter().enumerate() {
        let mut at = addr;
        if addr.port() != 0 {
            let port = u16::try_from(i).ok().and_then(|i| addr.port().checked_add(i));
            at.set_port(port.ok_or(BindError::NoPort(i))?);
        }
        bound.push(PhoneServer::bind_with(at, phone, options.clone()).await?);
    }
    Ok(bound)
}
