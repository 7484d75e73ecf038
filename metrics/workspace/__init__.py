"""What a project's workspace shows: logged keys and charts, groups of runs, parameter importance."""
