"""Two nodes of Ray on this machine, for a test that talks to this script: it prints the address, kills the second node
when it is told "kill", and ends with its input.

Arguments: a file's name.  What is read on the second node says there that it has begun, and never ends (`stubs`); what
is read on the first waits until then.
"""

from __future__ import annotations

import sys


def main(held: str) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "include_dashboard": False, "env_vars": {"FASTOCR_TEST_FOLLOWS": held}},
    )
    second = cluster.add_node(num_cpus=1, env_vars={"FASTOCR_TEST_HELD": held})
    cluster.wait_for_nodes()
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line == "kill\n":
            cluster.remove_node(second, allow_graceful=False)
            print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
