"""Documents in ZIP containers: plain ones of our own, and the same with one thing changed."""

import zipfile

TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
KINDS = "application/vnd.openxmlformats-officedocument."


def types(overrides):
    """The list of content types: (part, kind) each."""
    lines = "".join(f'<Override PartName="/{part}" ContentType="{KINDS}{kind}+xml"/>' for part, kind in overrides)
    return (f'<Types xmlns="{TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
            'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" '
            f'ContentType="image/png"/>{lines}</Types>')


def relations(*targets):
    """A list of references: (kind, target) each, numbered from rId1."""
    lines = "".join(f'<Relationship Id="rId{at}" Type="{OFFICE}/{kind}" Target="{target}"/>'
                    for at, (kind, target) in enumerate(targets, 1))
    return f'<Relationships xmlns="{RELS}">{lines}</Relationships>'


def changed(parts, changes):
    """The parts after changes: (part, old, new) each; without `old` the whole part, without `new` none."""
    parts = dict(parts)
    for part, old, new in changes:
        if old is None:
            parts.pop(part) if new is None else parts.__setitem__(part, new)
            continue
        text = parts[part]
        if old not in text:
            raise ValueError(f"{part} has no {old!r}")
        parts[part] = text.replace(old, new)
    return parts


def write(path, parts):
    """Writes a package, the same bytes at each run."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data)


def broken(to, folder, ending, parts):
    """Files that are no whole package, by name."""
    main = next(name for name in parts if name.count("/") == 1 and not name.startswith("_"))
    found = {
        "empty_file": b"", "no_archive": b"plain words", "empty_archive": {},
        "no_types": {name: data for name, data in parts.items() if not name.startswith("[")},
        "no_rels": {name: data for name, data in parts.items() if name != "_rels/.rels"},
        "no_main": {name: data for name, data in parts.items() if name != main},
        "broken_main": {**parts, main: parts[main][:-9]},
    }
    for name, data in found.items():
        path = to.path(f"{folder}/{name}.{ending}")
        write(path, data) if isinstance(data, dict) else path.write_bytes(data)
    whole = to.path(f"{folder}/cut.{ending}")
    write(whole, parts)
    whole.write_bytes(whole.read_bytes()[:-60])
    return [*found, "cut"]
