"""From events to messages that are sent: routing, scheduling, sending, results and history."""
