"""Runs clang-tidy on every C++ source that changed since it last passed. Usage: tidy.py BUILD_FOLDER

A source has changed when its text, its compile command, a header of ours that it includes, or the
configuration differs. What passed is remembered by a hash of all that in the user's cache folder, so that another
clone need not check it again.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

TIDY = "clang-tidy-19"
KEEP_UNUSED_SECONDS = 60 * 24 * 3600
OUTPUT = re.compile(r" -o (\S+)")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_dependencies(build):
    """{object file: the files of this repository that went into it}, as the compiler told ninja."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True)
    dependencies, files = {}, []
    for line in listing.stdout.splitlines():
        if line.startswith(" "):
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT):
                files.append(path)
        elif line:
            files = dependencies.setdefault(line.split(": #deps")[0], [])
    return dependencies


def fingerprint(command, files):
    digest = hashlib.sha256()
    for part in (tidy_version(), command.replace(str(ROOT), ""), (ROOT / ".clang-tidy").read_text()):
        digest.update(part.encode() + b"\0")
    for path in sorted(files):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def tidy_version():
    return subprocess.run([TIDY, "--version"], check=True, capture_output=True, text=True).stdout


def open_cache():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "berth" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    for stamp in cache.iterdir():
        if stamp.stat().st_mtime < time.time() - KEEP_UNUSED_SECONDS:
            stamp.unlink()
    return cache


def check(build, source):
    run = subprocess.run([TIDY, "--quiet", "-p", build, source], capture_output=True, text=True)
    return run.returncode == 0, run.stdout + ("" if run.returncode == 0 else run.stderr)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    build = pathlib.Path(sys.argv[1]).resolve()
    dependencies = read_dependencies(build)
    cache = open_cache()

    todo, unchanged = [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        output = OUTPUT.search(entry["command"]).group(1)
        stamp = cache / fingerprint(entry["command"], dependencies.get(output) or [source])
        if stamp.exists():
            stamp.touch()
            unchanged += 1
        else:
            todo.append((source, stamp))

    failed = 0
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    runs = {pool.submit(check, build, source): (source, stamp) for source, stamp in todo}
    try:
        for run in concurrent.futures.as_completed(runs):
            source, stamp = runs[run]
            passed, output = run.result()
            if passed:
                stamp.touch()
            else:
                failed += 1
                print(f"{source.relative_to(ROOT)}:\n{output}", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    print(f"clang-tidy: {len(todo)} checked, {failed} failed, {unchanged} unchanged since they passed")
    sys.exit(1 if failed else 0)


main()
