"""Invoices: closing of periods, lines, numbers, PDFs and mails."""
