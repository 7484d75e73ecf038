"""Roles: built-in and custom ones, what they grant, and who may give them."""
