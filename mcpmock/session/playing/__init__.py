"""A recorded server is played to a live client: which interaction answers, in which order, and what is told else."""
