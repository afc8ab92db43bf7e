import signal

import pytest

from harness.process import Process
from harness.world import World


def pytest_configure(config):
    config.addinivalue_line("markers", "world(nodes, addresses, tags, world_only, options): the sandbox of this test")

    def interrupt(*_):
        raise KeyboardInterrupt

    # So that whoever ends the run with SIGTERM has every process stopped, as after Ctrl-C.
    signal.signal(signal.SIGTERM, interrupt)


def pytest_runtest_logstart():
    Process.known[:] = [process for process in Process.known if process.is_running()]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """A failing test shows the end of what its programs said."""
    report = (yield).get_result()
    if report.failed:
        for process in Process.known:
            for kind, text in (("output", process.output()), ("log", process.log())):
                if text:
                    report.sections.append((f"{kind} of {process.name}", text[-6000:]))


def _world(request, folder):
    marker = request.node.get_closest_marker("world")
    world = None
    try:
        world = World(folder, **(marker.kwargs if marker else {}))
        yield world
    finally:
        if world is not None:
            world.stop()


@pytest.fixture
def world(request, tmp_path):
    """A sandbox of this test's own: three nodes and no address, or as its `world` mark says."""
    yield from _world(request, tmp_path)


@pytest.fixture(scope="module")
def shared_world(request, tmp_path_factory):
    """One sandbox for the tests of a file that do not disturb each other."""
    yield from _world(request, tmp_path_factory.mktemp("world"))
