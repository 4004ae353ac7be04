"""One table of commands, and their handlers that know no platform: `Request` in, `Reply` out."""
