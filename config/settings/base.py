"""What every installation shares; one module per concern."""

from config.settings.accounts import *
from config.settings.apps import *
from config.settings.database import *
from config.settings.international import *
from config.settings.limits import *
from config.settings.log import *
from config.settings.mail import *
from config.settings.redis import *
from config.settings.security import *
from config.settings.static import *
