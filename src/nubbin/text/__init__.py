"""How is it written for a person? Numbers, bytes and differences as text; pure, no I/O."""
