"""What README.md tells people to type works as it stands there."""

import re

import pytest

from harness.process import ROOT, output_of
from harness.waiting import wait_until

README = (ROOT / "README.md").read_text()


@pytest.mark.world(nodes=3, addresses=2, world_only=False, options=["--refresh-interval", "1s"])
def test_looking_around_by_hand(world):
    (commands,) = re.findall(r"<!-- tested: look around -->\n```sh\n(.*?)```", README, re.DOTALL)
    wait_until("all nodes are looked after", lambda: all(world.static_ip(n) or world.reason(n) for n in world.nodes()))
    script = commands.replace("/tmp/berth", str(world.dir))
    shown = output_of(["bash", "-euo", "pipefail", "-c", script], world.sandbox_env)
    assert "assigned-static-ip" in shown and '"AllocationId"' in shown and "AssociateAddress" in shown
    wait_until("the new address serves the third", world.static_ips, lambda ips: len(ips) == 3)


def test_every_reason_is_listed():
    source = (ROOT / "src" / "model" / "reason.cc").read_text()
    known = set(re.findall(r'return "(\w+)";', source)) - {"NotAllowed", "Paused"}
    assert set(re.findall(r"^\| `([A-Z]\w+)` \|", README, re.MULTILINE)) == known
