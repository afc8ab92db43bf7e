"""What a node's metadata service says, asked as any program on an instance asks it (IMDSv2)."""

import pytest

from harness.http import fetch

HEADER = "X-aws-ec2-metadata-token"


def ask(url, token=None):
    return fetch(url, headers={HEADER: token} if token else {})


@pytest.fixture(params=["node-1", "node-2"])
def node(request):
    return request.param


@pytest.fixture
def service(shared_world, node):
    return shared_world.node_env(node)["AWS_EC2_METADATA_SERVICE_ENDPOINT"].rstrip("/") + "/latest"


def test_nothing_is_told_without_a_token(service):
    assert ask(f"{service}/meta-data/instance-id")[0] == 401
    assert ask(f"{service}/meta-data/instance-id", "made up")[0] == 401


def test_each_node_is_told_of_its_own_instance(shared_world, node, service):
    status, token = fetch(f"{service}/api/token", "PUT", headers={f"{HEADER}-ttl-seconds": "60"})
    assert status == 200

    def told(path):
        status, text = ask(f"{service}/meta-data/{path}", token)
        assert status == 200, f"{path}: {status} {text}"
        return text

    instance = shared_world.instance(shared_world.instance_of(node))
    mac = told("mac")
    assert told("instance-id") == instance["InstanceId"]
    assert told("instance-type") == instance["InstanceType"]
    assert told("placement/availability-zone") == instance["Placement"]["AvailabilityZone"]
    assert told("network/interfaces/macs/").split("/")[0] == mac
    assert told(f"network/interfaces/macs/{mac}/vpc-id") == instance["VpcId"]
    assert told(f"network/interfaces/macs/{mac}/subnet-id") == instance["SubnetId"]
    assert ask(f"{service}/meta-data/no-such-thing", token)[0] == 404
