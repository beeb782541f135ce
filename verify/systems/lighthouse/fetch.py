"""Capture LightHouse's API reads: each body byte for byte, with where and when it came from.

All reads or nothing: bodies collect in a directory of their own beside the goal, which is renamed
when the last one has arrived; a second run goes on where one broke off. Secrets travel in headers
only; no header that was sent, and no body of an error, reaches a file or a message.

Addresses and the two header names are stated; how pages of decisions are linked, and the names of
the environment variables for the access headers, are our reading.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin, urlsplit

from verify._version import __version__
from verify.errors import UnreadableInput, UsageProblem
from verify.period import Period, utc_text
from verify.systems.lighthouse.reads.capture import CAPTURE, FORMAT
from verify.systems.lighthouse.reads.documents import recognised
from verify.trust.strictjson import NotStrictJson, loads

if TYPE_CHECKING:
    import httpx

TRIES = 5
TIMEOUT = 30.0
MAX_BODY = 512 * 1024 * 1024
MAX_PAGES = 10_000
MAX_WAIT = 60.0
RETRIED = frozenset({429, 502, 503, 504})
KEPT_HEADERS = ("content-type", "content-length", "date", "etag", "last-modified", "server")


class FetchFailed(UnreadableInput):
    """A read could not be captured. The message says which, what came instead, and what to do."""


@dataclass(frozen=True)
class Access:
    """Where to ask, and with what. The secrets are kept out of every representation."""

    base_url: str
    key: str = field(repr=False)
    client_id: str = field(repr=False, default="")
    client_secret: str = field(repr=False, default="")

    def headers(self) -> dict[str, str]:
        """The headers that every request carries."""
        found = {"Authorization": f"Bearer {self.key}", "Accept-Encoding": "identity"}
        if self.client_id:
            found["CF-Access-Client-Id"] = self.client_id
        if self.client_secret:
            found["CF-Access-Client-Secret"] = self.client_secret
        return found


def access_from(environment: Mapping[str, str], base_url: str | None) -> Access:
    """Access from `AAL_TENANT`, `AAL_KEY`, `CF_ACCESS_CLIENT_ID` and `CF_ACCESS_CLIENT_SECRET`.

    Raises UsageProblem when something needed is missing, or the address would send the key in the
    clear to another machine.
    """
    key, tenant = environment.get("AAL_KEY", ""), environment.get("AAL_TENANT", "")
    if not key:
        raise UsageProblem("no key to ask with", advice="Set AAL_KEY, or name an --env-file.")
    if not base_url and not tenant:
        raise UsageProblem("no tenant to ask", advice="Set AAL_TENANT, or name a --base-url.")
    if any(ord(character) < 33 or ord(character) > 126 for character in key):
        raise UsageProblem("AAL_KEY holds a character that no key has", advice="Is it quoted?")
    if tenant and not tenant.replace("-", "").isalnum():
        raise UsageProblem("AAL_TENANT is not a tenant's name")
    address = base_url or f"https://{tenant}.atlanticagenticlabs.com/api/v1"
    parts = urlsplit(address)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageProblem("--base-url takes no credentials, query or fragment")
    if parts.scheme != "https" and not (parts.scheme == "http" and _loopback(parts.hostname)):
        raise UsageProblem(
            f"{parts.scheme or 'no scheme'}: the key is only sent over https",
            advice="Plain http is allowed to this machine alone.",
        )
    return Access(
        address.rstrip("/"),
        key,
        environment.get("CF_ACCESS_CLIENT_ID", ""),
        environment.get("CF_ACCESS_CLIENT_SECRET", ""),
    )


def _loopback(host: str | None) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def read_env_file(path: Path) -> dict[str, str]:
    """`NAME=value` lines; `#` begins a comment line, `export ` and quotes around a value go.

    Raises UnreadableInput, without showing a line's content.
    """
    found = {}
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise UnreadableInput(f"cannot read {path}") from None
    for number, line in enumerate(lines, start=1):
        text = line.strip().removeprefix("export ").strip()
        if not text or text.startswith("#"):
            continue
        name, separator, value = text.partition("=")
        if not separator or not name.strip().isidentifier():
            raise UnreadableInput(f"{path}, line {number}: expected NAME=value")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        found[name.strip()] = value
    return found


@dataclass(frozen=True)
class _Wanted:
    """One read to capture: its name, the file it goes to, and the path with its query."""

    read: str
    file: str
    path: str
    form: str = "application/json"


def _wanted(period: Period) -> Iterator[_Wanted]:
    dates = urlencode({"since": period.since.isoformat(), "until": period.until.isoformat()})
    if period.month is not None:
        yield _Wanted("headline", "headline.json", f"/savings/headline?period={period.month}")
    yield _Wanted("retrieval", "retrieval.json", f"/retrieval?{dates}")
    yield _Wanted("caching", "caching.json", f"/caching?{dates}")
    yield _Wanted(
        "caching.group_by_deployment",
        "caching.group_by_deployment.csv",
        f"/caching?{dates}&group_by=deployment&format=csv",
        "text/csv",
    )
    yield _Wanted("routing", "routing.json", f"/routing?{dates}")
    yield _Wanted("profiles", "profiles.json", "/deployments/profiles")


@dataclass(frozen=True)
class Conduct:
    """How to behave on the network; the tests shorten the waits."""

    tries: int = TRIES
    timeout: float = TIMEOUT
    ca_bundle: Path | None = None
    sleep: Callable[[float], None] = time.sleep
    tell: Callable[[str], None] = lambda _: None
    max_body: int = MAX_BODY


def fetch(access: Access, period: Period, out: Path, conduct: Conduct | None = None) -> Path:
    """Capture every read of `period` into the new directory `out`; returns it.

    Raises FetchFailed with nothing at `out`, UsageProblem when `out` exists already or httpx is
    not installed.
    """
    conduct = conduct or Conduct()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageProblem(f"{out} is there already", advice="A capture is never written over.")
    partial = out.parent / f".{out.name}.partial"
    capture = _begun(partial, access, period)
    client = _client(access, conduct)
    try:
        for wanted in _wanted(period):
            if not _done(partial, capture, wanted):
                _capture_read(client, access, wanted, partial, capture, conduct)
    finally:
        client.close()
    capture["complete"] = True
    _note(partial, capture)
    try:
        if out.exists():
            out.rmdir()
        os.rename(partial, out)
    except OSError as error:
        raise UsageProblem(f"cannot write {out}: {(error.strerror or '').lower()}") from None
    return out


def _client(access: Access, conduct: Conduct) -> httpx.Client:
    try:
        import httpx
    except ImportError:
        raise UsageProblem(
            "fetching needs httpx",
            advice="Install it with: pip install 'verify-savings[fetch]'",
        ) from None
    import ssl

    try:
        context = ssl.create_default_context(
            cafile=str(conduct.ca_bundle) if conduct.ca_bundle else None
        )
    except (OSError, ssl.SSLError):
        raise UsageProblem(f"{conduct.ca_bundle} is not a bundle of certificates") from None
    return httpx.Client(
        headers=access.headers(), timeout=conduct.timeout, verify=context, follow_redirects=False
    )


def _begun(partial: Path, access: Access, period: Period) -> dict[str, Any]:
    """What an earlier run for the same reads left, or a beginning."""
    about: dict[str, Any] = {
        "format": FORMAT,
        "tool": f"verify {__version__}",
        "base_url": access.base_url,
        "since": period.since.isoformat(),
        "until": period.until.isoformat(),
        "complete": False,
        "reads": [],
    }
    try:
        left = json.loads((partial / CAPTURE).read_bytes())
        if all(left[name] == about[name] for name in ("format", "base_url", "since", "until")):
            about["reads"] = list(left["reads"])
            return about
    except (OSError, ValueError, KeyError, TypeError):
        pass
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise UsageProblem(f"cannot write {partial}: {(error.strerror or '').lower()}") from None
    return about


def _done(partial: Path, capture: Mapping[str, Any], wanted: _Wanted) -> bool:
    entries = [entry for entry in capture["reads"] if entry["read"] == wanted.read]
    if not entries or not entries[-1]["last"]:
        capture["reads"][:] = [e for e in capture["reads"] if e["read"] != wanted.read]
        return False
    for entry in entries:
        file = partial / entry["file"]
        if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != entry["sha256"]:
            capture["reads"][:] = [e for e in capture["reads"] if e["read"] != wanted.read]
            return False
    return True


def _note(partial: Path, capture: Mapping[str, Any]) -> None:
    new = partial / f".{CAPTURE}"
    new.write_text(json.dumps(capture, indent=1) + "\n", "utf-8")
    os.replace(new, partial / CAPTURE)


def _capture_read(
    client: httpx.Client,
    access: Access,
    wanted: _Wanted,
    partial: Path,
    capture: dict[str, Any],
    conduct: Conduct,
) -> None:
    url, seen = access.base_url + wanted.path, set()
    for page in range(1, MAX_PAGES + 1):
        seen.add(url)
        response, body = _asked(client, wanted, url, conduct)
        following = _checked(wanted, url, response, body)
        stem, dot, suffix = wanted.file.rpartition(".")
        file = wanted.file if page == 1 else f"{stem}.page{page}{dot}{suffix}"
        (partial / file).write_bytes(body)
        capture["reads"].append(
            {
                "read": wanted.read,
                "file": file,
                "url": url,
                "status": response.status_code,
                "headers": {
                    name: response.headers[name]
                    for name in KEPT_HEADERS
                    if name in response.headers
                },
                "fetched_at": utc_text(datetime.now(UTC)),
                "sha256": hashlib.sha256(body).hexdigest(),
                "bytes": len(body),
                "last": following is None,
            }
        )
        _note(partial, capture)
        if following is None:
            return
        url = _next_page(wanted, url, following, seen)
    raise FetchFailed(f"{wanted.read}: more than {MAX_PAGES:,} pages")


def _next_page(wanted: _Wanted, url: str, following: str, seen: set[str]) -> str:
    here, there = urlsplit(url), urlsplit(urljoin(url, following))
    if (here.scheme, here.netloc) != (there.scheme, there.netloc):
        raise FetchFailed(
            f"{wanted.read}: its next page lies on another host ({there.netloc})",
            advice="The key is not sent there. Ask the vendor.",
        )
    target = there.geturl()
    if target in seen:
        raise FetchFailed(f"{wanted.read}: its pages go round in a circle")
    return target


def _asked(
    client: httpx.Client, wanted: _Wanted, url: str, conduct: Conduct
) -> tuple[httpx.Response, bytes]:
    """One answer worth reading; what passes by itself is tried again, with growing waits."""
    import httpx

    for attempt in range(1, conduct.tries + 1):
        last, wait, why = attempt == conduct.tries, min(2.0 ** (attempt - 1), MAX_WAIT), ""
        try:
            with client.stream("GET", url) as response:
                if response.status_code not in RETRIED:
                    return response, _body(wanted, response, conduct)
                why = f"status {response.status_code}"
                wait = _retry_after(response.headers.get("retry-after"), wait)
        except httpx.TimeoutException:
            why = f"no answer within {conduct.timeout:g} seconds"
        except httpx.TransportError as error:
            # The text of a transport error names hosts and certificates, never a header.
            why = f"{type(error).__name__}: {error}"
            if "CERTIFICATE_VERIFY_FAILED" in why:
                raise FetchFailed(
                    f"{wanted.read}: the server's certificate cannot be verified",
                    advice="Behind a company proxy, name its certificates with --ca-bundle.",
                ) from None
        if last:
            raise FetchFailed(
                f"{wanted.read}: {why}, {conduct.tries} times",
                advice="Try again later; what has arrived is kept for the next run.",
            )
        conduct.tell(f"{wanted.read}: {why}; asking again in {wait:g} s")
        conduct.sleep(wait)
    raise AssertionError("unreachable")


def _retry_after(header: str | None, otherwise: float) -> float:
    if header is not None and header.strip().isdigit():
        return min(float(header), MAX_WAIT)
    return otherwise


def _body(wanted: _Wanted, response: httpx.Response, conduct: Conduct) -> bytes:
    parts, size = [], 0
    for part in response.iter_raw():
        size += len(part)
        if size > conduct.max_body:
            raise FetchFailed(
                f"{wanted.read}: a body of more than {conduct.max_body:,} bytes",
                advice="Ask for a shorter period.",
            )
        parts.append(part)
    return b"".join(parts)


def _checked(wanted: _Wanted, url: str, response: httpx.Response, body: bytes) -> str | None:
    """The address of the next page, if there is one. Raises FetchFailed for what is no read."""
    status, kind = response.status_code, response.headers.get("content-type", "").lower()
    if 300 <= status < 400:
        raise FetchFailed(
            f"{wanted.read}: redirected (status {status}), as to a login page",
            advice="Check AAL_KEY and the CF_ACCESS_CLIENT_ID and _SECRET of your access policy.",
        )
    if status in (401, 403):
        raise FetchFailed(
            f"{wanted.read}: not allowed (status {status})",
            advice="Check AAL_KEY, and that it may read this tenant.",
        )
    if status != 200:
        raise FetchFailed(
            f"{wanted.read}: status {status} for {urlsplit(url).path}",
            advice="Check the tenant, --base-url and the period.",
        )
    if "html" in kind or body.lstrip()[:1] == b"<":
        raise FetchFailed(
            f"{wanted.read}: a web page came instead of data, as from a login or a proxy",
            advice="Check the access headers, and the proxy in HTTPS_PROXY.",
        )
    if not kind.startswith(wanted.form):
        raise FetchFailed(f"{wanted.read}: expected {wanted.form}, got {kind or 'no type'}")
    if wanted.form != "application/json":
        return None
    try:
        document = loads(body)
    except NotStrictJson as error:
        raise FetchFailed(f"{wanted.read}: {error}", advice="Capture it again.") from None
    found = recognised(document, wanted.read)
    if found is None or found[0] != wanted.read:
        raise FetchFailed(f"{wanted.read}: the answer is not that read")
    return _following(url, document)


def _following(url: str, document: Mapping[str, Any]) -> str | None:
    """A link (`next`) or a cursor (`next_cursor`) to the next page [reading]."""
    link, cursor = document.get("next"), document.get("next_cursor")
    if isinstance(link, str) and link:
        return link
    if isinstance(cursor, str) and cursor:
        parts = urlsplit(url)
        query = [item for item in parts.query.split("&") if not item.startswith("cursor=")]
        return parts._replace(query="&".join([*query, urlencode({"cursor": cursor})])).geturl()
    return None
