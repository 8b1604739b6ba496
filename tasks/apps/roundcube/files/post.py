"""The post office of an instance: mail boxes by Dovecot's `imap`, one process a connection, and a place where sent mail ends.

Port 1143 speaks IMAP: whoever logs in is the user. Port 1025 takes mail, which goes nowhere. Port 1144 answers once what the
boxes, the sent mail and the preferences say now stands in /data/now.sqlite, which is what is judged."""

import asyncio
import email
import email.policy
import email.utils
import json
import os
import re
import sqlite3
import sys
from email.message import EmailMessage
from pathlib import Path

MAIL = Path("/data/mail")
SENT = Path("/data/sent")
CONF = """
protocols = imap
base_dir = /tmp/dovecot
state_dir = /tmp/dovecot
ssl = no
log_path = /tmp/dovecot.log
mail_home = /data
mail_location = maildir:/data/mail
maildir_copy_with_hardlinks = no
default_internal_user = nobody
default_login_user = nobody
default_internal_group = nogroup
namespace inbox {
  inbox = yes
  separator = /
}
"""
SEEDED = re.compile(r"<(\S+)@seeded\.example>")


def folder_of(name):
    return MAIL if name == "INBOX" else MAIL / ("." + name.replace("/", "."))


def lay():
    """Writes the mails that an instance starts with."""
    told = json.loads(Path("/data/seed/mail.json").read_text())
    SENT.mkdir()
    for name in ["INBOX", *told["folders"]]:
        for part in ("cur", "new", "tmp"):
            (folder_of(name) / part).mkdir(parents=True)
        if name != "INBOX":
            (folder_of(name) / "maildirfolder").touch()
    (MAIL / "subscriptions").write_text("".join(f"{name}\n" for name in told["folders"]))
    at = 1771150000
    for number, mail in enumerate(told["mails"], 1):
        at += 5400 + 60 * (len(mail["text"]) % 90)
        message = EmailMessage(policy=email.policy.SMTP)
        message["From"] = mail["from"]
        message["To"] = mail.get("to", "Robin Vale <robin@vale.example>")
        if "cc" in mail:
            message["Cc"] = mail["cc"]
        message["Subject"] = mail["subject"]
        message["Date"] = email.utils.format_datetime(email.utils.datetime.datetime.fromtimestamp(at, email.utils.datetime.timezone.utc))
        message["Message-ID"] = f"<m{number:02}@seeded.example>"
        message.set_content(mail["text"].strip() + "\n")
        for file in mail.get("files", []):
            message.add_attachment(file["text"], filename=file["name"])
        flags = "".join(sorted(mail.get("flags", "")))
        path = folder_of(mail.get("folder", "INBOX")) / "cur" / f"{at}.M{number:06}P1.post:2,{flags}"
        path.write_bytes(bytes(message))
        os.utime(path, (at, at))


def unflowed(part):
    text = part.get_content().replace("\r\n", "\n")
    if (part.get_param("format") or "").lower() == "flowed":
        lines = []
        flows = False
        for line in text.split("\n"):
            line = line[1:] if line.startswith(" ") else line
            if flows and not line.startswith(">"):
                lines[-1] += line
            else:
                lines.append(line)
            flows = line.endswith(" ") and line != "-- "
        text = "\n".join(lines)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def read(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    body = message.get_body(preferencelist=("plain", "html"))
    files = [f"{part.get_filename() or part.get_content_type()}" for part in message.iter_attachments()]
    people = lambda name: ", ".join(sorted(at for _, at in email.utils.getaddresses(message.get_all(name, []))))
    text = unflowed(body) if body is not None else ""
    # What was forwarded stands below what its sender wrote.
    text, _, forwarded = text.partition("-------- Original Message --------")
    return message, {
        "sender": people("From"), "to": people("To"), "cc": people("Cc"), "subject": str(message.get("Subject", "")),
        "text": text.strip(), "forwarded": forwarded.strip(), "files": ", ".join(sorted(files)),
    }


KNOWN = {}


def known(path):
    """A mail never changes: what was read once is known."""
    name = path.name.split(":")[0]
    if name not in KNOWN:
        message, row = read(path.read_bytes())
        found = SEEDED.search(str(message.get("Message-ID", "")))
        KNOWN[name] = (found.group(1) if found else None, row)
    return KNOWN[name]


def boxes():
    mails, seen, folders, new = {}, {}, {}, 0
    listed = set((MAIL / "subscriptions").read_text().split("\n")) if (MAIL / "subscriptions").exists() else set()
    every = [("INBOX", MAIL)] + sorted(("/".join(path.name[1:].split(".")), path) for path in MAIL.glob(".*") if path.is_dir())
    for name, path in every:
        folders[name] = {"name": name, "listed": int(name == "INBOX" or name in listed)}
        words = {}
        if (path / "dovecot-keywords").exists():
            for line in (path / "dovecot-keywords").read_text().splitlines():
                index, _, word = line.partition(" ")
                words[chr(ord("a") + int(index))] = word
        for file in sorted([*(path / "cur").iterdir(), *(path / "new").iterdir()], key=lambda file: file.name):
            key, row = known(file)
            flags = file.name.partition(":2,")[2]
            if key is None:
                new += 1
                key = f"new {new}"
            while key in mails:
                key += " again"
            marks = sorted(words.get(flag, flag) for flag in flags if flag.islower())
            mails[key] = {"id": key, "folder": name, **row, "flagged": int("F" in flags), "answered": int("R" in flags),
                          "draft": int("D" in flags), "deleted": int("T" in flags), "marks": ", ".join(marks)}
            seen[key] = {"id": key, "seen": int("S" in flags)}
    return {"mail": mails, "mail_seen": seen, "folder": folders}


def sent():
    rows = {}
    for path in sorted(SENT.iterdir()):
        envelope, _, raw = path.read_bytes().partition(b"\n")
        message, row = read(raw)
        envelope = json.loads(envelope)
        answered = SEEDED.search(str(message.get("In-Reply-To", "")))
        rows[path.name] = {"number": path.name, "recipients": ", ".join(sorted(envelope["to"])), **row,
                           "reply_to": answered.group(1) if answered else ""}
    return {"sent": rows}


def unserialized(text):
    """A value as PHP writes it down."""
    raw = text.encode()
    at = 0

    def value():
        nonlocal at
        kind = raw[at:at + 1]
        if kind == b"N":
            at += 2
            return None
        if kind in b"bid":
            end = raw.index(b";", at)
            told = raw[at + 2:end].decode()
            at = end + 1
            return float(told) if kind == b"d" else int(told)
        end = raw.index(b":", at + 2)
        length = int(raw[at + 2:end])
        at = end + 2
        if kind == b"s":
            told = raw[at:at + length].decode()
            at += length + 2
            return told
        pairs = [(value(), value()) for _ in range(length)]
        at += 1
        return {str(name): told for name, told in pairs}

    return value()


def preferences():
    with sqlite3.connect("file:/data/roundcube.sqlite?mode=ro", uri=True, timeout=5) as base:
        told = base.execute("select preferences from users where user_id = 1").fetchone()
    every = unserialized(told[0]) if told and told[0] else {}
    return {"preference": {name: {"name": name, "value": json.dumps(value, sort_keys=True) if isinstance(value, dict) else value}
                           for name, value in every.items()}}


COLUMNS = {
    "mail": "id folder sender to cc subject text forwarded files flagged answered draft deleted marks", "mail_seen": "id seen", "folder": "name listed",
    "sent": "number recipients sender to cc subject text forwarded files reply_to", "preference": "name value",
}
LAST = {}


def tell():
    now = boxes() | sent() | preferences()
    if now == LAST:
        return
    with sqlite3.connect("/data/now.sqlite") as base:
        for table, rows in now.items():
            names = COLUMNS[table].split()
            quoted = ", ".join(f'"{name}"' for name in names)
            base.execute(f"create table if not exists {table} ({quoted}, primary key ({names[0]}))")
            base.execute(f"delete from {table}")
            holes = ", ".join("?" for _ in names)
            base.executemany(f"insert into {table} values ({holes})", [[row[name] for name in names] for row in rows.values()])
    LAST.clear()
    LAST.update(now)


async def imap(reader, writer):
    writer.write(b"* OK [CAPABILITY IMAP4rev1 LITERAL+ SASL-IR ID AUTH=PLAIN] ready\r\n")
    while line := await reader.readline():
        tag, command, *_ = (line.decode("utf-8", "replace").split() + ["", ""])[:3]
        command = command.upper()
        if command == "CAPABILITY":
            writer.write(f"* CAPABILITY IMAP4rev1 LITERAL+ SASL-IR ID AUTH=PLAIN\r\n{tag} OK done\r\n".encode())
        elif command == "ID":
            writer.write(f"* ID NIL\r\n{tag} OK done\r\n".encode())
        elif command == "LOGOUT":
            writer.write(f"* BYE\r\n{tag} OK done\r\n".encode())
            break
        elif command in ("LOGIN", "AUTHENTICATE"):
            if command == "AUTHENTICATE" and len(line.split()) < 4:
                writer.write(b"+ \r\n")
                await reader.readline()
            await serve(reader, writer, tag)
            break
        else:
            writer.write(f"{tag} OK done\r\n".encode())
    writer.close()


async def serve(reader, writer, tag):
    """Hands the connection to a process of Dovecot's."""
    run = ["/app/lib/dovecot/imap", "-c", "/tmp/dovecot.conf"]
    if os.geteuid() == 0:
        # Dovecot does not read mail as root: within a user namespace without names it is nobody, who owns the files as well.
        run = ["unshare", "--user", *run]
    process = await asyncio.create_subprocess_exec(
        *run, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={**os.environ, "USER": "robin", "HOME": "/data"})
    hello = (await process.stdout.readline()).decode()
    can = hello[hello.find("["):hello.find("]") + 1]
    writer.write(f"{tag} OK {can} Logged in\r\n".encode())

    async def carry(source, to):
        try:
            while part := await source.read(65536):
                to.write(part)
                await to.drain()
        except ConnectionError:
            pass
        to.close()

    await asyncio.gather(carry(reader, process.stdin), carry(process.stdout, writer))
    await process.wait()


async def smtp(reader, writer):
    say = lambda text: writer.write(text.encode() + b"\r\n")
    say("220 post")
    to, sender = [], ""
    while line := await reader.readline():
        command = line.decode("utf-8", "replace").strip()
        word = command[:4].upper()
        if word == "EHLO":
            say("250-post\r\n250-8BITMIME\r\n250 SMTPUTF8")
        elif word == "MAIL":
            sender, to = command[command.find("<") + 1:command.find(">")], []
            say("250 ok")
        elif word == "RCPT":
            to.append(command[command.find("<") + 1:command.find(">")])
            say("250 ok")
        elif word == "DATA":
            say("354 go on")
            await writer.drain()
            raw = b""
            while (line := await reader.readline()) not in (b".\r\n", b""):
                raw += line[1:] if line.startswith(b".") else line
            number = len(list(SENT.iterdir())) + 1
            (SENT / f"{number:03}").write_bytes(json.dumps({"from": sender, "to": to}).encode() + b"\n" + raw)
            say("250 ok")
        elif word == "QUIT":
            say("221 bye")
            break
        else:
            say("250 ok")
    writer.close()


async def now(_, writer):
    try:
        tell()
        writer.write(b"ok\n")
    except Exception as error:
        print(f"post.py: {error!r}", file=sys.stderr)
        writer.write(b"no\n")
    writer.close()


async def main():
    Path("/tmp/dovecot").mkdir()
    Path("/tmp/dovecot.conf").write_text(CONF)
    lay()
    tell()
    for port, what in ((1143, imap), (1025, smtp), (1144, now)):
        await asyncio.start_server(what, "127.0.0.1", port, limit=1 << 26)
    Path("/tmp/open").touch()
    await asyncio.Event().wait()


asyncio.run(main())
