"""Runs a program until stdin is closed, and then ends it in order: so it ends with whoever started it, however that went.

`postgres_guard.py USER|- PROGRAM ARGUMENT…`. The standard library alone; run as a script of its own.
"""

import signal
import subprocess
import sys
import threading


def main() -> int:
    """Start the program, as a user of that number if one is given; return how it ended."""
    user, *command = sys.argv[1:]
    rights = {} if user == "-" else {"user": int(user), "group": int(user), "extra_groups": []}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd="/" if user != "-" else None, **rights)
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, lambda *_: None)  # whoever started this is told too, and closes stdin
    threading.Thread(target=_end, args=(process,), daemon=True).start()
    return process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    sys.stdin.buffer.read()
    process.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)  # clients are not waited for


if __name__ == "__main__":
    sys.exit(main())
