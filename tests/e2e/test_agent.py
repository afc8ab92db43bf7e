"""The agent: from a CNI configuration, good or bad, to the node's CiliumNode."""

import json

import pytest

from harness.http import fetch
from harness.process import BERTH, run
from harness.waiting import wait_until
from harness.world import conflist, dig

TAGS = {"anton": "test"}
GOOD = conflist(ipam={"min-allocate": 3, "static-ip-tags": TAGS})


@pytest.fixture
def conf(tmp_path):
    return tmp_path / "10-generic-veth.conflist"


@pytest.fixture
def agent_once(shared_world, conf):
    """Writes the configuration, runs the agent of node-1 once: (exit code, standard error)."""

    def play(text):
        if text is not None:
            conf.write_text(text)
        return shared_world.agent_once("node-1", conf)

    yield play
    shared_world.kubectl("delete", "ciliumnode", "node-1", "--ignore-not-found")


def spec_of(world, node="node-1"):
    return world.cilium_node(node)["spec"]


BAD = {
    "missing": (None, []),
    "empty": ("", []),
    "blank": ("\n  \n", []),
    "half-written": (GOOD[: len(GOOD) // 2], []),
    "not JSON": ("cniVersion: 0.3.1\nname: cilium\n", []),
    "a list at the top": ("[]", ["list", "object"]),
    "no plugin of ours": (conflist(kind="bridge"), ["bridge", "cilium-cni"]),
    "plugins that are no list": ('{"plugins": {"type": "cilium-cni"}}', ["plugins", "object", "list"]),
    "a quoted number": (conflist(ipam={"min-allocate": "3"}), ["ipam.min-allocate", '"3"', "whole number"]),
    "a negative number": (conflist(ipam={"pre-allocate": -1}), ["ipam.pre-allocate", "-1", "whole number"]),
    "a broken number": (
        conflist(eni={"first-interface-index": 1.5}),
        ["eni.first-interface-index", "1.5", "whole number"],
    ),
    "a quoted truth": (
        conflist(eni={"use-primary-address": "false"}),
        ["eni.use-primary-address", '"false"', "true or false"],
    ),
    "a tag that is a number": (
        conflist(ipam={"static-ip-tags": {"anton": 1}}),
        ["ipam.static-ip-tags.anton", "1", "string"],
    ),
    "a tag that is null": (
        conflist(ipam={"static-ip-tags": {"anton": None}}),
        ["ipam.static-ip-tags.anton", "null", "string"],
    ),
    "tags that are a list": (conflist(ipam={"static-ip-tags": ["anton"]}), ["ipam.static-ip-tags", "list", "object"]),
    "ipam that is no object": (conflist(ipam="host-local"), ["ipam", '"host-local"', "object"]),
    "a tag twice": (
        conflist(ipam={"static-ip-tags": {"anton": "a", "berta": "b"}}).replace("berta", "anton"),
        ["ipam.static-ip-tags.anton", "twice", "once"],
    ),
    "a setting twice": (
        conflist(ipam={"min-allocate": 3, "max-allocate": 3}).replace("max-allocate", "min-allocate"),
        ["ipam.min-allocate", "twice", "once"],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_conflist_ends_once_with_file_key_found_and_expected(shared_world, conf, agent_once, name):
    text, words = BAD[name]
    code, said = agent_once(text)
    assert code != 0
    (line,) = [line for line in said.splitlines() if str(conf) in line]
    for word in words:
        assert word in line, f"{word!r} is not in: {line}"
    assert "(NotFound)" in shared_world.kubectl.refused("get", "ciliumnode", "node-1")


def test_an_unknown_key_is_warned_about_by_name_and_the_rest_counts(shared_world, agent_once):
    code, said = agent_once(conflist(ipam={"min-alocate": 4, "static-ip-tags": TAGS}, eni={"colour": "red"}))
    assert code == 0, said
    for key in ("ipam.min-alocate", "eni.colour"):
        assert any(key in line and "WARN" in line for line in said.splitlines()), said
    assert spec_of(shared_world)["ipam"]["static-ip-tags"] == TAGS


def test_what_the_instance_says_is_published_and_the_node_owns_it(shared_world, agent_once):
    code, said = agent_once(GOOD)
    assert code == 0, said
    instance = shared_world.instance(shared_world.instance_of("node-1"))
    node = shared_world.cilium_node("node-1")
    assert node["spec"]["instance-id"] == instance["InstanceId"]
    eni = node["spec"]["eni"]
    assert eni["instance-type"] == instance["InstanceType"]
    assert eni["vpc-id"] == instance["VpcId"]
    assert eni["node-subnet-id"] == instance["SubnetId"]
    assert eni["availability-zone"] == instance["Placement"]["AvailabilityZone"]
    owner = shared_world.kubectl.json("get", "node", "node-1")["metadata"]
    (reference,) = node["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["name"], reference["uid"]) == ("Node", "node-1", owner["uid"])


def test_the_obsolete_place_counts_only_where_ipam_has_none(shared_world, agent_once):
    assert agent_once(conflist(ipam={"min-allocate": 3}, eni={"min-allocate": 9, "pre-allocate": 2}))[0] == 0
    ipam = spec_of(shared_world)["ipam"]
    assert (ipam["min-allocate"], ipam["pre-allocate"]) == (3, 2)


def test_a_false_and_a_zero_are_values(shared_world, agent_once):
    assert agent_once(conflist(eni={"first-interface-index": 0, "delete-on-termination": False}))[0] == 0
    eni = spec_of(shared_world)["eni"]
    assert (eni["first-interface-index"], eni["delete-on-termination"]) == (0, False)


def test_a_single_plugin_without_a_list_is_read_too(shared_world, agent_once):
    plugin = json.loads(conflist(ipam={"static-ip-tags": TAGS}, kind="berth-cni"))["plugins"][0]
    assert agent_once(json.dumps({"cniVersion": "0.3.1", **plugin}))[0] == 0
    assert spec_of(shared_world)["ipam"]["static-ip-tags"] == TAGS


def test_the_configuration_beats_a_flag(shared_world, conf, agent_once):
    conf.write_text(conflist(ipam={"static-ip-tags": TAGS}))
    flags = ("--ipam-static-ip-tags", "berta=flag", "--ipam-min-allocate", "7")
    code, said = shared_world.agent_once("node-1", conf, *flags)
    assert code == 0, said
    ipam = spec_of(shared_world)["ipam"]
    assert (ipam["static-ip-tags"], ipam["min-allocate"]) == (TAGS, 7)


def test_R17_only_its_own_fields_are_touched(shared_world, agent_once):
    assert agent_once(GOOD)[0] == 0
    foreign = {
        "bootid": "8c2e",
        "addresses": [{"type": "InternalIP", "ip": "10.0.0.1"}],
        "encryption": {"key": 3},
        "ipam": {"pool": {"100.64.0.10": {"resource": "eni-0aaa"}}, "podCIDRs": ["10.9.0.0/24"]},
    }
    shared_world.kubectl.patch("ciliumnode", "node-1", {"spec": foreign})
    shared_world.put_status("node-1", {"ipam": {"used": {"100.64.0.10": {"owner": "router"}}}})
    assert agent_once(conflist(ipam={"static-ip-tags": {"anton": "other"}}))[0] == 0
    node = shared_world.cilium_node("node-1")
    assert {key: node["spec"][key] for key in ("bootid", "addresses", "encryption")} == {
        key: foreign[key] for key in ("bootid", "addresses", "encryption")
    }
    assert node["spec"]["ipam"]["pool"] == foreign["ipam"]["pool"]
    assert node["spec"]["ipam"]["podCIDRs"] == ["10.9.0.0/24"]
    assert node["spec"]["ipam"]["static-ip-tags"] == {"anton": "other"}
    assert "min-allocate" not in node["spec"]["ipam"]
    assert node["status"]["ipam"]["used"] == {"100.64.0.10": {"owner": "router"}}


def test_R17_nothing_is_written_that_is_already_so(shared_world, agent_once):
    assert agent_once(GOOD)[0] == 0
    before = shared_world.cilium_node("node-1")["metadata"]["resourceVersion"]
    writes = shared_world.control.writes()
    assert agent_once(GOOD)[0] == 0
    assert shared_world.control.writes() == writes
    assert shared_world.cilium_node("node-1")["metadata"]["resourceVersion"] == before


def test_a_tag_that_was_removed_goes_and_the_whole_map_too(shared_world, agent_once):
    assert agent_once(conflist(ipam={"static-ip-tags": {"a": "1", "b": "2"}}))[0] == 0
    assert agent_once(conflist(ipam={"static-ip-tags": {"b": "2"}}))[0] == 0
    assert spec_of(shared_world)["ipam"]["static-ip-tags"] == {"b": "2"}
    assert agent_once(conflist(ipam={}))[0] == 0
    assert not spec_of(shared_world)["ipam"].get("static-ip-tags")


def write_folder(folder, **files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)


def of(tag):
    return conflist(ipam={"static-ip-tags": {"from": tag}})


@pytest.mark.parametrize(
    "files, chosen",
    [
        ({"20-b.conflist": of("20"), "10-a.conflist": of("10")}, "10"),
        ({"10-a.conflist": of("10"), "9-z.conflist": of("9")}, "10"),
        ({"05-bridge.conflist": conflist(kind="bridge"), "10-a.conflist": of("10")}, "10"),
        ({"10-a.conf": of("conf"), "20-b.json": of("json"), "30-c.conflist": of("conflist")}, "conf"),
        ({"00-old.conflist.bak": of("bak"), "00-readme": "no JSON", "20-b.json": of("json")}, "json"),
    ],
    ids=["lexical", "lexical-not-numeric", "ours-only", "three-endings", "other-endings"],
)
def test_of_a_folder_the_first_file_with_our_plugin_counts(shared_world, conf, agent_once, files, chosen):
    write_folder(conf, **files)
    code, said = agent_once(None)
    assert code == 0, said
    assert spec_of(shared_world)["ipam"]["static-ip-tags"] == {"from": chosen}


@pytest.mark.parametrize("files", [{}, {"05-bridge.conflist": conflist(kind="bridge")}], ids=["empty", "other-plugins"])
def test_a_folder_without_our_plugin_is_an_error_that_says_what_is_there(conf, agent_once, files):
    write_folder(conf, **files)
    code, said = agent_once(None)
    assert code != 0
    assert str(conf) in said and "cilium-cni" in said
    assert all(name in said for name in files)


def test_a_bad_file_in_a_folder_is_not_passed_over(conf, agent_once):
    write_folder(conf, **{"10-a.conflist": GOOD[:40], "20-b.conflist": GOOD})
    code, said = agent_once(None)
    assert code != 0 and "10-a.conflist" in said


def test_the_agent_stays_up_and_not_ready_on_a_bad_file_and_recovers(world, conf):
    world.allocate(TAGS)
    world.operator()
    conf.write_text(GOOD[:40])
    agent = world.agent("node-1", conf)
    agent.wait_for_log(str(conf))
    assert fetch(f"{agent.url}/healthz")[0] == 200
    assert fetch(f"{agent.url}/readyz")[0] == 503
    assert agent.is_running()

    conf.write_text(GOOD)
    agent.wait_ready()
    assert spec_of(world)["ipam"]["static-ip-tags"] == TAGS


def test_the_last_good_settings_stay_in_force_while_a_file_is_bad(world, conf):
    world.allocate(TAGS)
    world.operator()
    conf.write_text(GOOD)
    agent = world.agent("node-1", conf)
    agent.wait_ready()
    world.wait_served("node-1")

    conf.write_text(conflist(ipam={"min-allocate": "3", "static-ip-tags": {"anton": "other"}}))
    agent.wait_for_log(str(conf), "min-allocate")
    assert spec_of(world)["ipam"]["static-ip-tags"] == TAGS
    assert dig(world.cilium_node("node-1"), "status", "ipam", "assigned-static-ip")
    assert fetch(f"{agent.url}/readyz")[0] == 200

    # One error, not one a second.
    conf.write_text(conflist(ipam={"min-allocate": "5"}))
    agent.wait_for_log(str(conf), '"5"')
    assert len(agent.log_lines(str(conf), '"3"')) == 1


def test_the_agent_follows_changes_of_the_file(world, conf):
    conf.write_text(conflist(ipam={"min-allocate": 3, "static-ip-tags": {"a": "1", "b": "2"}}))
    world.agent("node-1", conf)

    def wait_for(ipam):
        def look():
            found = spec_of(world)["ipam"]
            return {key: found.get(key) for key in ("min-allocate", "static-ip-tags")}

        wait_until(f"spec.ipam is {ipam}", look, lambda seen: seen == ipam)

    wait_for({"min-allocate": 3, "static-ip-tags": {"a": "1", "b": "2"}})
    replacement = conf.with_suffix(".new")
    replacement.write_text(conflist(ipam={"min-allocate": 4, "static-ip-tags": {"b": "3"}}))
    replacement.rename(conf)
    wait_for({"min-allocate": 4, "static-ip-tags": {"b": "3"}})


def test_the_agent_puts_its_own_fields_right_and_comes_back_after_the_object_was_deleted(world, conf):
    conf.write_text(GOOD)
    world.agent("node-1", conf)
    wait_until("the object is there", lambda: spec_of(world))
    world.kubectl("delete", "ciliumnode", "node-1")
    assert world.agent_once("node-1", conf)[0] == 0
    assert spec_of(world)["ipam"]["static-ip-tags"] == TAGS


def test_the_agent_needs_the_node_and_says_so(shared_world, conf):
    conf.write_text(GOOD)
    argv = [BERTH, "agent", "--node-name", "node-77", "--cni-conf", str(conf), "--once"]
    code, _, said = run(argv, shared_world.node_env("node-1"), within=60)
    assert code != 0
    assert "node-77" in said
