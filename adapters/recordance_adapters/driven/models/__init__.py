"""Models that embed and rerank, behind an endpoint or as files beside this process; each is loaded by its first call."""
