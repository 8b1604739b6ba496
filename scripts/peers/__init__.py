"""waldo beside its peers: pages, installs, adapters, the rounds, the table and the curves of scripts/bench peers."""
