"""AGT-4: the host itself, its control groups, and counters."""

from __future__ import annotations

import math
import os
import time

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import PATIENCE_S

from runyard_agent.cgroup import Cgroup
from runyard_agent.collecting import Growth, number, percent
from runyard_agent.collectors.host import Host
from runyard_agent.processes import ProcessTree, inner_pid

MIB = 1024**2


@settings(deadline=None)  # machines are busy
@given(st.lists(st.integers(0, 2**31), min_size=1))
def test_growth_of_a_counter_that_never_falls_is_last_less_first(steps):
    """AGT-4: cumulative counters count since the first sample."""
    growth, value, grown = Growth(), 1000, 0.0
    for step in steps:
        growth.add("x", value)
        value += step
        grown = growth.add("x", value)
    assert grown == sum(steps)


@settings(deadline=None)  # machines are busy
@given(st.integers(0, 2**31 - 1), st.integers(2**31, 2**32 - 1))
def test_a_32_bit_counter_that_wraps_around_goes_on(after, before):
    """AGT-4: a 32-bit counter starts again at 0 after 4 294 967 295."""
    growth = Growth()
    growth.add("x", before)
    assert growth.add("x", after) == after + 2**32 - before


@settings(deadline=None)  # machines are busy
@given(st.lists(st.integers(0, 2**63), min_size=2))
def test_growth_never_falls_whatever_the_counter_does(values):
    """AGT-4: a counter that was reset counts from 0 again."""
    growth = Growth()
    grown = [growth.add("x", value) for value in values]
    assert grown == sorted(grown)
    assert grown[0] == 0


def test_a_disk_that_vanishes_keeps_its_part_of_the_sum():
    """AGT-4: the sum over devices never falls."""
    growth = Growth()
    for value in (10, 25):
        growth.add("sda.in", value)
    growth.add("sdb.in", 5)
    growth.add("sdb.out", 5)
    growth.add("sdb.in", 7)
    assert growth.total(".in") == 17


@settings(deadline=None)  # machines are busy
@given(st.one_of(st.none(), st.floats(), st.integers(), st.text(), st.booleans(), st.lists(st.integers())))
def test_number_never_raises_and_never_gives_what_is_not_finite(value):
    """AGT-4: a value that is not given is left out."""
    found = number(value)
    assert found is None or math.isfinite(found)


@pytest.mark.parametrize(
    ("part", "whole", "expected"), [(1, 4, 25), (1, 0, None), (None, 4, None), (1, None, None)]
)
def test_percent_of_nothing_is_no_value(part, whole, expected):
    """AGT-4: no limit, no percentage."""
    assert percent(part, whole) == expected


def test_the_host_tells_what_psutil_tells():
    """AGT-4: tags and formulas of hardware.md."""
    host = Host(cgroup=False, per_core=True)
    host.start()
    time.sleep(0.1)
    reading = host.collect()
    assert reading["disk./.usageGB"] == pytest.approx(psutil.disk_usage("/").used / 1024**3, rel=0.01)
    assert reading["disk./.usagePercent"] == pytest.approx(psutil.disk_usage("/").percent, abs=1)
    assert reading["memory_percent"] == pytest.approx(psutil.virtual_memory().percent, abs=10)
    assert 0 <= reading["cpu"] <= 130  # the kernel counts in hundredths of a second
    assert f"cpu.{(psutil.cpu_count() or 1) - 1}.cpu_percent" in reading
    assert reading["network.recv"] >= 0
    assert not any(tag.startswith("proc.memory.rss") for tag in reading)
    assert host.facts()["cpu_count_logical"] == psutil.cpu_count()


def test_the_processes_include_the_base_and_its_children(sleeper):
    """AGT-4: threads and memory are sums over the process tree."""
    pid, child = sleeper
    both = Host(tree=ProcessTree(pid), cgroup=False).collect()
    base = Host(tree=ProcessTree(pid, descendants=False), cgroup=False).collect()
    assert ProcessTree(pid).pids() == {pid, child}
    assert both["proc.cpu.threads"] == base["proc.cpu.threads"] + 1
    sizes = [psutil.Process(each).memory_info().rss / MIB for each in (pid, child)]
    assert base["proc.memory.rssMB"] < both["proc.memory.rssMB"] <= sum(sizes) * 1.05  # they still start
    share = both["proc.memory.rssMB"] * MIB / psutil.virtual_memory().total * 100
    assert both["proc.memory.percent"] == pytest.approx(share, rel=0.05)


def test_cpu_is_the_time_used_over_the_cpus_there_are():
    """AGT-4: CPU time / time / CPU count; nothing on the first sample."""
    moment = [0.0]
    host = Host(tree=ProcessTree(os.getpid(), descendants=False), cgroup=False, clock=lambda: moment[0])
    assert "cpu" not in host.collect()
    before = sum(psutil.Process().cpu_times()[:2])
    while sum(psutil.Process().cpu_times()[:2]) < before + 0.1:
        pass
    moment[0] = 10.0
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    assert host.collect()["cpu"] == pytest.approx(0.1 / 10 / cores * 100, rel=0.8)
    assert "cpu" not in host.collect(), "no time has passed"


def test_a_process_that_ended_leaves_the_host(sleeper):
    """AGT-4: what is not there is left out."""
    pid, child = sleeper
    host = Host(tree=ProcessTree(child), cgroup=False)
    os.kill(child, 9)
    psutil.Process(pid).wait(PATIENCE_S)
    reading = host.collect()
    assert "proc.memory.rssMB" not in reading
    assert "memory_percent" in reading


V2 = {
    "proc/self/cgroup": "0::/box/inner\n",
    "sys/fs/cgroup/box/memory.max": "1073741824\n",
    "sys/fs/cgroup/box/memory.current": "268435456\n",
    "sys/fs/cgroup/box/inner/memory.max": "max\n",
    "sys/fs/cgroup/box/inner/memory.current": "1\n",
    "sys/fs/cgroup/box/inner/memory.events": "low 0\nhigh 0\nmax 4\noom 1\noom_kill 2\n",
    "sys/fs/cgroup/box/inner/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/box/cpu.max": "max 100000\n",
    "sys/fs/cgroup/box/inner/cpu.stat": "usage_usec 2500000\nnr_periods 200\nnr_throttled 50\n",
}
V1 = {
    "proc/self/cgroup": "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",  # in the container the path itself is not there
    "sys/fs/cgroup/memory/memory.usage_in_bytes": "268435456\n",
    "sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "150000\n",
    "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/cpu/cpu.stat": "nr_periods 200\nnr_throttled 50\n",
    "sys/fs/cgroup/cpuacct/cpuacct.usage": "2500000000\n",
}


@pytest.mark.parametrize("files", [V2, V1], ids=["version 2", "version 1"])
def test_limits_of_a_container_count(tree, files):
    """AGT-4: memory and CPU are of the control group's limits."""
    root = tree(files)
    group = Cgroup(root)
    assert group.memory() == (268435456, 1073741824)
    assert group.cpus() == 1.5
    assert group.cpu_seconds() == 2.5
    reading = Host(root=root).collect()
    assert reading["memory_percent"] == 25
    assert reading["proc.memory.availableMB"] == 768
    assert reading["proc.cpu.throttledPercent"] == 25
    assert reading["proc.memory.oomKills"] == 2


def test_without_limits_a_group_is_the_host(tree):
    """AGT-4: "max" and the kernel's greatest number are no limits."""
    root = tree(
        {
            "proc/self/cgroup": "3:memory:/\n0::/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": "5\n",
            "sys/fs/cgroup/cpu.max": "max 100000\n",
        }
    )
    assert Cgroup(root).memory() is None
    assert Cgroup(root).cpus() is None


def test_retransmits_are_read_from_the_kernels_pairs_of_lines(tree):
    """AGT-4: network.tcpRetransmits grows since the first sample."""
    line = "Tcp: RtoAlgorithm RetransSegs InErrs\nTcp: 1 {} 0\n"
    root = tree({"proc/net/snmp": line.format(40)})
    host = Host(root=root)
    host.start()
    (root / "proc/net/snmp").write_text(line.format(43))
    assert host.collect()["network.tcpRetransmits"] == 3


def test_the_hosts_proc_tells_a_containers_own_numbers(tree):
    """AGT-4: NSpid maps the driver's PIDs to ours."""
    root = tree({"proc/88123/status": "Name:\tpython\nPid:\t88123\nNSpid:\t88123\t17\n"})
    assert inner_pid(88123, root / "proc") == 17
    assert inner_pid(99999, root / "proc") is None
