"""A runtime for tests of programs that use one: in memory, without Go or ripgrep.

>>> from hydra_harness_runtime.testing import FakeRuntime
>>> fake = FakeRuntime({"src/a.py": "import os\\nTODO\\n", "README": "TODO\\n"})
>>> with fake.client() as runtime:
...     [(match.path, match.line_number) for match in runtime.grep("TODO").matches]
[('README', 1), ('src/a.py', 2)]
>>> fake.calls[-1].method
'hydra/search/grep'

It knows enough of globs and regular expressions for such tests and is no
measure of what ripgrep does. Its gate never looks at a command: it answers
``ask``, or what you tell it to. :func:`install` makes an executable
of it, for tests that need a process to hang or to crash.
"""

from ._fake import FakeRuntime, RecordedCall
from ._program import install

__all__ = ["FakeRuntime", "RecordedCall", "install"]
