"""A wheel of the in-process extension around a library that has no code in it.

Building the real one takes a C compiler of its own and half a minute; what the
checker and installers look at is all here.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable

from tests.wheel.library import Library
from tests.wheel.mutate import Wheel
from wheels import table
from wheels.check import Expectation
from wheels.check.extension import LIBRARY
from wheels.distributions import INPROCESS, Build

__all__ = ["extension_wheel"]


def extension_wheel(target: table.Target, expected: Expectation, library: Library | None = None) -> Wheel:
    """A good one, unless *library* is not."""
    version = expected.version
    build = Build(INPROCESS, target)
    info = f"{INPROCESS.package}-{version}.dist-info"
    tags = [f"cp310-abi3-{tag}" for tag in target.platform_tags if tag.startswith("manylinux")]
    metadata = {
        "Metadata-Version": "2.4",
        "Name": INPROCESS.name,
        "Version": version,
        "Requires-Python": ">=3.10",
        "Requires-Dist": f"hydra-harness-runtime=={version}",
    }
    image = (library or Library(target.goarch)).image()
    contents = {
        f"{INPROCESS.package}/__init__.py": f'__version__ = "{version}"\n'.encode(),
        LIBRARY: image,
        f"{info}/sboms/{INPROCESS.name}.cdx.json": bill(image),
        f"{info}/METADATA": headers(metadata.items()),
        f"{info}/WHEEL": headers(
            [("Wheel-Version", "1.0"), ("Root-Is-Purelib", "false"), *(("Tag", tag) for tag in tags)]
        ),
        **{f"{info}/licenses/{name}": text for name, text in expected.licences.items()},
        f"{info}/RECORD": b"",
    }
    wheel = Wheel(build.file_name(version), [(member(name), data) for name, data in contents.items()])
    wheel.settle()
    return wheel


def bill(image: bytes) -> bytes:
    """A bill of materials with nothing but the library, which has no Go in it."""
    digest = {"alg": "SHA-256", "content": hashlib.sha256(image).hexdigest()}
    part = {"name": "library", "hashes": [digest], "licenses": [{"expression": "MIT"}]}
    return json.dumps({"components": [part]}).encode()


def headers(fields: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"{key}: {value}\n" for key, value in fields).encode()


def member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, (2020, 2, 2, 0, 0, 0))
    info.create_system = 3
    info.external_attr = (0o100755 if name == LIBRARY else 0o100644) << 16
    return info
