"""Runs a program until stdin is closed, and then ends it in order: so it ends with whoever started it, however that went.

`postgres_guard.py USER|- FOLDER PROGRAM ARGUMENT…`: as a user of that number. The folder is removed unless a word is said on
stdin before it is closed: whoever died says none. The standard library alone; run as a script of its own.
"""

import shutil
import signal
import subprocess
import sys
import threading


def main() -> int:
    """Start the program and wait for its end; return how it ended."""
    user, folder, *command = sys.argv[1:]
    rights = {} if user == "-" else {"user": int(user), "group": int(user), "extra_groups": []}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd="/" if user != "-" else None, **rights)
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, lambda *_: None)  # whoever started this is told too, and closes stdin
    forsaken = threading.Event()
    threading.Thread(target=_end, args=(process, forsaken), daemon=True).start()
    code = process.wait()
    if forsaken.is_set():
        shutil.rmtree(folder, ignore_errors=True)
    return code


def _end(process: subprocess.Popen[bytes], forsaken: threading.Event) -> None:
    if not sys.stdin.buffer.read():
        forsaken.set()
    process.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)  # clients are not waited for


if __name__ == "__main__":
    sys.exit(main())
