"""The pictures of the documentation: ``python -m tools.pictures docs/pictures`` writes them anew."""
