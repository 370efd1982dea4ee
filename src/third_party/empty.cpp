// An empty room, while it is being built.
