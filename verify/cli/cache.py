"""`verify cache`: what is stored, and clearing it."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="What is stored between runs: databases made from exports, by their digest.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def show(context: typer.Context) -> None:
    """List what is stored. Whoever can write there can change answers: see --no-cache."""
    if context.invoked_subcommand is not None:
        return
    from verify.render.safe import visible
    from verify.store.cache import Cache, default_root

    cache = Cache(default_root())
    entries = cache.entries()
    typer.echo(visible(str(cache.root)))
    for entry in entries:
        parts = entry.about.get("parts", [])
        records = sum(part["lines"] for part in parts)
        digest = parts[0]["sha256"][:12] if parts else ""
        typer.echo(f"  {entry.key[:12]}  {entry.bytes:>14,} bytes  {records:>13,} lines  {digest}")
    typer.echo(f"{len(entries)} stored" if entries else "nothing stored")


@app.command("clear")
def clear() -> None:
    """Remove everything stored."""
    from verify.store.cache import Cache, default_root

    count = Cache(default_root()).clear()
    typer.echo(f"removed {count}")
