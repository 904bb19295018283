"""What is kept out of a cassette: secrets found, masked, and told from what only looks like one."""
