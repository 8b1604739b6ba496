//! Looking whether a phone is at its TCP port before anything waits for it.
//!
//! A connection that breaks off later is set up again until the deadline, for a phone that was unplugged comes
//! back. One that was never there is a wrong address or a phone that is off, and is told of soon.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;

use super::devices::AdbState;
use super::server::{Adb, by_port};
use waldo_devices::{Deadline, DeviceError, Result};

/// How long a port may refuse: a phone that is told to listen (`adb tcpip`) does so anew.
const REFUSES: Duration = Duration::from_secs(3);
/// How long a host may say nothing at all.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(200);

fn absent(address: &str, why: &str) -> DeviceError {
    let hint = "check that it is on, in this network, and listening there (over its cable: `adb tcpip 5555`; \
                simulated: `waldo simphone`)";
    DeviceError::Absent { what: format!("no phone is at {address}: {why}"), hint: hint.to_owned() }
}

/// Knocks at a phone's port.
///
/// # Errors
/// [`DeviceError::Absent`] when it keeps refusing for some seconds, or its host does not answer.
pub async fn probe_transport(address: SocketAddr, deadline: Deadline) -> Result<()> {
    let name = address.to_string();
    let (patience, bound) = (deadline.at_most(REFUSES), deadline.at_most(ANSWERS_WITHIN));
    loop {
        match tokio::time::timeout_at(bound.instant(), TcpStream::connect(address)).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) if error.kind() == ErrorKind::ConnectionRefused && patience.left() > PAUSE => {}
            Ok(Err(error)) => return Err(absent(&name, &error.to_string())),
            Err(_) => return Err(absent(&name, "its host does not answer")),
        }
        // Nothing announces a port that opens.
        tokio::time::sleep(PAUSE).await;
    }
}

impl Adb {
    /// Looks whether the server knows a phone, in whatever state, before anything waits for it. One that is
    /// named by its port and not known, or known to be offline, is connected to.
    ///
    /// # Errors
    /// [`DeviceError::Absent`] with those that it knows, or when the port keeps refusing, and as
    /// [`Self::devices`].
    pub async fn expect(&self, serial: &str, deadline: Deadline) -> Result<()> {
        let known = self.devices(deadline).await?;
        let state = known.iter().find(|device| device.serial == serial).map(|device| &device.state);
        match state {
            Some(AdbState::Offline) if by_port(serial) => {
                // It is asked for anew below, whatever comes of this.
                let _ = self.disconnect(serial, deadline).await;
            }
            Some(state) => return state.trouble(serial).map_or(Ok(()), Err),
            None if by_port(serial) => {}
            None => {
                let serials: Vec<&str> = known.iter().map(|device| device.serial.as_str()).collect();
                let there = if serials.is_empty() { "none".to_owned() } else { serials.join(", ") };
                return Err(DeviceError::Absent {
                    what: format!("adb knows no phone '{serial}'; it knows {there}"),
                    hint: "`waldo devices` lists them".to_owned(),
                });
            }
        }
        let (patience, bound) = (deadline.at_most(REFUSES), deadline.at_most(ANSWERS_WITHIN));
        loop {
            match self.connect(serial, bound).await {
                // The server has no other word for it.
                Err(DeviceError::Gone { reason })
                    if reason.contains("refused") && patience.left() > PAUSE => {}
                Err(DeviceError::Gone { reason }) => return Err(absent(serial, &reason)),
                Err(DeviceError::Timeout { .. }) => return Err(absent(serial, "its host does not answer")),
                other => return other,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpSocket;

    use super::*;

    /// A port that nobody else gets and nobody listens at.
    fn closed() -> (TcpSocket, SocketAddr) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let at = socket.local_addr().unwrap();
        (socket, at)
    }

    #[tokio::test]
    async fn a_port_that_refuses_is_told_of_and_one_that_opens_is_waited_for() {
        let deadline = Deadline::after(Duration::from_secs(60));
        let ((_kept, nobody), (opens, late)) = (closed(), closed());
        let told = probe_transport(nobody, deadline).await.unwrap_err();
        assert!(matches!(told, DeviceError::Absent { .. }), "{told}");
        let told = told.to_string();
        assert!(told.contains(&nobody.to_string()) && told.contains("adb tcpip"), "{told}");
        // The knocking is polled first, and refused before anybody listens.
        let (found, listens) = tokio::join!(probe_transport(late, deadline), async { opens.listen(1) });
        found.unwrap();
        listens.unwrap();
    }
}
