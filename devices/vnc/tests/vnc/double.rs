//! A server that a test writes: what it says is its own, byte by byte.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use waldo_vnc::VncAddress;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    Form,
    Encodings(Vec<i32>),
    Request { incremental: bool, w: u16, h: u16 },
    Key { down: bool, keysym: u32 },
    Pointer { buttons: u8, x: u16, y: u16 },
}

/// One client. What fails with it ends its thread: a client may leave when it likes.
pub struct Peer(pub TcpStream);

/// A server; what `serve` does with the first client, the second and so on.
pub fn double(serve: impl Fn(usize, &mut Peer) -> std::io::Result<()> + Send + Sync + 'static) -> VncAddress {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("vnc://{}", listener.local_addr().unwrap()).parse().unwrap();
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for (n, stream) in listener.incoming().flatten().enumerate() {
            let serve = serve.clone();
            std::thread::spawn(move || {
                let mut peer = Peer(stream);
                let _ = serve(n, &mut peer);
            });
        }
    });
    address
}

/// The head of a part: place, size and encoding.
pub fn part(x: u16, y: u16, w: u16, h: u16, encoding: i32) -> Vec<u8> {
    let mut bytes: Vec<u8> = [x, y, w, h].iter().flat_map(|v| v.to_be_bytes()).collect();
    bytes.extend(encoding.to_be_bytes());
    bytes
}

pub fn plain(w: u16, h: u16, colour: u8) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 1];
    bytes.extend(part(0, 0, w, h, 0));
    bytes.extend([colour, colour, colour, 0].repeat(usize::from(w) * usize::from(h)));
    bytes
}

impl Peer {
    pub fn say(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes)
    }

    pub fn read<const N: usize>(&mut self) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Greets and offers these ways in; gives the one that was taken.
    pub fn offer(&mut self, ways: &[u8]) -> std::io::Result<u8> {
        self.say(b"RFB 003.008\n")?;
        assert_eq!(&self.read::<12>()?, b"RFB 003.008\n");
        self.say(&[ways.len() as u8])?;
        self.say(ways)?;
        Ok(self.read::<1>()?[0])
    }

    pub fn screen(&mut self, w: u16, h: u16, name: &str) -> std::io::Result<()> {
        self.read::<1>()?;
        let mut bytes: Vec<u8> = [w, h].iter().flat_map(|v| v.to_be_bytes()).collect();
        bytes.extend([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);
        bytes.extend((name.len() as u32).to_be_bytes());
        bytes.extend(name.as_bytes());
        self.say(&bytes)
    }

    /// Lets in without a password, and tells of a screen.
    pub fn let_in(&mut self, w: u16, h: u16, name: &str) -> std::io::Result<()> {
        assert_eq!(self.offer(&[1])?, 1);
        self.say(&[0; 4])?;
        self.screen(w, h, name)
    }

    pub fn next(&mut self) -> std::io::Result<Sent> {
        let two = |bytes: &[u8]| u16::from_be_bytes([bytes[0], bytes[1]]);
        Ok(match self.read::<1>()?[0] {
            0 => {
                self.read::<19>()?;
                Sent::Form
            }
            2 => {
                let count = two(&self.read::<3>()?[1..]);
                let all: std::io::Result<Vec<i32>> =
                    (0..count).map(|_| Ok(i32::from_be_bytes(self.read()?))).collect();
                Sent::Encodings(all?)
            }
            3 => {
                let bytes = self.read::<9>()?;
                Sent::Request { incremental: bytes[0] == 1, w: two(&bytes[5..]), h: two(&bytes[7..]) }
            }
            4 => {
                let bytes = self.read::<7>()?;
                let keysym = u32::from_be_bytes([bytes[3], bytes[4], bytes[5], bytes[6]]);
                Sent::Key { down: bytes[0] == 1, keysym }
            }
            5 => {
                let bytes = self.read::<5>()?;
                Sent::Pointer { buttons: bytes[0], x: two(&bytes[1..]), y: two(&bytes[3..]) }
            }
            other => panic!("a client said {other}"),
        })
    }

    /// Shows a plain screen, of another colour after each key and button, until `over` has enough of what was sent.
    pub fn behave(
        &mut self,
        size: (u16, u16),
        log: &Mutex<Vec<Sent>>,
        mut over: impl FnMut(&Sent, &mut Self) -> bool,
    ) -> std::io::Result<()> {
        let (mut colour, mut shown, mut waits) = (100_u8, 100_u8, false);
        loop {
            let sent = self.next()?;
            log.lock().unwrap().push(sent.clone());
            if over(&sent, self) {
                return Ok(());
            }
            match sent {
                Sent::Request { incremental: false, .. } => {
                    self.say(&plain(size.0, size.1, colour))?;
                    (shown, waits) = (colour, false);
                }
                Sent::Request { incremental: true, .. } => waits = true,
                Sent::Key { down: true, .. } => colour = colour.wrapping_add(20),
                Sent::Pointer { buttons, .. } if buttons != 0 => colour = colour.wrapping_add(20),
                _ => {}
            }
            if waits && shown != colour {
                self.say(&plain(size.0, size.1, colour))?;
                (shown, waits) = (colour, false);
            }
        }
    }
}
