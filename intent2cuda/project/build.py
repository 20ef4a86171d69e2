"""Emitted texts to a loadable library, through the build cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from intent2cuda.base.codec import canonical, digest
from intent2cuda.project import settings
from intent2cuda.project.cache import Cache, open_cache
from intent2cuda.project.compile import (
    Recipe,
    compile_in,
    cpu_recipe,
    cuda_recipe,
    simulated_recipe,
    simulator_recipe,
)
from intent2cuda.project.emitted import EmittedProject
from intent2cuda.project.runtime import runtime_headers, simulator_sources
from intent2cuda.project.tree import lay_out


@dataclass(frozen=True)
class Built:
    """A library or an object in the cache, beside the texts that it was made from."""

    directory: Path
    product: Path
    from_cache: bool


def build_library(
    project: EmittedProject, *, cache: Cache | None = None, on_line: Callable[[str], None] | None = None
) -> Built:
    """The project's library, compiled now unless the cache has it.

    Raises:
        ToolchainError: a compiler is missing, failed or took too long.
        ProjectError: the cache folder cannot be used.
    """
    cache = cache or open_cache()
    match project.target:
        case "cpu":
            recipe = cpu_recipe(project)
        case "cuda":
            recipe = cuda_recipe(project)
        case "cuda-sim":
            sources = simulator_sources()
            simulator = build(sources | _headers_of(sources), simulator_recipe(), cache, on_line)
            recipe = simulated_recipe(project, simulator.product)
    return build(project.files, recipe, cache, on_line)


def _headers_of(sources: Mapping[str, str]) -> dict[str, str]:
    return runtime_headers(sources.values(), simulation=True)


def build(
    files: Mapping[str, str], recipe: Recipe, cache: Cache, on_line: Callable[[str], None] | None = None
) -> Built:
    """The product of a recipe over the files, from the cache or made now."""
    key = build_key(files, recipe)
    found = cache.lookup(key)
    if found is not None:
        return Built(found, found / recipe.product, from_cache=True)
    with cache.staging() as staged:
        lay_out(staged, files)
        compile_in(staged, recipe, seconds=settings.compile_seconds(), on_line=on_line)
        entry = cache.publish(staged, key)
    return Built(entry, entry / recipe.product, from_cache=False)


def build_key(files: Mapping[str, str], recipe: Recipe) -> str:
    """Digest of everything that the product depends on: each text, the commands, the compiler, the processor."""
    return digest(
        "intent2cuda.build",
        canonical(
            {
                "files": dict(files),
                "steps": recipe.steps,
                "compiler": recipe.compiler_words,
                "processor": recipe.processor,
            }
        ),
    )
