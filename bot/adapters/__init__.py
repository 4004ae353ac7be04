"""One module per chat platform: the only places that know its library; every platform type ends here."""
