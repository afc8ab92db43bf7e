"""The case the product was asked for, from the node's CNI configuration to what the cloud shows."""

import json
import re

import pytest

from harness.waiting import wait_until

CONFLIST = """\
{
  "cniVersion": "0.3.1",
  "name": "cilium",
  "plugins": [
    {
      "name": "cilium",
      "type": "cilium-cni",
      "eni": {
        "delete-on-termination": true,
        "first-interface-index": 1,
        "use-primary-address": false,
        "pre-allocate": 1,
        "min-allocate": 3
      },
      "ipam": {
        "pre-allocate": 1,
        "min-allocate": 3,
        "static-ip-tags": {
          "anton": "test",
          "kubernetes_cluster": "cluster-1"
        }
      }
    }
  ]
}
"""
TAGS = "anton=test,kubernetes_cluster=cluster-1"


def without_pool(ipam):
    """The pool of pod addresses has tests of its own."""
    return {key: value for key, value in ipam.items() if key != "pool"}


@pytest.mark.world(nodes=3, addresses=0)
def test_the_scenario(world):
    operator = world.operator()

    # 1. The address pool.
    allocated = world.aws.ec2(
        "allocate-address",
        "--tag-specifications",
        "ResourceType=elastic-ip,Tags=[{Key=anton,Value=test},{Key=kubernetes_cluster,Value=cluster-1}]",
    )
    world.allocate({"anton": "test", "kubernetes_cluster": "cluster-2"})

    # 2. The node's CNI configuration, and 3. what its agent publishes.
    conf = world.folder / "net.d" / "10-generic-veth.conflist"
    conf.parent.mkdir()
    conf.write_text(CONFLIST)
    code, said = world.agent_once("node-1", conf)
    assert code == 0, said
    published = json.loads(world.kubectl("get", "ciliumnode", "node-1", "-o=jsonpath={.spec.ipam}"))
    assert without_pool(published) == {
        "min-allocate": 3,
        "pools": {},
        "pre-allocate": 1,
        "static-ip-tags": {"anton": "test", "kubernetes_cluster": "cluster-1"},
    }
    spec = world.cilium_node("node-1")["spec"]
    assert spec["instance-id"] == world.instance_of("node-1")
    eni = spec["eni"]
    assert (eni["delete-on-termination"], eni["first-interface-index"], eni["use-primary-address"]) == (True, 1, False)

    # 5. What the status shows.
    served = world.wait_served("node-1", by=allocated["PublicIp"])
    status = json.loads(world.kubectl("get", "ciliumnode", "node-1", "-o=jsonpath={.status.ipam}"))
    assert status == {"assigned-static-ip": served["node-1"], "operator-status": {}}

    # 4. What the operator said.
    world.let_refresh()
    assert len(operator.log_lines(f"Found 1 EIPs corresponding to tags {TAGS}")) == 1
    instance = world.instance_of("node-1")
    address = world.address(allocated["PublicIp"])
    what = f"Associated EIP {allocated['PublicIp']} with Instance {instance}"
    assert len(operator.log_lines(f"{what} (association ID: {address['AssociationId']})")) == 1
    assert re.fullmatch(r"eipassoc-[0-9a-f]+", address["AssociationId"])

    # 6. What the cloud shows.
    shown = world.aws.ec2(
        "describe-addresses", "--filters", "Name=tag:anton,Values=test", "Name=tag:kubernetes_cluster,Values=cluster-1"
    )["Addresses"]
    primary = world.primary_interface(instance)
    assert [found["PublicIp"] for found in shown] == [allocated["PublicIp"]]
    assert shown[0]["InstanceId"] == instance
    assert shown[0]["NetworkInterfaceId"] == primary["NetworkInterfaceId"]
    assert shown[0]["PrivateIpAddress"] == primary["PrivateIpAddress"]
    assert world.instance(instance)["PublicIpAddress"] == allocated["PublicIp"]


@pytest.mark.world(nodes=2, addresses=1)
def test_the_sandboxs_own_configuration_asks_for_its_own_addresses(world):
    world.operator()
    code, said = world.agent_once("node-2", world.cni_folder("node-2"))
    assert code == 0, said
    world.wait_served("node-2")


@pytest.mark.world(nodes=3, addresses=2, world_only=False, options=["--refresh-interval", "1s"])
def test_a_whole_sandbox_serves_as_many_nodes_as_it_has_addresses(world):
    served = wait_until("two nodes have an address", world.static_ips, lambda ips: len(ips) == 2)
    assert len(set(served.values())) == 2
    (waiting,) = set(world.nodes()) - set(served)
    wait_until(f"{waiting} says why it waits", lambda: world.reason(waiting))
    extra = world.allocate({"anton": "test", "kubernetes_cluster": "cluster-1"})
    world.wait_served(waiting, by=extra)
