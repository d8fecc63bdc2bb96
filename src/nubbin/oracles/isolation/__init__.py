"""The folder of a run, the files in it, and a sandbox that protects all others."""
