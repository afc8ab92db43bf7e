"""Runs clang-tidy on every C++ source that changed since it last passed. Usage: tidy.py BUILD_FOLDER

A source has changed when its text, its compile command, a header of ours that it includes, or the
configuration differs. What passed is remembered in BUILD_FOLDER/tidy, one file per source.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

TIDY = "clang-tidy-19"
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
    for part in (TIDY, command, (ROOT / ".clang-tidy").read_text()):
        digest.update(part.encode() + b"\0")
    for path in sorted(files):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def check(build, source):
    run = subprocess.run([TIDY, "--quiet", "-p", build, source], capture_output=True, text=True)
    return run.returncode == 0, run.stdout + ("" if run.returncode == 0 else run.stderr)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    build = pathlib.Path(sys.argv[1]).resolve()
    dependencies = read_dependencies(build)
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)

    todo, unchanged = [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        output = OUTPUT.search(entry["command"]).group(1)
        mark = fingerprint(entry["command"], dependencies.get(output) or [source])
        stamp = stamps / str(source.relative_to(ROOT)).replace("/", "__")
        if stamp.exists() and stamp.read_text() == mark:
            unchanged += 1
        else:
            todo.append((source, stamp, mark))

    failed = 0
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    runs = {pool.submit(check, build, source): (source, stamp, mark) for source, stamp, mark in todo}
    try:
        for run in concurrent.futures.as_completed(runs):
            source, stamp, mark = runs[run]
            passed, output = run.result()
            if passed:
                stamp.write_text(mark)
            else:
                failed += 1
                print(f"{source.relative_to(ROOT)}:\n{output}", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    print(f"clang-tidy: {len(todo)} checked, {failed} failed, {unchanged} unchanged since they passed")
    sys.exit(1 if failed else 0)


main()
