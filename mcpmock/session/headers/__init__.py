"""The headers of requests of the stateless revision: what they mirror, what is odd about them, which are kept."""
