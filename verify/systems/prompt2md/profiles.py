"""Cache profiles: data with a date and a source, in `profiles.toml` or a file of the same form."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from verify.errors import UnreadableInput
from verify.systems.prompt2md.arithmetic import Profile

BUILT_IN = "built-in"
MAX_BYTES = 1024 * 1024
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_FIELDS = ("read", "write", "minimum", "breakpoint")


@dataclass(frozen=True)
class Profiles:
    """Profiles by provider. `name` is `built-in`, or the name of the file; `date` and `source` say
    when they held and who says so; `sha256` is the digest of the file they were read from."""

    by_provider: Mapping[str, Profile]
    name: str
    date: str
    source: str
    sha256: str

    def of(self, provider: str) -> Profile | None:
        """The provider's profile; None for one that is not known."""
        return self.by_provider.get(provider)


@cache
def built_in() -> Profiles:
    """The profiles that come with the program."""
    data = files("verify.systems.prompt2md").joinpath("profiles.toml").read_bytes()
    return _read(data, BUILT_IN)


def profiles_from(path: Path) -> Profiles:
    """The built-in profiles with those of the file at `path` in their place, date and source its
    own. Raises UnreadableInput with what is wrong with the file."""
    try:
        with path.open("rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise UnreadableInput(f"cannot read the profiles {path}: {why}") from None
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"{path} is larger than any file of profiles ({MAX_BYTES:,} bytes)")
    own = _read(data, path.name)
    merged = {**built_in().by_provider, **own.by_provider}
    return Profiles(merged, own.name, own.date, own.source, own.sha256)


def _read(data: bytes, name: str) -> Profiles:
    try:
        document = tomllib.loads(data.decode("utf-8"), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong(name, f"it is not TOML: {error}") from None
    unknown = sorted(document.keys() - {"date", "source", "providers"})
    if unknown:
        raise _wrong(name, f"nothing is known of {unknown[0]!r}")
    providers = document.get("providers")
    if not isinstance(providers, dict) or not providers:
        raise _wrong(name, "expected a table [providers.NAME] for each provider")
    profiles = {key: _profile(name, key, table) for key, table in providers.items()}
    said = {key: _text(name, key, document.get(key)) for key in ("date", "source")}
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", said["date"]):
        raise _wrong(name, f"date: expected YYYY-MM-DD, found {said['date']!r}")
    return Profiles(profiles, name, **said, sha256=hashlib.sha256(data).hexdigest())


def _text(name: str, key: str, value: Any) -> str:
    text = str(value) if key == "date" and value is not None else value
    if not isinstance(text, str) or not text:
        raise _wrong(name, f"{key}: expected a text")
    return text


def _profile(name: str, provider: str, table: Any) -> Profile:
    where = f"providers.{provider}"
    if not _NAME.fullmatch(provider):
        raise _wrong(name, f"{where}: expected a name of letters, digits, _ and -")
    if not isinstance(table, dict) or set(table) != set(_FIELDS):
        raise _wrong(name, f"{where}: expected {', '.join(_FIELDS)}")
    minimum, explicit = table["minimum"], table["breakpoint"]
    if isinstance(minimum, bool) or not isinstance(minimum, int) or minimum < 0:
        raise _wrong(name, f"{where}.minimum: expected a number of tokens, 0 or more")
    if not isinstance(explicit, bool):
        raise _wrong(name, f"{where}.breakpoint: expected true or false")
    read = _part(name, f"{where}.read", table["read"])
    write = _part(name, f"{where}.write", table["write"])
    return Profile(provider, read, write, minimum, explicit)


def _part(name: str, where: str, value: Any) -> Fraction:
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    if not number or not Decimal(value).is_finite() or value < 0:
        raise _wrong(name, f"{where}: expected a number, 0 or more")
    if Decimal(value).adjusted() > 6 or len(Decimal(value).as_tuple().digits) > 18:
        raise _wrong(name, f"{where}: a number out of all proportion")
    return Fraction(value)


def _wrong(name: str, message: str) -> UnreadableInput:
    return UnreadableInput(
        f"the profiles {name} cannot be read: {message}",
        advice="verify/systems/prompt2md/profiles.toml shows the form.",
    )
