"""What the page about the engine and its notebook show is what happens."""

import re
import subprocess
import sys
from pathlib import Path

from nbclient import execute
from nbformat import reads

HERE = Path(__file__).parent.parent


def test_the_readme_prints_what_it_says() -> None:
    shown = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", (HERE / "README.md").read_text(), re.DOTALL)
    assert shown
    for program, printed in shown:
        run = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
        assert run.stdout == printed


def test_the_notebook_runs() -> None:
    notebook = reads((HERE / "examples" / "engine.ipynb").read_text(), as_version=4)
    execute(notebook, timeout=60, cwd=str(HERE / "examples"))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/svg+xml" in output.get("data", {})]
    assert len(pictures) == 2
    assert "0*8 is a loss" in outputs[-1]["text"]
