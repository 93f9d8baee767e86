"""A Debian of its own below a directory, to install in and to boot.

    root = Root("trixie", path)          debootstrap, from the archive this machine uses
    root.run("apt-get", "update")        a command in it, with the network
    with root.boot() as machine:         its systemd as process 1, with a network of its own
        machine.run("systemctl", "start", "signalbox")

Everything happens in namespaces, which take their mounts and processes with them however the
test ends; nothing is mounted where others see it.  It needs root.
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from lib import Result, Skip, eventually

# Makes $1 the root: with a /proc, /sys and /dev of its own, of which the machine's settings and
# devices are no part.  Then becomes the rest of the command line.
ENTER = r"""
set -e
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
for name in null zero full random urandom tty; do cp -a /dev/$name dev/; done
ln -s /proc/self/fd dev/fd
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
if [ "$1" = /lib/systemd/systemd ]; then mount -t cgroup2 cgroup2 sys/fs/cgroup; fi
mkdir -p .old
pivot_root . .old
umount -l /.old
rmdir /.old
exec "$@"
"""
ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root",
    "DEBIAN_FRONTEND": "noninteractive", "PYTHONDONTWRITEBYTECODE": "1",
}
# What a machine's first process could do to the kernel that all share.
NOT_FOR_GUESTS = "-sys_module,-sys_time,-sys_rawio,-sys_boot,-syslog,-audit_control"
COMMAND_S = 1800
BOOT_S = 120


def finish(command, timeout, **more):
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        timeout=timeout, **more,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def archive():
    """The address of Debian's archive, as this machine's own apt has it."""
    told = finish(["apt-get", "indextargets", "--format", "$(REPO_URI) $(SUITE)",
                   "Created-By: Packages", "Origin: Debian", "Label: Debian"], 60)
    for line in told.out.splitlines():
        address, _, suite = line.partition(" ")
        if "-" not in suite:
            return address
    raise Skip("apt knows no archive of Debian; apt-get update?")


def enter(*namespaces):
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--ipc", "--uts",
            *namespaces, "sh", "-c", ENTER, "sh"]


class Root:
    def __init__(self, release, path):
        self.release, self.path = release, Path(path)
        if os.geteuid() != 0:
            raise Skip("a chroot is made by root")

    def make(self, *packages):
        done = finish(["debootstrap", "--variant=minbase", f"--include={','.join(packages)}",
                       self.release, self.path, archive()], COMMAND_S)
        assert done.code == 0, done.out[-2000:]
        return self

    def copy(self, path):
        done = finish(["cp", "-a", "--reflink=auto", self.path, path], COMMAND_S)
        assert done.code == 0, done
        return Root(self.release, path)

    def run(self, *command, cwd="/", status=0):
        """A command with the network and nothing else of this machine's."""
        done = finish([*enter(), self.path, "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh",
                       cwd, *command], COMMAND_S, env=ENVIRONMENT)
        assert done.code == status, f"{command}: {done.code}\n{done.out[-3000:]}{done.err[-3000:]}"
        return done

    def put(self, path, place):
        """Copies a file of ours into it; gives its name there."""
        there = self.path / place.lstrip("/") / Path(path).name
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
        return f"/{there.relative_to(self.path)}"

    def file(self, path):
        return self.path / path.lstrip("/")

    def boot(self):
        return Machine(self)


def cgroup_top():
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        if " - cgroup2 " in line:
            return Path(line.split()[4])
    raise Skip("systemd needs a cgroup2 hierarchy, and none is mounted here")


def child_of(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if children else None


class Machine:
    """A root whose systemd runs.  Leaving the `with` switches it off."""

    def __init__(self, root):
        self.root = root
        self.cgroup = cgroup_top() / f"signalbox-test-{os.getpid()}"

    def __enter__(self):
        self.cgroup.mkdir()
        command = ["setpriv", f"--bounding-set={NOT_FOR_GUESTS}",
                   *enter("--cgroup", "--net"), self.root.path, "/lib/systemd/systemd"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={"PATH": ENVIRONMENT["PATH"], "container": "chroot"},
            preexec_fn=lambda: (self.cgroup / "cgroup.procs").write_text(str(os.getpid())),
        )
        try:
            self.init = eventually(lambda: child_of(self.process.pid))
            eventually(self._is_up, BOOT_S, 0.2)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _is_up(self):
        assert self.process.poll() is None, "systemd cannot be process 1 of a namespace here"
        told = self.run("systemctl", "is-system-running", status=None)
        return told.out.strip() in ("running", "degraded")

    def run(self, *command, status=0):
        done = finish(["nsenter", "-t", str(self.init), "--all", *command], COMMAND_S,
                      env=ENVIRONMENT)
        assert status is None or done.code == status, f"{command}: {done}"
        return done

    def show(self, unit, name):
        """A property of a unit."""
        return self.run("systemctl", "show", "--value", "-p", name, unit).out.strip()

    def __exit__(self, *_):
        if init := child_of(self.process.pid):
            os.kill(init, signal.SIGKILL)
        self.process.wait()
        for path in sorted(self.cgroup.rglob("*/"), reverse=True):
            eventually(lambda path=path: gone(path))
        eventually(lambda: gone(self.cgroup))


def gone(cgroup):
    try:
        cgroup.rmdir()
    except FileNotFoundError:
        pass
    except OSError:  # its last process is still on its way out
        return False
    return True
