"""MCP over stdio: the tools of the wire on the SDK's low-level server, one process a session."""
