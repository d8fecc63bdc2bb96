"""WebAssembly: a module as text in which everything has a name, and anything may be left out."""
