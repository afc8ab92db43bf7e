"""Waiting for something to become so: always with a deadline, never a fixed sleep."""

import time
import urllib.error

import pytest
from awscli.botocore.exceptions import BotoCoreError, ClientError


class CommandFailed(Exception):
    def __init__(self, argv, code, stdout, stderr):
        super().__init__(f"exit code {code} of: {' '.join(argv)}\n{stdout}{stderr}")
        self.code = code
        self.stdout = stdout
        self.stderr = stderr


# What a peer that is not there yet, or a refused call, looks like: seen, but not what is waited for.
NOT_YET = (CommandFailed, ClientError, BotoCoreError, urllib.error.URLError, ConnectionError, TimeoutError)


def wait_until(what, look, holds=bool, within=15.0, every=0.1):
    """Looks again and again until holds(look()), and gives back what it saw then."""
    deadline = time.monotonic() + within
    while True:
        try:
            seen = look()
            if holds(seen):
                return seen
        except NOT_YET as error:
            seen = error
        if time.monotonic() > deadline:
            pytest.fail(f"not so within {within:g} s: {what}\nseen last: {seen}", pytrace=False)
        time.sleep(every)
