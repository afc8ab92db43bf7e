"""One sandbox with all that a test does in it, and the operators and agents that the test runs there."""

import json

from .clients import Aws, Control, Kubectl, ec2_client, tag_list
from .http import fetch
from .process import BERTH, Process, base_environment, free_port, output_of, run
from .waiting import wait_until

IPAM_ERROR = ("ipam", "operator-status", "error")


def dig(document, *keys):
    """document[a][b][c], or None where one of them is missing."""
    for key in keys:
        if not isinstance(document, dict):
            return None
        document = document.get(key)
    return document


class Served(Process):
    """An operator or an agent, with the address at which it tells how it is."""

    def __init__(self, name, argv, env, folder):
        self.url = f"http://127.0.0.1:{free_port()}"
        super().__init__(name, [*argv, "--listen", self.url.removeprefix("http://")], env, folder)

    def is_ready(self):
        return fetch(f"{self.url}/readyz")[0] == 200

    def wait_ready(self, within=15.0):
        wait_until(f"{self.name} is ready", self.is_ready, within=within)
        return self


class World:
    def __init__(self, folder, nodes=3, addresses=0, tags=None, world_only=True, options=()):
        self.folder = folder
        self.dir = folder / "sandbox"
        self._processes = []
        self._instances = {}
        argv = [BERTH, "sandbox", "--dir", str(self.dir), "--nodes", str(nodes), "--addresses", str(addresses)]
        if tags is not None:
            argv += ["--address-tags", ",".join(f"{key}={value}" for key, value in tags.items())]
        if world_only:
            argv.append("--world-only")
        base = base_environment(folder / "home")
        self.sandbox_env = base  # what a person has before they source DIR/env
        self.sandbox = self._keep(Process("sandbox", [*argv, *options], base, folder / "logs"))
        try:
            self._connect(base)
        except BaseException:
            self.sandbox.kill()
            raise

    def _connect(self, base):
        wait_until("the sandbox is ready", self._sandbox_is_ready)
        self.env = self._source(self.dir / "env", base)
        self.kubectl = Kubectl(self.env)
        self.aws = Aws(self.env)
        self.ec2 = ec2_client(self.env)
        self.control = Control(self.env["BERTH_SANDBOX_CONTROL"])

    def _sandbox_is_ready(self):
        assert self.sandbox.is_running(), f"the sandbox ended:\n{self.sandbox.log()}"
        return "ready" in self.sandbox.output().splitlines()

    def _keep(self, process):
        self._processes.append(process)
        return process

    @staticmethod
    def _source(file, env):
        """The environment after a shell has sourced the file, as a person does it."""
        printed = output_of(["bash", "-euc", 'source "$1" && env -0', "bash", str(file)], env)
        return dict(entry.split("=", 1) for entry in printed.split("\0") if "=" in entry)

    def stop(self):
        """Ends everything, the last one first, and says what did not end well."""
        problems = []
        for process in reversed(self._processes):
            try:
                process.stop()
            except AssertionError as problem:
                problems.append(str(problem))
        assert not problems, "\n".join(problems)

    # Programs ---------------------------------------------------------------------------------------------

    def operator(self, *options, refresh="300ms", grace="2s", ready=True):
        argv = [BERTH, "operator", "--refresh-interval", refresh, "--cloud-consistency-grace", grace, *options]
        process = self._keep(Served("operator", argv, self.env, self.folder / "logs"))
        return process.wait_ready() if ready else process

    def node_env(self, node):
        return self._source(self.dir / "nodes" / node / "env", self.env)

    def cni_folder(self, node):
        return self.dir / "nodes" / node / "cni" / "net.d"

    def agent(self, node, conf, *options):
        argv = [BERTH, "agent", "--node-name", node, "--cni-conf", str(conf), *options]
        return self._keep(Served("agent", argv, self.node_env(node), self.folder / "logs"))

    def agent_once(self, node, conf, *options):
        """(exit code, standard error) of an agent that publishes once and ends."""
        argv = [BERTH, "agent", "--node-name", node, "--cni-conf", str(conf), "--once", *options]
        code, _, stderr = run(argv, self.node_env(node))
        return code, stderr

    def watch(self, *args):
        """A `kubectl get --watch` that runs beside the test; what it saw is its output."""
        argv = [*self.kubectl.program, "get", "--watch", *args]
        return self._keep(Process("watch", argv, self.env, self.folder / "logs", ends_with=None))

    def forget(self, process):
        """Ends one program before its time."""
        self._processes.remove(process)
        process.stop()

    # The cluster ------------------------------------------------------------------------------------------

    def nodes(self):
        return sorted((entry.name for entry in (self.dir / "nodes").iterdir()), key=lambda name: int(name[5:]))

    def instance_of(self, node):
        if node not in self._instances:
            for item in self.kubectl.json("get", "nodes")["items"]:
                self._instances[item["metadata"]["name"]] = item["spec"]["providerID"].rsplit("/", 1)[1]
        return self._instances[node]

    def request(self, *nodes, tags, instance=None, spec=None):
        """Creates the CiliumNodes as an agent would: the instance and the tags of the static address."""
        self.kubectl.create(
            *(
                cilium_node(node, instance if instance is not None else self.instance_of(node), tags, spec)
                for node in nodes
            )
        )

    def retag(self, node, tags):
        """Changes the request; None for a tag takes it away."""
        self.kubectl.patch("ciliumnode", node, {"spec": {"ipam": {"static-ip-tags": tags}}})

    def cilium_nodes(self):
        return {item["metadata"]["name"]: item for item in self.kubectl.json("get", "ciliumnodes")["items"]}

    def cilium_node(self, name):
        return self.kubectl.json("get", "ciliumnode", name)

    def put_status(self, name, status):
        """Replaces the whole status, as a careless peer might."""

        def put():
            # Of the version that was just read: the API server takes no other, so a write in between means again.
            document = {**self.cilium_node(name), "status": status}
            return self.kubectl.put(f"/apis/cilium.io/v2/ciliumnodes/{name}/status", document)

        return wait_until(f"the status of {name} is replaced", put)

    def static_ips(self):
        """{node: its address} of the nodes whose status names one."""
        found = {name: dig(node, "status", "ipam", "assigned-static-ip") for name, node in self.cilium_nodes().items()}
        return {name: ip for name, ip in found.items() if ip}

    def static_ip(self, node):
        return self.static_ips().get(node)

    def reason(self, node):
        return dig(self.cilium_node(node), "status", *IPAM_ERROR) or ""

    def wait_served(self, *nodes, by=None, within=15.0):
        """Waits until each has an address, without a reason against it, and the cloud agrees; {node: address}."""

        def look():
            found = {}
            for name, node in self.cilium_nodes().items():
                ipam = dig(node, "status", "ipam") or {}
                if name in nodes:
                    found[name] = (ipam.get("assigned-static-ip"), dig(ipam, "operator-status", "error"))
            return found

        def all_served(found):
            return all(name in found and found[name][0] and not found[name][1] for name in nodes) and (
                by is None or {ip for ip, _ in found.values()} == {by}
            )

        wanted = f"served by {by}" if by else "served"
        found = wait_until(f"{', '.join(nodes)}: {wanted}", look, all_served, within)
        served = {name: ip for name, (ip, _) in found.items()}
        holders = self.holders()
        for name, ip in served.items():
            assert holders.get(ip) == self.instance_of(name), f"{name}'s status names {ip}; the cloud shows {holders}"
        return served

    def wait_reason(self, node, code, within=15.0):
        """The whole text, once the status carries a reason of that code."""
        return wait_until(
            f"{node} says {code}", lambda: self.reason(node), lambda text: text.startswith(f"{code}: "), within
        )

    def events(self, node):
        return [
            item
            for item in self.kubectl.json("get", "events", "--all-namespaces")["items"]
            if item["involvedObject"]["name"] == node
        ]

    # The cloud --------------------------------------------------------------------------------------------

    def allocate(self, tags=None, ip=None):
        """A new address; gives its public IP."""
        wanted = {"Domain": "vpc"}
        if ip:
            wanted["Address"] = ip
        if tags:
            wanted["TagSpecifications"] = [{"ResourceType": "elastic-ip", "Tags": tag_list(tags)}]
        return self.ec2.allocate_address(**wanted)["PublicIp"]

    def address(self, ip):
        return self.ec2.describe_addresses(PublicIps=[ip])["Addresses"][0]

    def holders(self):
        """{public IP: instance} of the addresses that are associated."""
        return {
            address["PublicIp"]: address.get("InstanceId")
            for address in self.ec2.describe_addresses()["Addresses"]
            if address.get("AssociationId")
        }

    def tag(self, ip, tags):
        self.ec2.create_tags(Resources=[self.address(ip)["AllocationId"]], Tags=tag_list(tags))

    def launch(self):
        """An instance that is no node; gives its id once it runs."""
        image = self.ec2.describe_instances()["Reservations"][0]["Instances"][0]["ImageId"]
        launched = self.ec2.run_instances(ImageId=image, InstanceType="m5.large", MinCount=1, MaxCount=1)
        instance = launched["Instances"][0]["InstanceId"]
        self.wait_state(instance, "running")
        return instance

    def instance(self, instance):
        return self.ec2.describe_instances(InstanceIds=[instance])["Reservations"][0]["Instances"][0]

    def wait_state(self, instance, state):
        wait_until(f"{instance} is {state}", lambda: self.instance(instance)["State"]["Name"], lambda s: s == state)

    def primary_interface(self, instance):
        for interface in self.instance(instance)["NetworkInterfaces"]:
            if interface["Attachment"]["DeviceIndex"] == 0 and interface["Attachment"].get("NetworkCardIndex", 0) == 0:
                return interface
        raise AssertionError(f"{instance} has no primary interface")

    def associate(self, ip, instance, reassociate=False):
        """By hand, as somebody else might; gives the association's id."""
        return self.ec2.associate_address(
            AllocationId=self.address(ip)["AllocationId"],
            NetworkInterfaceId=self.primary_interface(instance)["NetworkInterfaceId"],
            AllowReassociation=reassociate,
        )["AssociationId"]

    def disassociate(self, ip):
        self.ec2.disassociate_address(AssociationId=self.address(ip)["AssociationId"])

    def let_refresh(self, times=3, within=30.0):
        """Waits until the operator has read the addresses so many times more, from start to end."""
        before = self.control.count("DescribeAddresses")

        def more():
            return self.control.count("DescribeAddresses") - before

        wait_until(f"{times} more refreshes", more, lambda n: n > times, within)


def cilium_node(name, instance, tags=None, spec=None):
    ipam = {"static-ip-tags": tags} if tags else {}
    return {
        "apiVersion": "cilium.io/v2",
        "kind": "CiliumNode",
        "metadata": {"name": name},
        "spec": {"instance-id": instance, "ipam": ipam, **(spec or {})},
    }


def conflist(ipam=None, eni=None, kind="cilium-cni"):
    """A CNI configuration list as text, with our plugin as its only one."""
    plugin = {"name": "cilium", "type": kind}
    if eni is not None:
        plugin["eni"] = eni
    if ipam is not None:
        plugin["ipam"] = ipam
    return json.dumps({"cniVersion": "0.3.1", "name": "cilium", "plugins": [plugin]})
