"""Everything a person sees: adapters, commands, rendering, the outbox's sender and the command line."""
