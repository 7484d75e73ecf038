"""What teams, projects and people use: ledgers, metering, reports, storage and chargeback."""
