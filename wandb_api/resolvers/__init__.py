"""Resolvers by what they are about; importing them binds them."""
