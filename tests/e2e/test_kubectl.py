"""The sandbox's Kubernetes API, as the real kubectl sees it."""

import json
import re

import pytest

from harness.waiting import wait_until
from harness.world import cilium_node

COLLECTION = "/apis/cilium.io/v2/ciliumnodes"


@pytest.fixture
def node(shared_world, request):
    """A CiliumNode of this test's own; gives its name."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[-50:].strip("-")
    shared_world.kubectl.create(cilium_node(name, "i-0123456789abcdef0", {"anton": "test"}))
    yield name
    shared_world.kubectl("delete", "ciliumnode", name, "--ignore-not-found")


@pytest.fixture
def kubectl(shared_world):
    return shared_world.kubectl


def test_get_prints_a_table(kubectl, node):
    header, *rows = kubectl("get", "ciliumnodes").splitlines()
    assert header.split()[0] == "NAME" and header.split()[-1] == "AGE"
    assert [row.split()[0] for row in rows if row.split()[0] == node] == [node]


def test_get_wide_prints_a_table_too(kubectl, node):
    assert node in kubectl("get", "ciliumnode", node, "-o", "wide")


def test_the_table_of_nodes_names_each_machine(kubectl):
    header, *rows = kubectl("get", "nodes").splitlines()
    assert header.split()[0] == "NAME"
    assert [row.split()[0] for row in rows] == ["node-1", "node-2", "node-3"]


def test_get_prints_json_yaml_name_and_jsonpath(kubectl, node):
    assert kubectl.json("get", "ciliumnode", node)["spec"]["instance-id"] == "i-0123456789abcdef0"
    assert "instance-id: i-0123456789abcdef0" in kubectl("get", "ciliumnode", node, "-o", "yaml")
    assert kubectl("get", "ciliumnode", node, "-o", "name").strip() == f"ciliumnode.cilium.io/{node}"
    tags = kubectl("get", "ciliumnode", node, "-o=jsonpath={.spec.ipam.static-ip-tags}")
    assert json.loads(tags) == {"anton": "test"}


def test_a_short_name_of_the_resource_works(kubectl, node):
    assert node in kubectl("get", "cn")


def test_api_resources_and_versions_are_listed(kubectl):
    resources = kubectl("api-resources")
    for kind in ("CiliumNode", "Node", "Namespace", "Event", "Lease", "CustomResourceDefinition"):
        assert re.search(rf"\b{kind}$", resources, re.MULTILINE), f"no {kind} in:\n{resources}"
    versions = kubectl("api-versions").split()
    assert {"v1", "cilium.io/v2", "coordination.k8s.io/v1"} <= set(versions)


def test_the_definition_of_the_resource_can_be_read(kubectl):
    definition = kubectl.json("get", "crd", "ciliumnodes.cilium.io")
    assert definition["spec"]["names"]["kind"] == "CiliumNode"
    assert definition["spec"]["scope"] == "Cluster"


def test_watch_shows_each_change_as_it_happens(shared_world, kubectl, node):
    watch = shared_world.watch("ciliumnode", node, "-o", "jsonpath={.spec.bootid}{'\\n'}")
    for boot in ("first", "second"):
        kubectl.patch("ciliumnode", node, {"spec": {"bootid": boot}})
        wait_until(f"the watch shows {boot}", watch.output, lambda seen: boot in seen.split())
    shared_world.forget(watch)


def test_watch_tells_added_modified_and_deleted_apart(shared_world, kubectl):
    watch = shared_world.watch("ciliumnodes", "--output-watch-events", "-o", "json")

    def kinds():
        found, rest, decoder = [], watch.output().lstrip(), json.JSONDecoder()
        while rest:
            try:
                event, end = decoder.raw_decode(rest)
            except ValueError:
                break
            rest = rest[end:].lstrip()
            if event["object"]["metadata"].get("name") == "come-and-go":
                found.append(event["type"])
        return found

    def wait_for(kind):
        wait_until(f"the watch shows {kind}", kinds, lambda seen: seen[-1:] == [kind])

    kubectl.create(cilium_node("come-and-go", ""))
    wait_for("ADDED")
    kubectl.patch("ciliumnode", "come-and-go", {"spec": {"bootid": "1"}})
    wait_for("MODIFIED")
    kubectl("delete", "ciliumnode", "come-and-go")
    wait_for("DELETED")
    assert kinds() == ["ADDED", "MODIFIED", "DELETED"]
    shared_world.forget(watch)


def test_describe_shows_spec_and_metadata(kubectl, node):
    described = kubectl("describe", "ciliumnode", node)
    assert re.search(rf"^Name:\s+{node}$", described, re.MULTILINE)
    assert re.search(r"Instance[ -]+Id:\s+i-0123456789abcdef0", described, re.IGNORECASE)


def test_apply_creates_then_changes_then_leaves_alone(kubectl):
    def apply(boot):
        document = cilium_node("applied", "i-0123456789abcdef0", {"anton": "test"}, {"bootid": boot})
        return kubectl("apply", "-f", "-", stdin=json.dumps(document)).strip()

    assert apply("1") == "ciliumnode.cilium.io/applied created"
    assert apply("2") == "ciliumnode.cilium.io/applied configured"
    assert apply("2") == "ciliumnode.cilium.io/applied unchanged"
    assert kubectl.json("get", "ciliumnode", "applied")["spec"]["bootid"] == "2"
    kubectl("delete", "ciliumnode", "applied")


def test_a_merge_patch_changes_its_keys_only_and_null_removes(kubectl, node):
    ipam = {"min-allocate": 3, "static-ip-tags": {"a": "b", "anton": None}}
    kubectl.patch("ciliumnode", node, {"spec": {"ipam": ipam}})
    spec = kubectl.json("get", "ciliumnode", node)["spec"]
    assert spec["ipam"] == {"min-allocate": 3, "static-ip-tags": {"a": "b"}}
    assert spec["instance-id"] == "i-0123456789abcdef0"


def test_a_json_patch_tests_before_it_changes(kubectl, node):
    def patch(expected):
        operations = [
            {"op": "test", "path": "/spec/ipam/static-ip-tags/anton", "value": expected},
            {"op": "replace", "path": "/spec/ipam/static-ip-tags/anton", "value": "changed"},
            {"op": "add", "path": "/spec/ipam/static-ip-tags/a~1b", "value": "slash"},
        ]
        return ("patch", "ciliumnode", node, "--type=json", "-p", json.dumps(operations))

    kubectl.refused(*patch("another"))
    assert kubectl.json("get", "ciliumnode", node)["spec"]["ipam"]["static-ip-tags"] == {"anton": "test"}
    kubectl(*patch("test"))
    tags = kubectl.json("get", "ciliumnode", node)["spec"]["ipam"]["static-ip-tags"]
    assert tags == {"anton": "changed", "a/b": "slash"}


def test_delete_removes_and_a_second_delete_is_not_found(kubectl, node):
    assert f'"{node}" deleted' in kubectl("delete", "ciliumnode", node)
    assert "(NotFound)" in kubectl.refused("get", "ciliumnode", node)
    assert "(NotFound)" in kubectl.refused("delete", "ciliumnode", node)


def test_a_name_is_taken_once(kubectl, node):
    document = json.dumps(cilium_node(node, ""))
    assert "(AlreadyExists)" in kubectl.refused("create", "-f", "-", stdin=document)


@pytest.mark.parametrize(
    "spec, field",
    [
        ({"ipam": {"min-allocate": "3"}}, "spec.ipam.min-allocate"),
        ({"ipam": {"min-allocate": -1}}, "spec.ipam.min-allocate"),
        ({"ipam": {"static-ip-tags": {"anton": 1}}}, "spec.ipam.static-ip-tags.anton"),
        ({"ipam": {"static-ip-tags": ["anton"]}}, "spec.ipam.static-ip-tags"),
        ({"ipam": "none"}, "spec.ipam"),
        ({"instance-id": 7}, "spec.instance-id"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_name(kubectl, spec, field):
    document = {**cilium_node("wrong", ""), "spec": spec}
    refusal = kubectl.refused("create", "--validate=false", "-f", "-", stdin=json.dumps(document))
    assert field in refusal and "invalid" in refusal.lower()
    assert "(NotFound)" in kubectl.refused("get", "ciliumnode", "wrong")


def test_an_unknown_field_is_pruned(kubectl, node):
    kubectl.patch("ciliumnode", node, {"spec": {"colour": "red", "ipam": {"flavour": "sweet", "pre-allocate": 8}}})
    spec = kubectl.json("get", "ciliumnode", node)["spec"]
    assert "colour" not in spec
    assert spec["ipam"] == {"pre-allocate": 8, "static-ip-tags": {"anton": "test"}}


def test_a_replacement_of_an_old_version_is_a_conflict(kubectl, node):
    old = kubectl.json("get", "ciliumnode", node)
    kubectl.patch("ciliumnode", node, {"spec": {"bootid": "new"}})
    old["spec"]["bootid"] = "old"
    assert "(Conflict)" in kubectl.refused("replace", "-f", "-", stdin=json.dumps(old))
    assert kubectl.json("get", "ciliumnode", node)["spec"]["bootid"] == "new"


def test_spec_and_status_are_written_apart(kubectl, node):
    before = kubectl.json("get", "ciliumnode", node)
    document = json.loads(json.dumps(before))
    document["status"] = {"ipam": {"used": {"100.64.0.10": {"owner": "router"}}}}
    document["spec"]["bootid"] = "of-the-status-write"

    kubectl("replace", "-f", "-", stdin=json.dumps({**document, "spec": before["spec"]}))
    assert not kubectl.json("get", "ciliumnode", node).get("status", {}).get("ipam", {}).get("used")

    document["metadata"]["resourceVersion"] = kubectl.json("get", "ciliumnode", node)["metadata"]["resourceVersion"]
    written = kubectl.put(f"{COLLECTION}/{node}/status", document)
    assert written["status"]["ipam"]["used"] == {"100.64.0.10": {"owner": "router"}}
    assert "bootid" not in written["spec"]
    assert written["metadata"]["generation"] == before["metadata"]["generation"]

    kubectl.patch("ciliumnode", node, {"spec": {"bootid": "1"}})
    after = kubectl.json("get", "ciliumnode", node)
    assert after["metadata"]["generation"] == before["metadata"]["generation"] + 1
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["status"]["ipam"]["used"] == {"100.64.0.10": {"owner": "router"}}


def test_a_list_comes_in_pages(kubectl):
    names = [f"page-{number}" for number in range(7)]
    kubectl.create(*(cilium_node(name, "", spec={"bootid": "page"}) for name in names))
    listed = kubectl("get", "ciliumnodes", "--chunk-size=3", "-o", "name", "-v=6").split()
    assert [f"ciliumnode.cilium.io/{name}" for name in names] == [name for name in listed if "/page-" in name]

    page = json.loads(kubectl("get", "--raw", f"{COLLECTION}?limit=3"))
    assert len(page["items"]) == 3 and page["metadata"]["continue"]
    kubectl("delete", "ciliumnode", *names)


def test_labels_and_names_select(kubectl, node):
    kubectl("label", "ciliumnode", node, "berth=mine")
    assert kubectl("get", "ciliumnodes", "-l", "berth=mine", "-o", "name").strip() == f"ciliumnode.cilium.io/{node}"
    assert kubectl("get", "ciliumnodes", "-l", "berth in (mine,yours)", "-o", "name").strip()
    assert node not in kubectl("get", "ciliumnodes", "-l", "berth!=mine", "-o", "name")
    assert node not in kubectl("get", "ciliumnodes", "-l", "!berth", "-o", "name")
    by_name = kubectl("get", "ciliumnodes", "--field-selector", f"metadata.name={node}", "-o", "name")
    assert by_name.strip() == f"ciliumnode.cilium.io/{node}"


def test_events_of_a_node_are_listed_and_described(kubectl):
    uid = kubectl.json("get", "node", "node-2")["metadata"]["uid"]
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "node-2.1", "namespace": "default"},
        "involvedObject": {"apiVersion": "v1", "kind": "Node", "name": "node-2", "uid": uid},
        "type": "Warning",
        "reason": "Waiting",
        "message": "Second in line.",
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
        "count": 1,
        "source": {"component": "berth-operator"},
    }
    kubectl("create", "-f", "-", stdin=json.dumps(event))
    assert re.search(r"Warning\s+Waiting\s+node/node-2\s+Second in line\.", kubectl("get", "events"))
    selected = kubectl("get", "events", "--field-selector", "involvedObject.name=node-2,type=Warning", "-o", "name")
    assert selected.strip() == "event/node-2.1"
    assert not kubectl("get", "events", "--field-selector", "involvedObject.name=node-3", "-o", "name").strip()


def test_describe_node_shows_which_machine_it_is(kubectl):
    described = kubectl("describe", "node", "node-1")
    assert re.search(r"^Name:\s+node-1$", described, re.MULTILINE)
    assert "ProviderID:" in described and "aws:///us-east-1a/i-" in described


def test_a_lease_and_a_namespace_can_be_made(kubectl):
    kubectl.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "harbour"}})
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "pilot", "namespace": "harbour"},
        "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15},
    }
    kubectl.create(lease)
    assert kubectl.json("get", "lease", "pilot", "-n", "harbour")["spec"]["holderIdentity"] == "a"


def test_an_unknown_token_is_unauthorized(shared_world, kubectl):
    config = kubectl.json("config", "view", "--raw")
    config["users"][0]["user"] = {"token": "nobody"}
    stranger = shared_world.folder / "stranger"
    stranger.write_text(json.dumps(config))
    assert "Unauthorized" in kubectl.refused("--kubeconfig", str(stranger), "get", "ciliumnodes")


def test_the_server_is_known_by_its_own_authority(shared_world, kubectl):
    cluster = kubectl.json("config", "view", "--raw")["clusters"][0]["cluster"]
    assert cluster["server"].startswith("https://127.0.0.1:")
    assert "insecure-skip-tls-verify" not in cluster
    stranger = shared_world.folder / "another-authority"
    config = kubectl("config", "view", "--raw")
    stranger.write_text(config.replace(cluster["certificate-authority"], "/etc/ssl/certs/ca-certificates.crt"))
    assert "certificate" in kubectl.refused("--kubeconfig", str(stranger), "get", "ciliumnodes")


def test_a_continue_token_that_is_none_is_refused(kubectl):
    refusal = kubectl.refused("get", "--raw", f"{COLLECTION}?limit=1&continue=nonsense")
    assert "continue" in refusal.lower()
