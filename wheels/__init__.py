"""How wheels are made and judged: the build hook, its payload and the checker."""
