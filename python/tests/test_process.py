"""Threads, Ctrl-C, fork() and the end of the interpreter."""

import csv
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import clgauss


def test_other_threads_run_meanwhile():
    a = np.random.default_rng(1).standard_normal((1500, 1500))
    clgauss.solve(a, a[0])
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(1e-3)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    while time.monotonic() - start < 0.5:
        clgauss.solve(a, a[0])
    spent = time.monotonic() - start
    done.set()
    thread.join()
    assert counted[0] > 20 * spent  # of 1000 a second, were the cores not busy


def test_threads_may_share_a_context():
    context = clgauss.Context("pocl")
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for n in (5, 40, 200, 5, 40):
            a, x = rng.standard_normal((n, n)) + n * np.eye(n), rng.standard_normal(n)
            if not np.allclose(clgauss.solve(a, a @ x, device=context), x):
                wrong.append(n)
            if not np.allclose(clgauss.lu(a, device=context).solve(a @ x), x):
                wrong.append(-n)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np, clgauss
what, n = sys.argv[1], int(sys.argv[2])
a = np.random.default_rng(1).random((n, n))
small = np.eye(200) + 1e-3
context = clgauss.Context()
context._session.takes_all_for_quick = what == "quick"
solve = lambda: clgauss.solve(a, a[0], device=context)
work = {"solve": solve, "quick": solve, "lu": lambda: clgauss.lu(a, device=context)}[what]
clgauss.solve(small, small[0], device=context)
clgauss.lu(small, device=context)
sent = []
def send():
    time.sleep(0.7)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=send).start()
try:
    work()
    print("never interrupted")
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
if what != "lu":
    assert np.allclose(small @ clgauss.solve(small, small[0], device=context), small[0])   # the context goes on
"""


@pytest.mark.parametrize(("what", "n"), [("solve", 7000), ("quick", 7000), ("lu", 6500)])
def test_ctrl_c_is_heard_within_a_second(what, n):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, what, str(n)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1


@pytest.mark.skipif(shutil.which("clgauss-bench") is None, reason="clgauss-bench is not on the PATH")
def test_first_solves_are_timed_beside_those_of_the_program(tmp_path):
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["clgauss-bench", "cold", "--sizes", "600", "--reps", "1", "--device", "pocl", "--csv", str(tmp_path / "rows.csv")]
    subprocess.run(command, check=True, env=os.environ | {"PATH": path}, stdout=subprocess.DEVNULL)
    with (tmp_path / "rows.csv").open(newline="") as file:
        rows = {row["contestant"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["clgauss", "warm", "python", "python warm"]
    assert {row["status"] for row in rows.values()} == {"ok"}
    for name in ("python", "python warm"):
        assert "import " in rows[name]["detail"] and "solve " in rows[name]["detail"]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_fork_is_an_error_and_no_deadlock():
    clgauss.solve(np.eye(300), np.ones(300))  # OpenCL is open
    kept = clgauss.Context("pocl")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        told = []
        for attempt in (lambda: clgauss.solve(np.eye(300), np.ones(300)),
                        lambda: clgauss.solve(np.eye(600), np.ones(600), device=kept),
                        clgauss.devices):  # fmt: skip
            try:
                attempt()
                told.append("solved")
            except clgauss.DeviceError as error:
                told.append("fork()" if "fork()" in str(error) else str(error))
        os.write(write, " ".join(told).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        assert pipe.read() == "fork() fork() fork()"
    assert os.waitpid(child, 0)[1] == 0


FORKS = """
import os, sys
import numpy as np, clgauss
clgauss.solve(np.eye(600), np.ones(600))
child = os.fork()
if child == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_ends_without_its_parents_threads():
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "7\n")


def solve_in_child(n):
    return clgauss.solve(2 * np.eye(n), np.ones(n))


def test_spawned_processes_work():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(solve_in_child, (150,)).tolist() == [0.5] * 150


ENDS = """
import numpy as np, clgauss
kept = clgauss.lu(np.eye(200)), clgauss.Context("pocl")
clgauss.solve(np.eye(200), np.ones(200))
print("fine")
"""


def test_the_interpreter_ends_without_a_word():
    done = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")


def test_ctrl_c_while_another_thread_works_is_left_alone():
    """A signal that comes while only other threads solve belongs to the main thread."""
    a = np.random.default_rng(1).standard_normal((1000, 1000))
    answers = []
    thread = threading.Thread(target=lambda: answers.append(clgauss.solve(a, a[0])))
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    thread.join()
    assert np.allclose(a @ answers[0], a[0])


WITHOUT_LOADER = """
import clgauss
assert "libOpenCL" not in open("/proc/self/maps").read()
print(clgauss.__version__)
for call in (clgauss.devices, lambda: clgauss.solve([[2.0]], [1.0]), lambda: clgauss.kernel_source("gauss.cl")):
    try:
        call()
    except clgauss.DeviceError as error:
        print(error)
"""


def test_a_machine_without_the_opencl_loader(tmp_path):
    (tmp_path / "libOpenCL.so.1").write_bytes(b"")  # is found before the machine's own, and is no library
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "OCL_ICD_VENDORS": "/etc/OpenCL/vendors"}
    done = subprocess.run([sys.executable, "-c", WITHOUT_LOADER], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    version, *errors = done.stdout.splitlines()
    assert version == clgauss.__version__ and len(errors) == 3
    assert all("libOpenCL.so.1" in error and "ocl-icd-libopencl1 pocl-opencl-icd" in error and "clgauss[cpu]" in error for error in errors)


WITH_RUNTIME = """
import os
import clgauss
clgauss.devices()
print(os.environ.get("OCL_ICD_FILENAMES"))
print([line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line][0])
"""


def test_the_runtime_of_a_package(tmp_path):
    """As pip installs it, by a copy of the machine's loader; a user's own settings of a loader go before."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OCL_ICD_")} | {"PYTHONPATH": str(tmp_path)}

    def run(**settings):
        done = subprocess.run([sys.executable, "-c", WITH_RUNTIME], env=environment | settings, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    loader = run()[1]  # not this process's, which may have loaded that of pyopencl, too
    for name in ("libOpenCL.so.1", "libintlc.so.5", "libimf.so", "libirng.so", "libsvml.so"):  # the others in place of Intel's, which that needs
        shutil.copy(loader, tmp_path / name)
    driver = tmp_path / "libintelocl.so"
    driver.write_bytes(b"")
    package = tmp_path / "intel_opencl_rt-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: intel-opencl-rt\nVersion: 1\n")
    (package / "RECORD").write_text("libintelocl.so,,\n")
    found = [str(driver), str(tmp_path / "libOpenCL.so.1")]
    assert run() == found
    assert run(OCL_ICD_FILENAMES=str(driver)) == found  # as a child process inherits it
    assert run(OCL_ICD_VENDORS="/etc/OpenCL/vendors") == ["None", loader]
    assert run(OCL_ICD_FILENAMES="/another.so")[1] == loader
    (tmp_path / "libimf.so").unlink()
    with pytest.raises(AssertionError, match="DeviceError: the OpenCL loader of the package intel-opencl-rt does not load: .*libimf"):
        run()
