"""The programs themselves: how they start, how they end, what they refuse."""

import json

import pytest

from harness.http import fetch
from harness.process import BERTH, base_environment, run
from harness.waiting import wait_until

POOL = {"pool": "a"}


def berth(folder, *args, within=60, env=None):
    return run([BERTH, *args], env or base_environment(folder / "home"), within=within)


@pytest.mark.parametrize("command", ["operator", "agent", "sandbox", "demo"])
def test_help_names_the_options(tmp_path, command):
    code, stdout, _ = berth(tmp_path, command, "--help")
    assert code == 0
    assert "--help" in stdout and command in stdout


def test_help_names_the_subcommands(tmp_path):
    code, stdout, _ = berth(tmp_path, "--help")
    assert code == 0
    for command in ("operator", "agent", "sandbox", "demo"):
        assert command in stdout


@pytest.mark.parametrize(
    "args, word",
    [
        ([], "operator"),
        (["dance"], "dance"),
        (["operator", "--refresh-interval", "soon"], "--refresh-interval"),
        (["operator", "--static-ip-reclaim-policy", "burn"], "--static-ip-reclaim-policy"),
        (["operator", "--log-format", "xml"], "--log-format"),
        (["operator", "--no-such-flag"], "--no-such-flag"),
        (["agent", "--node-name", "node-1"], "--cni-conf"),
        (["agent", "--cni-conf", "/etc/cni/net.d"], "--node-name"),
        (["sandbox"], "--dir"),
        (["sandbox", "--dir", "x", "--nodes", "many"], "--nodes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_wrong_command_line_is_refused_with_its_reason(tmp_path, args, word):
    code, stdout, stderr = berth(tmp_path, *args)
    assert code not in (0, 1), "1 is a failure of the work itself, not of the question"
    assert word in stderr + stdout


def test_an_operator_without_a_kubeconfig_says_what_it_looked_for(tmp_path):
    code, _, stderr = berth(tmp_path, "operator", "--kubeconfig", str(tmp_path / "none"), "--listen", "127.0.0.1:0")
    assert code != 0
    assert str(tmp_path / "none") in stderr


def test_the_operator_tells_that_it_lives_and_when_it_is_ready(world):
    world.control.fault("DescribeAddresses", error="InternalError")
    operator = world.operator(ready=False)
    wait_until("it answers", lambda: fetch(f"{operator.url}/healthz")[0], lambda status: status == 200)
    assert fetch(f"{operator.url}/nothing-here")[0] == 404
    world.control.clear_faults()
    operator.wait_ready(within=30)


@pytest.mark.world(nodes=2, addresses=1, tags=POOL)
def test_json_logs_are_one_object_a_line_with_the_values_as_fields(world):
    operator = world.operator("--log-format", "json")
    world.request("node-1", tags=POOL)
    (ip,) = world.wait_served("node-1").values()
    entries = [json.loads(line) for line in operator.log().splitlines()]
    assert all({"time", "level", "component", "msg"} <= entry.keys() for entry in entries)
    (entry,) = [entry for entry in entries if entry["msg"].startswith("Associated EIP")]
    assert ip in entry.values() and "node-1" in entry.values()
    assert world.env["AWS_SECRET_ACCESS_KEY"] not in operator.log()


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_the_operator_ends_cleanly_on_SIGTERM(world, busy):
    world.allocate(POOL)
    if busy:
        world.control.fault("AssociateAddress", delay_ms=60000)
    operator = world.operator()
    world.request("node-1", tags=POOL)
    if busy:
        operator.wait_for_log("Found 1 EIPs")
    else:
        world.wait_served("node-1")
    operator.stop(within=5)
    world.control.clear_faults()


def test_the_operator_waits_for_an_api_server_that_is_not_there_yet(world):
    world.allocate(POOL)
    world.control.fault("list:ciliumnodes", error="ServiceUnavailable")
    world.operator(ready=False)
    wait_until("it has tried", lambda: world.control.count("list:ciliumnodes"), lambda count: count >= 2)
    world.control.clear_faults()
    world.request("node-1", tags=POOL)
    world.wait_served("node-1", within=30)


def test_the_sandbox_ends_cleanly_while_clients_watch(world):
    watch = world.watch("ciliumnodes")
    world.operator()
    world.sandbox.stop(within=5)
    watch.wait()
    watch.ends_with = watch.wait()


def test_the_sandbox_can_be_started_again_in_its_folder(world):
    world.forget(world.sandbox)
    again = type(world)(world.folder, nodes=2)
    try:
        assert len(again.kubectl.json("get", "nodes")["items"]) == 2
    finally:
        again.stop()


def test_the_demo_plays_the_scenario_and_shows_the_objects(tmp_path):
    code, stdout, stderr = berth(tmp_path, "demo", within=120)
    assert code == 0, stdout + stderr
    for word in ("static-ip-tags", "assigned-static-ip", "operator-status", "eipassoc-", "Waiting"):
        assert word in stdout, f"{word} is not in the transcript:\n{stdout}"
