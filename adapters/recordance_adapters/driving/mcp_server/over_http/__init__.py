"""MCP over streamable HTTP: the same tools for many callers, each within the fences of its token."""
