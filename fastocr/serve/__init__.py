"""The service: HTTP and gRPC doors around one pool of engines (extra `server`)."""
