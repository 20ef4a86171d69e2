"""Plan diffs as people read them: three lines that answer first, then every change by its identifier."""

from __future__ import annotations

from collections import Counter

from intent2cuda.base.codec import Plain, short
from intent2cuda.review.plan_diff import Change, FileChange, PlanDiff

_THINGS = {
    "tasks": "task", "decisions": "decision", "stages": "stage", "buffers": "buffer", "barriers": "barrier",
    "launch": "launch", "guards": "guard",
}  # fmt: skip
_MANY = {"launch": "launches"}
_DECIDED = ("portable", "concrete")
_MOVED = ("read bytes", "written bytes")


def answers(diff: PlanDiff) -> tuple[tuple[str, str], ...]:
    """The three questions with their answers: did the meaning change, what was decided, what it takes?"""
    return (
        ("semantics", _semantics(diff)),
        ("decisions", _decisions(diff)),
        ("resources", _resources(diff)),
    )


def text(diff: PlanDiff) -> str:
    rows = [f"{question}  {answer}" for question, answer in answers(diff)]
    rows += [f"built for  {name}: {old or 'none'} -> {new or 'none'}" for name, old, new in diff.requires]
    for kernel in _kernels(diff):
        rows += ["", f"kernel {kernel}"]
        rows += [f"  {layer:9} {_digests(old, new)}" for name, layer, old, new in diff.layers if name == kernel]
        rows += [f"  {change.level:9} {_told(change)}" for change in diff.changes if change.kernel == kernel]
        rows += [f"  {'files':9} {_hunks(file)}" for file in diff.files if file.kernel == kernel]
    rows += [f"{where} has no diagnostics/plan.json: only digests can be compared" for where in diff.detached]
    return "\n".join(rows) + "\n"


def markdown(diff: PlanDiff) -> str:
    """The same as a comment on a pull request."""
    rows = ["### Plans", ""]
    rows += [f"- **{question}** {answer}" for question, answer in answers(diff)]
    rows += [f"- **built for** {name}: {old or 'none'} → {new or 'none'}" for name, old, new in diff.requires]
    for kernel in _kernels(diff):
        rows += ["", f"#### `{kernel}`", "", "| level | what | change |", "|---|---|---|"]
        changed = [row for row in diff.layers if row[0] == kernel and row[2] != row[3]]
        rows += [
            f"| {layer} | digest | `{short(old) or 'none'}` → `{short(new) or 'none'}` |"
            for _, layer, old, new in changed
        ]
        rows += [f"| {c.level} | `{c.id}` | {_cell(_changed(c))} |" for c in diff.changes if c.kernel == kernel]
        rows += [f"| files | `{file.path}` | {_cell(_stages(file))} |" for file in diff.files if file.kernel == kernel]
    rows += [f"\n`{where}` has no `diagnostics/plan.json`: only digests were compared." for where in diff.detached]
    return "\n".join(rows) + "\n"


def record(diff: PlanDiff) -> dict[str, Plain]:
    """The same as data."""
    return {
        **dict(answers(diff)),
        "meaning_changed": list(diff.meaning),
        "layers": [
            {"kernel": kernel, "layer": layer, "old": old, "new": new} for kernel, layer, old, new in diff.layers
        ],
        "changes": [
            {
                "kernel": change.kernel,
                "level": change.level,
                "section": change.section,
                "id": change.id,
                "how": change.how,
                "does": change.does,
                "fields": [{"name": name, "old": old, "new": new} for name, old, new in change.fields],
            }
            for change in diff.changes
        ],
        "files": [
            {"kernel": file.kernel, "path": file.path, "hunks": [list(hunk) for hunk in file.hunks]}
            for file in diff.files
        ],
        "detached": list(diff.detached),
        "requires": [{"name": name, "old": old, "new": new} for name, old, new in diff.requires],
    }


def _semantics(diff: PlanDiff) -> str:
    parts = [f"{name} is new" for name in diff.added] + [f"{name} is gone" for name in diff.removed]
    for layer, words in (("kir", "Kernel IR"), ("facts", "facts")):
        kernels = [kernel for kernel, each, old, new in diff.layers if each == layer and old != new]
        parts += [f"{words} of {', '.join(kernels)}"] if kernels else []
    return f"changed: {'; '.join(parts)}" if parts else "unchanged: Kernel IR and facts are equal"


def _decisions(diff: PlanDiff) -> str:
    decided = [change for change in diff.changes if change.section in _THINGS]
    counted = Counter(change.section for change in decided if not _follows(change))
    if counted:
        return "changed: " + ", ".join(f"{n} {_things(section, n)}" for section, n in counted.items())
    if decided:
        return f"unchanged: {len(decided)} follow the operations"
    layers = [row for row in diff.layers if row[1] in _DECIDED and row[2] != row[3]]
    if not layers:
        return "unchanged"
    return f"changed: {', '.join(dict.fromkeys(f'{layer} plan of {kernel}' for kernel, layer, _, _ in layers))}"


def _follows(change: Change) -> bool:
    """Whether it only follows the operations: another identifier, or what a task computes and moves."""
    return change.how == "follows" or (change.section == "tasks" and change.how == "changed")


def _things(section: str, count: int) -> str:
    return _THINGS[section] if count == 1 else _MANY.get(section, f"{_THINGS[section]}s")


def _resources(diff: PlanDiff) -> str:
    found: list[str] = []
    for change in diff.changes:
        for name, old, new in change.fields:
            taken = change.section == "launch" and (" bytes a " in name or name.startswith("threads"))
            if taken or (change.section == "facts" and name in _MOVED):
                found.append(f"{change.kernel}: {name} {old or 'none'} -> {new or 'none'}")
    if found:
        return f"changed: {'; '.join(found)}"
    return "unknown" if diff.detached and not diff.is_empty else "unchanged"


def _kernels(diff: PlanDiff) -> list[str]:
    """The kernels with something to tell about."""
    named = [kernel for kernel, _, old, new in diff.layers if old != new]
    return list(dict.fromkeys((*named, *(c.kernel for c in diff.changes), *(f.kernel for f in diff.files))))


def _digests(old: str, new: str) -> str:
    return f"{short(old)} equal" if old == new else f"{short(old) or 'none'} -> {short(new) or 'none'}"


def _told(change: Change) -> str:
    return f"{change.id}  {_changed(change)}" if change.id != change.section else _changed(change)


def _changed(change: Change) -> str:
    if change.how == "follows":
        return f"{change.does} (was {change.fields[0][1]})"
    does = f"{change.does}: " if change.does and change.how == "changed" else change.does
    if change.how != "changed":
        return f"{change.how}{f': {does}' if does else ''}"
    fields = {name: (old or "none", new or "none") for name, old, new in change.fields}
    if "does" in fields:
        old, new = fields.pop("does")
        does = f"{new} (before: {old}){': ' if fields else ''}"
    return does + ", ".join(f"{name} {old} -> {new}" for name, (old, new) in fields.items())


def _hunks(file: FileChange) -> str:
    return f"{file.path}: {_stages(file)}"


def _stages(file: FileChange) -> str:
    count = sum(number for _, number in file.hunks)
    under = ", ".join(f"{stage or 'interface'} ({number})" for stage, number in file.hunks)
    return f"{count} hunk{'s' if count > 1 else ''}, under {under}"


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;")
