"""The scratch world of the recorded cases: for each user a home, a repository, little projects, and a place outside."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
import zipfile
from pathlib import Path

OTHER = 4242  # somebody without rights
PYTHON = "/usr/bin/python3"  # one that every user may run
PURE = [
    "pytest",
    "_pytest",
    "py",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "exceptiongroup",
    "tomli",
    "typing_extensions",
    "pip",
    "setuptools",
]

HOME = {
    ".ssh/id_ed25519": "FAKE-PRIVATE-KEY\n",
    ".aws/credentials": "FAKE-AWS\n",
    ".config/gh/hosts.yml": "FAKE-GH\n",
    ".npmrc": "//registry.example.test/:_authToken=FAKE\n",
    ".gitconfig": "[user]\n name = T\n email = t@example.com\n",
    "notes/n.txt": "note\n",
}
REPO = {
    "go.mod": "module example.com/w\n\ngo 1.21\n",
    "gocore/render/render.go": "package render\n",
    "gocore/render/render_test.go": 'package render\n\nimport "testing"\n\nfunc TestA(t *testing.T) { t.TempDir() }\n',
    "t/py/test_a.py": 'def test_a(tmp_path):\n    (tmp_path / "x").write_text("1")\n',
    "t/js/package.json": '{"name":"t","version":"1.0.0","scripts":{"test":"node --test"}}',
    "t/js/a.test.js": 'const t=require("node:test");t("a",()=>{});\n',
    "t/c/Makefile": "all: hello\n\t./hello\nhello: hello.c\n\tgcc -O1 -o $@ $<\nclean:\n\trm -f hello\n",
    "t/c/hello.c": '#include <stdio.h>\nint main(){puts("hi");return 0;}\n',
    "t/rs/Cargo.toml": '[package]\nname="r"\nversion="0.1.0"\nedition="2021"\n',
    "t/rs/src/main.rs": 'fn main(){println!("hi");}\n',
    "t/gohttp/go.mod": "module x\n\ngo 1.21\n",
    "t/gohttp/x_test.go": (
        'package x\n\nimport (\n\t"net/http"\n\t"net/http/httptest"\n\t"testing"\n)\n\nfunc TestH(t *testing.T) {\n'
        "\ts := httptest.NewServer(http.NotFoundHandler())\n\tdefer s.Close()\n"
        "\tif _, e := http.Get(s.URL); e != nil {\n\t\tt.Fatal(e)\n\t}\n}\n"
    ),
}
WHEEL = {
    "tiny.py": "x=1\n",
    "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
    "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tiny-1.0.dist-info/RECORD": "".join(f"{f},,\n" for f in ("tiny.py", "tiny-1.0.dist-info/METADATA")),
}


def write(under: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (under / name).parent.mkdir(parents=True, exist_ok=True)
        (under / name).write_text(text)


def copy_pytest(to: Path) -> None:
    """Pure packages of this environment, for a Python that every user may run."""
    to.mkdir()
    for name in PURE:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, to / name, dirs_exist_ok=True)
        else:
            shutil.copy(origin, to)
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "pip"):
        try:
            found = Path(str(importlib.metadata.distribution(name).locate_file(""))).glob(f"{name}-*.dist-info")
        except importlib.metadata.PackageNotFoundError:
            continue
        for info in found:
            shutil.copytree(info, to / info.name, dirs_exist_ok=True)


def make(at: Path, users: dict[str, int]) -> None:
    copy_pytest(at / "pylib")
    (at / "suid").mkdir()
    shutil.copy(shutil.which("id") or "/usr/bin/id", at / "suid/id")
    for name, uid in users.items():
        own = at / name
        for folder in ("home", "repo", "out", "tmp", "cache", "home/go/pkg/mod"):
            (own / folder).mkdir(parents=True)
        write(own / "home", HOME)
        (own / "home/.ssh").chmod(0o700)
        write(own / "repo", REPO)
        write(own / "out", {"secret.txt": "OUTSIDE-SECRET\n"})
        (own / "repo/t/whl").mkdir()
        with zipfile.ZipFile(own / "repo/t/whl/tiny-1.0-py3-none-any.whl", "w") as wheel:
            for entry, text in WHEEL.items():
                wheel.writestr(entry, text)
        git = ["git", "-C", str(own / "repo"), "-c", "user.name=T", "-c", "user.email=t@example.com"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            subprocess.run([*git, *words], check=True)
        for path in (own, *own.rglob("*")):
            os.chown(path, uid, uid, follow_symlinks=False)
    if os.geteuid() == 0:
        (at / "suid/id").chmod(0o4755)


def environment(at: Path, user: str, runtime: str) -> dict[str, str]:
    """What commands run with, confined or not: secrets to be scrubbed, caches to be led elsewhere."""
    own = at / user
    root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
    path = [f"{root}/bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    env = {
        "HOME": f"{own}/home", "LANG": "C.UTF-8", "TERM": "xterm", "USER": user, "X": runtime, "B": str(at),
        "W": str(own), "R": f"{own}/repo", "O": f"{own}/out", "H": f"{own}/home",
        "T": f"{own}/tmp", "C": f"{own}/cache",
        "TMPDIR": f"{own}/tmp", "GOCACHE": f"{own}/cache/go", "GOTMPDIR": f"{own}/tmp", "GOFLAGS": "-mod=readonly",
        "GOPROXY": "off", "GONOSUMDB": "*", "GOTOOLCHAIN": "local", "GOMODCACHE": f"{own}/home/go/pkg/mod",
        "PIP_CACHE_DIR": f"{own}/cache/pip", "npm_config_cache": f"{own}/cache/npm",
        "npm_config_userconfig": "/dev/null", "npm_config_update_notifier": "false",
        "PYTHONPATH": f"{at}/pylib", "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_SECRET_ACCESS_KEY": "FAKE", "MY_API_TOKEN": "FAKE2", "SSH_AUTH_SOCK": f"{own}/out/agent.sock",
    }  # fmt: skip
    cargo = shutil.which("cargo")
    if user == "root" and cargo:  # rustup's folders, by name, for the home is another one
        path.append(str(Path(cargo).parent))
        for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
            value = os.environ.get(name) or str(Path(pwd.getpwuid(0).pw_dir) / folder)
            if Path(value).is_dir():
                env[name] = value
    return env | {"PATH": ":".join(dict.fromkeys(path))}
