"""Which address a node gets: R1 (matching is exact), R2 (served means: from the pool), R3 (choice)."""

import pytest

from harness.waiting import wait_until
from harness.world import dig

POOL = {"pool": "a"}


@pytest.mark.parametrize(
    "wanted, others",
    [
        ({"pool": "Blue"}, [{"pool": "blue"}, {"pool": "BLUE"}]),
        ({"Pool": "blue"}, [{"pool": "blue"}]),
        ({"pool": "a*"}, [{"pool": "a"}, {"pool": "abc"}, {"pool": "A*"}]),
        ({"pool": "a?c"}, [{"pool": "abc"}, {"pool": "a\\?c"}]),
        ({"pool": "a\\b"}, [{"pool": "ab"}, {"pool": "a\\\\b"}, {"pool": "a/b"}]),
        ({"pool": ""}, [{"pool": "x"}, {"other": ""}]),
        ({"pool": "a", "zone": "1"}, [{"pool": "a"}, {"zone": "1"}, {"pool": "a", "zone": "2"}]),
        ({"pool": "a, b=c"}, [{"pool": "a"}, {"pool": "a,b=c"}]),
    ],
    ids=["case of values", "case of keys", "star", "question mark", "backslash", "empty value", "every tag", "comma"],
)
def test_R1_an_address_matches_exactly_or_not_at_all(world, wanted, others):
    for last, tags in enumerate(others):
        world.allocate(tags, ip=f"18.213.7.{last + 1}")
    operator = world.operator()
    world.request("node-1", tags=wanted)
    world.wait_reason("node-1", "PoolEmpty")
    matching = world.allocate({**wanted, "more": "tags"}, ip="18.213.7.99")
    world.wait_served("node-1", by=matching)
    shown = ",".join(f"{key}={wanted[key]}" for key in sorted(wanted))
    assert operator.log_lines(f"Found 1 EIPs corresponding to tags {shown}")
    assert world.control.calls()["AssociateAddress"] == {"ok": 1}


def test_R1_an_address_of_another_border_group_is_no_candidate(world):
    group = "us-east-1-bos-1"
    far = world.ec2.allocate_address(Domain="vpc", NetworkBorderGroup=group)["PublicIp"]
    world.tag(far, POOL)
    world.operator()
    world.request("node-1", tags=POOL)
    reason = world.wait_reason("node-1", "PoolExhausted")
    assert far in reason and group in reason
    assert far not in world.holders()


def test_R2_an_auto_assigned_ip_is_never_published_and_gives_way(world):
    instance = world.instance_of("node-1")
    ephemeral = world.instance(instance)["PublicIpAddress"]
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_reason("node-1", "PoolEmpty")
    world.let_refresh()
    assert world.static_ip("node-1") is None

    static = world.allocate(POOL)
    world.wait_served("node-1", by=static)
    assert world.instance(instance)["PublicIpAddress"] == static != ephemeral


def test_R2_a_node_without_a_request_gets_nothing_published(world):
    address = world.allocate(POOL)
    world.associate(address, world.instance_of("node-1"))
    world.operator()
    world.request("node-1", tags=None)
    world.let_refresh()
    assert "assigned-static-ip" not in (dig(world.cilium_node("node-1"), "status", "ipam") or {})
    assert world.holders() == {address: world.instance_of("node-1")}
    assert not world.control.count("patch:ciliumnodes/status")


def test_R3_the_lowest_free_address_in_numeric_order_is_taken(world):
    for ip in ("18.213.0.10", "18.213.0.9", "18.213.0.100", "18.213.0.8"):
        world.allocate(POOL, ip=ip)
    world.associate("18.213.0.8", world.launch())
    world.operator()
    for node, ip in (("node-1", "18.213.0.9"), ("node-2", "18.213.0.10"), ("node-3", "18.213.0.100")):
        world.request(node, tags=POOL)
        world.wait_served(node, by=ip)


@pytest.mark.parametrize("before_the_operator", [True, False])
def test_R3_an_address_that_somebody_else_associated_is_adopted(world, before_the_operator):
    for ip in ("18.213.0.1", "18.213.0.2"):
        world.allocate(POOL, ip=ip)
    if not before_the_operator:
        operator = world.operator()
    world.associate("18.213.0.2", world.instance_of("node-1"))
    if before_the_operator:
        operator = world.operator()
    world.let_refresh(1)
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by="18.213.0.2")
    world.let_refresh()
    assert world.control.calls()["AssociateAddress"] == {"ok": 1}  # the one by hand
    assert not operator.log_lines("Associated EIP")


def test_R3_after_a_restart_a_node_gets_the_address_that_its_status_names_before_the_waiting_line(world):
    world.allocate(POOL, ip="18.213.0.20")
    operator = world.operator()
    world.request("node-2", tags=POOL)
    world.wait_served("node-2", by="18.213.0.20")
    world.request("node-1", tags=POOL)
    world.wait_reason("node-1", "Waiting")
    world.forget(operator)

    world.disassociate("18.213.0.20")
    world.allocate(POOL, ip="18.213.0.10")
    world.operator()
    world.wait_served("node-1", by="18.213.0.10")
    # That the address is not shown where the status says it is could be lag, for a grace.
    instance = world.instance_of("node-2")
    wait_until("it is associated again", world.holders, lambda held: held.get("18.213.0.20") == instance)
    world.wait_served("node-2", by="18.213.0.20")


def test_R3_a_better_match_never_causes_a_move(world):
    world.allocate(POOL, ip="18.213.0.20")
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by="18.213.0.20")
    association = world.address("18.213.0.20")["AssociationId"]
    world.allocate(POOL, ip="18.213.0.10")
    world.let_refresh()
    assert world.address("18.213.0.20")["AssociationId"] == association
    assert world.wait_served("node-1", by="18.213.0.20")


def test_the_number_of_matching_addresses_is_logged_once_per_change(world):
    world.allocate({"b": "2", "a": "1"})
    operator = world.operator()
    world.request("node-1", "node-2", tags={"b": "2", "a": "1"})
    operator.wait_for_log("Found 1 EIPs corresponding to tags a=1,b=2")
    world.allocate({"b": "2", "a": "1", "c": "3"})
    operator.wait_for_log("Found 2 EIPs corresponding to tags a=1,b=2")
    world.let_refresh()
    assert len(operator.log_lines("EIPs corresponding to tags a=1,b=2")) == 2
