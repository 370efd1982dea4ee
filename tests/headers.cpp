// Nothing: it only carries the headers that tests have in common and that are compiled once.
