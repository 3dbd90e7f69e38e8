"""Destinations: named, self-contained stores, which of them a write or a recall belongs to, and how their capsules are called.

Rules and scopes are the owner's configuration; here is what they mean (D1, D2, D4, D6). Whoever may see some destinations only is
answered as if there were no others (F13).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recordance.domain.caller import under
from recordance.domain.capsule import LabelField, Labels
from recordance.domain.identity import capsule_id, capsule_number

ROUTED = "routed"
"""The search scope that asks where the recall belongs by the routing rules."""
ALL = "all"
"""The search scope that asks every destination."""
RESERVED = frozenset({ROUTED, ALL, "auto"})
"""Names that no destination and no scope may bear."""


@dataclass(frozen=True, slots=True)
class Naming:
    """How the capsules of one destination are called: `cap-3` in the default destination, `name:cap-3` elsewhere (D4)."""

    prefix: str = ""

    def id(self, number: int) -> str:
        """Return the id that callers see."""
        return self.prefix + capsule_id(number)

    def number(self, text: str) -> int | None:
        """Return the number that an id as callers see it names here; None for anything else."""
        return capsule_number(text.removeprefix(self.prefix)) if text.startswith(self.prefix) else None

    def shown(self, text: str) -> str:
        """Return an id of this destination, however it was written, as callers see it; what is no id as it is."""
        number = number_there(text)
        return text if number is None else self.id(number)


BARE = Naming()
"""How the capsules of the default destination are called."""


def split_id(text: str) -> tuple[str | None, str]:
    """Return the destination that an id names, None where it names none, and the id there: `notes:cap-3` is (notes, cap-3)."""
    name, _, local = text.rpartition(":")
    return (name, local) if name and capsule_number(local) is not None else (None, text)


def number_there(text: str) -> int | None:
    """Return the number that an id has in whatever destination it lies; None for what is no id."""
    return capsule_number(split_id(text)[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a write, or the fences of a recall, say of where it belongs.

    `subtree` is the project subtree that a recall is fenced to; `entities` are case-folded.
    """

    labels: Labels = field(default_factory=dict[LabelField, str])
    subtree: str | None = None
    tags: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What belongs to a destination: whatever meets every condition given (D1); one without conditions is met by anything.

    A recall that is fenced to a project subtree meets `subtrees` only if all of it lies inside one of them.
    """

    labels: Mapping[LabelField, frozenset[str]] = field(default_factory=dict[LabelField, frozenset[str]])
    subtrees: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()

    def met_by(self, traits: Traits) -> bool:
        """Whether what has these traits belongs there."""
        marks = ((self.tags, traits.tags), (self.topics, traits.topics), (self.entities, traits.entities))
        return (
            all(traits.labels.get(name) in any_of for name, any_of in self.labels.items())
            and (not self.subtrees or self._holds_project(traits))
            and all(not wanted or wanted & borne for wanted, borne in marks)
        )

    def _holds_project(self, traits: Traits) -> bool:
        places = (traits.labels.get(LabelField.PROJECT), traits.subtree)
        return any(place is not None and under(place, subtree) for place in places for subtree in self.subtrees)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A destination as its owner describes it; any of `rules` routes to it, `deadline` is how many seconds it has to answer."""

    name: str
    description: str = ""
    rules: tuple[Rule, ...] = ()
    deadline: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A search scope of the owner's: destinations under one name, in the order in which they are asked (D1)."""

    name: str
    description: str = ""
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All destinations in their order, which of them is the default, the owner's scopes, and what is searched by default.

    `bare` is the destination whose capsules are called without its name: the default, and to whoever does not see that still the
    same one, so that an id means the same to everybody.
    """

    profiles: tuple[Profile, ...]
    default: str
    groups: tuple[Group, ...] = ()
    default_scope: tuple[str, ...] = (ROUTED,)
    bare: str = ""

    def naming(self, name: str) -> Naming:
        """Return how the capsules of a destination are called."""
        return BARE if name == (self.bare or self.default) else Naming(f"{name}:")

    def seen(self, names: Collection[str] | None) -> "Catalogue":
        """Return the catalogue as far as `names` reaches, None being all of it (F13); raises ValueError where nothing is left."""
        if names is None:
            return self
        profiles = tuple(profile for profile in self.profiles if profile.name in names)
        if not profiles:
            raise ValueError("none of the destinations is seen")
        left = {profile.name for profile in profiles}
        groups = [
            Group(name=group.name, description=group.description, members=members)
            for group in self.groups
            if (members := tuple(name for name in group.members if name in left))
        ]
        default = self.default if self.default in left else profiles[0].name
        known = {ROUTED, ALL, *left, *(group.name for group in groups)}
        scope = tuple(word for word in self.default_scope if word in known)
        return Catalogue(profiles, default, tuple(groups), scope or (ROUTED,), self.bare or self.default)

    def route(self, traits: Traits) -> str:
        """Return where what has these traits belongs: the first destination that a rule of it leads to, else the default (D1)."""
        for profile in self.profiles:
            if any(rule.met_by(traits) for rule in profile.rules):
                return profile.name
        return self.default

    def resolve(self, words: Sequence[str], traits: Traits) -> tuple[str, ...]:
        """Return the destinations that a search scope means, each once, in the order named (D2); raises KeyError of a word."""
        found: dict[str, None] = {}
        for word in words or self.default_scope:
            found.update(dict.fromkeys(self._meant(word, traits)))
        return tuple(found)

    def names(self) -> tuple[str, ...]:
        """Return the names of the destinations, in their order."""
        return tuple(profile.name for profile in self.profiles)

    def profile(self, name: str) -> Profile:
        """Return a destination's profile; raises KeyError for an unknown name."""
        for profile in self.profiles:
            if profile.name == name:
                return profile
        raise KeyError(name)

    def _meant(self, word: str, traits: Traits) -> Iterable[str]:
        match word:
            case "routed":
                return (self.route(traits),)
            case "all":
                return self.names()
            case _ if word in self.names():
                return (word,)
            case _:
                return self._members(word)

    def _members(self, word: str) -> tuple[str, ...]:
        for group in self.groups:
            if group.name == word:
                return group.members
        raise KeyError(word)
