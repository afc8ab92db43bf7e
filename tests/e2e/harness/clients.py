"""The tools of the people who look at a cluster and at a cloud, each bound to one world."""

import json
import os
import shutil

from awscli.botocore.config import Config
from awscli.botocore.session import Session

from .http import fetch
from .process import output_of
from .waiting import CommandFailed

KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl") or "kubectl"
AWS = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws") or "aws"


class CommandLine:
    """A command-line tool: called with arguments, gives back its standard output."""

    def __init__(self, program, env):
        self.program = program
        self.env = env

    def __call__(self, *args, stdin=None):
        return output_of([*self.program, *args], self.env, stdin)

    def refused(self, *args, stdin=None):
        """What it says on standard error; it must fail."""
        try:
            stdout = self(*args, stdin=stdin)
        except CommandFailed as failure:
            return failure.stderr
        raise AssertionError(f"{' '.join(args)} was expected to fail; it printed:\n{stdout}")


class Kubectl(CommandLine):
    def __init__(self, env):
        super().__init__([KUBECTL], env)

    def json(self, *args, stdin=None):
        return json.loads(self(*args, "-o", "json", stdin=stdin))

    def create(self, *objects):
        document = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        return self("create", "-f", "-", stdin=json.dumps(document))

    def patch(self, kind, name, patch):
        return self("patch", kind, name, "--type=merge", "-p", json.dumps(patch))

    def put(self, path, document):
        """PUT as it is: the way to a status that every version of kubectl has."""
        return json.loads(self("replace", "--raw", path, "-f", "-", stdin=json.dumps(document)))


class Aws(CommandLine):
    """The aws command. Versions before 2.13 know the endpoint only as an argument."""

    def __init__(self, env):
        super().__init__([AWS, "--endpoint-url", env["AWS_ENDPOINT_URL"], "--output", "json"], env)

    def ec2(self, *args):
        printed = self("ec2", *args)
        return json.loads(printed) if printed.strip() else None


def ec2_client(env):
    """AWS's own library, for what a test does often: a call takes milliseconds and not half a second."""
    return Session().create_client(
        "ec2",
        region_name=env["AWS_REGION"],
        endpoint_url=env["AWS_ENDPOINT_URL"],
        aws_access_key_id=env["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=env["AWS_SECRET_ACCESS_KEY"],
        config=Config(retries={"max_attempts": 1}, proxies={}, read_timeout=20),
    )


def tag_list(tags):
    return [{"Key": key, "Value": value} for key, value in tags.items()]


class Control:
    """The sandbox's own door: faults, and the count of all calls."""

    def __init__(self, url):
        self.url = url

    def _send(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        status, text = fetch(self.url + path, method, None if body is None else json.dumps(body), headers)
        assert status < 300, f"{method} {path}: {status} {text}"
        return text

    def fault(self, action, **fault):
        self._send("PUT", f"/faults/{action}", fault)

    def clear_faults(self):
        self._send("DELETE", "/faults")

    def calls(self):
        return json.loads(self._send("GET", "/calls"))

    def count(self, action):
        """How many calls of that action there were, whatever came of them."""
        return sum(self.calls().get(action, {}).values())

    def writes(self):
        """The calls that changed something, or tried to: the difference of two shows what happened between."""
        reads = ("Describe", "get:", "list:", "watch:", "imds")
        # The lock of the leader is renewed all the time and says nothing about the nodes.
        return {
            action: results
            for action, results in self.calls().items()
            if not action.startswith(reads) and ":leases" not in action
        }
