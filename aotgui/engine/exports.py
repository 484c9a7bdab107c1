"""Serves the exports that only the engine can make; each is answered by one ``Exported``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from aotgui.engine.artifacts import export_torchscript
from aotgui.engine.bundle import export_bundle
from aotgui.engine.choices import compiler_name
from aotgui.engine.compiler import CompileFailed, Compiler
from aotgui.engine.compilers import resolve
from aotgui.engine.culprit_hunt import CulpritHunt
from aotgui.engine.errors import Stopped, UserError, fault, one_line
from aotgui.engine.fx_folder import export_fx
from aotgui.engine.policy_export import export_policy
from aotgui.engine.repro import write_repro
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Problem, Severity
from aotgui.model.decision import Decision
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import (
    Event,
    Exported,
    ExportFolder,
    ExportPolicy,
    ExportTorchScript,
    FolderForm,
    WriteRepro,
)

if TYPE_CHECKING:
    from aotgui.engine.pipeline import Pipeline

ExportRequest = ExportTorchScript | ExportFolder | ExportPolicy | WriteRepro


class Exports:
    """Exports of the last run."""

    def __init__(self, pipeline: Pipeline, hunt: CulpritHunt, emit: Callable[[Event], None]) -> None:
        self._pipeline = pipeline
        self._hunt = hunt
        self._emit = emit

    def answer(self, request: ExportRequest) -> None:
        """Writes what is asked for."""
        problem: Problem
        try:
            detail = self._write(request)
        except Stopped:
            problem = Problem(severity=Severity.INFO, stage="export", message="Export stopped.")
        except UserError as error:
            problem = error.problem
        except CompileFailed as error:
            problem = fault(
                "export",
                error.message,
                node=error.node,
                graph=request.graph if isinstance(request, ExportTorchScript) else None,
                file=error.file,
                line=error.line,
                details=error.details,
            ).problem
        except Exception as error:
            problem = fault("export", f"The export failed: {one_line(error)}", error=error).problem
        else:
            self._emit(Exported(request=request.request, path=request.path, detail=detail))
            return
        self._emit(Exported(request=request.request, problem=problem))

    def _write(self, request: ExportRequest) -> str:
        match request:
            case ExportTorchScript(region=region, graph=kind, path=path):
                half = self._region(region).halves.get(kind)
                if half is None:
                    raise fault("export", f"There is no {kind} graph to export.")
                return export_torchscript(half, path, self._compiler(kind))
            case ExportFolder(region=region, form=FolderForm.BUNDLE, path=path):
                return export_bundle(self._region(region), path, self._compiler, self._title())
            case ExportFolder(region=region, path=path):
                return export_fx(self._region(region), path, self._title())
            case ExportPolicy(region=region, decisions=decisions, path=path):
                return self._export_policy(region, decisions, path)
            case WriteRepro(path=path, seconds=seconds):
                if self._hunt.found is None:
                    raise fault("export", "There is no culprit to write a script for: look for one first.")
                return write_repro(self._hunt.found, path, seconds)

    def _export_policy(self, index: int, decisions: Mapping[str, Decision], path: str) -> str:
        kept, regions = self._pipeline.kept, self._pipeline.regions
        if kept is None or not 0 <= index < len(regions):
            raise fault("export", "A policy is proven by capturing the target with it: run a target first.")
        joint = regions[index].graphs.get(GraphKind.JOINT)
        if joint is None:
            raise fault("export", f"{regions[index].name.capitalize()} has no backward, so nothing in it is saved.")
        return export_policy(joint, decisions, kept.harness.target, self._pipeline.settings, path)

    def _compiler(self, kind: GraphKind) -> Compiler:
        return resolve(compiler_name(self._pipeline.settings, kind), self._pipeline.namespace)

    def _title(self) -> str:
        kept = self._pipeline.kept
        return f"{Path(kept.source).name}: {kept.harness.target.name}" if kept else "a recorded script"

    def _region(self, index: int) -> RegionTrace:
        """A region whose halves were run.

        Raises:
            UserError: there is none.
        """
        regions = self._pipeline.regions
        if not 0 <= index < len(regions):
            raise fault("export", "There is nothing to export yet: run the target first.")
        if any(half.recorded is None for half in regions[index].halves.values()):
            raise fault("export", "These graphs have not been run, so what is exported could not be checked.")
        return regions[index]
