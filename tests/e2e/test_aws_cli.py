"""The sandbox's EC2 API, as the real aws command sees it."""

import re

import pytest

from harness.clients import Aws
from harness.waiting import wait_until


@pytest.fixture
def aws(shared_world):
    return shared_world.aws


def code_of(stderr):
    """'UnauthorizedOperation' of 'An error occurred (UnauthorizedOperation) when calling the …'."""
    found = re.search(r"An error occurred \(([^)]+)\) when calling", stderr)
    assert found, stderr
    return found.group(1)


def allocate(aws, **tags):
    listed = ",".join(f"{{Key={key},Value={value}}}" for key, value in tags.items())
    extra = ["--tag-specifications", f"ResourceType=elastic-ip,Tags=[{listed}]"] if tags else []
    return aws.ec2("allocate-address", "--domain", "vpc", *extra)


def describe(aws, *filters):
    found = aws.ec2("describe-addresses", *(["--filters", *filters] if filters else []))
    return sorted(address["PublicIp"] for address in found["Addresses"])


def test_an_address_is_allocated_tagged_described_and_released(aws):
    address = allocate(aws, anton="test", purpose="life-cycle")
    assert re.fullmatch(r"eipalloc-[0-9a-f]+", address["AllocationId"])
    assert address["Domain"] == "vpc"
    assert describe(aws, "Name=tag:purpose,Values=life-cycle") == [address["PublicIp"]]

    aws.ec2("create-tags", "--resources", address["AllocationId"], "--tags", "Key=colour,Value=red")
    described = aws.ec2("describe-addresses", "--allocation-ids", address["AllocationId"])["Addresses"][0]
    tags = {tag["Key"]: tag["Value"] for tag in described["Tags"]}
    assert tags == {"anton": "test", "purpose": "life-cycle", "colour": "red"}

    aws.ec2("delete-tags", "--resources", address["AllocationId"], "--tags", "Key=colour,Value=blue", "Key=anton")
    described = aws.ec2("describe-addresses", "--public-ips", address["PublicIp"])["Addresses"][0]
    assert {tag["Key"]: tag["Value"] for tag in described["Tags"]} == {"purpose": "life-cycle", "colour": "red"}

    aws.ec2("release-address", "--allocation-id", address["AllocationId"])
    refusal = aws.refused("ec2", "describe-addresses", "--allocation-ids", address["AllocationId"])
    assert code_of(refusal) == "InvalidAllocationID.NotFound"


def test_filters_take_wildcards_and_escapes(aws):
    for value in ("apple", "apples", "app*", "Apple"):
        aws.ec2(
            "allocate-address",
            "--tag-specifications",
            f"ResourceType=elastic-ip,Tags=[{{Key=fruit,Value={value}}},{{Key={value}-key,Value=1}}]",
        )
    found = aws.ec2("describe-addresses", "--filters", "Name=tag-key,Values=fruit")["Addresses"]
    by_ip = {a["PublicIp"]: {t["Key"]: t["Value"] for t in a["Tags"]}["fruit"] for a in found}

    def fruits(*filters):
        return sorted(by_ip[ip] for ip in describe(aws, *filters))

    assert fruits("Name=tag:fruit,Values=app*") == ["app*", "apple", "apples"]
    assert fruits("Name=tag:fruit,Values=apple?") == ["apple", "apples"]  # of EC2: zero or one character
    assert fruits("Name=tag:fruit,Values=app\\*") == ["app*"]
    assert fruits("Name=tag:fruit,Values=Apple") == ["Apple"]
    assert fruits("Name=tag:fruit,Values=Apple,apples") == ["Apple", "apples"]
    assert fruits("Name=tag:fruit,Values=app*", "Name=tag-key,Values=apple-key") == ["apple"]
    refusal = aws.refused("ec2", "describe-addresses", "--filters", "Name=fruit,Values=a")
    assert code_of(refusal) == "InvalidParameterValue"


def test_an_address_is_associated_and_disassociated(shared_world, aws):
    instance = shared_world.instance_of("node-1")
    interface = shared_world.primary_interface(instance)
    address = allocate(aws, purpose="associate")
    association = aws.ec2(
        "associate-address",
        "--allocation-id",
        address["AllocationId"],
        "--network-interface-id",
        interface["NetworkInterfaceId"],
        "--no-allow-reassociation",
    )["AssociationId"]
    assert re.fullmatch(r"eipassoc-[0-9a-f]+", association)

    described = aws.ec2("describe-addresses", "--filters", f"Name=instance-id,Values={instance}")["Addresses"]
    assert [found["PublicIp"] for found in described] == [address["PublicIp"]]
    assert described[0]["AssociationId"] == association
    assert described[0]["NetworkInterfaceId"] == interface["NetworkInterfaceId"]
    assert described[0]["PrivateIpAddress"] == interface["PrivateIpAddress"]
    assert shared_world.instance(instance)["PublicIpAddress"] == address["PublicIp"]

    aws.ec2("disassociate-address", "--association-id", association)
    assert "AssociationId" not in shared_world.address(address["PublicIp"])
    refusal = aws.refused("ec2", "disassociate-address", "--association-id", association)
    assert code_of(refusal) == "InvalidAssociationID.NotFound"


def test_reassociation_is_the_default_and_can_be_refused(shared_world, aws):
    address = allocate(aws)
    arguments = ["associate-address", "--allocation-id", address["AllocationId"], "--instance-id"]
    aws.ec2(*arguments, shared_world.instance_of("node-2"))
    refusal = aws.refused("ec2", *arguments, shared_world.instance_of("node-3"), "--no-allow-reassociation")
    assert code_of(refusal) == "Resource.AlreadyAssociated"
    aws.ec2(*arguments, shared_world.instance_of("node-3"))
    assert shared_world.address(address["PublicIp"])["InstanceId"] == shared_world.instance_of("node-3")
    shared_world.disassociate(address["PublicIp"])


def test_a_targets_old_address_is_dropped_without_a_word(shared_world):
    instance = shared_world.instance_of("node-2")
    first, second = shared_world.allocate(), shared_world.allocate()
    shared_world.associate(first, instance)
    shared_world.associate(second, instance)
    assert "AssociationId" not in shared_world.address(first)
    assert shared_world.address(second)["InstanceId"] == instance
    shared_world.disassociate(second)


def test_an_auto_assigned_public_ip_goes_when_an_address_comes(shared_world):
    instance = shared_world.launch()
    ephemeral = shared_world.instance(instance)["PublicIpAddress"]
    address = shared_world.allocate()
    shared_world.associate(address, instance)
    assert shared_world.instance(instance)["PublicIpAddress"] == address != ephemeral
    assert ephemeral not in {a["PublicIp"] for a in shared_world.ec2.describe_addresses()["Addresses"]}


def test_an_instance_runs_stops_starts_and_terminates(aws, shared_world):
    image = aws.ec2("describe-instances")["Reservations"][0]["Instances"][0]["ImageId"]
    launch = ("--image-id", image, "--instance-type", "m5.large", "--count", "1")
    launched = aws.ec2("run-instances", *launch)["Instances"][0]
    instance = launched["InstanceId"]
    assert launched["State"]["Name"] == "pending"
    for verb, state in (("", "running"), ("stop", "stopped"), ("start", "running"), ("terminate", "terminated")):
        if verb:
            aws.ec2(f"{verb}-instances", "--instance-ids", instance)
        shared_world.wait_state(instance, state)
    refusal = aws.refused("ec2", "start-instances", "--instance-ids", instance)
    assert code_of(refusal) == "IncorrectInstanceState"


def test_instances_come_in_pages(shared_world, aws):
    for _ in range(4):
        shared_world.launch()
    page = aws.ec2("describe-instances", "--no-paginate", "--max-results", "5")
    assert page["NextToken"] and sum(len(r["Instances"]) for r in page["Reservations"]) <= 5
    whole = aws.ec2("describe-instances", "--page-size", "5")
    ids = [instance["InstanceId"] for r in whole["Reservations"] for instance in r["Instances"]]
    assert len(ids) == len(set(ids)) >= 7
    assert {shared_world.instance_of(node) for node in shared_world.nodes()} <= set(ids)


def test_network_interfaces_show_attachment_and_addresses(shared_world, aws):
    instance = shared_world.instance_of("node-1")
    found = aws.ec2(
        "describe-network-interfaces",
        "--filters",
        f"Name=attachment.instance-id,Values={instance}",
        "Name=attachment.device-index,Values=0",
    )["NetworkInterfaces"]
    assert len(found) == 1
    assert found[0]["Attachment"]["InstanceId"] == instance
    assert found[0]["PrivateIpAddresses"][0]["Primary"] is True
    assert found[0]["PrivateIpAddress"] == shared_world.instance(instance)["PrivateIpAddress"]


def test_a_wrong_secret_is_refused(aws):
    stranger = Aws({**aws.env, "AWS_SECRET_ACCESS_KEY": "wrong"})
    assert code_of(stranger.refused("ec2", "describe-addresses")) in ("AuthFailure", "SignatureDoesNotMatch")
    stranger = Aws({**aws.env, "AWS_ACCESS_KEY_ID": "AKIAUNKNOWNUNKNOWN00"})
    assert code_of(stranger.refused("ec2", "describe-addresses")) == "AuthFailure"


def test_a_dry_run_changes_nothing(aws):
    before = describe(aws)
    assert code_of(aws.refused("ec2", "allocate-address", "--dry-run")) == "DryRunOperation"
    assert describe(aws) == before


def test_an_unknown_id_is_told_from_a_malformed_one(aws):
    unknown = aws.refused("ec2", "describe-instances", "--instance-ids", "i-0ffffffffffffffff")
    assert code_of(unknown) == "InvalidInstanceID.NotFound"
    malformed = aws.refused("ec2", "describe-instances", "--instance-ids", "banana")
    assert code_of(malformed) == "InvalidInstanceID.Malformed"


def test_the_wrapper_in_the_path_needs_no_endpoint(shared_world):
    wrapper = shared_world.dir / "bin" / "aws"
    assert shared_world.env["PATH"].split(":")[0] == str(wrapper.parent)
    found = Aws(shared_world.env)
    found.program = [str(wrapper), "--output", "json"]
    assert "Addresses" in found.ec2("describe-addresses")


def test_a_fault_strikes_as_often_as_asked_and_is_counted(shared_world, aws):
    control = shared_world.control
    before = control.calls().get("DescribeAddresses", {}).get("UnauthorizedOperation", 0)
    control.fault("DescribeAddresses", error="UnauthorizedOperation", count=1)
    assert code_of(aws.refused("ec2", "describe-addresses")) == "UnauthorizedOperation"
    aws.ec2("describe-addresses")
    assert control.calls()["DescribeAddresses"]["UnauthorizedOperation"] == before + 1

    control.fault("DescribeAddresses", error="UnauthorizedOperation")
    control.clear_faults()
    wait_until("the fault is gone", lambda: "Addresses" in aws.ec2("describe-addresses"), within=0)
