"""What every installation shares; one module per concern."""

from config.env import env
from config.settings.accounts import *
from config.settings.apps import *
from config.settings.billing import *
from config.settings.database import *
from config.settings.international import *
from config.settings.limits import *
from config.settings.log import *
from config.settings.mail import *
from config.settings.outgoing import *
from config.settings.redis import *
from config.settings.rest import *
from config.settings.security import *
from config.settings.static import *
from config.settings.storage import *

ENVIRONMENT = env.known
"""Every variable of the environment that was read, with its default; operators see them (config.admin.site)."""
