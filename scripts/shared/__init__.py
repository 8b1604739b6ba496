"""What several scripts need: `command` runs one of a folder by its name, `figures` reads records and makes figures of them."""
