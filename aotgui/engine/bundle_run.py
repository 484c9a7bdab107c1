"""Runs the graphs of this folder on the recorded inputs and compares with the recorded results.

    python run.py

It needs torch alone. The backward gets what the forward of this very run saves for it; ``manifest.json`` says which
output of the forward is which input of the backward. Exit status 0: everything equals what was recorded.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import torch

FOLDER = Path(__file__).parent


def main() -> int:
    """Loads, runs and compares every graph in order; gives the exit status."""
    from compare import compare  # type: ignore[import-not-found] # stands beside this file in an exported folder

    warnings.filterwarnings("ignore", r".*torch\.jit.*")  # newer versions call it deprecated
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    recorded = torch.load(FOLDER / "recorded.pt", weights_only=True)
    results: dict[str, list[Any]] = {}
    status = 0
    for kind in manifest["order"]:
        script = torch.jit.load(str(FOLDER / manifest["graphs"][kind]["file"]))  # type: ignore[no-untyped-call] # untyped in torch
        args = list(recorded[kind]["args"])
        if kind == "backward":
            for link in manifest["saved"]:
                args[link["backward_input"]] = results["forward"][link["forward_output"]]
        torch.set_rng_state(recorded[kind]["random_state"])
        with torch.no_grad():
            outputs = script(*args)
        results[kind] = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        error, fault = compare(results[kind], recorded[kind]["outputs"])
        said = fault or f"{len(results[kind])} outputs as recorded (largest difference {error:.2g})"
        sys.stdout.write(f"{kind}: {said}\n")
        status = 1 if fault else status
    return status


if __name__ == "__main__":
    sys.exit(main())
