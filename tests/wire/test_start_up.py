"""What a start costs: nothing is imported that a session over stdio does not need, and nothing of it breaks the library."""

import subprocess
import sys

from support.stdio_peer import BOUND, checkout_environment

BUILD = """
from recordance_adapters.driving.mcp_server.narrow_import import seed_packages
seed_packages()
from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.server import build_server
from recordance_adapters.wire.catalogue import TOOLS
build_server(None, Options(tools=TOOLS, version="0"))
"""

HEAVY = [
    "mcp.client",
    "mcp.server.mcpserver",
    "httpx2",
    "sqlalchemy",
    "alembic",
    "tantivy",
    "qdrant_client",
    "numpy",
    "sqlite3",
    "jwt",
    "prometheus_client",
    "recordance_adapters.driving.mcp_server.over_http",
]


def run(code: str, before: str = BUILD) -> str:
    command = [sys.executable, "-c", before + code]
    done = subprocess.run(command, env=checkout_environment(), capture_output=True, text=True, timeout=BOUND, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_server_is_built_without_the_librarys_client_or_any_engine() -> None:
    """case I2: nothing is loaded that no call needs; hosts start a server for every session."""
    assert run(f"import sys; print(*sorted(set({HEAVY}) & sys.modules.keys()))").split() == []


def test_a_program_is_started_without_any_engine() -> None:
    """case I2: what opens a store is loaded once one is opened; help and a usage error are there at once."""
    told = "import recordance_adapters.bootstrap, recordance_adapters.entry, sys\n"
    assert run(f"print(*sorted(set({HEAVY}) & sys.modules.keys()))", before=told).split() == []


def test_the_whole_library_is_there_for_whoever_asks() -> None:
    """Packages whose own code has not run yet run it when a name of them is asked for, once."""
    names = run(
        "from mcp import Client, ClientSession; from mcp.server import MCPServer; print(Client.__name__, MCPServer.__name__)"
    )
    assert names.split() == ["Client", "MCPServer"]
    assert run("import mcp, mcp.server.lowlevel as low; print(mcp.server.Server is low.Server)").strip() == "True"


def test_a_name_that_the_library_lacks_is_still_an_error() -> None:
    """What does not exist is missed as always, and at once."""
    assert run("import mcp; print(hasattr(mcp, 'nothing_of_that_name'))").strip() == "False"
