"""SCIM 2.0 (RFC 7643, RFC 7644): an identity provider keeps an organization's people and teams.

`records` is what is remembered, `resources` the schemas, `filters` queries, `people` and `groups` what is done, `views`
the endpoints. Everything is done by the services of teams and accounts, so it is guarded and audited as by hand.
"""
