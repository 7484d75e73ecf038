"""The unmodified SDK against a real installation, and its protocol spoken by hand where the SDK cannot be made to."""
