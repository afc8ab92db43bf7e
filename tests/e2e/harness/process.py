"""Programs that a test starts. Each writes to files of its own and is stopped by its own process id."""

import os
import pathlib
import signal
import socket
import subprocess

from .waiting import CommandFailed, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
BERTH = str((ROOT / os.environ.get("BERTH", "build/release/berth")).resolve())


def base_environment(home):
    """Nothing of the person who runs the tests but the way to the programs."""
    home.mkdir(parents=True, exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}


def run(argv, env, stdin=None, within=30, cwd=None):
    """Runs a program to its end: (exit code, standard output, standard error)."""
    done = subprocess.run(argv, env=env, input=stdin or "", capture_output=True, text=True, timeout=within, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def output_of(argv, env, stdin=None, within=30):
    code, stdout, stderr = run(argv, env, stdin, within)
    if code != 0:
        raise CommandFailed(argv, code, stdout, stderr)
    return stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program that runs until it is stopped. `known` are those that a failing test reports on."""

    known = []

    def __init__(self, name, argv, env, folder, ends_with=0):
        folder.mkdir(parents=True, exist_ok=True)
        serial = len(list(folder.glob(f"{name}-*.out"))) + 1
        self.name = f"{name}-{serial}"
        self.ends_with = ends_with  # the exit code after SIGTERM; None: any
        self._out = folder / f"{self.name}.out"
        self._log = folder / f"{self.name}.log"
        with self._out.open("wb") as out, self._log.open("wb") as log:
            self._popen = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=log)
        Process.known.append(self)

    def output(self):
        return self._out.read_text(errors="replace")

    def log(self):
        return self._log.read_text(errors="replace")

    def log_lines(self, *words):
        """The lines of the log that hold all these words."""
        return [line for line in self.log().splitlines() if all(word in line for word in words)]

    def wait_for_log(self, *words, within=15.0):
        return wait_until(f"{self.name} logs {words}", lambda: self.log_lines(*words), within=within)

    def is_running(self):
        return self._popen.poll() is None

    def wait(self, within=30.0):
        return self._popen.wait(within)

    def kill(self):
        """As a machine that loses power does it: no word of farewell."""
        self._popen.kill()
        self._popen.wait()
        self.ends_with = -signal.SIGKILL

    def stop(self, within=5.0):
        """Asks it to end. Fails where it does not do so in time, or had ended by itself."""
        asked = self.is_running()
        if asked:
            self._popen.send_signal(signal.SIGTERM)
        try:
            code = self._popen.wait(within)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
            raise AssertionError(f"{self.name} did not end within {within:g} s of SIGTERM") from None
        if self.ends_with is not None and code != self.ends_with:
            how = "after SIGTERM" if asked else "by itself"
            raise AssertionError(f"{self.name} ended {how} with {code}, expected {self.ends_with}")
