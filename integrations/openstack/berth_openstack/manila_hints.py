"""The hints same_host and different_host, as users write them and as Manila stores them."""

# By hint, the key of the metadata.
KEYS = {"same_host": "__affinity_same_host", "different_host": "__affinity_different_host"}

# How many uuids fit into a value of metadata, 1023 characters.
STORED_MAX = 27


def split(value):
    """The parts of a list, or of text with commas, each once."""
    parts = value.split(",") if isinstance(value, str) else (value or ())
    return list(dict.fromkeys(str(part).strip() for part in parts))


def read(hints):
    """By hint, the uuids of the named shares."""
    return {hint: [uuid for uuid in split(hints.get(hint)) if uuid] for hint in KEYS}


def read_metadata(share):
    """What the metadata of a share of Manila's database says."""
    metadata = {item["key"]: item["value"] for item in share["share_metadata"]}
    return read({hint: metadata.get(key) for hint, key in KEYS.items()})
