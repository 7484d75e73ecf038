"""SCIM 2.0 (RFC 7643, RFC 7644): an identity provider keeps an organization's people and teams.

`resources` has the schemas, `filters` queries, `user_resources` what is shown of people, `users` and `groups` what is
done, `views` the endpoints; what is remembered is in `teams.models`. Everything is done by the services of teams and
accounts, so it is guarded and audited as by hand.
"""
