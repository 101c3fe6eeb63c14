"""Servers on loopback that stand in for those of the world."""
