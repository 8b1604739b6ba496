//! A form with a file, as `multipart/form-data` (RFC 7578).

/// A file of a form.
#[derive(Clone, Copy, Debug)]
pub struct FormFile<'a> {
    pub field: &'a str,
    /// The file's name, as the server is told.
    pub name: &'a str,
    pub content: &'a [u8],
}

/// The boundary and the body.
pub(super) fn multipart(fields: &[(&str, &str)], file: &FormFile<'_>) -> (String, Vec<u8>) {
    let boundary = boundary(fields, file.content);
    let mut body = Vec::with_capacity(file.content.len() + 1024);
    let mut part = |head: String, content: &[u8]| {
        body.extend_from_slice(
            format!("--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes(),
        );
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    };
    for (name, value) in fields {
        part(format!("name=\"{}\"", quoted(name)), value.as_bytes());
    }
    let head = format!(
        "name=\"{}\"; filename=\"{}\"\r\nContent-Type: application/octet-stream",
        quoted(file.field),
        quoted(file.name)
    );
    part(head, file.content);
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (boundary, body)
}

/// A line that occurs in nothing that is sent.
fn boundary(fields: &[(&str, &str)], content: &[u8]) -> String {
    let occurs = |line: &str| {
        let line = line.as_bytes();
        let within = |bytes: &[u8]| bytes.windows(line.len()).any(|window| window == line);
        fields.iter().any(|(_, value)| within(value.as_bytes())) || within(content)
    };
    let mut number = 0_u64;
    loop {
        let line = format!("waldo-form-{number:016x}");
        if !occurs(&line) {
            return line;
        }
        number += 1;
    }
}

/// A text between quotes of a head: as browsers write it.
fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_holds_its_fields_and_the_file_whatever_is_in_them() {
        let content = b"a\r\n--waldo-form-0000000000000000\r\nb".as_slice();
        let file = FormFile { field: "file_data", name: "a\"\r\nX: y", content };
        let (boundary, body) = multipart(&[("file_path", "/home/user/a")], &file);
        assert_eq!(boundary, "waldo-form-0000000000000001");
        let text = String::from_utf8(body).unwrap();
        assert_eq!(
            text,
            "--waldo-form-0000000000000001\r\nContent-Disposition: form-data; name=\"file_path\"\r\n\r\n/home/user/a\r\n\
             --waldo-form-0000000000000001\r\nContent-Disposition: form-data; name=\"file_data\"; \
             filename=\"a%22%0D%0AX: y\"\r\nContent-Type: application/octet-stream\r\n\r\n\
             a\r\n--waldo-form-0000000000000000\r\nb\r\n--waldo-form-0000000000000001--\r\n"
        );
    }
}
