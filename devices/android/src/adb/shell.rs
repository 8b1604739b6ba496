//! The shell's protocol, version 2, and what stands in for it on phones before Android 7.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::{ServiceStream, failed, gone, lost};
use waldo_devices::error::Result;

/// The most output that a command may have, in bytes. A raw 8K picture needs 133 MB.
const OUTPUT_MAX: usize = 160 << 20;

#[derive(Clone, Debug, Default)]
pub(crate) struct ShellOutput {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) code: i32,
}

impl ShellOutput {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).replace("\r\n", "\n")
    }

    /// Standard output and error together, for commands that write their errors to either.
    pub(crate) fn both(&self) -> String {
        format!("{}\n{}", self.text(), String::from_utf8_lossy(&self.stderr))
    }

    /// The output of a command that must succeed.
    pub(crate) fn ok(self, command: &str) -> Result<Self> {
        if self.code == 0 {
            return Ok(self);
        }
        let said = String::from_utf8_lossy(if self.stderr.is_empty() { &self.stdout } else { &self.stderr });
        Err(failed(command, format!("exit code {}: {}", self.code, said.trim())))
    }
}

/// Reads the packets of a version 2 shell until the exit code.
pub(super) async fn read_v2(mut stream: ServiceStream) -> Result<ShellOutput> {
    let mut out = ShellOutput::default();
    loop {
        let mut head = [0; 5];
        if let Err(error) = stream.read_exact(&mut head).await {
            return Err(gone(format!("the shell broke off: {error}")));
        }
        let [kind, length @ ..] = head;
        let length = u32::from_le_bytes(length) as usize;
        if length > OUTPUT_MAX || out.stdout.len() + length > OUTPUT_MAX {
            return Err(failed("shell", format!("more than {} MB of output", OUTPUT_MAX >> 20)));
        }
        match kind {
            1 => take(&mut stream, length, &mut out.stdout).await?,
            2 => take(&mut stream, length, &mut out.stderr).await?,
            3 => {
                let mut code = Vec::new();
                take(&mut stream, length, &mut code).await?;
                out.code = code.first().copied().map_or(0, i32::from);
                return Ok(out);
            }
            _ => take(&mut stream, length, &mut Vec::new()).await?,
        }
    }
}

async fn take(stream: &mut ServiceStream, length: usize, into: &mut Vec<u8>) -> Result<()> {
    let start = into.len();
    into.resize(start + length, 0);
    stream.read_exact(&mut into[start..]).await.map(drop).map_err(|error| lost("the shell broke off", &error))
}

pub(super) async fn read_all(stream: impl AsyncRead + Unpin) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = OUTPUT_MAX as u64;
    stream.take(limit).read_to_end(&mut bytes).await.map_err(|error| lost("the stream broke off", &error))?;
    Ok(bytes)
}

/// What announces the exit code where the shell's protocol has no place for it.
const MARK: &str = "waldo-exit:";

/// A command that writes its exit code after its output.
pub(super) fn marked(command: &str) -> String {
    format!("{command}\necho \"{MARK}$?\"")
}

/// Output and exit code of a [`marked`] command; standard error is mixed into the output.
pub(super) fn unmark(mut bytes: Vec<u8>) -> Result<ShellOutput> {
    let at = bytes.windows(MARK.len()).rposition(|window| window == MARK.as_bytes());
    let at = at.ok_or_else(|| gone("the shell broke off before its exit code"))?;
    let code = String::from_utf8_lossy(&bytes[at + MARK.len()..]).trim().parse().unwrap_or(-1);
    bytes.truncate(at);
    Ok(ShellOutput { stdout: bytes, stderr: Vec::new(), code })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::DeviceError;

    fn packet(kind: u8, data: &[u8]) -> Vec<u8> {
        [&[kind][..], &(data.len() as u32).to_le_bytes(), data].concat()
    }

    #[tokio::test]
    async fn output_error_and_exit_code_come_apart() {
        let (mut theirs, ours) = tokio::io::duplex(1 << 16);
        let bytes = [packet(1, b"a\0b"), packet(2, b"no"), packet(1, b"c"), packet(3, &[7])].concat();
        tokio::io::AsyncWriteExt::write_all(&mut theirs, &bytes).await.unwrap();
        let out = read_v2(Box::new(ours)).await.unwrap();
        assert_eq!((out.stdout.as_slice(), out.stderr.as_slice(), out.code), (&b"a\0bc"[..], &b"no"[..], 7));
    }

    #[tokio::test]
    async fn a_shell_that_breaks_off_is_gone() {
        let (mut theirs, ours) = tokio::io::duplex(1 << 16);
        tokio::io::AsyncWriteExt::write_all(&mut theirs, &packet(1, b"half")[..6]).await.unwrap();
        drop(theirs);
        assert!(matches!(read_v2(Box::new(ours)).await, Err(DeviceError::Gone { .. })));
    }

    #[test]
    fn the_mark_is_cut_off() {
        let out = unmark(b"hello\nwaldo-exit:3\n".to_vec()).unwrap();
        assert_eq!((out.text().as_str(), out.code), ("hello\n", 3));
        assert!(unmark(b"hello".to_vec()).is_err());
    }
}
