"""A real HTTP server on loopback that serves a capture's reads, and misbehaves when told to."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

FILES = {
    "/api/v1/savings/headline": "headline.json",
    "/api/v1/retrieval": "retrieval.json",
    "/api/v1/caching": "caching.json",
    "/api/v1/routing": "routing.json",
    "/api/v1/deployments/profiles": "profiles.json",
}


@dataclass
class Answer:
    """What to answer instead, and how often before answering rightly."""

    status: int = 200
    body: bytes | None = None
    kind: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1_000_000
    cut_at: int | None = None  # close the connection after so many bytes
    drop: bool = False  # close it without a word


@dataclass
class Product:
    """The reads to serve, what to do wrong, and every request that came."""

    reads: Path
    wrong: dict[str, Answer] = field(default_factory=dict)
    pages: dict[str, bytes] = field(default_factory=dict)  # by path and query
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(product: Product, tls: tuple[Path, Path] | None = None) -> Iterator[Product]:
    """Serve until the block ends. `tls` is certificate and key."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            product.requests.append((self.path, dict(self.headers.items())))
            parts = urlsplit(self.path)
            name = FILES.get(parts.path, "")
            kind = "application/json"
            if parse_qs(parts.query).get("format") == ["csv"]:
                name, kind = "caching.group_by_deployment.csv", "text/csv; charset=utf-8"
            wrong = product.wrong.get(name)
            if wrong is not None and wrong.times > 0:
                wrong.times -= 1
                self._answer(wrong, kind, (product.reads / name).read_bytes())
            elif self.path in product.pages:
                self._send(200, product.pages[self.path], kind, {})
            elif name:
                self._send(200, (product.reads / name).read_bytes(), kind, {})
            else:
                self._send(404, b"{}", kind, {})

        def _answer(self, wrong: Answer, kind: str, right: bytes) -> None:
            if wrong.drop:
                self.close_connection = True
                self.connection.close()
                return
            body = right if wrong.body is None else wrong.body
            self._send(wrong.status, body, wrong.kind or kind, wrong.headers, wrong.cut_at)

        def _send(
            self,
            status: int,
            body: bytes,
            kind: str,
            headers: dict[str, str],
            cut_at: int | None = None,
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if cut_at is None else body[:cut_at])
            if cut_at is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Silence."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """A client that hangs up is no error of the server."""

    server = Quiet(("127.0.0.1", 0), Handler)
    scheme = "http"
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*map(str, tls))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    product.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/api/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield product
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def self_signed(place: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1, and its key, made on the spot."""
    import ipaddress
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = place / "server.pem", place / "server.key"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths
