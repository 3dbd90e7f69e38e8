"""What is said of destinations and search scopes: one wire object, without what does not apply (D1, D2)."""

from collections.abc import Iterator

from recordance.domain.destination import ALL, ROUTED, Catalogue, Group, Profile, Rule
from recordance.errors import Json

_MEANS = {
    ROUTED: "where a recall's fences or a write's fields lead by the rules: the first destination of which one is met",
    ALL: "every destination",
}


def charted(catalogue: Catalogue) -> dict[str, Json]:
    """Return every destination with its rules, every scope with its members, and what is searched where nothing is said."""
    return {
        "destinations": [_destination(profile, catalogue) for profile in catalogue.profiles],
        "scopes": [_scope(group) for group in catalogue.groups],
        "default_search_scope": list(catalogue.default_scope),
        "means": {**_MEANS, ROUTED: f"{_MEANS[ROUTED]}, else {catalogue.default}"},
    }


def _destination(profile: Profile, catalogue: Catalogue) -> dict[str, Json]:
    view: dict[str, Json] = {"name": profile.name}
    if profile.description:
        view["description"] = profile.description
    if profile.name == catalogue.default:
        view["default"] = True
    if profile.rules:
        view["routed"] = [" and ".join(_conditions(rule)) or "anything" for rule in profile.rules]
    return view


def _scope(group: Group) -> dict[str, Json]:
    description = {"description": group.description} if group.description else {}
    return {"name": group.name, **description, "destinations": list(group.members)}


def _conditions(rule: Rule) -> Iterator[str]:
    """Yield each condition of a rule in words; of several values any may be the one."""
    if rule.subtrees:
        yield f"project_prefix {_any_of(rule.subtrees)}"
    for name, values in rule.labels.items():
        yield f"{name.value} {_any_of(values)}"
    for mark, values in (("tag", rule.tags), ("topic", rule.topics), ("entity", rule.entities)):
        if values:
            yield f"{mark} {_any_of(values)}"


def _any_of(values: frozenset[str]) -> str:
    return " or ".join(sorted(values))
