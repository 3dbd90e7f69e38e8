"""What a repository says of anchored places (O5): a probe below one root, which it never leaves."""

from recordance_adapters.driven.repository_anchors.probe import RepositoryAnchors

__all__ = ["RepositoryAnchors"]
