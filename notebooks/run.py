"""Executes the notebooks and stores their outputs: `python notebooks/run.py`.

What changes from run to run without meaning is left out, so that the files only differ where an
answer does.
"""

from __future__ import annotations

import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

HERE = Path(__file__).resolve().parent
NOTEBOOKS = ("walkthrough.ipynb", "months.ipynb")
TIMEOUT = 300
MOST_TEXT = 4000


def executed(path: Path) -> Any:
    """The notebook at `path`, run from top to bottom in a fresh kernel.

    Raises nbclient's CellExecutionError when a cell does.
    """
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    with tempfile.TemporaryDirectory() as place:
        client = NotebookClient(
            notebook,
            timeout=TIMEOUT,
            kernel_name="python3",
            resources={"metadata": {"path": place}},
            config=_sockets(Path(place)),
        )
        client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "text/html" in data and len(data.get("text/plain", "")) > MOST_TEXT:
                del data["text/plain"]  # what a page says, in the words of Python
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def _sockets(place: Path) -> Config:
    """Sockets in the file system, where there are such: no port that another program could take."""
    if not hasattr(socket, "AF_UNIX"):
        return Config()
    return Config({"KernelManager": {"transport": "ipc", "ip": str(place / "kernel")}})


def main() -> None:
    """Run each and write it back in one step."""
    for name in sys.argv[1:] or NOTEBOOKS:
        path = HERE / name
        text = nbformat.writes(executed(path)) + "\n"
        path.write_text(text, "utf-8")
        print(name)


if __name__ == "__main__":
    main()
