"""Plug-ins of Berth for the schedulers of Nova and Manila."""
