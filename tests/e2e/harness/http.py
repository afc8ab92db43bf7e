"""HTTP to loopback, whatever proxy the environment names."""

import urllib.error
import urllib.request

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def fetch(url, method="GET", body=None, headers=None, within=10):
    """(status, text); a refusal is an answer too."""
    data = None if body is None else body.encode()
    request = urllib.request.Request(url, data, headers or {}, method=method)
    try:
        with _OPENER.open(request, timeout=within) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
