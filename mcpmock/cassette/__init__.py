"""What a recording is: its model, its YAML, its files, and what is kept out of it."""
