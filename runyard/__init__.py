"""The package that a wheel installs: beside this module lie the apps, which import each other by their own names."""
