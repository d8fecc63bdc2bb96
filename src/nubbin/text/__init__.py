"""Write numbers, bytes and differences for people; pure, without I/O."""
