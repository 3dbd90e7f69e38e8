"""Who follows a store that is shared: as `status` shows it, and as `doctor` judges it (decision 1)."""

from collections.abc import Mapping

from recordance.domain.instant import MICROSECONDS_PER_DAY, format_instant
from recordance.errors import Json
from recordance.ports.housing import FollowerSeen, Housing
from recordance.usecases.examining import Finding, Verdict, shortly

_SILENT = 3 * 60 * 1_000_000
"""Whoever runs says so every minute."""
_OUT_OF_REACH = 7 * MICROSECONDS_PER_DAY
"""After so long what its disk holds counts as out of reach (W6)."""


def follower_views(housing: Housing) -> Mapping[str, Json]:
    """Return `{followers: [{name, host, slot, state, seen_at, ours?}]}`; nothing where nobody says that he follows."""
    seen = housing.followers()
    return {} if seen is None else {"followers": [_view(each) for each in seen]}


def followers(housing: Housing) -> Finding:
    """Whoever neither ended in order nor says that he lives may hold what was forgotten, and holds up nobody but the purge."""
    seen = housing.followers() or ()
    silent = [each for each in seen if _state(each) in ("silent", "out of reach")]
    if not silent:
        return Finding("followers", Verdict.OK, f"{sum(_state(each) == 'follows' for each in seen)} follow the store")
    named = shortly([f"{each.name} on {each.host}, not heard of since {format_instant(each.seen_at)}" for each in silent])
    advice = (
        "Start it again where its folder still is: it purges first. Where that is gone, nothing is to be done: "
        "what it said is dropped a month after it was last heard of."
    )
    return Finding("followers", Verdict.WARN, named, advice)


def _view(seen: FollowerSeen) -> dict[str, Json]:
    ours = {"ours": True} if seen.ours else {}
    where: dict[str, Json] = {"name": seen.name, "host": seen.host, "slot": seen.slot}
    return {**where, "state": _state(seen), "seen_at": format_instant(seen.seen_at), **ours}


def _state(seen: FollowerSeen) -> str:
    if seen.left_at is not None:
        return "ended"
    if seen.silence > _OUT_OF_REACH:
        return "out of reach"
    return "silent" if seen.silence > _SILENT else "follows"
