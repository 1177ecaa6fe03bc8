"""What installers choose for a platform, from a folder with every wheel; and the wrong choice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from wheels import table
from wheels.distributions import EXECUTABLES, Build, every_build

TARGETS = table.load_targets()

# As `pip download --platform` spells platforms, and which target answers. pip
# compares Linux tags literally and knows that a newer macOS runs what an older
# one does.
PIP = {
    **{
        f"{tag}_{machine}": f"linux-{machine}"
        for tag in ("manylinux_2_17", "manylinux2014", "musllinux_1_1")
        for machine in ("x86_64", "aarch64")
    },
    **{
        f"macosx_{release}_0_{machine}": f"macos-{machine}"
        for release in (12, 15, 26)
        for machine in ("x86_64", "arm64")
    },
}
PIP_REFUSES = [
    "macosx_11_0_arm64",  # Go's oldest is 12
    "macosx_10_12_x86_64",
    "manylinux_2_5_x86_64",
    "musllinux_1_1_armv7l",
    "win_amd64",
]
# Tags newer than ours: pip wants ours beside them, others need no help.
NEWER = ["manylinux_2_28_x86_64", "manylinux_2_39_x86_64", "musllinux_1_2_x86_64", "linux_x86_64"]

# As uv names them.
UV = {
    "x86_64-unknown-linux-gnu": "linux-x86_64",
    "x86_64-unknown-linux-musl": "linux-x86_64",
    "x86_64-manylinux2014": "linux-x86_64",
    "x86_64-manylinux_2_28": "linux-x86_64",
    "aarch64-unknown-linux-gnu": "linux-aarch64",
    "aarch64-unknown-linux-musl": "linux-aarch64",
    "aarch64-manylinux_2_28": "linux-aarch64",
    "aarch64-apple-darwin": "macos-arm64",
    "x86_64-apple-darwin": "macos-x86_64",
}


@pytest.fixture(scope="module")
def index(wheel_for: Callable[[Build], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `pip --find-links` reads."""
    folder = tmp_path_factory.mktemp("index")
    for wheel in map(wheel_for, every_build(TARGETS)):
        (folder / wheel.name).symlink_to(wheel)
    return folder


def download(index: Path, out: Path, *options: str, wanted: str = "hydra-harness-runtime") -> tuple[list[str], str]:
    """The files that `pip download` brings, and what it says."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-index", f"--find-links={index}"]
    command += ["--only-binary=:all:", f"--dest={out}", *options, wanted]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return ([path.name for path in out.iterdir()] if out.exists() else []), done.stderr


def test_pip_finds_every_platform(index: Path, tmp_path: Path) -> None:
    """A wheel for glibc alone would leave Alpine with nothing (github/copilot-sdk#591)."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = pool.map(lambda tag: download(index, tmp_path / tag, f"--platform={tag}"), PIP)
        found = dict(zip(PIP, chosen, strict=True))
    tags = {name: EXECUTABLES.tag(target) for name, target in TARGETS.items()}
    for platform, (names, said) in found.items():
        assert len(names) == 1, f"{platform}: {said}"
        assert names[0].endswith(f"{tags[PIP[platform]]}.whl"), platform


@pytest.mark.parametrize("platform", PIP_REFUSES)
def test_pip_refuses_what_we_do_not_run_on(platform: str, index: Path, tmp_path: Path) -> None:
    names, said = download(index, tmp_path / "out", f"--platform={platform}")
    assert names == []
    assert "No matching distribution found for hydra-harness-runtime" in said


def test_pip_wants_our_tag_beside_a_newer_one(index: Path, tmp_path: Path) -> None:
    """`--platform` may be given several times; wheels/README.md says which one helps."""
    newer = [f"--platform={tag}" for tag in NEWER]
    assert download(index, tmp_path / "alone", *newer)[0] == []
    (name,) = download(index, tmp_path / "both", *newer, "--platform=manylinux2014_x86_64")[0]
    assert name.endswith(f"{EXECUTABLES.tag(TARGETS['linux-x86_64'])}.whl")


@pytest.mark.parametrize(("python", "implementation"), [("3.10", "cp"), ("3.14", "cp"), ("3.11", "pp")])
def test_one_wheel_for_every_python(python: str, implementation: str, index: Path, tmp_path: Path) -> None:
    options = [f"--python-version={python}", f"--implementation={implementation}", "--platform=macosx_14_0_arm64"]
    assert len(download(index, tmp_path / "out", *options)[0]) == 1


def test_python_that_is_too_old(index: Path, tmp_path: Path) -> None:
    options = ["--python-version=3.9", "--platform=manylinux2014_x86_64"]
    names, said = download(index, tmp_path / "out", *options)
    assert names == []
    assert "requires a different Python: 3.9" in said


@pytest.mark.parametrize("python", ["3.10", "3.14"])
@pytest.mark.parametrize(
    ("platform", "target"),
    [
        ("manylinux_2_17_x86_64", "linux-x86_64"),
        ("manylinux2014_x86_64", "linux-x86_64"),
        ("manylinux2014_aarch64", "linux-aarch64"),
    ],
)
def test_extra_in_process(platform: str, target: str, python: str, index: Path, tmp_path: Path) -> None:
    """One library for every CPython, and the runtime with it."""
    options = [f"--platform={platform}", f"--python-version={python}", "--implementation=cp"]
    names, said = download(index, tmp_path / "out", *options, wanted="hydra-harness-runtime[inprocess]")
    assert len(names) == 2, said
    assert any(name.endswith(f"{EXECUTABLES.tag(TARGETS[target])}.whl") for name in names)
    assert any(name.startswith("hydra_harness_inprocess-") and target.removeprefix("linux-") in name for name in names)


@pytest.mark.parametrize(
    ("platform", "implementation"),
    [("musllinux_1_1_x86_64", "cp"), ("macosx_15_0_arm64", "cp"), ("manylinux2014_x86_64", "pp")],
)
def test_no_extra_in_process(platform: str, implementation: str, index: Path, tmp_path: Path) -> None:
    """Better no library than one that does not load (golang/go#54805); the runtime alone is there."""
    options = [f"--platform={platform}", f"--implementation={implementation}", "--python-version=3.11"]
    names, said = download(index, tmp_path / "both", *options, wanted="hydra-harness-runtime[inprocess]")
    assert names == []
    assert "No matching distribution found for hydra-harness-inprocess" in said
    assert len(download(index, tmp_path / "alone", *options)[0]) == 1


def test_uv_finds_every_platform(index: Path, tmp_path: Path) -> None:
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv is not installed")
    env = {**os.environ, "UV_CACHE_DIR": str(tmp_path / "cache"), "UV_NO_CONFIG": "1", "UV_OFFLINE": "1"}
    for platform, target in UV.items():
        out = tmp_path / platform
        command = [uv, "pip", "install", "--quiet", "--no-index", f"--find-links={index}", f"--target={out}"]
        command += [f"--python={sys.executable}", f"--python-platform={platform}", "hydra-harness-runtime"]
        done = subprocess.run(command, check=False, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{platform}: {done.stderr}"
        assert f'"target": "{target}"' in (out / "hydra_harness_runtime" / "_bin" / "manifest.json").read_text()


# --- installed for one platform, imported on another

LOCATE = """
import sys
if len(sys.argv) > 1:
    sys.platform = sys.argv[1]
import hydra_harness_runtime as h
try:
    h.bundled_runtime_path()
except h.RuntimeBundleError as error:
    print(error.code, error.target, error.host, error, sep="\\n")
"""


def locate(packages: Path, *arguments: str) -> list[str]:
    env = {**os.environ, "PYTHONPATH": str(packages)}
    command = [sys.executable, "-c", LOCATE, *arguments]
    return subprocess.run(command, check=True, env=env, capture_output=True, text=True).stdout.split("\n", 3)


@pytest.mark.skipif(sys.platform != "linux", reason="the host of these cases is Linux")
@pytest.mark.parametrize(
    ("platform", "target", "code"),
    [
        ("macosx_12_0_arm64", "macos-arm64", "wrong-os"),
        ("macosx_12_0_x86_64", "macos-x86_64", "wrong-os"),
        ("manylinux2014_aarch64", "linux-aarch64", "wrong-arch"),
        ("manylinux2014_x86_64", "linux-x86_64", "wrong-arch"),
    ],
)
def test_wheel_of_another_platform(platform: str, target: str, code: str, index: Path, tmp_path: Path) -> None:
    """semgrep/semgrep#4505: said before anything is started, with both names."""
    host = table.host_target(TARGETS).name
    if target == host:
        pytest.skip(f"{target} is this machine")
    install(index, tmp_path, platform)
    said, wheel, here, message = locate(tmp_path)
    assert (said, wheel, here) == (code, target, host)
    assert f"(host is {host}; wheel for {target})" in message
    assert "on the machine that will run it" in message


@pytest.mark.skipif(sys.platform != "linux", reason="plays macOS on Linux")
def test_linux_wheel_on_macos(host_wheel: Path, tmp_path: Path) -> None:
    """semgrep/semgrep#4505, #4311, #4701"""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", f"--target={tmp_path}", str(host_wheel)]
    subprocess.run(command, check=True)
    said, wheel, here, message = locate(tmp_path, "darwin")
    assert (said, wheel) == ("wrong-os", table.host_target(TARGETS).name)
    assert here.startswith("macos-")
    assert "wheel for another platform" in message or "is for another platform" in message


def install(index: Path, target: Path, platform: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", f"--find-links={index}"]
    command += ["--only-binary=:all:", f"--platform={platform}", f"--target={target}", "hydra-harness-runtime"]
    subprocess.run(command, check=True)
