"""Engines run a lever's query and hand back integer groups. They never see a price applied."""
