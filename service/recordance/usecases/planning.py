"""What a draft decides by itself, before the store is asked: can it be kept, where does it lie, is it tainted (W1, W2, W14)."""

from collections.abc import Iterator

from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField
from recordance.domain.capture import Planned, labels_of
from recordance.domain.destination import Traits
from recordance.domain.draft import CapsuleDraft
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant, format_instant
from recordance.domain.storable import check_storable
from recordance.domain.taint import TaintPolicy, beside_content, find_shapes
from recordance.errors import InvalidArgument
from recordance.query.folding import fold_words


def plan(draft: CapsuleDraft, caller: Caller, policy: TaintPolicy, at: Instant) -> Planned:
    """Return the draft with everything that it alone decides.

    Raises InvalidArgument when no store can keep it, when it would never hold, or when it lies outside the caller's fence (F13).
    """
    for field, text in _texts(draft):
        check_storable(text, field)
    if not draft.content.strip():
        raise InvalidArgument("content", draft.content, "one statement in words", "a capsule without content says nothing")
    _check_validity(draft, at)
    words = fold_words(draft.content)
    taint = _shapes(draft, words, policy)
    return Planned(
        draft=draft,
        labels=labels_of(draft, _project(draft, caller)),
        digest=content_digest(draft.content),
        word_count=len(words),
        words=frozenset(words),
        taint=taint,
        quarantined=policy.quarantines(taint),
    )


def traits_of(draft: CapsuleDraft, caller: Caller) -> Traits:
    """Return what a draft says of where it belongs, its project as it is stamped (D1)."""
    stamp = _stamp(draft, caller)
    return Traits(
        labels=draft.labels if stamp is None else {**draft.labels, LabelField.PROJECT: stamp},
        tags=frozenset(draft.tags),
        topics=frozenset(draft.topics),
        entities=frozenset(entity.casefold() for entity in draft.entities),
    )


def _texts(draft: CapsuleDraft) -> Iterator[tuple[str, str]]:
    yield "content", draft.content
    yield "source", draft.source
    for field, text in (
        ("headline", draft.headline),
        ("proof_hint", draft.proof_hint),
        ("stale_if", draft.stale_if),
        ("signature", draft.signature),
    ):
        if text is not None:
            yield field, text
    for name, label in draft.labels.items():
        yield name.value, label
    for field, marks in (("tags", draft.tags), ("topics", draft.topics), ("entities", draft.entities)):
        for mark in marks:
            yield field, mark
    for pair in draft.metadata:
        yield "metadata", "".join(pair)
    for anchor in draft.anchors:
        yield "anchors", anchor.text


def _check_validity(draft: CapsuleDraft, at: Instant) -> None:
    start = at if draft.valid_from is None else draft.valid_from
    if draft.valid_to is None or draft.valid_to > start:
        return
    why = "it would never hold: valid_to is exclusive and lies no later than " + (
        "the time of capture, which is valid_from where none is sent" if draft.valid_from is None else "valid_from"
    )
    raise InvalidArgument("valid_to", format_instant(draft.valid_to), f"a time after {format_instant(start)}", why)


def _project(draft: CapsuleDraft, caller: Caller) -> str | None:
    """Return the project that the draft is stored in; raises InvalidArgument for one that lies outside the fence (F13)."""
    project = _stamp(draft, caller)
    if not caller.sees_project(project):
        fence = ", ".join(sorted(caller.projects or ())) or "no project"
        raise InvalidArgument("project_id", project, f"a project in {fence}", "it lies outside what this caller may write")
    return project


def _stamp(draft: CapsuleDraft, caller: Caller) -> str | None:
    """Return the project that the draft names; a caller fenced to one subtree stamps what names none."""
    project = draft.labels.get(LabelField.PROJECT)
    if project is None and caller.projects is not None and len(caller.projects) == 1:
        return next(iter(caller.projects))
    return project


def _shapes(draft: CapsuleDraft, words: list[str], policy: TaintPolicy) -> tuple[str, ...]:
    beside = beside_content(draft)
    if not beside:
        return find_shapes(draft.content, words, policy)
    return find_shapes(f"{draft.content}\n{beside}", words + fold_words(beside), policy)
