"""WebAssembly: a module as text with names instead of numbers, so any part can be removed."""
