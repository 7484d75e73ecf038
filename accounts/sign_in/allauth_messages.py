"""Words of django-allauth that our catalogues translate anew, where its own have other terms than ours or a slip.

They are named here to be extracted; Django takes what ``locale`` says before what an installed app says.
"""

from django.utils.translation import gettext_noop

WORDS = (
    gettext_noop("Username"),
    gettext_noop("Username can not be used. Please use other username."),
    gettext_noop("The username and/or password you specified are not correct."),
    gettext_noop("This email address is already associated with this account."),
    gettext_noop("You cannot remove your primary email address."),
    gettext_noop("Your primary email address must be verified."),
    gettext_noop("Your account has no verified email address."),
    gettext_noop("You must type the same email each time."),
    gettext_noop("Too many failed login attempts. Try again later."),
    gettext_noop("Invalid or expired key."),
    gettext_noop("Backup key"),
)
