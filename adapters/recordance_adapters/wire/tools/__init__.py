"""The tools, one module a subject: each declares its arguments and its answer, and hands core values to one use case."""
