"""What runs the networks: backends, sessions, threads."""
