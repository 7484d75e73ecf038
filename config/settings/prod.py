"""What ``make run`` and every installation use."""

from config.settings.base import *

DEBUG = False
