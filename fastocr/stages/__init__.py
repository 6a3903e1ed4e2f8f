"""The steps of the river, each a small object with one verb."""
