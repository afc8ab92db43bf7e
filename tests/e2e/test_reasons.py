"""R12: a request that is not served always says why, in the same words everywhere."""

import pytest

from harness.waiting import wait_until

POOL = {"pool": "a"}


def wait_for_event(world, node, code):
    """The Event on the Node that carries this reason."""

    def look():
        return [event for event in world.events(node) if event["reason"] == code]

    return wait_until(f"an event {code} on {node}", look)[-1]


def test_R12_a_reason_is_in_the_status_an_event_the_log_and_describe(world):
    operator = world.operator()
    world.request("node-1", tags=POOL)
    text = world.wait_reason("node-1", "PoolEmpty")
    assert text.count(". ") >= 1 and text.endswith("."), "CODE: sentence. Remedy."
    assert "pool=a" in text

    event = wait_for_event(world, "node-1", "PoolEmpty")
    assert event["type"] == "Warning"
    assert event["involvedObject"]["kind"] == "Node"
    assert event["involvedObject"]["apiVersion"] == "v1"
    assert event["message"] in text
    assert operator.log_lines("PoolEmpty", "node-1")
    described = world.kubectl("describe", "node", "node-1")
    assert "PoolEmpty" in described[described.index("Events:") :]


def test_R12_the_reason_goes_when_the_node_is_served(world):
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_reason("node-1", "PoolEmpty")
    world.allocate(POOL)
    world.wait_served("node-1")
    assert world.cilium_node("node-1")["status"]["ipam"]["operator-status"] == {}
    assert any(event["type"] == "Normal" for event in world.events("node-1")), "and an event tells of it"


def test_R12_each_change_of_reason_is_told_once(world):
    operator = world.operator()
    world.request("node-1", tags=POOL)
    world.wait_reason("node-1", "PoolEmpty")
    address = world.allocate(POOL)
    world.wait_served("node-1")
    world.associate(address, world.launch(), reassociate=True)
    world.wait_reason("node-1", "PoolExhausted")
    world.let_refresh()
    told = [event["reason"] for event in world.events("node-1") if event["type"] == "Warning"]
    assert sorted(told) == ["PoolEmpty", "PoolExhausted"]
    for code in told:
        assert len(operator.log_lines(code, "node-1")) == 1


def test_R12_Waiting_names_the_place_and_the_holders(world):
    address = world.allocate(POOL)
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1")
    world.request("node-2", tags=POOL)
    text = world.wait_reason("node-2", "Waiting")
    assert address in text and "node-1" in text
    wait_for_event(world, "node-2", "Waiting")


@pytest.mark.parametrize("instance", ["", "banana", "I-0123456789ABCDEF0", "i-"])
def test_R12_NoInstance_when_the_id_is_empty_or_malformed(world, instance):
    world.allocate(POOL)
    world.operator()
    world.request("node-1", tags=POOL, instance=instance)
    assert instance in world.wait_reason("node-1", "NoInstance")
    assert not world.holders()


def test_R12_InstanceMismatch_when_the_node_names_another_instance(world):
    world.allocate(POOL)
    world.operator()
    world.request("node-1", tags=POOL, instance=world.instance_of("node-2"))
    text = world.wait_reason("node-1", "InstanceMismatch")
    assert world.instance_of("node-1") in text and world.instance_of("node-2") in text
    assert not world.holders()

    world.kubectl.patch("ciliumnode", "node-1", {"spec": {"instance-id": world.instance_of("node-1")}})
    world.wait_served("node-1")


def test_R12_DuplicateInstance_when_two_nodes_name_one(world):
    for _ in range(2):
        world.allocate(POOL)
    world.operator()
    world.request("node-1", tags=POOL)
    world.request("no-node-at-all", tags=POOL, instance=world.instance_of("node-1"))
    world.wait_served("node-1")
    assert "node-1" in world.wait_reason("no-node-at-all", "DuplicateInstance")


def test_R12_InstanceNotRunning_until_it_runs(world):
    world.allocate(POOL)
    instance = world.instance_of("node-1")
    world.ec2.stop_instances(InstanceIds=[instance])
    world.wait_state(instance, "stopped")
    world.operator()
    world.request("node-1", tags=POOL)
    assert "stopped" in world.wait_reason("node-1", "InstanceNotRunning")
    world.ec2.start_instances(InstanceIds=[instance])
    world.wait_served("node-1", within=60)


def test_R12_InstanceNotRunning_when_the_cloud_does_not_know_the_instance(world):
    world.allocate(POOL)
    world.operator()
    world.request("elsewhere", tags=POOL, instance="i-0ffffffffffffffff")
    assert "i-0ffffffffffffffff" in world.wait_reason("elsewhere", "InstanceNotRunning")


def test_R12_a_stopped_instance_stays_served(world):
    address = world.allocate(POOL)
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by=address)
    instance = world.instance_of("node-1")
    world.ec2.stop_instances(InstanceIds=[instance])
    world.wait_state(instance, "stopped")
    world.let_refresh()
    world.wait_served("node-1", by=address)


def test_R12_Denied_when_the_permission_is_missing(world):
    world.allocate(POOL)
    world.control.fault("AssociateAddress", error="UnauthorizedOperation")
    world.operator()
    world.request("node-1", tags=POOL)
    text = world.wait_reason("node-1", "Denied")
    assert "AssociateAddress" in text and "UnauthorizedOperation" in text
    calls = world.control.count("AssociateAddress")
    world.let_refresh(4)
    assert world.control.count("AssociateAddress") == calls, "it is tried again in minutes, not at every refresh"


def test_R12_Throttled_and_served_when_the_cloud_has_time_again(world):
    world.allocate(POOL)
    world.control.fault("AssociateAddress", error="RequestLimitExceeded", count=2)
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_reason("node-1", "Throttled")
    world.wait_served("node-1", within=30)


@pytest.mark.world(nodes=6, addresses=6, tags=POOL)
def test_R12_a_small_bucket_slows_nodes_down_and_loses_none(world):
    world.control.fault("AssociateAddress", bucket={"burst": 2, "rate": 2})
    world.operator()
    world.request(*world.nodes(), tags=POOL)
    served = world.wait_served(*world.nodes(), within=60)
    assert len(set(served.values())) == 6


@pytest.mark.parametrize("error, code", [("InternalError", "CloudUnavailable"), ("UnauthorizedOperation", "Denied")])
def test_R12_a_cloud_that_cannot_be_read_is_told(world, error, code):
    world.allocate(POOL)
    world.control.fault("DescribeAddresses", error=error)
    world.operator(ready=False)
    world.request("node-1", tags=POOL)
    assert "DescribeAddresses" in world.wait_reason("node-1", code)
    if code == "CloudUnavailable":
        world.control.clear_faults()
        world.wait_served("node-1", within=30)


def test_R12_reads_that_fail_later_change_nothing_for_those_who_are_served(world):
    address = world.allocate(POOL)
    world.operator()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", by=address)
    world.control.fault("DescribeAddresses", error="InternalError")

    def failures():
        return world.control.calls()["DescribeAddresses"].get("InternalError", 0)

    wait_until("several reads failed", failures, lambda count: count >= 2, within=30)
    assert world.static_ip("node-1") == address


def test_R11_one_node_that_cannot_be_served_delays_no_other(world):
    world.allocate(POOL)
    world.operator()
    world.request("bad", tags=POOL, instance="banana")
    world.request("gone", tags=POOL, instance="i-0ffffffffffffffff")
    world.request("node-1", tags=POOL)
    world.wait_served("node-1")
