#!/usr/bin/env python3
"""Puts a slim CPU libtorch into `.libtorch/`, once.

    python3 scripts/setup_libtorch.py

Three wheels are looked up with pip, downloaded with resume, checked against their SHA-256 and unpacked
without the CUDA libraries: 540 MB down, 660 MB on disk. Running it again does nothing. Interrupted at any
point, it goes on where it stopped. A libtorch of your own (`LIBTORCH`, `LIBTORCH_USE_PYTORCH=1`) is left alone.
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".libtorch"
TORCH = "2.11.0"
WHEELS = [f"torch=={TORCH}", "nvidia-cuda-cupti==13.0.85", "nvidia-cuda-runtime==13.0.96"]
# One ABI for every user, whatever Python runs this script: no Python code of the wheel is used.
TARGET = ["--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_25_x86_64",
          "--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_17_x86_64",
          "--python-version", "3.12", "--implementation", "cp", "--only-binary=:all:"]
# Linking against these would demand a CUDA installation; a GPU machine brings its own libtorch.
LEFT_OUT = ("libtorch_cuda", "libc10_cuda", "libtorch_nvshmem", "libtorch_python", "libcaffe2_nvrtc")
KEPT = ("torch/lib/", "torch/include/", "nvidia/")
ATTEMPTS = 8


class SetupError(Exception):
    """One line for the user: what is missing and the way out."""


def main():
    if own_libtorch() or done():
        return
    require_tools()
    HOME.mkdir(exist_ok=True)
    for wheel in look_up():
        unpack(download(wheel))
    finish()


def own_libtorch():
    """A libtorch that the user chose wins; a wrong path is said now, not by the linker."""
    if os.environ.get("LIBTORCH_USE_PYTORCH"):
        print(f"libtorch: that of the Python torch {python_torch()} (LIBTORCH_USE_PYTORCH)")
        return True
    chosen = os.environ.get("LIBTORCH")
    if not chosen or Path(chosen).resolve() == (HOME / "torch").resolve():
        return False
    if not (Path(chosen) / "lib").is_dir():
        raise SetupError(f"LIBTORCH={chosen} has no folder lib/: correct it, or unset it to use .libtorch/")
    print(f"libtorch: {chosen} (LIBTORCH)")
    return True


def python_torch():
    """The version of the torch that `python3` imports, which is the one that the build will ask."""
    asked = subprocess.run(["python3", "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    if asked.returncode:
        raise SetupError("LIBTORCH_USE_PYTORCH is set, but python3 cannot import torch: "
                         f"install torch=={TORCH} there, or unset it to use .libtorch/")
    return asked.stdout.strip()


def done():
    stamp = HOME / "complete"
    return stamp.exists() and stamp.read_text().split() == [TORCH]


def require_tools():
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise SetupError(f"no slim libtorch is known for {platform.system()} {platform.machine()}: "
                         f"install PyTorch {TORCH} yourself and set LIBTORCH or LIBTORCH_USE_PYTORCH=1")
    if sys.version_info < (3, 9):
        raise SetupError(f"Python {platform.python_version()} is too old: 3.9 or newer is needed")
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
        raise SetupError("pip is missing for this Python: install it (Debian: apt-get install python3-pip)")
    if not any(shutil.which(c) for c in (os.environ.get("CXX", "c++"), "c++", "g++", "clang++")):
        raise SetupError("a C++ compiler is missing: install one (Debian: apt-get install g++)")


def look_up():
    """Name, address and SHA-256 of each wheel, from a pip that can report without downloading."""
    pip_home = HOME / "pip"
    if not (pip_home / "pip").is_dir():
        print("libtorch: fetching a current pip", flush=True)
        run_pip({}, ["install", "--quiet", "--no-deps", "--upgrade", "--target", str(pip_home), "pip>=25.3"])
    report = HOME / "report.json"
    try:
        run_pip({"PYTHONPATH": str(pip_home)},
                ["install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--target",
                 str(HOME / "unused"), *TARGET, "--report", str(report), *WHEELS])
    except SetupError:
        shutil.rmtree(pip_home, ignore_errors=True)  # it may be half installed
        raise
    found = json.loads(report.read_text())["install"]
    return [(item["download_info"]["url"], item["download_info"]["archive_info"]["hashes"]["sha256"]) for item in found]


def run_pip(extra_env, arguments):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, env={**os.environ, **extra_env, "PIP_ROOT_USER_ACTION": "ignore"},
                          capture_output=True, text=True)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SetupError(f"pip could not find the libtorch wheels: {why} (is the network there?)")


def download(wheel):
    url, sha256 = wheel
    name = url.rsplit("/", 1)[-1]
    whole, part = HOME / "wheels" / name, HOME / "wheels" / (name + ".part")
    whole.parent.mkdir(exist_ok=True)
    for attempt in range(ATTEMPTS):
        if whole.exists():
            return whole
        try:
            fetch_rest(url, part, name)
        except (OSError, urllib.error.URLError) as broken:
            print(f"\nlibtorch: {name}: {broken}; going on from {part_size(part) >> 20} MB", flush=True)
            time.sleep(min(30, 2**attempt))
            continue
        if digest(part) == sha256:
            part.rename(whole)
        else:  # a damaged part file is of no use: begin again
            print(f"\nlibtorch: {name}: wrong checksum, downloading again", flush=True)
            part.unlink()
    if whole.exists():
        return whole
    raise SetupError(f"{name} could not be downloaded: run the same command again, it goes on where it stopped")


def fetch_rest(url, part, name):
    """Appends what is missing of `url` to `part`."""
    have = part_size(part)
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        reply = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as refused:
        if refused.code == 416:  # nothing is missing
            return
        raise
    with reply, open(part, "ab" if reply.status == 206 else "wb") as out:
        total = out.tell() + int(reply.headers.get("Content-Length", 0))
        while block := reply.read(1 << 20):
            out.write(block)
            show(name, out.tell(), total)
        if out.tell() < total:
            raise OSError("the connection ended early")


def part_size(part):
    return part.stat().st_size if part.exists() else 0


def show(name, have, total):
    if sys.stderr.isatty():
        end = "\n" if have == total else "\r"
        print(f"libtorch: {name[:28]} {have >> 20}/{total >> 20} MB", end=end, file=sys.stderr, flush=True)
    elif have == total:
        print(f"libtorch: {name[:28]} {total >> 20} MB", flush=True)


def digest(path):
    with open(path, "rb") as file:
        hasher = hashlib.sha256()
        while block := file.read(1 << 20):
            hasher.update(block)
    return hasher.hexdigest()


def unpack(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if wanted(n)]
        for name in names:
            archive.extract(name, HOME)


def wanted(name):
    licence = ".dist-info/" in name and any(w in name.upper() for w in ("LICENSE", "NOTICE"))
    return licence or (name.startswith(KEPT) and not name.rsplit("/", 1)[-1].startswith(LEFT_OUT))


def finish():
    """The stamp comes last, so that an interrupted unpacking is done again."""
    (HOME / "complete").write_text(TORCH + "\n")
    shutil.rmtree(HOME / "wheels", ignore_errors=True)
    shutil.rmtree(HOME / "pip", ignore_errors=True)
    (HOME / "report.json").unlink(missing_ok=True)
    print(f"libtorch: {TORCH} (CPU) is in {HOME.name}/")


if __name__ == "__main__":
    try:
        main()
    except SetupError as problem:
        sys.exit(f"libtorch: {problem}")
    except KeyboardInterrupt:
        sys.exit("\nlibtorch: interrupted; run the same command again, it goes on where it stopped")
    except OSError as problem:
        sys.exit(f"libtorch: {problem}")
