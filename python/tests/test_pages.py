"""What the page about the client and its notebook show is what happens."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from nbclient import execute
from nbformat import reads

HERE = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def explorer_of_the_examples(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPRIG_EXPLORER", address)


def test_the_readme_prints_what_it_says() -> None:
    shown = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", (HERE / "README.md").read_text(), re.DOTALL)
    assert len(shown) >= 2
    for program, printed in shown:
        run = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
        assert run.stdout == printed


def test_the_notebook_runs() -> None:
    notebook = reads((HERE / "examples" / "first_steps.ipynb").read_text(), as_version=4)
    execute(notebook, timeout=60)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"image/svg+xml", "text/html"} <= kinds, kinds
