"""The running bot, as its own process and in process, on platforms that live in the test."""
