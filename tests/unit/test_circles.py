"""Finding a circle among all relations of a kind, however long the chains beside it are (W3)."""

from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.graph import RelationPairs, leads_to

nodes = st.integers(1, 7)


def pairs_of(pairs: list[tuple[int, int]]) -> RelationPairs:
    related = RelationPairs()
    for pair in pairs:
        related.add(*pair)
    return related


@given(st.lists(st.tuples(nodes, nodes), max_size=14))
def test_a_circle_is_found_exactly_where_a_relation_leads_back(pairs: list[tuple[int, int]]) -> None:
    """W3: by the search that refuses a new relation; what is found is a way along relations, and begins at its lowest number."""
    circle = pairs_of(pairs).circle()

    def forward(front: object) -> list[int]:
        return [target for source, target in pairs if source in front]  # type: ignore[operator]

    def backward(front: object) -> list[int]:
        return [source for source, target in pairs if target in front]  # type: ignore[operator]

    leads_back = any(leads_to(target, source, forward, backward) for source, target in pairs)
    assert bool(circle) is leads_back
    if circle:
        assert set(zip(circle, (*circle[1:], circle[0]), strict=True)) <= set(pairs)
        assert circle[0] == min(circle)
        assert len(set(circle)) == len(circle)


def test_a_long_chain_is_no_circle_and_costs_no_recursion() -> None:
    """W3: a chain of a hundred thousand, and the one relation that closes it."""
    chain = [(number, number + 1) for number in range(1, 100_000)]
    assert pairs_of(chain).circle() == ()
    assert len(pairs_of([*chain, (100_000, 1)]).circle()) == 100_000
