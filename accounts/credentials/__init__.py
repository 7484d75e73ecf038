"""What opens an account besides its password: sessions of browsers, and addresses that were proven."""
