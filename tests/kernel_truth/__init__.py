"""What the kernel saw a shell command open.

Lays out the tree of a case, runs its command in a real shell under strace and
writes down which paths were read, listed, written, executed and refused, by
the kernel's own names for them. The cases of tests/conformance/shell were made
this way; ``python -m kernel_truth verify FILE`` runs them again and reports
every difference, ``record FILE`` adds the truth to new ones.

Linux with strace, bash and dash. Standard library only.
"""
