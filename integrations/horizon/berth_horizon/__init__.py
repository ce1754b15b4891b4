"""Fields for scheduler hints in manila-ui's form of a new share."""
