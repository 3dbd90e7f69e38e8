"""Who stands behind capsules: what a truth finds must be what the texts say (F11, decision 4)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.ports.truth import Attested, Truth
from support.truths import ADAPTERS, entombed, examples_on, opened, remember, revised, write

SOURCES = ("ci", "CI", "ci ", "wiki", "%", "_", "é", "e\u0301")
SIGNATURES = (None, "ed25519:AA=:x", "ed25519:AB=:y", "ed25519:aa=:x", "ed25519:%", "")


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def test_sources_and_signatures_are_those_of_the_current_text_of_what_is_not_forgotten(truth: Truth) -> None:
    """F11, W6, W13: a trusted revision vouches for no later one, and nothing vouches for what is gone."""
    remember(truth, "one", "two", source="ci")
    remember(truth, "three", signature="ed25519:AA=:x")
    remember(truth, "four", source="ci", signature="ed25519:AA=:x")
    write(truth, revised(1, "one more", source="mail"), entombed(2))
    with truth.reading() as reader:
        found = reader.attested(frozenset({"ci"}), frozenset({"ed25519:AA=:"}))
        digests = {number: capsule.content_digest for number, capsule in reader.capsules([3, 4]).items()}
        assert reader.attested(frozenset(), frozenset()) == []
    assert found == [
        Attested(3, digests[3], "unstated", "ed25519:AA=:x"),
        Attested(4, digests[4], "ci", "ed25519:AA=:x"),
    ]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_every_adapter_compares_character_by_character(adapter: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """F11: no case folded, no wildcard, no normal form: a source that looks like a trusted one is another."""

    @examples_on(adapter, 30)
    @given(
        st.lists(st.tuples(st.sampled_from(SOURCES), st.sampled_from(SIGNATURES)), max_size=6),
        st.frozensets(st.sampled_from(SOURCES), max_size=3),
        st.frozensets(st.sampled_from(("ed25519:AA=:", "ed25519:%", "ed25519:A")), max_size=2),
    )
    def agree(texts: list[tuple[str, str | None]], sources: frozenset[str], signed: frozenset[str]) -> None:
        with opened(adapter, tmp_path_factory.mktemp("attested")) as truth:
            for place, (source, signature) in enumerate(texts):
                remember(truth, f"content {place}", source=source, signature=signature)
            with truth.reading() as reader:
                found = [each.number for each in reader.attested(sources, signed)]
        assert found == [
            place
            for place, (source, signature) in enumerate(texts, start=1)
            if source in sources or any((signature or "").startswith(each) for each in signed)
        ]

    agree()
