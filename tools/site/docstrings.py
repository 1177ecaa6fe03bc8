"""Docstrings as the site's Markdown: roles (``:meth:`Runtime.grep```) become links, doctests blocks of code."""

from __future__ import annotations

import re

from griffe import Extension, Object

PACKAGE = "hydra_harness_runtime"
DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
ROLE = re.compile(r":(?:class|meth|func|data|mod):`([\w.]+)`")


class Docstrings(Extension):
    """Rewrites the docstring of every object as it is read; help() keeps the form that Sphinx and pdoc know."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Called by griffe for each object."""
        if obj.docstring:
            text = DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
            obj.docstring.value = ROLE.sub(lambda role: link(role[1], obj), text)


def link(target: str, near: Object) -> str:
    """Markdown for a role; a name that is no public one of the package, such as the library's, is only code."""
    owner = near.parent if near.is_function or near.is_attribute else near
    if owner is not None and owner.is_class and target in owner.members:
        target = f"{owner.name}.{target}"
    public = near.package.exports or ()
    if target.split(".")[0] in {str(name) for name in public}:
        return f"[`{target}`][{PACKAGE}.{target}]"
    return f"`{target}`"
