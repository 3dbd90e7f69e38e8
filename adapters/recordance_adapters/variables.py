"""Which variables of the environment are read: each gives one setting."""

from recordance_adapters.reliance_sections import RELIANCE_VARIABLES

ENVIRONMENT = {
    "RECORDANCE_STORE": "store",
    "RECORDANCE_TRUTH": "truth",
    "RECORDANCE_VECTORS": "vectors",
    "RECORDANCE_VECTORS_KEY": "qdrant.api_key",
    "RECORDANCE_EMBEDDER_KEY": "embedder.api_key",
    "RECORDANCE_RERANKER_KEY": "reranker.api_key",
    "RECORDANCE_CONFIG": "config",
    "RECORDANCE_ACTOR": "actor",
    "RECORDANCE_PROJECT": "project",
    "RECORDANCE_ROOT": "root",
    "RECORDANCE_TOOLS": "tools",
    "RECORDANCE_LOG_LEVEL": "log_level",
    **RELIANCE_VARIABLES,
}
"""Every variable that is read, and the setting that it gives. An empty one counts as not set."""
