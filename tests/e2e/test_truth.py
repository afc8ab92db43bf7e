"""R6 (the cloud is the truth), R7 (drift heals), R14 (restart) and R17 (writes touch our fields only)."""

import pytest

from harness.waiting import wait_until

POOL = {"pool": "a"}
JUST_THE_ADDRESS = 'jsonpath={.status.ipam.assigned-static-ip}{"\\n"}'


def test_R6_an_address_that_was_moved_by_hand_goes_from_the_status_within_a_refresh(world):
    address = world.allocate(POOL)
    world.operator(grace="5m")  # presence elsewhere counts at once, whatever the grace
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by=address)
    other = world.launch()
    association = world.associate(address, other, reassociate=True)
    reason = world.wait_reason("node-1", "PoolExhausted")
    assert other in reason
    assert world.static_ip("node-1") is None
    world.let_refresh()
    assert world.address(address)["AssociationId"] == association


def test_R6_after_a_move_by_hand_the_node_gets_another_address(world):
    first, second = world.allocate(POOL, ip="18.213.0.1"), world.allocate(POOL, ip="18.213.0.2")
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by=first)
    world.associate(first, world.launch(), reassociate=True)
    world.wait_served("node-1", by=second)


@pytest.mark.parametrize("wrong", ["18.213.0.1", "203.0.113.7", "banana", "eipalloc-0123456789abcdef0"])
def test_R6_a_status_that_names_a_wrong_address_is_corrected(world, wrong):
    """The first is associated with another node, the others are no address of ours at all."""
    world.allocate(POOL, ip="18.213.0.1")
    world.associate("18.213.0.1", world.instance_of("node-2"))
    world.request("node-1", "node-2", tags=POOL)
    world.put_status("node-1", {"ipam": {"assigned-static-ip": wrong}})
    world.operator()
    world.wait_served("node-2", by="18.213.0.1")
    world.wait_reason("node-1", "Waiting")
    assert "assigned-static-ip" not in world.cilium_node("node-1")["status"]["ipam"]

    world.allocate(POOL, ip="18.213.0.2")
    world.wait_served("node-1", by="18.213.0.2")


def test_R6_a_status_that_lies_is_put_right_while_the_operator_runs(world):
    address = world.allocate(POOL)
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by=address)
    world.put_status("node-1", {"ipam": {"assigned-static-ip": "203.0.113.7"}})
    world.wait_served("node-1", by=address)


@pytest.mark.world(nodes=3, addresses=3, tags=POOL)
def test_R6_reads_that_lag_behind_do_not_make_a_status_flap(world):
    world.control.fault("DescribeAddresses", stale_ms=3000)
    watch = world.watch("ciliumnode", "-o", JUST_THE_ADDRESS)
    world.operator(grace="1m")
    world.request("node-1", tags=POOL)
    ip = wait_until("node-1 has an address", lambda: world.static_ip("node-1"))
    world.let_refresh(12)  # past the lag
    assert [line for line in watch.output().splitlines() if line] == [ip]
    assert world.control.calls()["AssociateAddress"] == {"ok": 1}
    world.control.clear_faults()
    world.let_refresh(2)
    assert world.static_ip("node-1") == ip
    assert world.control.calls()["AssociateAddress"] == {"ok": 1}


def test_R6_an_instance_that_was_replaced_under_one_name_asks_anew(world):
    old, new = world.allocate(POOL, ip="18.213.0.1"), world.allocate(POOL, ip="18.213.0.2")
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by=old)
    before, after = world.instance_of("node-1"), world.launch()
    node = world.kubectl.json("get", "node", "node-1")
    world.kubectl("delete", "node", "node-1")
    world.kubectl.patch("ciliumnode", "node-1", {"spec": {"instance-id": after}})
    provider = node["spec"]["providerID"].replace(before, after)
    world.kubectl.create({**node, "metadata": {"name": "node-1"}, "spec": {"providerID": provider}})
    wait_until("node-1 has the other address", lambda: world.static_ip("node-1"), lambda ip: ip == new)
    assert world.holders() == {old: before, new: after}, "the old instance lives, and keeps its address"


def test_R7_an_address_that_was_detached_by_hand_is_associated_again(world):
    world.allocate(POOL, ip="18.213.0.5")
    world.operator(grace="5m")  # it has shown this association, so its absence counts at once
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by="18.213.0.5")
    world.allocate(POOL, ip="18.213.0.1")
    world.let_refresh(2)
    association = world.address("18.213.0.5")["AssociationId"]

    world.disassociate("18.213.0.5")
    again = wait_until(
        "the same address is associated again",
        lambda: world.address("18.213.0.5").get("AssociationId"),
        lambda found: found and found != association,
    )
    assert again
    world.wait_served("node-1", by="18.213.0.5")


@pytest.mark.world(nodes=5, addresses=5, tags=POOL)
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_R14_a_restart_of_a_settled_operator_writes_nothing(world, how):
    operator = world.operator()
    world.request(*world.nodes(), tags=POOL)
    served = world.wait_served(*world.nodes())
    world.let_refresh(2)
    getattr(operator, how)()

    writes = world.control.writes()
    versions = {name: node["metadata"]["resourceVersion"] for name, node in world.cilium_nodes().items()}
    world.operator()
    world.let_refresh()
    assert world.control.writes() == writes
    assert {name: node["metadata"]["resourceVersion"] for name, node in world.cilium_nodes().items()} == versions
    assert world.static_ips() == served


@pytest.mark.world(nodes=8, addresses=8, tags=POOL)
def test_R14_killed_in_the_middle_of_its_work_the_next_one_finishes_it(world):
    world.control.fault("AssociateAddress", delay_ms=300)
    operator = world.operator()
    world.request(*world.nodes(), tags=POOL)
    wait_until("some calls are under way", lambda: world.control.count("list:ciliumnodes"))
    operator.kill()
    world.control.clear_faults()
    world.operator()
    served = world.wait_served(*world.nodes())
    world.let_refresh(2)
    assert world.static_ips() == served
    assert len(world.holders()) == len(set(served.values())) == 8


def test_R17_fields_of_others_survive(world):
    address = world.allocate(POOL)
    spec = {
        "bootid": "8c2e",
        "encryption": {"key": 3},
        "health": {"ipv4": "10.1.0.7"},
        "addresses": [{"type": "CiliumInternalIP", "ip": "10.1.0.1"}],
    }
    world.request("node-1", tags=POOL, spec=spec)
    world.kubectl.patch("ciliumnode", "node-1", {"spec": {"ipam": {"pool": {"100.64.0.10": {"resource": "eni-0aaa"}}}}})
    status = {
        "ipam": {"used": {"100.64.0.10": {"owner": "router"}}, "release-ips": {"100.64.0.11": "marked-for-release"}},
        "eni": {"enis": {"eni-0aaa": {"id": "eni-0aaa", "number": 1}}},
    }
    world.put_status("node-1", status)
    before = world.cilium_node("node-1")
    world.operator()
    world.wait_served("node-1", by=address)
    after = world.cilium_node("node-1")
    assert after["spec"] == before["spec"]
    assert after["status"]["eni"] == before["status"]["eni"]
    ours = {"assigned-static-ip": address, "operator-status": {}}
    assert after["status"]["ipam"] == {**before["status"]["ipam"], **ours}


@pytest.mark.world(nodes=4, addresses=2, tags=POOL)
def test_R17_a_settled_world_has_no_writes(world):
    world.operator()
    world.request(*world.nodes(), tags=POOL)
    wait_until("two are served", world.static_ips, lambda ips: len(ips) == 2)
    for node in set(world.nodes()) - set(world.static_ips()):
        world.wait_reason(node, "Waiting")
    world.let_refresh(2)
    writes = world.control.writes()
    world.let_refresh(4)
    assert world.control.writes() == writes
