"""The search tools and the shell gate in the idiom of agent frameworks.

One module for each framework, to be imported by name:
``langchain``, ``deepagents``, ``pydantic_ai``, ``openai_agents``,
``google_adk``, ``claude_agent_sdk``. Importing this package imports none of
them; importing a module without its framework is an :class:`ImportError` that
names the extra to install.
"""

__all__: list[str] = []
