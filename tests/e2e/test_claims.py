"""R4 (one address, one claim) and R5 (never steal)."""

import pytest

from harness.waiting import wait_until

POOL = {"pool": "a"}
FOREIGN = {"owner": "somebody else"}


@pytest.mark.world(nodes=20, addresses=20, tags=POOL)
def test_R4_nodes_that_ask_at_once_get_different_addresses_without_one_refused_call(world):
    world.operator()
    world.request(*world.nodes(), tags=POOL)
    served = world.wait_served(*world.nodes(), within=30)
    assert len(set(served.values())) == 20
    world.let_refresh()
    assert world.control.calls()["AssociateAddress"] == {"ok": 20}
    assert len(world.holders()) == 20


@pytest.mark.world(nodes=10, addresses=5, tags=POOL)
def test_R4_two_nodes_never_get_one_address_while_calls_are_slow(world):
    world.control.fault("AssociateAddress", delay_ms=2500)
    world.operator()
    world.request(*world.nodes(), tags=POOL)
    served = wait_until("five nodes are served", world.static_ips, lambda ips: len(ips) == 5, within=30)
    world.let_refresh()
    assert len(set(served.values())) == 5
    assert world.static_ips() == served
    assert world.control.calls()["AssociateAddress"] == {"ok": 5}


@pytest.mark.world(nodes=3, addresses=4, tags=POOL)
def test_R4_a_lost_reply_ends_with_one_association_and_a_true_status(world):
    world.control.fault("AssociateAddress", lost_reply=True, count=1)
    world.operator()
    world.request("node-1", tags=POOL)
    (ip,) = world.wait_served("node-1").values()
    world.let_refresh()
    assert world.holders() == {ip: world.instance_of("node-1")}
    assert world.control.count("AssociateAddress") <= 2


@pytest.mark.world(nodes=3, addresses=1, tags=POOL)
def test_R4_an_address_whose_fate_is_unknown_is_promised_to_nobody_else(world):
    world.control.fault("AssociateAddress", lost_reply=True, count=1)
    world.control.fault("DescribeAddresses", stale_ms=3000)
    world.operator(grace="6s")
    world.request("node-1", tags=POOL)
    wait_until("the call was sent", lambda: world.control.count("AssociateAddress"))
    world.request("node-2", tags=POOL)
    wait_until("node-1 has an address", lambda: world.static_ip("node-1"))
    world.wait_reason("node-2", "Waiting")
    world.let_refresh()
    world.control.clear_faults()
    world.wait_served("node-1")
    assert set(world.holders().values()) == {world.instance_of("node-1")}


def test_R5_an_address_that_is_associated_elsewhere_is_never_touched(world):
    other = world.launch()
    address = world.allocate(POOL)
    association = world.associate(address, other)
    world.operator()
    world.request("node-1", tags=POOL)
    reason = world.wait_reason("node-1", "PoolExhausted")
    assert address in reason and other in reason, "the reason says who holds it"
    world.let_refresh()
    assert world.address(address)["AssociationId"] == association
    assert world.control.calls()["AssociateAddress"] == {"ok": 1}  # the one by hand


def test_R5_an_address_that_was_taken_meanwhile_is_left_and_another_is_tried(world):
    for ip in ("18.213.0.1", "18.213.0.2"):
        world.allocate(POOL, ip=ip)
    other = world.launch()
    world.operator(refresh="5m")  # so that it plans from a picture that is no longer true
    association = world.associate("18.213.0.1", other)
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by="18.213.0.2")
    assert world.address("18.213.0.1")["AssociationId"] == association
    assert world.control.calls()["AssociateAddress"] == {"ok": 2, "Resource.AlreadyAssociated": 1}


def test_R5_a_target_that_holds_a_foreign_address_is_left_alone(world):
    world.allocate(POOL)
    foreign = world.allocate(FOREIGN)
    association = world.associate(foreign, world.instance_of("node-1"))
    world.operator()
    world.request("node-1", tags=POOL)
    reason = world.wait_reason("node-1", "ForeignAddress")
    assert foreign in reason
    world.let_refresh()
    assert world.address(foreign)["AssociationId"] == association
    assert world.static_ip("node-1") is None

    world.disassociate(foreign)
    served = world.wait_served("node-1")
    assert served["node-1"] != foreign


@pytest.mark.world(nodes=3, addresses=2, tags=POOL)
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_R5_nothing_is_disassociated_or_released_when_the_operator_ends(world, how):
    operator = world.operator()
    world.request("node-1", "node-2", tags=POOL)
    served = world.wait_served("node-1", "node-2")
    held = world.holders()
    getattr(operator, how)()
    calls = world.control.calls()
    assert "DisassociateAddress" not in calls and "ReleaseAddress" not in calls
    assert world.holders() == held
    assert world.static_ips() == served
