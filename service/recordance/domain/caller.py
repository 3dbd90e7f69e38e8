"""Who asks, and how far they may see (F13)."""

import json
from dataclasses import dataclass
from enum import StrEnum


class Permission(StrEnum):
    """What a caller may do."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The one on whose behalf a use case runs.

    `actor` is written into the journal (over HTTP the token's subject; over stdio the configured actor, else the client's
    name). `projects` are the project subtrees that the caller may see and write, None meaning all; `destinations` likewise the
    names of destinations. Both hold for every tool, ledger, receipt, view and error (F13).
    """

    actor: str
    projects: frozenset[str] | None = None
    destinations: frozenset[str] | None = None
    permissions: frozenset[Permission] = frozenset(Permission)

    def sees_project(self, project_id: str | None) -> bool:
        """Whether a capsule of this project (None: unstamped) lies inside the caller's own fence."""
        if self.projects is None:
            return True
        return project_id is not None and any(under(project_id, prefix) for prefix in self.projects)

    @property
    def fence_key(self) -> str:
        """A label of the caller's project fence, equal for equal fences alone: a JSON array, or "" without a fence."""
        return "" if self.projects is None else json.dumps(sorted(self.projects), ensure_ascii=False)


def under(project_id: str, prefix: str) -> bool:
    """Whether `project_id` is `prefix` itself or lies below it: what follows must start with a slash (F1)."""
    return project_id == prefix or project_id.startswith(prefix + "/")


def projects_of(fence_key: str) -> list[str]:
    """Return the projects that a fence key names; an imported key of any other form names itself."""
    try:
        named = json.loads(fence_key)
    except (ValueError, RecursionError):
        return [fence_key]
    return named if isinstance(named, list) and all(isinstance(each, str) for each in named) else [fence_key]
