"""Tools of operators: actions and forms of the admin, impersonation, settings of the installation."""
