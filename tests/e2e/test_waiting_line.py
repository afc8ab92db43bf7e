"""R8 (exhausted pools wait in line), R9's release, and R13 (a budget that waiting nodes do not raise)."""

import time

import pytest

POOL = {"pool": "a"}


def ask_in_turn(world, *nodes):
    for node in nodes:
        world.request(node, tags=POOL)
        world.wait_reason(node, "Waiting")


@pytest.fixture
def full(world):
    """node-1 has the only address, and an operator runs."""
    world.allocate(POOL, ip="18.213.0.1")
    operator = world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1")
    return operator


@pytest.mark.world(nodes=4)
def test_R8_nodes_wait_in_the_order_in_which_they_began_to_ask(world, full):
    ask_in_turn(world, "node-4", "node-2", "node-3")
    assert "Place 1 of 3" in world.wait_reason("node-4", "Waiting")
    assert "Place 3 of 3" in world.wait_reason("node-3", "Waiting")
    for node, ip in (("node-4", "18.213.0.9"), ("node-2", "18.213.0.8"), ("node-3", "18.213.0.7")):
        world.allocate(POOL, ip=ip)
        world.wait_served(node, by=ip)


@pytest.mark.world(nodes=3)
def test_R8_after_a_restart_the_older_object_is_first_in_line(world, full):
    world.request("node-3", tags=None)
    world.request("node-2", tags=None)
    ask = {"spec": {"ipam": {"static-ip-tags": POOL}}}
    world.kubectl.patch("ciliumnode", "node-2", ask)
    world.wait_reason("node-2", "Waiting")
    world.kubectl.patch("ciliumnode", "node-3", ask)
    world.wait_reason("node-3", "Waiting")
    world.forget(full)
    world.allocate(POOL, ip="18.213.0.2")
    # Both were created within one second: then the name decides.
    created = {name: node["metadata"]["creationTimestamp"] for name, node in world.cilium_nodes().items()}
    first = min(("node-2", "node-3"), key=lambda name: (created[name], name))
    world.operator()
    world.wait_served(first, by="18.213.0.2")


@pytest.mark.world(nodes=2)
@pytest.mark.parametrize("how", ["added", "tagged", "retagged", "freed"])
def test_R8_the_next_address_goes_to_the_first_in_line(world, full, how):
    if how == "added":
        ask_in_turn(world, "node-2")
        ip = world.allocate(POOL)
    elif how in ("tagged", "retagged"):
        ip = world.allocate({"pool": "b"} if how == "retagged" else None)
        ask_in_turn(world, "node-2")
        world.tag(ip, POOL)
    else:
        ip = world.allocate(POOL, ip="18.213.0.2")
        world.associate(ip, world.launch())
        ask_in_turn(world, "node-2")
        world.disassociate(ip)
    world.wait_served("node-2", by=ip)


@pytest.mark.world(nodes=2)
def test_R8_an_address_that_we_freed_is_given_on_at_once(world):
    world.allocate(POOL, ip="18.213.0.1")
    world.operator(refresh="5m", grace="5m")
    world.request("node-1", tags=POOL)
    world.wait_served("node-1")
    ask_in_turn(world, "node-2")
    world.retag("node-1", None)
    world.wait_served("node-2", by="18.213.0.1")
    assert world.static_ip("node-1") is None


@pytest.mark.world(nodes=2)
def test_R9_retain_leaves_the_address_of_a_node_that_no_longer_asks(world):
    ip = world.allocate(POOL)
    world.operator("--static-ip-reclaim-policy", "retain")
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by=ip)
    ask_in_turn(world, "node-2")
    world.retag("node-1", None)
    world.let_refresh()
    assert world.static_ips() == {}
    assert world.holders() == {ip: world.instance_of("node-1")}


@pytest.mark.world(nodes=21, addresses=1, tags=POOL)
def test_R13_nodes_that_wait_do_not_raise_the_number_of_describes(world):
    world.operator(refresh="1s")
    world.request("node-1", tags=POOL)
    world.wait_served("node-1")
    waiting = [node for node in world.nodes() if node != "node-1"]
    world.request(*waiting, tags=POOL)
    for node in waiting:
        world.wait_reason(node, "Waiting")

    before, start = world.control.calls(), time.monotonic()
    world.let_refresh(4)
    after, seconds = world.control.calls(), time.monotonic() - start
    # One read of all addresses per second of the refresh interval, however many wait, and no word of instances.
    assert sum(after["DescribeAddresses"].values()) - sum(before["DescribeAddresses"].values()) <= seconds + 2
    assert after.get("DescribeInstances") == before.get("DescribeInstances")
    assert after.get("DescribeNetworkInterfaces") == before.get("DescribeNetworkInterfaces")


@pytest.mark.world(nodes=20, addresses=20, tags=POOL)
def test_R13_one_describe_of_instances_serves_many_nodes(world):
    world.control.fault("DescribeInstances", delay_ms=300)
    world.operator(refresh="5m")
    world.request(*world.nodes(), tags=POOL)
    world.wait_served(*world.nodes(), within=30)
    calls = world.control.calls()
    # kubectl creates one after the other, so some are being read while the others arrive.
    assert sum(calls.get("DescribeInstances", {}).values()) <= 5
    assert sum(calls["AssociateAddress"].values()) == 20
