"""Calling a target as often as needed with the same inputs, state and random numbers.

A pipeline calls the target several times (eager, traced, float64). A call may write to its inputs, to buffers
and to ``.grad``; every call therefore gets fresh inputs, and the state of the modules is put back afterwards.
Terms: a *leaf* is a tensor, number, bool or None inside nested inputs or outputs; a *watched* tensor is one whose
gradient is compared.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.utils import _pytree as pytree

from aotgui.engine.leaves import flatten_output
from aotgui.engine.targets import Target
from aotgui.model.graph import Role


@dataclass(frozen=True)
class FlatInput:
    """One leaf of (state, args, kwargs), in the order in which AOT Autograd flattens them.

    Attributes:
        label: ``layers.0.weight``, ``args[0]``, ``kwargs['mask']``.
        role: parameter, buffer or input.
        value: the leaf.
        aliases: other names under which the target knows the same tensor.
    """

    label: str
    role: Role
    value: Any
    aliases: tuple[str, ...] = ()


class OutputFacts(NamedTuple):
    """What a person may rely on beside the numbers of an output.

    Attributes:
        requires_grad: whether a gradient can flow back from it.
        shares: names of inputs, parameters and earlier outputs that share its memory.
    """

    requires_grad: bool
    shares: tuple[str, ...]


@dataclass
class CallResult:
    """What one call gave, detached from everything.

    Attributes:
        outputs: name to leaf; tensors are detached copies.
        kinds: name of each tensor output to what else can be told of it.
        gradients: name of each watched tensor to its gradient or None.
        buffers: name to the value of each buffer after the call.
        mutated: names of inputs that the call wrote to.
    """

    outputs: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, OutputFacts] = field(default_factory=dict)
    gradients: dict[str, torch.Tensor | None] = field(default_factory=dict)
    buffers: dict[str, torch.Tensor] = field(default_factory=dict)
    mutated: dict[str, torch.Tensor] = field(default_factory=dict)


class Harness:
    """A target with its state, ready to be called repeatedly."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._inputs: tuple[Any, ...] = ()
        self._modules = self._found_modules()
        self._training = {module: module.training for _, root in self._modules for module in root.modules()}
        self._saved_state = {
            name: tensor.detach().clone()
            for name, tensor in self._named_state()
            if not torch.nn.parameter.is_lazy(tensor)
        }

    def _found_modules(self) -> list[tuple[str, torch.nn.Module]]:
        """The modules whose state belongs to the target, each with a prefix for names."""
        return _modules_of(self.target)

    def _named_state(self) -> Iterator[tuple[str, torch.Tensor]]:
        for prefix, module in self._modules:
            for name, tensor in (*module.named_parameters(), *module.named_buffers()):
                yield f"{prefix}{name}", tensor

    @property
    def state(self) -> dict[str, torch.Tensor]:
        """Parameters and buffers of the target module by path, tied ones once; empty for a function."""
        module = self.target.module
        return {} if module is None else {**dict(module.named_parameters()), **dict(module.named_buffers())}

    @property
    def modules(self) -> list[tuple[str, torch.nn.Module]]:
        """The target module, or the modules that a function may use, each with a prefix for names."""
        return self._modules

    def names_of_tensors(self) -> dict[int, str]:
        """``id`` of each parameter, buffer and input of the call under way to its name."""
        names = {id(tensor): name for name, tensor in self._named_state()}
        leaves, _ = pytree.tree_flatten_with_path(self._inputs)
        names.update((id(leaf), self._label(path)) for path, leaf in leaves if isinstance(leaf, torch.Tensor))
        return names

    def captured_state(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Parameters and buffers of modules that a function may use without getting them as arguments."""
        return iter(()) if self.target.module is not None else self._named_state()

    def shared_inputs(self) -> list[str]:
        """Sentences about example inputs that share memory, with the offset in elements."""
        leaves, _ = pytree.tree_flatten_with_path((self.target.args, self.target.kwargs))
        first: dict[int, tuple[str, torch.Tensor]] = {}
        sentences = []
        for path, leaf in leaves:
            if (key := _storage_of(leaf)) is None:
                continue
            name = self._label(path)
            if key in first:
                other, tensor = first[key]
                if leaf is tensor:
                    continue  # passed twice
                offset = leaf.storage_offset() - tensor.storage_offset()
                sentences.append(
                    f"{other} and {name} share memory (offset {offset}): a write to one changes the other."
                )
            first.setdefault(key, (name, leaf))
        return sentences

    def of(self, target: Target) -> Harness:
        """A harness of the same kind for a variant of the target."""
        return Harness(target)

    def _label(self, path: Sequence[Any]) -> str:
        """Name of an input from its path into (args, kwargs)."""
        return _input_label(path)

    def restore(self) -> None:
        """Put parameters, buffers and training flags back to what they were when the target was loaded."""
        for module, training in self._training.items():
            module.training = training
        with torch.no_grad():
            for name, tensor in self._named_state():
                saved = self._saved_state.get(name)
                if saved is not None and saved.shape == tensor.shape and not _same(saved, tensor):
                    tensor.copy_(saved)

    def fresh_inputs(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Copies of the example inputs that alias each other as the originals do."""
        args, kwargs = copy_tensors((self.target.args, self.target.kwargs))
        return args, kwargs

    def flat_inputs(self) -> list[FlatInput]:
        """The leaves of (state, args, kwargs) with their names."""
        aliases = _aliases(self.target.module)
        parameters = set() if self.target.module is None else {n for n, _ in self.target.module.named_parameters()}
        entries = [
            FlatInput(name, Role.PARAMETER if name in parameters else Role.BUFFER, tensor, aliases.get(name, ()))
            for name, tensor in self.state.items()
        ]
        leaves, _ = pytree.tree_flatten_with_path((self.target.args, self.target.kwargs))
        for path, value in leaves:
            entries.append(FlatInput(self._label(path), Role.INPUT, value))
        return entries

    @contextmanager
    def restoring(self, seed: int) -> Iterator[None]:
        """Seed everything, and put state, gradients and random numbers back afterwards."""
        gradients = [(tensor, tensor.grad) for _, tensor in self._named_state() if tensor.is_leaf]
        with torch.random.fork_rng(devices=_cuda_devices()):
            torch.manual_seed(seed)
            try:
                yield
            finally:
                self.restore()
                for tensor, gradient in gradients:
                    tensor.grad = gradient

    def call_forward(self, function: Callable[..., Any], seed: int) -> None:
        """Call ``function`` in the target's place without gradients, for what it does on the way."""
        with self.restoring(seed), torch.no_grad():
            args, kwargs = self._inputs = self.fresh_inputs()
            function(*args, **kwargs)

    def call(self, function: Callable[..., Any], seed: int) -> CallResult:
        """Call ``function`` in the target's place, run backward, and collect what came out.

        Args:
            function: takes the target's arguments.
            seed: for random operators, and for the tangents that start the backward.
        """
        with self.restoring(seed):
            args, kwargs = self._inputs = self.fresh_inputs()
            watched = self._watched(args, kwargs)
            arrived = _awaited(watched)
            outputs = flatten_output(function(*args, **kwargs))
            kinds = self._facts(outputs)
            run_backward(outputs.values(), seed)
            return CallResult(
                kinds=kinds,
                outputs={name: _detached(value) for name, value in outputs.items()},
                gradients={
                    name: _detached(tensor.grad if tensor.is_leaf else arrived[name])
                    for name, tensor in watched.items()
                },
                buffers={n: _detached(t) for n, t in self._named_state() if not isinstance(t, torch.nn.Parameter)},
                mutated=self._mutated(args, kwargs),
            )

    def call_in_parts(self, function: Callable[..., Any], seed: int, run: Callable[[Callable[[], Any]], Any]) -> None:
        """Make the same call for what it takes, not for what it gives.

        Args:
            function: takes the target's arguments.
            seed: as for ``call``.
            run: gets the forward, then the backward where there is one, each as a function without arguments, and
                returns what that returns.
        """
        with self.restoring(seed):
            args, kwargs = self._inputs = self.fresh_inputs()
            _awaited(self._watched(args, kwargs))
            outputs = flatten_output(run(lambda: function(*args, **kwargs)))
            roots, tangents = backward_start(outputs.values(), seed)
            if roots:
                run(lambda: torch.autograd.backward(roots, tangents))

    def _facts(self, outputs: dict[str, Any]) -> dict[str, OutputFacts]:
        owners: dict[int, list[str]] = {}
        leaves, _ = pytree.tree_flatten_with_path(self._inputs)
        named = [(self._label(path), leaf) for path, leaf in leaves]
        for name, value in (*self._named_state(), *named):
            if (key := _storage_of(value)) is not None:
                owners.setdefault(key, []).append(name)
        facts = {}
        for name, value in outputs.items():
            if isinstance(value, torch.Tensor):
                key = _storage_of(value)
                facts[name] = OutputFacts(value.requires_grad, tuple(owners.get(key, ())) if key else ())
                if key is not None:
                    owners.setdefault(key, []).append(name)
        return facts

    def _watched(self, args: Any, kwargs: Any) -> dict[str, torch.Tensor]:
        watched = {name: tensor for name, tensor in self._named_state() if tensor.requires_grad}
        leaves, _ = pytree.tree_flatten_with_path((args, kwargs))
        for path, value in leaves:
            if isinstance(value, torch.Tensor) and value.requires_grad:
                watched[self._label(path)] = value
        return watched

    def _mutated(self, args: Any, kwargs: Any) -> dict[str, torch.Tensor]:
        before = pytree.tree_leaves((self.target.args, self.target.kwargs))
        after, _ = pytree.tree_flatten_with_path((args, kwargs))
        return {
            self._label(path): _detached(new)
            for old, (path, new) in zip(before, after, strict=True)
            if isinstance(new, torch.Tensor) and not _same(old, new)
        }


def _input_label(path: Sequence[Any]) -> str:
    """``args[0]['mask']`` from a path into (args, kwargs)."""
    return f"{('args', 'kwargs')[path[0].idx]}{pytree.keystr(tuple(path[1:]))}"


def _awaited(watched: dict[str, torch.Tensor]) -> dict[str, torch.Tensor | None]:
    """Prepares for a backward: leaves get ``.grad``; gradients of other tensors arrive in what is returned.

    A hook is bound to the value of now. ``retain_grad`` would follow the tensor when the target writes to it.
    """
    arrived: dict[str, torch.Tensor | None] = {}
    for name, tensor in watched.items():
        if tensor.is_leaf:
            tensor.grad = None
        else:
            arrived[name] = None
            tensor.register_hook(functools.partial(arrived.__setitem__, name))  # type: ignore[no-untyped-call] # torch's
    return arrived


def _cuda_devices() -> list[int]:
    return list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []


def _same(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Whether two tensors hold the same bits; odd kinds count as the same rather than fail."""
    try:
        return first.shape == second.shape and bool(torch.equal(first.detach(), second.detach()))
    except (RuntimeError, NotImplementedError, AttributeError):  # AttributeError: jagged nested tensors
        return True


def _storage_of(value: Any) -> int | None:
    """Address of a tensor's memory; None for what has none of its own."""
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return None
    try:
        return value.untyped_storage().data_ptr() or None
    except (NotImplementedError, RuntimeError):
        return None


def _modules_of(target: Target) -> list[tuple[str, torch.nn.Module]]:
    """The target module, or for a function every module that its source holds, each with a prefix for names."""
    if target.module is not None:
        return [("", target.module)]
    found: dict[int, tuple[str, torch.nn.Module]] = {}
    for name, value in target.namespace.items():
        if isinstance(value, torch.nn.Module):
            found.setdefault(id(value), (f"{name}.", value))
    return list(found.values())


def _aliases(module: torch.nn.Module | None) -> dict[str, tuple[str, ...]]:
    """For each parameter and buffer the other names of the same tensor (tied weights)."""
    if module is None:
        return {}
    names: dict[int, list[str]] = {}
    for name, tensor in (
        *module.named_parameters(remove_duplicate=False),
        *module.named_buffers(remove_duplicate=False),
    ):
        names.setdefault(id(tensor), []).append(name)
    return {first: tuple(rest) for first, *rest in names.values() if rest}


def copy_tensors(tree: Any) -> Any:
    """Copies every tensor in a tree: one tensor once, tensors that share a storage into one new storage."""
    copies: dict[int, torch.Tensor] = {}
    storages: dict[int, torch.Tensor] = {}

    def copy(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if id(leaf) not in copies:
            copies[id(leaf)] = _copy_tensor(leaf, storages)
        return copies[id(leaf)]

    return pytree.tree_map(copy, tree)


def _copy_tensor(tensor: torch.Tensor, storages: dict[int, torch.Tensor]) -> torch.Tensor:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.layout is not torch.strided or tensor.is_nested:
        copied = tensor.detach().clone()
    else:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in storages:
            whole = torch.empty(0, dtype=torch.uint8, device=tensor.device)
            storages[key] = whole.set_(storage.clone())  # type: ignore[no-untyped-call] # torch's own lack
        copied = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        base = storages[key].untyped_storage()
        copied.set_(base, tensor.storage_offset(), tensor.shape, tensor.stride())
    if not tensor.requires_grad:
        return copied
    copied.requires_grad_()
    # A non-leaf may be written to in place where a leaf may not: keep that difference.
    return copied if tensor.is_leaf else copied.view_as(copied).clone()


def run_backward(outputs: Iterable[Any], seed: int) -> None:
    """Start the backward from every output that requires a gradient."""
    roots, tangents = backward_start(outputs, seed)
    if roots:
        torch.autograd.backward(roots, tangents)


def backward_start(outputs: Iterable[Any], seed: int) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The outputs that require a gradient, and what the backward starts from in each.

    A scalar starts from one, a nested tensor from ones, anything else from a tangent drawn with ``seed``, the same for
    every call.
    """
    roots = [value for value in outputs if isinstance(value, torch.Tensor) and value.requires_grad]
    generator = torch.Generator(device="cpu").manual_seed(seed + 1)
    return roots, [_tangent(root, generator) for root in roots]


def _tangent(root: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if root.dim() == 0 or root.is_nested:  # a nested tensor has no shape to draw numbers of
        return torch.ones_like(root)
    # Drawn in float64 so that a float64 reference starts from the same numbers.
    drawn = torch.randn(root.shape, generator=generator, dtype=torch.float64)
    if root.is_complex():
        drawn = torch.complex(drawn, torch.randn(root.shape, generator=generator, dtype=torch.float64))
    tangent = drawn.to(root.dtype).to(root.device)
    return tangent if type(root) in (torch.Tensor, torch.nn.Parameter) else torch.ones_like(root) * tangent


def _detached(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value
