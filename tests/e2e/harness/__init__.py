"""Drives the built binary with the tools that people use: kubectl, the aws command, and AWS's own library."""
