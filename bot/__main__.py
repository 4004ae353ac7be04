"""`python -m bot` is `paperboy`."""

from bot.cli import main

if __name__ == "__main__":
    main()
